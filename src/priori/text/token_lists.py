"""Documents whose words are already told apart: token lists, counts, or what a user's function finds."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from priori.errors import DataError


@dataclass(frozen=True, eq=False)
class WordLists:
    """Words as indices into names, with offsets by document; with counts where they came counted."""

    names: Any  # list of str, or an Arrow array
    offsets: npt.NDArray[np.int64]
    indices: npt.NDArray[np.int32]
    counts: npt.NDArray[np.int64] | None = None

    @classmethod
    def of_lists(cls, documents: Iterable[Iterable[str]]) -> "WordLists":
        """From lists of words, documents in order."""
        places: dict[str, int] = {}
        indices: list[int] = []
        offsets = [0]
        for words in documents:
            indices.extend(places.setdefault(word, len(places)) for word in words)
            offsets.append(len(indices))
        return cls(list(places), np.array(offsets, np.int64), np.array(indices, np.int32))


def word_lists(text: pa.Array, tokenizer: Callable[[str], Iterable[str]] | None) -> WordLists | None:
    """The words of a column of token lists or counts, or of texts cut by `tokenizer`; None for plain text."""
    kind = text.type
    if pa.types.is_map(kind):
        # subtle: a slice has its own offsets, but the keys and items of the whole
        offsets = _numpy(text.offsets).astype(np.int64)
        here = slice(int(offsets[0]), int(offsets[-1]))
        names, indices = _encoded(text.keys[here])
        return WordLists(names, offsets - offsets[0], indices, _numpy(text.items[here]).astype(np.int64))
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        flat = text.flatten()
        names, indices = _encoded(flat)
        lengths = _numpy(text.value_lengths()).astype(np.int64)
        return WordLists(names, np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64), indices)
    if tokenizer is None:
        return None
    return WordLists.of_lists(tokenized((_decoded(value) for value in text.to_pylist()), tokenizer))


def tokenized(texts: Iterable[str], tokenizer: Callable[[str], Iterable[str]]) -> Iterator[list[str]]:
    """The words that a user's function finds in each text."""
    for position, text in enumerate(texts):
        if not isinstance(text, str):
            raise DataError(f"text {position} is of type {type(text).__name__}, not str; give one str per document")
        yield _checked(tokenizer(text), tokenizer)


def _checked(words: Any, tokenizer: Any) -> list[str]:
    found = list(words) if isinstance(words, Iterable) else [words]
    if isinstance(words, str) or not all(isinstance(word, str) for word in found):
        name = getattr(tokenizer, "__name__", type(tokenizer).__name__)
        raise DataError(f"the tokenizer {name} returned {words!r}; it must return a list of str")
    return found


def _decoded(value: str | bytes | None) -> str:
    if value is None:
        return ""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def _encoded(flat: pa.Array) -> tuple[pa.Array, npt.NDArray[np.int32]]:
    if len(flat) == 0:
        return [], np.zeros(0, np.int32)
    encoded = flat.dictionary_encode()
    if encoded.indices.null_count:
        raise DataError("a token is null; leave it out of its list")
    return encoded.dictionary, _numpy(encoded.indices).astype(np.int32)


def _numpy(array: pa.Array) -> Any:
    return array.to_numpy(zero_copy_only=False)
