"""How strong a penalty on the weights should be: by evidence, from statistics alone, or by leaving each row out.

On the eigenvectors of the inputs' scatter one penalty costs O(d). MacKay 1992; Allen 1974 (PRESS);
docs/maths/regression.md.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

from priori.errors import DataError, EstimateError
from priori.families.numerics.special import LOG_2PI
from priori.families.regression.least_squares import ROUNDING, UNEQUAL, Intercept, least_squares, pair_moments, pairs_of
from priori.statistics import VectorMoments
from priori.statistics.observations import as_weights
from priori.statistics.vector_moments import matrix
from priori.validation import number

Floats = npt.NDArray[np.float64]
_REACH = 1e6  # how far beyond the smallest and largest eigenvalue a penalty is sought
_STEPS = 200  # of the grid that finds the valley
_ALONE = 1e-9  # a row with less left than this of its own leverage decides its prediction alone


@dataclass(frozen=True)
class Penalty:
    """α, the score that chose it (a log evidence, or minus a PRESS), and the precision that goes with it."""

    penalty: float
    score: float
    precision: float | None = None

    @property
    def weight_variance(self) -> float:
        """σ² = 1 / (β α) of the prior, where the precision β is known."""
        if self.precision is None or self.penalty == 0:
            return math.inf
        return 1 / (self.precision * self.penalty)


def penalty_by_evidence(
    stats: VectorMoments,
    intercept: Intercept = "flat",
    *,
    precision: float | None = None,
    shape: float | None = None,
    rate: float | None = None,
) -> Penalty:
    """The penalty whose log evidence is largest: with the precision given, with its Gamma prior, or its best value too.

    >>> stats = pair_moments([[0.0], [1.0], [2.0], [3.0]], [1.0, 3.0, 4.5, 7.0])
    >>> round(penalty_by_evidence(stats).penalty, 4)
    0.0231
    """
    if (shape is None) != (rate is None) or (shape is not None and precision is not None):
        raise DataError("give the precision, or shape and rate of its prior, or none of them")
    axes = _Axes.of(stats, intercept)
    known = None if precision is None else number(precision, "precision", 0, above=True)
    gamma = None if shape is None else (number(shape, "shape", 0, above=True), number(rate, "rate", 0, above=True))

    def log_evidence(penalty: Floats) -> Floats:
        return axes.log_volume(penalty) + _log_fit(axes.cost(penalty), axes.count, known, gamma)

    best = _peak(log_evidence, axes)
    score = float(log_evidence(np.array([best]))[0])
    if known is None and gamma is None:
        known = axes.count / float(axes.cost(np.array([best]))[0])
    return Penalty(best, score, known)


def leave_one_out(X: Any, t: Any, penalty: float = 0.0, intercept: Intercept = "flat", weights: Any = None) -> Floats:
    """t - its prediction from all other rows, for each row: the residual over (1 - leverage), in one pass.

    A row of weight 2 is two rows, of which one is left out. Rows without a target have error 0.
    """
    stats = pair_moments(X, t, weights)
    best = least_squares(stats, number(penalty, "penalty", 0), intercept)
    inputs, targets, there = pairs_of(X, t, len(best.weights))
    weight = as_weights(weights, len(there))[there]
    errors = np.zeros(len(there))
    residuals = targets - (inputs @ best.weights + best.intercept)
    errors[there] = _left_out(residuals, best.leverage(inputs), weight)
    return errors


def press(X: Any, t: Any, penalty: float = 0.0, intercept: Intercept = "flat", weights: Any = None) -> float:
    """The predicted residual sum of squares: each target predicted from all other rows (Allen 1974).

    >>> press([[0.0], [1.0], [2.0], [3.0]], [1.0, 3.0, 4.5, 7.0], penalty=0.1)
    0.9...
    """
    errors = leave_one_out(X, t, penalty, intercept, weights)
    return float(as_weights(weights, len(errors)) @ errors**2)


def penalty_by_press(X: Any, t: Any, intercept: Intercept = "flat", weights: Any = None) -> Penalty:
    """The penalty whose PRESS is least; 0 where any makes it worse. It needs the rows, and holds a copy of them."""
    stats = pair_moments(X, t, weights)
    axes = _Axes.of(stats, intercept)
    inputs, targets, there = pairs_of(X, t, matrix(X).shape[1])
    weight = as_weights(weights, len(there))[there]
    if intercept == "penalised":
        inputs = np.column_stack([inputs, np.ones(len(inputs))])
    along = (inputs - axes.origin) @ axes.vectors
    centred, squares = targets - axes.level, along**2

    def press_at(alpha: float) -> float:
        residuals = centred - along @ (axes.pull / (axes.values + alpha))
        leverage = squares @ (1 / (axes.values + alpha)) + axes.constant
        left = _left(leverage, weight)
        return float(weight @ (residuals / left) ** 2) if (left >= _ALONE).all() else math.inf  # a row stands alone

    def gain(penalties: Floats) -> Floats:
        return np.array([-press_at(alpha) for alpha in penalties.tolist()])

    best = _peak(gain, axes, to_zero=True)
    return Penalty(best, float(gain(np.array([best]))[0]))


@dataclass(frozen=True, eq=False)
class _Axes:
    """The least-squares problem on the eigenvectors of the inputs' scatter."""

    values: Floats  # (d,) eigenvalues, what rounding left of zero being zero
    vectors: Floats  # (d, d)
    pull: Floats  # (d,) the scatter of inputs and target along each
    residual: float  # without a penalty; what rounding left of zero is zero
    count: float  # rows, less one that a flat intercept takes
    constant: float  # the intercept's share of each leverage: 1/n, or 0
    origin: Floats
    level: float  # the target's mean where there is a flat intercept

    @classmethod
    def of(cls, stats: VectorMoments, intercept: Intercept) -> "_Axes":
        stats.refuse_negative()
        if len(stats.mean) < 2 or stats.n == 0:
            raise DataError("there are no columns or no rows, so there is nothing to penalise; give some")
        if not np.isfinite(stats.scatter).all():
            raise DataError("the squares of the data exceed the largest floating-point number; scale the data down")
        if stats.n <= (intercept == "flat"):
            raise EstimateError(f"rows of weight {stats.n:g} leave nothing beside the intercept; add rows")
        moments = _with_ones(stats) if intercept == "penalised" else stats
        centred = intercept == "flat"
        scatter = moments.scatter if centred else moments.scatter + stats.n * np.outer(moments.mean, moments.mean)
        values, vectors = np.linalg.eigh(scatter[:-1, :-1])
        floor = len(values) * 2 * ROUNDING * max(values[-1], 0.0)
        kept = values > floor
        if not kept.any():
            raise EstimateError("no column varies, so no penalty is better than another; leave the columns out")
        if values[kept].min() < _REACH * np.finfo(float).tiny:
            raise DataError("the squares of the data are below the smallest floating-point number; scale the data up")
        values, pull = np.where(kept, values, 0.0), np.where(kept, vectors.T @ scatter[:-1, -1], 0.0)
        target = float(scatter[-1, -1])
        if target <= stats.n * (UNEQUAL * moments.mean[-1]) ** 2:
            raise EstimateError("the targets do not vary, so there is nothing to explain; leave the columns out")
        residual = target - float(np.square(pull[kept] / np.sqrt(values[kept])).sum())
        rounding = (len(values) + 1) * 2 * ROUNDING * target
        mean = moments.mean if centred else 0 * moments.mean
        return cls(
            values,
            vectors,
            pull,
            residual if residual > rounding else 0.0,
            stats.n - centred,
            1 / stats.n if centred else 0.0,
            mean[:-1],
            float(mean[-1]),
        )

    @property
    def low(self) -> float:
        return float(self.values[self.values > 0].min()) / _REACH

    @property
    def high(self) -> float:
        return float(self.values.max()) * _REACH

    def cost(self, penalty: Floats) -> Floats:
        """The minimum of squared errors and penalty, for each; a sum of positive terms, so nothing cancels."""
        there = self.values > 0
        values, pull = self.values[there], self.pull[there]
        lost: Floats = penalty[:, None] / (values + penalty[:, None]) @ np.square(pull / np.sqrt(values))
        return self.residual + lost

    def log_volume(self, penalty: Floats) -> Floats:
        """½ log (|α I| / |A|), and ½ log (1/n) for a flat intercept; the noise's precision apart."""
        shrunk: Floats = 0.5 * np.log(penalty[:, None] / (self.values + penalty[:, None])).sum(axis=1)
        return shrunk + (0.5 * math.log(self.constant) if self.constant else 0.0)


def _log_fit(cost: Floats, count: float, precision: float | None, gamma: tuple[float, float] | None) -> Floats:
    """The log-likelihood's part of the evidence, each count being worth one contrast of the targets."""
    if precision is not None:
        return 0.5 * count * (math.log(precision) - LOG_2PI) - 0.5 * precision * cost
    if gamma is not None:
        shape, rate = gamma
        start = shape * math.log(rate) - float(gammaln(shape)) + float(gammaln(shape + count / 2))
        return start - 0.5 * count * LOG_2PI - (shape + count / 2) * np.log(rate + cost / 2)
    return 0.5 * count * (np.log(count / cost) - LOG_2PI - 1)


def _peak(score: Callable[[Floats], Floats], axes: _Axes, *, to_zero: bool = False) -> float:
    """The penalty of the highest score: a grid finds the hill, Brent's method its top."""
    from scipy.optimize import minimize_scalar

    grid = np.linspace(math.log(axes.low), math.log(axes.high), _STEPS)
    place = int(score(np.exp(grid)).argmax())
    if place == len(grid) - 1:
        raise EstimateError(
            "the larger the penalty the better, so the columns tell nothing of the targets; leave them out"
        )
    if place == 0:
        if to_zero and (axes.values > 0).all():
            return 0.0
        raise EstimateError(
            "the smaller the penalty the better, as if the targets had no noise; add rows, or give the penalty"
        )
    found = minimize_scalar(
        lambda at: -float(score(np.array([math.exp(at)]))[0]),
        bounds=(grid[place - 1], grid[place + 1]),
        method="bounded",
        options={"xatol": 1e-10},
    )
    return math.exp(found.x)


def _left(leverage: Floats, weight: Floats) -> Floats:
    """What is left of each row's own say when one of it is taken out."""
    return 1 - leverage * np.minimum(weight, 1.0)


def _left_out(residuals: Floats, leverage: Floats, weight: Floats) -> Floats:
    left = _left(leverage, weight)
    if (left < _ALONE).any():
        row = int(left.argmin())
        raise EstimateError(
            f"row {row} (of those with a target) alone decides its prediction, so without it there is none; give a "
            "larger penalty, or more rows"
        )
    return residuals / left


def _with_ones(stats: VectorMoments) -> VectorMoments:
    """The moments with a column of ones before the target."""
    at = len(stats.mean) - 1
    scatter = np.insert(np.insert(stats.scatter, at, 0.0, axis=0), at, 0.0, axis=1)
    return VectorMoments(stats.n, np.insert(stats.mean, at, 1.0), scatter)
