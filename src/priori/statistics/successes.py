"""How often something happened, and how often it did not."""

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from priori.errors import DataError
from priori.statistics.base import Sums, average
from priori.statistics.observations import observations

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Successes(Sums):
    """N_1 and N_0: the weights of the ones and of the zeros.

    >>> Successes.of([1, 0, 1, None, True])
    Successes(successes=3.0, failures=1.0)
    """

    successes: float
    failures: float
    held: tuple[float, ...] = field(default=(), compare=False, repr=False)

    @classmethod
    def of(cls, X: Any, weights: Any = None) -> Self:
        """Of zeros and ones (or False and True), without those that are missing."""
        values, weight = observations(X, weights)
        other = values[~zero_or_one(values)]
        if len(other):
            raise DataError(f"{other[0]:g} is neither 0 nor 1; give the data as zeros and ones, or as False and True")
        return cls(float(weight @ values), float(weight @ (1 - values)))

    @property
    def n(self) -> float:  # type: ignore[override]
        """The weight of all observations."""
        return self.successes + self.failures

    def average(self) -> Floats:
        """The data's mean of the sufficient statistic x: the share of ones."""
        return average(self.n, self.successes)


def zero_or_one(values: Floats) -> npt.NDArray[np.bool_]:
    """Which values a coin can show."""
    result: npt.NDArray[np.bool_] = (values == 0) | (values == 1)
    return result
