"""What every statistic of numbers is: a value that adds and subtracts, and holds no estimate and no hyper-parameter."""

import math
from abc import ABC, abstractmethod
from dataclasses import fields
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from priori.errors import DataError, MergeError, NegativeCountError

EPSILON = 2.0**-52
SLACK = 64 * EPSILON  # roundings of the largest sum held so far that a difference may be off by
LOST = 1e-7  # a scatter that shrinks to less than this share of itself has lost digits, and is summed up anew


class Statistics(ABC):
    """An additive summary of weighted data: + commutes, and (a + b) - b is a.

    Subtract only what a total contains: at weight zero nothing of the data is left (docs/maths/families.md).
    """

    n: float  # the weight of all observations

    @abstractmethod
    def __add__(self, other: Self) -> Self:
        """The statistics of both data together."""

    @abstractmethod
    def __neg__(self) -> Self:
        """What takes these data away when it is added."""

    def __sub__(self, other: Self) -> Self:
        return self + (-other)

    def __radd__(self, other: object) -> Self:  # so that sum() adds statistics up
        if other == 0:
            return self
        return NotImplemented

    def log_base(self) -> float:
        """sum of w log h(x): the part of the log-likelihood that no parameter touches."""
        return 0.0

    def refuse_negative(self) -> None:
        """Negative weights are legal statistics and illegal estimates."""
        if self.n < 0:
            raise NegativeCountError(
                f"the statistics have weight {self.n:g}, so no estimate exists; more was taken away than was there: "
                "subtract only data that were added"
            )


class Sums(Statistics):
    """Statistics whose every field is a sum, so that they add field by field; `held` has the largest each has been."""

    held: tuple[float, ...]

    def __add__(self, other: Self) -> Self:
        self._refuse_other(other)
        return self._summed(other, [getattr(self, name) + getattr(other, name) for name in self._names()])

    def __neg__(self) -> Self:
        return type(self)(*(*(-getattr(self, name) for name in self._names()), self._largest()))

    def refuse_negative(self) -> None:
        """Refuse sums below zero; what rounding leaves there after a subtraction is none."""
        for name, held in zip(self._names(), self._largest(), strict=True):
            refuse_below_zero(name.replace("_", " "), getattr(self, name), held)

    def _summed(self, other: Self, values: list[Any]) -> Self:
        held = tuple(map(max, self._largest(), other._largest()))
        return type(self)(*(*(settled(value, most) for value, most in zip(values, held, strict=True)), held))

    def _largest(self) -> tuple[float, ...]:
        sizes = (size_of(getattr(self, name)) for name in self._names())
        return tuple(map(max, sizes, self.held)) if self.held else tuple(sizes)

    def _refuse_other(self, other: object) -> None:
        if type(other) is not type(self):
            raise MergeError(
                f"{type(self).__name__} and {type(other).__name__} do not add up; use one kind of statistics"
            )

    def _names(self) -> list[str]:
        return [field.name for field in fields(self) if field.compare]  # type: ignore[arg-type]


class Pooled(Statistics):
    """Weight, mean and spread, merged pairwise; `held` has the largest weight and spread so far."""

    spread: ClassVar[str]  # the name of the field with the spread
    mean: Any
    held: tuple[float, float]

    def __neg__(self) -> Self:
        taken: list[Any] = [-self.n, self.mean, -self._spread(), self.held]
        return type(self)(*taken)

    def refuse_negative(self) -> None:
        """Refuse weights and spreads below zero; what rounding leaves there after a subtraction is none."""
        spread, largest = self._spread(), self._largest()
        refuse_below_zero("weight", self.n, largest[0])
        diagonal = spread.diagonal() if isinstance(spread, np.ndarray) else spread
        refuse_below_zero(self.spread, diagonal, largest[1])

    def _pooled_weight(self, other: Self) -> tuple[float, float, float]:
        """The weight of both, 0 where rounding is all there is of it; and the largest weight and spread so far."""
        if type(other) is not type(self):
            raise MergeError(
                f"{type(self).__name__} and {type(other).__name__} do not add up; use one kind of statistics"
            )
        weight, spread = map(max, self._largest(), other._largest())
        return settled(self.n + other.n, weight), weight, spread

    def _spread(self) -> Any:
        return getattr(self, self.spread)

    def _largest(self) -> tuple[float, float]:
        return max(abs(self.n), self.held[0]), max(size_of(self._spread()), self.held[1])


def average(n: float, *sums: float) -> npt.NDArray[np.float64]:
    """Sums over data, divided by their weight."""
    if n == 0:
        raise DataError("there are no data, so there is no average; add some")
    return np.array(sums, dtype=np.float64) / n


def settled(value: Any, held: float) -> Any:
    """A sum, but 0 where it is no more than the rounding of the largest that it has been; whole numbers are exact."""
    if isinstance(value, np.ndarray):
        return np.where((np.abs(value) <= SLACK * held) & ((value != np.floor(value)) | (value < 0)), 0.0, value)
    return 0.0 if abs(value) <= SLACK * held and (value < 0 or value != math.floor(value)) else value


def size_of(value: Any) -> float:
    """The largest magnitude in a number or an array."""
    return float(np.abs(value).max(initial=0.0)) if isinstance(value, np.ndarray) else abs(value)


def finite(value: Any, what: str) -> Any:
    """A sum of data, unless they were too large."""
    if not (np.isfinite(value).all() if isinstance(value, np.ndarray) else math.isfinite(value)):
        raise DataError(f"{what} of the data exceed the largest floating-point number; scale the data down")
    return value


def refuse_below_zero(name: str, value: Any, held: float) -> None:
    """Refuse a negative sum by its name, unless rounding explains it."""
    least = float(np.min(value, initial=0.0)) if isinstance(value, np.ndarray) else value
    if least < -SLACK * held:
        raise NegativeCountError(
            f"the statistics have {name} {least:g}, so no estimate exists; more was taken away than was there: "
            "subtract only data that were added"
        )
