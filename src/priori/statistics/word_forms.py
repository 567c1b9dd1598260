"""The words that stems were written as: an additive table beside the counts, so that stems can be shown as words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from priori.statistics.term_counts import TERM_ARRAYS, Counts, refuse_overflow

Bytes = npt.NDArray[np.uint8]
Int64s = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Forms:
    """Occurrences by (stem, word as written), in all classes and fields together; `+` and `-` are exact.

    >>> from types import SimpleNamespace as Texts
    >>> stems = Texts(data=np.frombuffer(b"computcomputcomput", np.uint8), offsets=np.array([0, 6, 12, 18]))
    >>> words = Texts(data=np.frombuffer(b"computecomputercomputers", np.uint8), offsets=np.array([0, 7, 15, 24]))
    >>> Forms.joined(stems, words, np.array([1, 1, 2]), unit_bits=0).of("comput")
    [('computers', 2.0), ('compute', 1.0), ('computer', 1.0)]
    """

    counts: Counts  # of terms "stem NUL word", in one class without a name or documents

    @classmethod
    def from_core(cls, arrays: Mapping[str, Any], unit_bits: int) -> Self:
        """From the compiled counter's arrays."""
        return cls.of_arrays({name: arrays[name] for name in TERM_ARRAYS}, unit_bits)

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, Any], unit_bits: int) -> Self:
        """From the arrays of terms "stem NUL word"."""
        none = {name: getattr(Counts.empty(), name) for name in ("length_class", "length", "length_documents")}
        return cls(Counts(("",), np.zeros(1, np.int64), **arrays, **none, unit_bits=unit_bits).canonical())

    @classmethod
    def empty(cls) -> Self:
        """Of no words."""
        return cls(Counts.empty())

    def __add__(self, other: Self) -> Self:
        return self._combined(other, 1)

    def __neg__(self) -> Self:
        return type(self).empty() - self

    def __sub__(self, other: Self) -> Self:
        return self._combined(other, -1)

    def _combined(self, other: Self, sign: int) -> Self:
        bits = max(self.counts.unit_bits, other.counts.unit_bits)
        refuse_overflow(self.bound(bits) + other.bound(bits))
        return type(self)(self.counts.combined(other.counts, sign)[0])

    def bound(self, bits: int) -> float:
        """A float over every sum of the occurrences, in units of 2^-bits."""
        units = float(np.abs(self.counts.pair_occurrences.astype(np.float64)).sum())
        return units * 2.0 ** (bits - self.counts.unit_bits)

    def __eq__(self, other: object) -> bool:
        return self.counts == other.counts if isinstance(other, Forms) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __len__(self) -> int:
        return self.counts.terms

    @cached_property
    def stems_and_words(self) -> tuple[list[str], list[str]]:
        """The stem and the word of each row, in order."""
        pairs = [text.split("\0", 1) for text in self.counts.term_texts()]
        return [stem for stem, _ in pairs], [word for _, word in pairs]

    @property
    def occurrences(self) -> npt.NDArray[np.float64]:
        """How often each was written."""
        return np.asarray(self.counts.pair_occurrences * self.counts.unit)

    def of(self, stem: str) -> list[tuple[str, float]]:
        """The words of a stem with their occurrences, most frequent first, ties by text."""
        first = self._search(f"{stem}\0")
        last = self._search(f"{stem}\x01")
        counts = self.counts
        times = (counts.pair_occurrences[first:last] * counts.unit).tolist()
        words = [(counts.term(row).split("\0", 1)[1], n) for row, n in zip(range(first, last), times, strict=True)]
        return sorted(words, key=lambda pair: -pair[1])

    def _search(self, text: str) -> int:
        """How many rows stand before a text, in the order of bytes."""
        wanted, low, high = text.encode(), 0, len(self)
        offsets, data = self.counts.term_offsets, self.counts.term_bytes
        while low < high:
            middle = (low + high) // 2
            if data[offsets[middle] : offsets[middle + 1]].tobytes() < wanted:
                low = middle + 1
            else:
                high = middle
        return low

    def split(self) -> tuple[tuple[Int64s, Bytes], tuple[Int64s, Bytes]]:
        """Stems and words as offsets and bytes: each text has one NUL, and it stands between the two."""
        offsets, data = self.counts.term_offsets, self.counts.term_bytes
        middle = np.flatnonzero(data == 0)
        before = np.ones(len(data), bool)
        before[middle] = False
        stem_sizes, word_sizes = middle - offsets[:-1], offsets[1:] - middle - 1
        of_stem = np.repeat(np.tile([True, False], len(self)), np.column_stack([stem_sizes + 1, word_sizes]).ravel())
        return (_offsets(stem_sizes), data[of_stem & before]), (_offsets(word_sizes), data[~of_stem])

    @classmethod
    def joined(cls, stems: Any, words: Any, occurrences: Int64s, unit_bits: int) -> Self:
        """The inverse of `split`; stems and words have offsets and data."""
        stem_sizes, word_sizes = np.diff(stems.offsets), np.diff(words.offsets)
        rows = len(stem_sizes)
        kind = np.repeat(
            np.tile([0, 1, 2], rows), np.column_stack([stem_sizes, np.ones_like(stem_sizes), word_sizes]).ravel()
        )
        data = np.zeros(len(kind), np.uint8)
        data[kind == 0], data[kind == 2] = stems.data, words.data
        arrays = {
            "term_offsets": _offsets(stem_sizes + 1 + word_sizes),
            "term_bytes": data,
            "pair_offsets": np.arange(rows + 1, dtype=np.int64),
            "pair_class": np.zeros(rows, np.int32),
            "pair_occurrences": occurrences,
            "pair_documents": np.zeros(rows, np.int64),
        }
        return cls.of_arrays(arrays, unit_bits)

    def of_terms(self, counts: Counts, fields: Sequence[str]) -> Self:
        """Only the forms of stems that are words of some terms."""
        words: set[str] = set()
        for term in counts.term_texts():
            words.update(without_prefix(word, fields) for word in term.split(" "))
        return self.kept(np.array([stem in words for stem in self.stems_and_words[0]], bool))

    def kept(self, keep: npt.NDArray[np.bool_]) -> Self:
        """Only some rows."""
        counts = self.counts
        sizes = np.diff(counts.term_offsets)
        rows = int(keep.sum())
        smaller = replace(
            counts,
            term_offsets=_offsets(sizes[keep]),
            term_bytes=counts.term_bytes[np.repeat(keep, sizes)],
            pair_offsets=np.arange(rows + 1, dtype=np.int64),
            pair_class=counts.pair_class[keep],
            pair_occurrences=counts.pair_occurrences[keep],
            pair_documents=counts.pair_documents[keep],
        )
        return type(self)(smaller.canonical())


def without_prefix(word: str, fields: Sequence[str]) -> str:
    """A word without the name of the field that it stands in.

    >>> without_prefix("subject:win", ("subject",))
    'win'
    """
    for name in fields:
        if word.startswith(f"{name}:"):
            return word[len(name) + 1 :]
    return word


def _offsets(sizes: Any) -> Int64s:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
