"""Statistics that are a few sums: of ones and zeros, of whole numbers (events), and of lengths of time."""

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
    """How many events each observation saw: n = Σw, total = Σwx, and Σw log x!, which only the evidence needs.

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


@dataclass(frozen=True)
class Successes(Sums):
    """N_1 and N_0, the weights of the ones and of the zeros: how often something happened, and how often it did not.

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


@dataclass(frozen=True)
class Durations(Sums):
    """Lengths of time: n = Σw and total = Σwx.

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
