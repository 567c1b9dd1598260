"""Sparse counts of terms by class: the statistics of every event model for text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from priori import _core
from priori.errors import DataError, NegativeCountError

Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]

UNIT_BITS = 20  # weights are multiples of 2^-20, so that weighted sums are exact and order-free too
LARGEST_WEIGHT = 2.0**31

ARRAYS = (
    "class_documents",
    "term_offsets",
    "term_bytes",
    "pair_offsets",
    "pair_class",
    "pair_occurrences",
    "pair_documents",
    "length_class",
    "length",
    "length_documents",
)
TERM_ARRAYS = ("term_offsets", "term_bytes", "pair_offsets", "pair_class", "pair_occurrences", "pair_documents")


@dataclass(frozen=True, eq=False)
class Counts:
    """Occurrences and documents by (term, class); documents and a histogram of lengths by class.

    Integers, in units of 2^-unit_bits (0, or 20 once a document had a fractional weight). Canonical: labels and terms
    sorted by their bytes, zero entries absent, so equal statistics have equal bytes. `+` and `-` are exact.
    """

    labels: tuple[str, ...]
    class_documents: Int64s  # (K,)
    term_offsets: Int64s  # (V + 1,) into term_bytes
    term_bytes: npt.NDArray[np.uint8]
    pair_offsets: Int64s  # (V + 1,) into the pairs of each term
    pair_class: Int32s
    pair_occurrences: Int64s
    pair_documents: Int64s
    length_class: Int32s
    length: Int64s
    length_documents: Int64s
    unit_bits: int = 0

    @classmethod
    def from_core(cls, arrays: Mapping[str, Any], unit_bits: int) -> Self:
        """From the compiled counter's arrays."""
        return cls(
            labels=tuple(arrays["labels"]),
            unit_bits=unit_bits,
            **{name: arrays[name] for name in ARRAYS},
        ).canonical()

    @classmethod
    def empty(cls) -> Self:
        """The statistics of no documents: what adds nothing."""
        none64, none32 = np.zeros(0, np.int64), np.zeros(0, np.int32)
        zero = np.zeros(1, np.int64)
        return cls((), none64, zero, np.zeros(0, np.uint8), zero, none32, none64, none64, none32, none64, none64)

    def __add__(self, other: Self) -> Self:
        return self.combined(other, 1)[0]

    def __sub__(self, other: Self) -> Self:
        return self.combined(other, -1)[0]

    def __neg__(self) -> Self:
        return type(self).empty() - self

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Counts):
            return NotImplemented
        return all(np.array_equal(mine, theirs) for mine, theirs in zip(self._values(), other._values(), strict=True))

    __hash__ = None  # type: ignore[assignment]

    def _values(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self.__dataclass_fields__)

    @property
    def terms(self) -> int:
        """How many distinct terms have counts: V, unless a vocabulary was given."""
        return len(self.term_offsets) - 1

    @property
    def unit(self) -> float:
        """What one unit of the integers is worth."""
        return 2.0**-self.unit_bits

    @cached_property
    def class_occurrences(self) -> Int64s:
        """N_c: features by class."""
        if self.bound() < 2.0**53:  # then sums of floats are exact too, and ten times as fast
            return np.bincount(self.pair_class, self.pair_occurrences, len(self.labels)).astype(np.int64)
        totals = np.zeros(len(self.labels), np.int64)
        np.add.at(totals, self.pair_class, self.pair_occurrences)
        return totals

    @cached_property
    def pair_term(self) -> Int32s:
        """The term of each pair."""
        return np.repeat(np.arange(self.terms, dtype=np.int32), np.diff(self.pair_offsets))

    def term_totals(self) -> Int64s:
        """Occurrences of each term in all classes."""
        totals = np.zeros(self.terms, np.int64)
        np.add.at(totals, self.pair_term, self.pair_occurrences)
        return totals

    def term(self, index: int) -> str:
        """The text of one term."""
        start, end = self.term_offsets[index], self.term_offsets[index + 1]
        return self.term_bytes[start:end].tobytes().decode("utf-8", "replace")

    def term_texts(self) -> list[str]:
        """The text of every term, in order."""
        data, ends = self.term_bytes.tobytes(), self.term_offsets.tolist()
        return [data[i:j].decode("utf-8", "replace") for i, j in pairwise(ends)]

    def find(self, terms: Sequence[str]) -> Int64s:
        """The index of each text among the terms, -1 where it is none."""
        found: Int64s = _core.find_terms(self.term_offsets, self.term_bytes, list(terms))
        return found

    def term_arrays(self) -> dict[str, Any]:
        """What the compiled loops take."""
        return {name: getattr(self, name) for name in TERM_ARRAYS}

    def combined(self, other: Self, sign: int) -> tuple[Self, Int32s, Int32s, Int32s, Int32s]:
        """self + sign * other, with the new ids of both sides' terms and classes (-1 for those that vanished)."""
        bits = max(self.unit_bits, other.unit_bits)
        mine, theirs = 1 << (bits - self.unit_bits), sign << (bits - other.unit_bits)
        labels = tuple(sorted({*self.labels, *other.labels}, key=str.encode))
        place = {label: index for index, label in enumerate(labels)}
        my_classes = np.array([place[label] for label in self.labels], np.int32)
        their_classes = np.array([place[label] for label in other.labels], np.int32)
        arrays, my_terms, their_terms = _core.combine(
            self.term_arrays(), other.term_arrays(), my_classes, their_classes, mine, theirs
        )
        documents = np.zeros(len(labels), np.int64)
        documents[my_classes] += mine * self.class_documents
        documents[their_classes] += theirs * other.class_documents
        lengths = _add_lengths(
            (my_classes[self.length_class], self.length, mine * self.length_documents),
            (their_classes[other.length_class], other.length, theirs * other.length_documents),
        )
        refuse_overflow(mine * self.bound() + abs(theirs) * other.bound())
        named: dict[str, Any] = dict(zip(("length_class", "length", "length_documents"), lengths, strict=True))
        named |= {name: arrays[name] for name in TERM_ARRAYS}
        total = type(self)(labels=labels, class_documents=documents, unit_bits=bits, **named).canonical()
        kept = {label: index for index, label in enumerate(total.labels)}
        final = np.array([kept.get(label, -1) for label in labels], np.int32)
        return total, my_terms, their_terms, final[my_classes], final[their_classes]

    def canonical(self) -> Self:
        """Without classes that have nothing left, and in the coarsest unit that is exact."""
        result = self._without_empty_classes()
        if result.unit_bits and not any((values & ((1 << UNIT_BITS) - 1)).any() for values in result._in_units()):
            result = replace(
                result,
                class_documents=result.class_documents >> UNIT_BITS,
                pair_occurrences=result.pair_occurrences >> UNIT_BITS,
                pair_documents=result.pair_documents >> UNIT_BITS,
                length_documents=result.length_documents >> UNIT_BITS,
                unit_bits=0,
            )
        return result

    def bound(self) -> float:
        """A float over every sum of the integers, found without adding integers: features and documents together."""
        return float(np.abs((self.length + 1.0) * self.length_documents).sum())

    def _in_units(self) -> tuple[Int64s, ...]:
        return self.class_documents, self.pair_occurrences, self.pair_documents, self.length_documents

    def _without_empty_classes(self) -> Self:
        used = self.class_documents != 0
        used[self.pair_class] = True
        used[self.length_class] = True
        if used.all():
            return self
        place = (np.cumsum(used) - 1).astype(np.int32)
        return replace(
            self,
            labels=tuple(label for label, keep in zip(self.labels, used, strict=True) if keep),
            class_documents=self.class_documents[used],
            pair_class=place[self.pair_class],
            length_class=place[self.length_class],
        )

    def _whose(self, index: int) -> str:
        return f"class {self.labels[index]!r} has" if self.labels[index] else "the model has"

    def refuse_negative(self) -> None:
        """Negative counts are legal statistics and illegal estimates."""
        for index in np.flatnonzero(self.class_documents < 0)[:1]:
            documents = int(self.class_documents[index]) * self.unit
            raise NegativeCountError(
                f"{self._whose(index)} {documents:g} documents, so no estimate exists: more was forgotten "
                "than learned; forget only documents that were learned"
            )
        below = (self.pair_occurrences < 0) | (self.pair_documents < 0)
        for pair in np.flatnonzero(below)[:1]:
            count = int(self.pair_occurrences[pair]) * self.unit
            raise NegativeCountError(
                f"{self._whose(self.pair_class[pair])} count {count:g} for "
                f"{self.term(int(self.pair_term[pair]))!r}, so no estimate exists: more was forgotten than learned; "
                "forget only documents that were learned"
            )
        for row in np.flatnonzero(self.length_documents < 0)[:1]:
            raise NegativeCountError(
                f"{self._whose(self.length_class[row])} {int(self.length_documents[row]) * self.unit:g} "
                f"documents of {int(self.length[row]):,} features, so no estimate exists: more was forgotten than "
                "learned; forget only documents that were learned"
            )
        over = self.pair_documents > self.class_documents[self.pair_class]
        for pair in np.flatnonzero(over)[:1]:
            raise NegativeCountError(
                f"{self._whose(self.pair_class[pair])} more documents with "
                f"{self.term(int(self.pair_term[pair]))!r} than documents, so no estimate exists: something was "
                "forgotten that was never learned; forget only documents that were learned"
            )

    def pruned(self, most: int) -> tuple[Self, Int32s]:
        """Only the `most` terms in the most documents (ties by text), and the new id of every term (-1: dropped)."""
        documents = np.zeros(self.terms, np.int64)
        np.add.at(documents, self.pair_term, self.pair_documents)
        keep = np.zeros(self.terms, bool)
        keep[np.argsort(-documents, kind="stable")[:most]] = True
        return self.only(keep), np.where(keep, np.cumsum(keep) - 1, -1).astype(np.int32)

    def only(self, keep: npt.NDArray[np.bool_]) -> Self:
        """Only these terms, (V,); classes, documents and lengths stay."""
        pairs = keep[self.pair_term]
        sizes, lengths = np.diff(self.pair_offsets)[keep], np.diff(self.term_offsets)[keep]
        return replace(
            self,
            term_offsets=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
            term_bytes=self.term_bytes[np.repeat(keep, np.diff(self.term_offsets))],
            pair_offsets=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            pair_class=self.pair_class[pairs],
            pair_occurrences=self.pair_occurrences[pairs],
            pair_documents=self.pair_documents[pairs],
        )


def refuse_overflow(bound: float) -> None:
    """64-bit integers end at 2^63: about 8 million million features with weights, a million times that without."""
    if bound >= 2.0**62:
        raise DataError("the counts grow over 2^62 units, where 64-bit integers end; give smaller document weights")


def to_units(weights: npt.ArrayLike) -> Int64s:
    """Document weights as multiples of 2^-20, rounded to the nearest."""
    values = np.asarray(weights, np.float64)
    if not bool(np.all((values >= 0) & (values <= LARGEST_WEIGHT))):
        raise NegativeCountError("a weight is negative, not finite or over 2^31; give finite weights from 0")
    return np.rint(values * (1 << UNIT_BITS)).astype(np.int64)


def _add_lengths(*parts: tuple[Int32s, Int64s, Int64s]) -> tuple[Int32s, Int64s, Int64s]:
    """Histograms added up: sorted by (class, length), zeros dropped."""
    classes, lengths, documents = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    order = np.lexsort((lengths, classes))
    classes, lengths, documents = classes[order], lengths[order], documents[order]
    first = np.ones(len(order), bool)
    first[1:] = (classes[1:] != classes[:-1]) | (lengths[1:] != lengths[:-1])
    starts = np.flatnonzero(first)
    totals = np.add.reduceat(documents, starts) if len(starts) else documents
    keep = totals != 0
    return classes[starts][keep].astype(np.int32), lengths[starts][keep], totals[keep]
