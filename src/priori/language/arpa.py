"""The ARPA format of n-gram models: base-10 logarithms, orders one after the other."""

import os
from collections.abc import Callable, Iterator
from functools import lru_cache

import numpy as np

from priori.errors import DataError
from priori.language.table import NGramTable
from priori.store.atomic import atomic_output

NEVER = -99.0  # what the format has for the logarithm of nothing, and for the mark that is never predicted
BLOCK = 1 << 14  # lines that are written at once
SPACE = "\u2581"  # what stands for a space among characters, where tokens are parted by spaces
_LOG10 = np.log(10)
_BLANK = frozenset(" \t\n\v\f\r\0")


def write_arpa(table: NGramTable, path: str | os.PathLike[str]) -> None:
    """Write the file, atomically."""
    with atomic_output(path) as file:
        file.writelines(_lines(table))


def _lines(table: NGramTable) -> Iterator[bytes]:
    terms, counts = table.terms, list(table.ngrams)
    names = _names(table)
    counts[0] += table.unknown is not None
    yield b"\\data\\\n"
    for order, count in enumerate(counts, 1):
        yield f"ngram {order}={count}\n".encode()
    log_prob = np.maximum(table.log_prob / _LOG10, NEVER)
    if terms.begin >= 0:
        log_prob[terms.begin] = NEVER
    backoff = np.maximum(table.backoff / _LOG10, NEVER)
    spelled = _spelled(table, names)
    for order in range(1, len(counts) + 1):
        yield f"\n\\{order}-grams:\n".encode()
        if order == 1 and table.unknown is not None:
            yield f"{max(table.unknown / _LOG10, NEVER):.9g}\t<unk>\n".encode()
        here = np.flatnonzero(terms.order == order)
        history = (terms.last[here] != terms.end) & (order < len(counts))
        for start in range(0, len(here), BLOCK):
            part = here[start : start + BLOCK]
            yield "".join([
                f"{p:.9g}\t{spelled(index)}\t{b:.9g}\n" if goes_on else f"{p:.9g}\t{spelled(index)}\n"
                for index, p, b, goes_on in zip(
                    part.tolist(), log_prob[part].tolist(), backoff[part].tolist(),
                    history[start : start + BLOCK].tolist(), strict=True,
                )
            ]).encode()  # fmt: skip
    yield b"\n\\end\\\n"


def _names(table: NGramTable) -> dict[int, str]:
    """How single tokens are written."""
    names = {
        index: _written(table.shown(index), table.words) for index in np.flatnonzero(table.terms.order == 1).tolist()
    }
    for name in names.values():
        if name in ("<unk>", "<UNK>"):
            raise DataError(f"a word is spelled {name!r}, which in ARPA files is every word never seen; take it out")
        if not name or not _BLANK.isdisjoint(name):
            raise DataError(
                f"the word {name!r} is empty or has a blank, which part words in the ARPA format; take it out"
            )
    return names


def _written(token: str, words: bool) -> str:
    if words or token in ("<s>", "</s>"):
        return token
    if token == " ":
        return SPACE
    return f"<0x{ord(token):X}>" if token == SPACE or token.isspace() or ord(token) < 32 else token


def _spelled(table: NGramTable, names: dict[int, str]) -> Callable[[int], str]:
    """The tokens of an n-gram, parted by spaces: as terms of words are stored; of characters, put together."""
    if table.words:
        text, offsets = table.term_bytes.tobytes(), table.term_offsets.tolist()
        return lambda index: text[offsets[index] : offsets[index + 1]].decode("utf-8", "replace")
    prefix, last = table.terms.prefix.tolist(), table.terms.last.tolist()

    @lru_cache(maxsize=1 << 16)
    def whole(index: int) -> str:
        own = names[last[index]]
        return own if prefix[index] < 0 else f"{whole(prefix[index])} {own}"

    return whole
