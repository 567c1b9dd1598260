"""Sums of whole numbers: how many events each observation saw."""

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from priori.errors import DataError
from priori.statistics.base import Sums, average, finite
from priori.statistics.observations import observations

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class EventCounts(Sums):
    """n = Σw, total = Σwx, and Σw log x!, which only the evidence needs.

    >>> EventCounts.of([2, 0, 1])
    EventCounts(n=3.0, total=3.0, log_factorials=0.693...)
    """

    n: float
    total: float
    log_factorials: float
    held: tuple[float, ...] = field(default=(), compare=False, repr=False)

    @classmethod
    def of(cls, X: Any, weights: Any = None) -> Self:
        """Of whole numbers from 0, without those that are missing."""
        values, weight = observations(X, weights)
        refuse_fractions(values)
        with np.errstate(over="ignore"):  # what overflows is refused by name
            sums = (weight.sum(), weight @ values, weight @ log_factorial(values))
        return cls(*(finite(float(value), "the sums") for value in sums))

    def log_base(self) -> float:
        """h(x) is 1 / x!."""
        return -self.log_factorials

    def average(self) -> Floats:
        """The data's mean of the sufficient statistic x."""
        return average(self.n, self.total)


def log_factorial(values: Floats) -> Floats:
    """log x!."""
    from scipy.special import gammaln  # statistics are imported where scipy is not wanted

    result: Floats = gammaln(values + 1)
    return result


def whole(values: Floats) -> npt.NDArray[np.bool_]:
    """Which values are counts: 0, 1, 2, ..."""
    result: npt.NDArray[np.bool_] = np.isfinite(values) & (values >= 0) & (values == np.floor(values))
    return result


def refuse_fractions(values: Floats) -> None:
    """Refuse what counts nothing."""
    other = values[~whole(values)]
    if len(other):
        raise DataError(f"{other[0]:g} is no count; give whole numbers from 0")
