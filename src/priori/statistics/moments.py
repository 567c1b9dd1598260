"""Weight, mean and scatter of real numbers, in the coordinates that stay exact under offsets."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from priori.errors import DataError
from priori.statistics.base import EPSILON, Pooled, finite, settled
from priori.statistics.observations import as_weights, observations, one_column

Floats = npt.NDArray[np.float64]
_BLOCK = 32_768  # numbers that stay in the nearest cache while they are gone over twice


@dataclass(frozen=True)
class Moments(Pooled):
    """n = Σw, mean = Σwx / n, scatter = Σw (x - mean)², merged pairwise (Chan, Golub & LeVeque 1983).

    >>> Moments.of([1.0, 2.0, 6.0])
    Moments(n=3.0, mean=3.0, scatter=14.0)
    """

    spread: ClassVar[str] = "scatter"

    n: float
    mean: float
    scatter: float
    held: tuple[float, float] = field(default=(0.0, 0.0), compare=False, repr=False)

    @classmethod
    def zero(cls) -> Self:
        """The statistics of no data."""
        return cls(0.0, 0.0, 0.0)

    @classmethod
    def of(cls, X: Any, weights: Any = None) -> Self:
        """Of numbers, without those that are missing."""
        values = one_column(X)
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows is refused by name
            if weights is None:
                scratch = np.empty(min(_BLOCK, len(values)))
                parts = (cls._block(block, scratch[: len(block)]) for (block,) in _blocks(values))
            else:
                parts = (cls._weighted(*pair) for pair in _blocks(values, as_weights(weights, len(values))))
            return sum(parts, next(parts, cls.zero()))  # from the first on: a single one is all there is

    @classmethod
    def _block(cls, values: npt.NDArray[Any], centred: Floats) -> Self:
        n = len(values)
        mean = float(np.add.reduce(values, dtype=np.float64)) / n
        if not math.isfinite(mean):  # something is missing, infinite, or too large for a sum
            return cls._weighted(*observations(values))
        np.subtract(values, mean, out=centred)
        scatter = float(centred @ centred)
        slip = n * EPSILON * mean
        if scatter <= n * slip * slip:  # hardly more than the rounding of the mean: are they all equal?
            return cls._weighted(values, np.ones(n))
        return cls(float(n), mean, finite(scatter, "the squares"))

    @classmethod
    def _weighted(cls, values: npt.NDArray[Any], weights: Floats) -> Self:
        values, weights = observations(values, weights)
        n = float(weights.sum())
        if n == 0:
            return cls.zero()
        origin = float(values[0])
        mean = float(weights @ (values - origin)) / n
        centred = (values - origin) - mean
        slip = float(weights @ centred) / n  # the mean was rounded
        centred -= slip
        scatter = float(weights @ (centred * centred))
        return cls(n, origin + (mean + slip), finite(scatter, "the squares"))

    def __add__(self, other: Self) -> Self:
        n, *held = self._pooled_weight(other)
        if n == 0:  # subtle: a mean of weight zero is undefined, so nothing of the data is left
            return self.zero()
        gap, share = other.mean - self.mean, self.n * other.n / n
        scatter = finite(self.scatter + other.scatter + gap * gap * share, "the squares")
        # what the means differ by is rounded as they are
        size = max(held[1], abs(share * gap) * (abs(gap) + abs(self.mean) + abs(other.mean)))
        return type(self)(n, self.mean + gap * (other.n / n), settled(scatter, size), (held[0], size))

    def variance(self) -> float:
        """The maximum-likelihood variance, scatter / n."""
        self.refuse_negative()
        if self.n == 0:
            raise DataError("there are no data, so there is no variance; add some")
        return max(self.scatter, 0.0) / self.n  # subtle: a subtraction may leave a rounding error below 0

    def average(self) -> Floats:
        """The data's mean of the sufficient statistic (x, x^2)."""
        return np.array([self.mean, self.variance() + self.mean * self.mean])


def _blocks(*arrays: npt.NDArray[Any]) -> Iterator[tuple[npt.NDArray[Any], ...]]:
    for start in range(0, len(arrays[0]), _BLOCK):
        yield tuple(array[start : start + _BLOCK] for array in arrays)
