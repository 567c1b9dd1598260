"""Sums of lengths of time."""

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from priori.errors import DataError
from priori.statistics.base import Sums, average, finite
from priori.statistics.observations import observations

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Durations(Sums):
    """n = Σw and total = Σwx.

    >>> Durations.of([2.5, 0.5, None])
    Durations(n=2.0, total=3.0)
    """

    n: float
    total: float
    held: tuple[float, ...] = field(default=(), compare=False, repr=False)

    @classmethod
    def of(cls, X: Any, weights: Any = None) -> Self:
        """Of numbers from 0, without those that are missing."""
        values, weight = observations(X, weights)
        other = values[values < 0]
        if len(other):
            raise DataError(f"{other[0]:g} is below 0, where no waiting time is; leave it out, or mark it NaN")
        with np.errstate(over="ignore"):  # what overflows is refused by name
            return cls(float(weight.sum()), finite(float(weight @ values), "the sums"))

    def average(self) -> Floats:
        """The data's mean of the sufficient statistic x."""
        return average(self.n, self.total)
