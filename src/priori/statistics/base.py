"""What every statistic of numbers is: a value that adds and subtracts, and holds no estimate and no hyper-parameter."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import fields
from typing import Self

import numpy as np
import numpy.typing as npt

from priori.errors import DataError, MergeError, NegativeCountError


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
    """Statistics whose every field is a sum, so that they add field by field."""

    def __add__(self, other: Self) -> Self:
        self._refuse_other(other)
        return type(self)(*(getattr(self, name) + getattr(other, name) for name in self._names()))

    def __neg__(self) -> Self:
        return type(self)(*(-getattr(self, name) for name in self._names()))

    def _refuse_other(self, other: object) -> None:
        if type(other) is not type(self):
            raise MergeError(
                f"{type(self).__name__} and {type(other).__name__} do not add up; use one kind of statistics"
            )

    def _names(self) -> list[str]:
        return [field.name for field in fields(self)]  # type: ignore[arg-type]


def average(n: float, *sums: float) -> npt.NDArray[np.float64]:
    """Sums over data, divided by their weight."""
    if n == 0:
        raise DataError("there are no data, so there is no average; add some")
    return np.array(sums, dtype=np.float64) / n


def refuse_below_zero(sums: Mapping[str, float], rounding: float = 0.0) -> None:
    """Refuse negative sums, by name; those within `rounding` are none."""
    for name, value in sums.items():
        if value < -rounding:
            raise NegativeCountError(
                f"the statistics have {name} {value:g}, so no estimate exists; more was taken away than was there: "
                "subtract only data that were added"
            )
