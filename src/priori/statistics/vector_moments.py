"""Weight, mean and scatter matrix of rows of numbers: the statistics of normal vectors and of linear regression."""

from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from priori.errors import DataError, MergeError
from priori.statistics.base import Pooled, finite
from priori.statistics.moments import Moments
from priori.statistics.observations import as_numbers, as_weights

Floats = npt.NDArray[np.float64]
_BLOCK = 65_536  # numbers that stay in the cache while they are gone over twice


@dataclass(frozen=True, eq=False)
class VectorMoments(Pooled):
    """n = Σw, mean = Σwx / n, scatter = Σw (x - mean)(x - mean)ᵀ, merged pairwise (Chan, Golub & LeVeque 1983).

    >>> VectorMoments.of([[1.0, 0.0], [3.0, 4.0]]).scatter.tolist()
    [[2.0, 4.0], [4.0, 8.0]]
    """

    spread: ClassVar[str] = "scatter"

    n: float
    mean: Floats  # (d,)
    scatter: Floats  # (d, d)
    held: tuple[float, float] = field(default=(0.0, 0.0), compare=False, repr=False)

    @classmethod
    def zero(cls, dimensions: int) -> Self:
        """The statistics of no rows."""
        return cls(0.0, np.zeros(dimensions), np.zeros((dimensions, dimensions)))

    @classmethod
    def of(cls, X: Any, weights: Any = None) -> Self:
        """Of rows. One that is missing altogether is left out; one that is missing in part is refused."""
        return cls.joined((matrix(X),), weights)

    @classmethod
    def joined(cls, parts: tuple[npt.NDArray[Any], ...], weights: Any = None) -> Self:
        """Of rows whose columns stand in several matrices, without putting them together as a whole."""
        rows = {len(part) for part in parts}
        if len(rows) > 1:
            raise DataError(f"the columns have {' and '.join(map(str, sorted(rows)))} rows; give as many of each")
        size, dimensions = rows.pop(), sum(part.shape[1] for part in parts)
        weight = None if weights is None else as_weights(weights, size)
        total = cls.zero(dimensions)
        for start in range(0, size, step := max(1, _BLOCK // max(dimensions, 1))):
            block = np.empty((min(step, size - start), dimensions))
            np.concatenate([part[start : start + step] for part in parts], axis=1, out=block, casting="unsafe")
            with np.errstate(over="ignore", invalid="ignore"):  # what overflows is refused by name
                total = total + cls._block(block, None if weight is None else weight[start : start + step], start)
        return total

    @classmethod
    def _block(cls, block: Floats, weight: Floats | None, start: int) -> Self:
        if weight is not None and not weight.all():  # what has no weight must not even move the origin
            block, weight = block[weight > 0], weight[weight > 0]
        mean = block.mean(axis=0) if len(block) else block.sum(axis=0)
        if not np.isfinite(mean).all():  # something is missing, infinite, or too large for a sum
            block, weight = _complete(block, weight, start)
            mean = block[0] if len(block) else mean
        if weight is not None:
            return cls._weighted(block, weight, mean)
        block -= mean
        # subtle: the mean is rounded, so the centred rows do not sum to 0; what they do sum to is taken out again
        slip = block.mean(axis=0)
        scatter = block.T @ block - len(block) * np.outer(slip, slip)
        np.fill_diagonal(scatter, np.maximum(scatter.diagonal(), 0.0))  # of a constant column rounding is left
        return cls(float(len(block)), mean + slip, finite(scatter, "the squares"))

    @classmethod
    def _weighted(cls, block: Floats, weight: Floats, origin: Floats) -> Self:
        n = float(weight.sum())
        if n == 0:
            return cls.zero(block.shape[1])
        block = block - origin
        shift = weight @ block / n
        block -= shift
        slip = weight @ block / n  # the mean was rounded
        block -= slip
        block *= np.sqrt(weight)[:, None]
        scatter = block.T @ block
        return cls(n, origin + (shift + slip), finite(scatter, "the squares"))

    def __add__(self, other: Self) -> Self:
        if type(other) is type(self) and len(other.mean) != len(self.mean):
            raise MergeError("rows of different widths do not add up; use statistics of the same columns")
        n, *held = self._pooled_weight(other)
        if n == 0:  # subtle: a mean of weight zero is undefined, so nothing of the data is left
            return self.zero(len(self.mean))
        gap, share = other.mean - self.mean, self.n * other.n / n
        scatter = finite(self.scatter + other.scatter + np.outer(gap, gap) * share, "the squares")
        # what the means differ by is rounded as they are
        sizes = np.abs(share * gap) * (np.abs(gap) + np.abs(self.mean) + np.abs(other.mean))
        size = float(sizes.max(initial=0.0))
        return type(self)(n, self.mean + gap * (other.n / n), scatter, (held[0], max(held[1], size)))

    def column(self, place: int) -> Moments:
        """The moments of one column."""
        return Moments(self.n, float(self.mean[place]), float(self.scatter[place, place]))

    def covariance(self) -> Floats:
        """The maximum-likelihood covariance, scatter / n."""
        self.refuse_negative()
        if self.n == 0:
            raise DataError("there are no data, so there is no covariance; add some")
        return self.scatter / self.n

    def average(self) -> Floats:
        """The data's mean of the sufficient statistic (x, x xᵀ), in one row."""
        second = self.covariance() + np.outer(self.mean, self.mean)
        return np.concatenate([self.mean, second.ravel()])


def matrix(X: Any) -> npt.NDArray[Any]:
    """Rows of numbers; a single column may be given as a list."""
    array = as_numbers(X)
    if array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2:
        raise DataError(f"the data have {array.ndim} dimensions, where rows and columns are wanted; give a matrix")
    return array


def _complete(block: Floats, weight: Floats | None, start: int) -> tuple[Floats, Floats]:
    """The rows that are there, and their weights."""
    weight = np.ones(len(block)) if weight is None else weight
    missing = np.isnan(block)
    there = ~missing.all(axis=1)
    partly = np.flatnonzero(missing.any(axis=1) & there & (weight > 0))
    if len(partly):
        raise DataError(
            f"row {start + partly[0]} is missing column {int(missing[partly[0]].argmax())} and has others; leave such "
            "rows out, or fill them in (families.complete_rows does, by EM)"
        )
    there &= weight > 0
    if np.isinf(block[there]).any():
        raise DataError("an observation is infinite, so no estimate is finite; leave its row out")
    return block[there], weight[there]
