"""The ARPA format of n-gram models: base-10 logarithms, orders one after the other."""

import os
from collections.abc import Iterator

import numpy as np

from priori.errors import DataError
from priori.language_models.table import NGramTable
from priori.store.atomic import atomic_output

NEVER = -99.0  # what the format has for the logarithm of nothing, and for the mark that is never predicted
SPACE = "\u2581"  # what stands for a space among characters, where tokens are parted by spaces
_LOG10 = np.log(10)


def write_arpa(table: NGramTable, path: str | os.PathLike[str]) -> None:
    """Write the file, atomically."""
    with atomic_output(path) as file:
        file.writelines(_lines(table))


def _lines(table: NGramTable) -> Iterator[bytes]:
    terms, counts = table.terms, list(table.ngrams)
    names = _names(table)
    if "<unk>" in names.values():
        raise DataError("a word is spelled '<unk>', which in the ARPA format is every word never seen; take it out")
    counts[0] += table.unknown is not None
    yield b"\\data\\\n"
    for order, count in enumerate(counts, 1):
        yield f"ngram {order}={count}\n".encode()
    log_prob = np.maximum(table.log_prob / _LOG10, NEVER)
    if terms.begin >= 0:
        log_prob[terms.begin] = NEVER
    backoff = np.maximum(table.backoff / _LOG10, NEVER)
    for order in range(1, len(counts) + 1):
        yield f"\n\\{order}-grams:\n".encode()
        if order == 1 and table.unknown is not None:
            yield f"{max(table.unknown / _LOG10, NEVER):.9g}\t<unk>\n".encode()
        for index in np.flatnonzero(terms.order == order):
            text = _spelled(table, int(index), names)
            ends = order == len(counts) or int(terms.last[index]) == terms.end
            line = f"{log_prob[index]:.9g}\t{text}" + ("" if ends else f"\t{backoff[index]:.9g}")
            yield f"{line}\n".encode()
    yield b"\n\\end\\\n"


def _names(table: NGramTable) -> dict[int, str]:
    """How single tokens are written."""
    single = np.flatnonzero(table.terms.order == 1).tolist()
    return {index: _written(table.shown(index), table.words) for index in single}


def _written(token: str, words: bool) -> str:
    if words or token in ("<s>", "</s>"):
        return token
    if token == " ":
        return SPACE
    return f"<0x{ord(token):X}>" if token == SPACE or token.isspace() or ord(token) < 32 else token


def _spelled(table: NGramTable, index: int, names: dict[int, str]) -> str:
    terms, tokens = table.terms, []
    while index >= 0:
        tokens.append(names[int(terms.last[index])])
        index = int(terms.prefix[index])
    return " ".join(reversed(tokens))
