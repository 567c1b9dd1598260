"""Weight, mean and logarithmic spread of positive numbers, in coordinates that stay exact under offsets."""

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
import numpy.typing as npt

from priori.errors import DataError, NegativeCountError
from priori.statistics.base import Pooled, average, settled
from priori.statistics.observations import as_weights, observations, one_column

Floats = npt.NDArray[np.float64]
Number = TypeVar("Number", float, Floats)

NEAR = 0.1  # where u - log(1 + u) comes from its series, for the difference would lose digits
_SURE = 1e-5  # of the logarithm of the mean: a gap above it is right to 1e-11 of itself as a plain difference
_NEARLY_SURE = 1e-6  # the same of ratios to the mean, whose logarithms are near 0: right to 1e-9 of itself
_TINY = 1e-290  # ratios below it may be rounded to nothing
_BLOCK = 32_768  # numbers that stay in the cache while they are gone over twice


@dataclass(frozen=True)
class Positives(Pooled):
    """n = Σw, mean = Σwx / n, gap = Σw (log mean - log x), which is 0 where all are equal and else above (Jensen).

    Merged pairwise, as moments are: gap = gap₁ + gap₂ + n₁ g(mean₁ / mean) + n₂ g(mean₂ / mean), g(r) = r - 1 - log r.

    >>> Positives.of([1.0, 1.0, 4.0])
    Positives(n=3.0, mean=2.0, gap=0.69314718055994...)
    """

    spread: ClassVar[str] = "gap"

    n: float
    mean: float
    gap: float
    held: tuple[float, float] = field(default=(0.0, 0.0), compare=False, repr=False)

    @classmethod
    def zero(cls) -> Self:
        """The statistics of no data."""
        return cls(0.0, 0.0, 0.0)

    @classmethod
    def of(cls, X: Any, weights: Any = None) -> Self:
        """Of numbers above 0, without those that are missing."""
        values = one_column(X)
        weight = None if weights is None else as_weights(weights, len(values))
        blocks = (slice(start, start + _BLOCK) for start in range(0, len(values), _BLOCK))
        parts = (cls._block(values[at], None if weight is None else weight[at]) for at in blocks)
        return sum(parts, next(parts, cls.zero()))  # from the first on: a single one is all there is

    @classmethod
    def _block(cls, values: npt.NDArray[Any], weight: Floats | None) -> Self:
        values = values.astype(np.float64, copy=False)
        if weight is not None:
            return cls._careful(*_positive(values, weight))
        with np.errstate(over="ignore"):
            n, least, mean = float(len(values)), float(values.min()), float(np.add.reduce(values)) / len(values)
        if not 0 < least <= mean < math.inf:  # something is missing, or cannot be
            return cls._careful(*_positive(values, np.ones(len(values))))
        if least < (1 - NEAR) * mean:  # most data: plain logarithms are enough
            middle = math.log(mean)
            gap = middle - _sum_of_logs(values, least, n * mean) / n
            if gap > _SURE * (1 + abs(middle)):
                return cls(n, mean, n * gap, (n, n * (1 + abs(middle))))
        elif least > 0.5 * mean:  # nearer data: logarithms of ratios, whose rounding is that of numbers about 1
            ratios = values / mean
            slip = float(np.add.reduce(ratios)) / n - 1
            gap = slip - _sum_of_logs(ratios, 0.5, n) / n
            if gap > _NEARLY_SURE:
                return cls(n, mean, n * gap, (n, n))  # held: these logarithms are rounded as numbers about 1 are
        return cls._careful(values, np.ones(len(values)))

    @classmethod
    def _careful(cls, values: Floats, weight: Floats) -> Self:
        n = float(weight.sum())
        if n == 0:
            return cls.zero()
        least, most = float(values.min()), float(values.max())
        if least == most:
            return cls(n, least, 0.0)
        mean = most * float(weight @ (values / most) / n)
        away = (values - mean) / mean
        # subtle: the mean is rounded, so what is away from it does not sum to 0; what it does sum to is taken out again
        slip = float(weight @ away) / n
        reach = (most - least) / mean
        each = near_excess(away, reach) if reach < NEAR else excess(away, log_ratio(values, mean))
        return cls(n, mean + mean * slip, float(weight @ each) - n * near_excess(slip))

    def __add__(self, other: Self) -> Self:
        n, *held = self._pooled_weight(other)
        if n == 0:  # subtle: a mean of weight zero is undefined, so nothing of the data is left
            return self.zero()
        if self.n == 0 or other.n == 0:
            return other if self.n == 0 else self
        mean = self.mean + (other.mean - self.mean) * (other.n / n)
        if not mean > 0:
            raise NegativeCountError(
                f"the mean of what is left is {mean:g}; data were taken away that were not there: subtract only data "
                "that were added"
            )
        parts = [part.n * _divergence(part.mean, mean) for part in (self, other)]
        # what a mean is away from the other is rounded as both are
        away = abs(other.mean - self.mean) / mean
        gap = self.gap + other.gap + sum(parts)
        size = max(held[1], *map(abs, parts), abs(self.n * other.n / n) * away * (away + 2))
        return type(self)(n, mean, settled(gap, size), (held[0], size))

    def log_sum(self) -> float:
        """Σw log x."""
        return self.n * math.log(self.mean) - self.gap if self.n else 0.0

    def average(self) -> Floats:
        """The data's mean of the sufficient statistic (log x, x)."""
        return average(self.n, self.log_sum(), self.n * self.mean)


def near_excess(u: Number, reach: float = NEAR) -> Number:
    """u - log(1 + u) for |u| <= reach <= NEAR, right to rounding.

    With v = u / (2 + u): log(1 + u) = 2 artanh v, so it is u v - 2 v³ (1/3 + v²/5 + v⁴/7 + ...).
    """
    v = u / (2 + u)
    w = v * v
    terms = 6 if reach > 1e-2 else 3 if reach > 1e-4 else 1
    series = w / (2 * terms + 3)
    for k in range(terms - 1, 0, -1):
        series += 1 / (2 * k + 3)
        series *= w
    series += 1 / 3
    return u * v - 2 * v * w * series


def excess(u: Floats, log_of: Floats) -> Floats:
    """u - log(1 + u), of which the logarithm is known but for the digits that it lacks near 0."""
    near = np.abs(u) < NEAR
    result: Floats = np.where(near, near_excess(np.where(near, u, 0.0)), u - log_of)
    return result


def log_ratio(x: Floats, mean: float) -> Floats:
    """log(x / mean) of numbers above 0, however small."""
    ratio = x / mean
    small = ratio < _TINY
    if small.any():
        return np.where(small, np.log(x) - math.log(mean), np.log(np.where(small, 1.0, ratio)))
    return np.log(ratio)


def _sum_of_logs(values: Floats, least: float, most: float) -> float:
    """Σ log x, with one logarithm for eight numbers where their product is a number."""
    whole = len(values) // 8 * 8 if least > 1e-37 and most < 1e37 else 0
    products = np.multiply.reduce(values[:whole].reshape(8, -1), axis=0)
    return float(np.add.reduce(np.log(products)) + np.add.reduce(np.log(values[whole:])))


def _divergence(x: float, mean: float) -> float:
    """x / mean - 1 - log(x / mean)."""
    away = (x - mean) / mean
    if abs(away) < NEAR:
        return near_excess(away)
    return away - (math.log(x / mean) if x > _TINY * mean else math.log(x) - math.log(mean))


def _positive(values: Floats, weight: Floats | None) -> tuple[Floats, Floats]:
    """The values that are there and have a weight, each above 0."""
    values, weight = observations(values, weight)
    values, weight = values[weight > 0], weight[weight > 0]
    other = values[values <= 0]
    if len(other):
        raise DataError(
            f"{other[0]:g} is not above 0, where the gamma distribution has no density; leave it out, mark it missing "
            "(NaN), or use a family that has it"
        )
    return values, weight
