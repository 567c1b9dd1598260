"""What the statistics of a column are: sums for each class, in integers, that add and subtract exactly."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Self

import numpy as np
import numpy.typing as npt

from priori.errors import MergeError, NegativeCountError

Ints = npt.NDArray[np.int64]
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
