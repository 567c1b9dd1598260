"""Linear regression with normal noise of known precision: the lecture's model, and ridge regression as its MAP.

p(t | x) = 𝒩(wᵀx + w₀, 1/β), w ~ 𝒩(0, σ² I). Maximising the posterior minimises Σ (t - w₀ - wᵀx)² + α |w|² with
α = 1 / (β σ²), scikit-learn's `Ridge(alpha)`. Lecture 004; Bishop 2006, 3.3; docs/maths/regression.md.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from priori.errors import EstimateError
from priori.families.numerics.special import LOG_2PI
from priori.families.regression.base import Regression
from priori.families.regression.least_squares import UNEQUAL, Intercept, LeastSquares, likely_precision
from priori.families.regression.linear_model import LinearModel, LinearPredictive
from priori.formatting import said
from priori.statistics import VectorMoments
from priori.validation import number

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False, init=False)
class NormalRegression(Regression):
    """w ~ 𝒩(0, σ² I), the precision β of the noise being known; σ² = inf is the flat prior.

    >>> prior = NormalRegression(weight_variance=4.0, precision=2.0)
    >>> stats = NormalRegression.statistics([[0.0], [1.0], [2.0]], [1.0, 3.0, 4.5])
    >>> print(prior.posterior(stats).mode())
    t ~ 𝒩(1.6471·x₀ + 1.1863, σ²=0.5)
    """

    name: ClassVar[str] = "linear-weights"

    weight_variance: float
    precision: float
    intercept: Intercept
    names: tuple[str, ...]
    seen: VectorMoments | None

    def __init__(
        self,
        weight_variance: float,
        precision: float,
        intercept: Intercept = "flat",
        *,
        names: Sequence[str] = (),
        seen: VectorMoments | None = None,
    ):
        flat = weight_variance == math.inf
        object.__setattr__(
            self, "weight_variance", math.inf if flat else number(weight_variance, "weight_variance", 0, above=True)
        )
        object.__setattr__(self, "precision", number(precision, "precision", 0, above=True))
        super().__init__(intercept, names, seen)

    @classmethod
    def flat(cls, stats: VectorMoments, intercept: Intercept = "flat", names: Sequence[str] = ()) -> Self:
        """σ² = inf, with the precision that is most likely for these data."""
        return cls(math.inf, likely_precision(stats, intercept, names), intercept, names=names)

    @classmethod
    def unit(cls, stats: VectorMoments, intercept: Intercept = "flat", names: Sequence[str] = ()) -> Self:
        """σ² as if at most one row had told of each weight; the precision as it is most likely."""
        precision = likely_precision(stats, intercept, names)
        return cls(1 / (precision * one_row(stats, intercept)), precision, intercept, names=names)

    @property
    def penalty(self) -> float:
        """α = 1 / (β σ²)."""
        return 1 / (self.precision * self.weight_variance)

    @property
    def proper(self) -> bool:
        """Where no coefficient is flat, or the data have settled those that are."""
        return (self.weight_variance < math.inf and self.intercept != "flat") or self.solvable()

    def mode(self) -> LinearModel:
        """Ridge regression; least squares under the flat prior."""
        weights, intercept = self.coefficients()
        return LinearModel(weights, intercept, self.precision, self.names)

    def mean(self) -> LinearModel:
        """A normal's mean is its mode."""
        self.require_proper("the mean")
        return self.mode()

    def predictive(self) -> LinearPredictive:
        """𝒩(wᵀx + w₀, (1 + leverage of x) / β)."""
        self.require_proper("the predictive")
        return LinearPredictive(self.best, 1 / self.precision, names=self.names)

    def log_normalizer(self) -> float:
        """log ∫ exp(-β/2 (squared errors + penalty)) dw dw₀; without data a flat intercept counts as 1."""
        return -0.5 * self.precision * self.best.residual + log_volume(self.best, self.precision)

    def log_evidence(self, stats: VectorMoments) -> float:
        """log p(t | x); a flat intercept is integrated against the flat measure: compare it with such models only."""
        if math.isinf(self.weight_variance):
            self.require_proper("the evidence")
        grown = self.posterior(stats).log_normalizer() - self.before(stats).log_normalizer()
        return grown + 0.5 * stats.n * (math.log(self.precision) - LOG_2PI)

    def log_prob(self, *, weights: Any, intercept: Any = 0.0) -> Floats:  # type: ignore[override]
        """Of weights (..., d) and intercepts (...)."""
        self.require_proper("the density")
        away = self.best.excess(np.asarray(weights, np.float64), np.asarray(intercept, np.float64))
        return -0.5 * self.precision * away - log_volume(self.best, self.precision)

    def sample(self, size: int, rng: np.random.Generator) -> dict[str, Floats]:
        """Draws of the weights, (size, d), and of the intercept."""
        self.require_proper("a sample")
        weights, intercept = self.best.draw(np.full(size, 1 / math.sqrt(self.precision)), rng)
        return {"weights": weights} if self.intercept is None else {"weights": weights, "intercept": intercept}

    def marginals(self) -> dict[str, Any]:
        """Each coefficient is normal by itself."""
        from scipy.stats import norm

        centres, variances = self.spreads()
        scales = np.sqrt(variances / self.precision)
        return {name: norm(c, s) for name, c, s in zip(self.places(), centres, scales, strict=True)}

    def _penalty(self) -> float:
        return self.penalty

    def _with(self, seen: VectorMoments) -> Self:
        return type(self)(self.weight_variance, self.precision, self.intercept, names=self.names, seen=seen)

    def __str__(self) -> str:
        if self.seen is not None and self.solvable():
            return f"w ~ 𝒩({self.told(1 / self.precision)}), β={said(self.precision)}"
        return f"w ~ {normal_weights(self.weight_variance)}, β={said(self.precision)}"


def normal_weights(variance: float) -> str:
    """𝒩(0, σ² I) as mathematics.

    >>> normal_weights(4.0), normal_weights(1.0), normal_weights(math.inf)
    ('𝒩(0, 4·I)', '𝒩(0, I)', 'flat')
    """
    if math.isinf(variance):
        return "flat"
    return f"𝒩(0, {said(variance)}·I)" if variance != 1 else "𝒩(0, I)"


def log_volume(best: LeastSquares, precision: float) -> float:
    """log ∫ exp(-β/2 cost above the minimum) dw dw₀; an intercept of which nothing is known counts as 1."""
    volume = 0.5 * len(best.weights) * (LOG_2PI - math.log(precision)) - 0.5 * best.log_det
    if 0 < best.n < math.inf:
        volume += 0.5 * (LOG_2PI - math.log(precision) - math.log(best.n))
    return volume


def one_row(stats: VectorMoments, intercept: Intercept) -> float:
    """What one row tells of a weight, in units of the noise: Σx²/n of the column that tells least (but something)."""
    square = np.diag(stats.covariance())[:-1] + (0.0 if intercept == "flat" else stats.mean[:-1] ** 2)
    varying = square[square > (UNEQUAL * stats.mean[:-1]) ** 2]
    if len(square) and not len(varying):
        raise EstimateError("no column varies, so there is no scale for the weights; give a prior of your own")
    return float(varying.min(initial=math.inf)) if len(square) else 1.0
