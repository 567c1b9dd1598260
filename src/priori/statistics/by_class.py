"""Statistics of a column: sums for each class, in integers, that add and subtract exactly; tallies count its values."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from priori import _core
from priori.errors import MergeError, NegativeCountError

Ints = npt.NDArray[np.int64]
Keys = npt.NDArray[Any]  # texts (object) or integers, sorted
UNIT_BITS = 20  # weights are multiples of 2^-20, here as of documents
UNIT = 2.0**-UNIT_BITS


class ByClass(ABC):
    """Additive statistics of one column (or of several, jointly), class by class."""

    weight: Ints  # (K,): the weight of the rows in which it is there, in units
    missing: Ints  # (K,): the weight of the rows in which it is missing

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return len(self.missing)

    @property
    def n(self) -> npt.NDArray[np.float64]:
        """(K,): the weight of the rows in which it is there."""
        return in_rows(self.weight)

    def held(self) -> npt.NDArray[np.bool_]:
        """(K,): whether anything is left of a class; also where rows were taken away that were never there."""
        held: npt.NDArray[np.bool_] = (self.weight != 0) | (self.missing != 0)
        return held

    @abstractmethod
    def placed(self, places: Sequence[int], labels: tuple[str, ...]) -> Self:
        """The same with class k at places[k] among `labels`."""

    @abstractmethod
    def kept(self, places: npt.NDArray[np.intp], labels: tuple[str, ...]) -> Self:
        """Only the classes at these places, which have these labels."""

    @abstractmethod
    def __add__(self, other: Self) -> Self:
        """Of both data together; the classes are the same."""

    @abstractmethod
    def __neg__(self) -> Self:
        """What takes these data away when it is added."""

    def __sub__(self, other: Self) -> Self:
        return self + (-other)

    @abstractmethod
    def refuse_negative(self, column: str) -> None:
        """Refuse what no data can have."""

    def refuse_other(self, other: object) -> None:
        """Refuse statistics that are not of the same kind."""
        if type(other) is not type(self):
            raise MergeError(
                f"{type(self).__name__} and {type(other).__name__} do not add up; use one family for a column"
            )


def in_rows(units: Ints) -> npt.NDArray[np.float64]:
    """Units as the weight of rows."""
    return np.asarray(units * UNIT, np.float64)


def placed_counts(counts: Ints, places: Sequence[int], classes: int) -> Ints:
    """Counts (..., K) with class k at places[k] of `classes`."""
    wider = np.zeros((*counts.shape[:-1], classes), np.int64)
    wider[..., list(places)] = counts
    return wider


def below_zero(column: str, what: str) -> NegativeCountError:
    """More was taken away than was there."""
    return NegativeCountError(
        f"column {column!r} would have {what}; rows were forgotten that were never learned: forget only what was "
        "learned, with the same label and weight"
    )


@dataclass(frozen=True, eq=False)
class Tallies(ByClass):
    """N_cj, how often value j was seen in class c, in units.

    Values that are not in both add as zeros, and those without counts are dropped.

    >>> Tallies.of(["no", "yes"], [[3, 1], [0, 2]]).n.tolist()
    [3.0, 3.0]
    """

    keys: Keys  # (V,)
    counts: Ints  # (V, K), in units
    missing: Ints

    @classmethod
    def zero(cls, classes: int, kind: type = object) -> Self:
        """Of no rows."""
        return cls(np.empty(0, dtype=kind), np.zeros((0, classes), np.int64), np.zeros(classes, np.int64))

    @classmethod
    def of(cls, keys: Sequence[Any], counts: Any, missing: Any = None) -> Self:
        """From whole counts (V, K), in any order of the values."""
        table = np.asarray(counts, np.int64).reshape(len(keys), -1) << UNIT_BITS
        gone = np.zeros(table.shape[1], np.int64) if missing is None else np.asarray(missing, np.int64) << UNIT_BITS
        return cls.sorted(_keys(keys), table, gone)

    @classmethod
    def sorted(cls, keys: Keys, counts: Ints, missing: Ints) -> Self:
        """With the values in order, and without those that were not seen."""
        if not counts.size or not counts.all():  # subtle: of no classes, all counts are above 0
            seen = counts.any(axis=1)
            keys, counts = keys[seen], counts[seen]
        if (keys[1:] < keys[:-1]).any():
            order = np.argsort(keys, kind="stable")
            keys, counts = keys[order], counts[order]
        return cls(keys, counts, missing)

    @property
    def weight(self) -> Ints:  # type: ignore[override]
        """(K,): the weight of the rows in which it is there."""
        total: Ints = self.counts.sum(axis=0)
        return total

    def placed(self, places: Sequence[int], labels: tuple[str, ...]) -> Self:
        """The same with class k at places[k] among `labels`."""
        counts = placed_counts(self.counts, places, len(labels))
        return type(self)(self.keys, counts, placed_counts(self.missing, places, len(labels)))

    def kept(self, places: npt.NDArray[np.intp], labels: tuple[str, ...]) -> Self:
        """Only the classes at these places."""
        return self.sorted(self.keys, self.counts[:, places], self.missing[places])

    def __add__(self, other: Self) -> Self:
        self.refuse_other(other)
        if self.keys.dtype.kind == "i":
            keys, counts = _core.add_bucket_counts(
                self.keys, np.ravel(self.counts), other.keys, np.ravel(other.counts), self.classes
            )
            return type(self)(keys, counts.reshape(len(keys), self.classes), self.missing + other.missing)
        if np.array_equal(self.keys, other.keys):
            return self._with(self.keys, self.counts + other.counts, other)
        few, many = sorted((self, other), key=lambda part: len(part.keys))
        at = np.searchsorted(many.keys, few.keys)
        new = many.keys[np.minimum(at, len(many.keys) - 1)] != few.keys if len(many.keys) else np.ones(len(at), bool)
        keys = np.insert(many.keys, at[new], few.keys[new])
        counts = np.insert(many.counts, at[new], 0, axis=0)
        counts[np.searchsorted(keys, few.keys)] += few.counts
        return self._with(keys, counts, other)

    def _with(self, keys: Keys, counts: Ints, other: Self) -> Self:
        missing = self.missing + other.missing
        vanishing = (self.counts < 0).any() or (other.counts < 0).any()  # else no sum can be 0
        return self.sorted(keys, counts, missing) if vanishing else type(self)(keys, counts, missing)

    def __neg__(self) -> Self:
        return type(self)(self.keys, -self.counts, -self.missing)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tallies):
            return NotImplemented
        same = np.array_equal(self.keys, other.keys) and np.array_equal(self.counts, other.counts)
        return same and np.array_equal(self.missing, other.missing)

    __hash__ = None  # type: ignore[assignment]

    def held(self) -> npt.NDArray[np.bool_]:
        """(K,): whether anything is left of a class."""
        held: npt.NDArray[np.bool_] = (self.counts != 0).any(axis=0) | (self.missing != 0)
        return held

    def refuse_negative(self, column: str) -> None:
        """Refuse counts below zero."""
        below = np.flatnonzero((self.counts < 0).any(axis=1))
        if len(below):
            key = self.keys[below[0]]  # an integer is a bucket of numbers, which says nothing to a reader
            raise below_zero(
                column, f"{f'the value {key!r}' if isinstance(key, str) else 'a number'} less than no times"
            )
        if (self.missing < 0).any():
            raise below_zero(column, "less than no missing cells")


def _keys(keys: Sequence[Any]) -> Keys:
    array = np.array(keys)
    return array.astype(np.int32) if array.dtype.kind == "i" else np.array(keys, dtype=object)
