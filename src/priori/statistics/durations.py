"""Sums of lengths of time."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from priori.errors import DataError
from priori.statistics.base import Sums, average, refuse_below_zero
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

    @classmethod
    def of(cls, X: Any, weights: Any = None) -> Self:
        """Of numbers from 0, without those that are missing."""
        values, weight = observations(X, weights)
        other = values[values < 0]
        if len(other):
            raise DataError(f"{other[0]:g} is below 0, where no waiting time is; leave it out, or mark it NaN")
        return cls(float(weight.sum()), float(weight @ values))

    def average(self) -> Floats:
        """The data's mean of the sufficient statistic x."""
        return average(self.n, self.total)

    def refuse_negative(self) -> None:
        """Refuse a weight or a total below zero; what rounding leaves there after subtractions is none."""
        refuse_below_zero({"weight": self.n})
        refuse_below_zero({"total": self.total}, rounding=1e-9 * (1.0 + self.n))
