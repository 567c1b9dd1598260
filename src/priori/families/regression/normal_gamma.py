"""Linear regression with normal noise of unknown precision, under its conjugate prior.

p(t | x) = 𝒩(wᵀx + w₀, 1/β), w | β ~ 𝒩(0, I / (β α)), β ~ Gamma(a, b). The weights' mode is ridge
regression with penalty α (scikit-learn's `alpha`) whatever a and b; their marginals and the predictive are Student's t.
Bishop 2006, exercises 3.12 and 3.13; docs/maths/regression.md.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

from priori.errors import EstimateError
from priori.families.numerics.special import LOG_2PI, log_rising
from priori.families.regression.base import Regression
from priori.families.regression.least_squares import Intercept, refuse_perfect
from priori.families.regression.linear import log_volume, one_row
from priori.families.regression.linear_model import LinearModel, LinearPredictive
from priori.formatting import said
from priori.statistics import VectorMoments
from priori.validation import MOST, number

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False, init=False)
class NormalGammaRegression(Regression):
    """w | β ~ 𝒩(0, I / (β α)), β ~ Gamma(a, b): α is `penalty`, a `shape`, b `rate`.

    >>> prior = NormalGammaRegression(penalty=0.5, shape=2.0, rate=1.0)
    >>> stats = NormalGammaRegression.statistics([[0.0], [1.0], [2.0]], [1.0, 3.0, 4.5])
    >>> print(prior.posterior(stats).predictive())
    t ~ t(ν=6, 1.4·x₀ + 1.4333, σ²≥0.54444)
    """

    name: ClassVar[str] = "linear"

    penalty: float
    shape: float
    rate: float
    intercept: Intercept
    names: tuple[str, ...]
    seen: VectorMoments | None

    def __init__(
        self,
        penalty: float,
        shape: float,
        rate: float,
        intercept: Intercept = "flat",
        *,
        names: Sequence[str] = (),
        seen: VectorMoments | None = None,
    ):
        object.__setattr__(self, "penalty", number(penalty, "penalty", 0))
        object.__setattr__(self, "shape", number(shape, "shape", 0, high=MOST))
        object.__setattr__(self, "rate", number(rate, "rate", 0))
        super().__init__(intercept, names, seen)

    @classmethod
    def flat(cls, stats: VectorMoments, intercept: Intercept = "flat", names: Sequence[str] = ()) -> Self:
        """α = 0, a = 1, b = 0: constant in all parameters."""
        return cls(0.0, 1.0, 0.0, intercept, names=names)

    @classmethod
    def unit(cls, stats: VectorMoments, intercept: Intercept = "flat", names: Sequence[str] = ()) -> Self:
        """At most one row for each weight, one squared target of average size for the precision."""
        square = stats.column(len(stats.mean) - 1).variance() + (0.0 if intercept == "flat" else stats.mean[-1] ** 2)
        return cls(one_row(stats, intercept), 0.5, 0.5 * square, intercept, names=names)

    @property
    def proper(self) -> bool:
        """Where no parameter is flat, or the data have settled those that are."""
        if self.penalty > 0 and self.shape > 0 and self.rate > 0 and self.intercept != "flat":
            return True
        if not self.solvable():
            return False
        shape, rate = self._gamma()
        return shape > 0 and rate > self.best.rounding / 2

    def mode(self) -> LinearModel:
        """Ridge regression, and the precision where the joint density is largest."""
        weights, intercept = self.coefficients()
        shape, rate = self._gamma()
        power = shape - 1 + 0.5 * (len(weights) + (intercept is not None))  # subtle: the weights' density knows β too
        if power <= 0:
            raise EstimateError(
                f"the density grows towards precision 0 (shape {shape:g}), so it has no mode; use a larger shape, more "
                "data, or the mean"
            )
        refuse_perfect(2 * rate, self.best.rounding)
        return LinearModel(weights, intercept, power / rate, self.names)

    def mean(self) -> LinearModel:
        """The same weights, and precision a / b of the posterior."""
        shape, rate = self._settled("the mean")
        return LinearModel(*self.coefficients(), shape / rate, self.names)

    def predictive(self) -> LinearPredictive:
        """Student's t with 2a degrees of freedom and squared scale (1 + leverage of x) b / a."""
        shape, rate = self._settled("the predictive")
        return LinearPredictive(self.best, rate / shape, 2 * shape, self.names)

    def log_normalizer(self) -> float:
        """log ∫ of the natural form over weights, intercept and β; without data a flat intercept counts as 1."""
        shape, rate = self._gamma()
        return log_volume(self.best, 1.0) + float(gammaln(shape)) - shape * math.log(rate)

    def log_evidence(self, stats: VectorMoments) -> float:
        """log p(t | x); a flat intercept is integrated against the flat measure: compare it with such models only."""
        if 0.0 in (self.penalty, self.shape, self.rate):
            self.require_proper("the evidence")
        before, after = self.before(stats), self.posterior(stats)
        (shape, rate), more = before._gamma(), 0.5 * (stats.n - (after._used_up() - before._used_up()))
        grown = 0.5 * (after.best.residual - before.best.residual)  # of the rate
        # steps in which a strong prior cancels, as it would not in two log-gammas
        of_precision = float(log_rising(shape, np.array(more))) - shape * math.log1p(grown / rate)
        volumes = log_volume(after.best, 1.0) - log_volume(before.best, 1.0)
        return volumes + of_precision - more * math.log(rate + grown) - 0.5 * stats.n * LOG_2PI

    def log_prob(self, *, weights: Any, precision: Any, intercept: Any = 0.0) -> Floats:  # type: ignore[override]
        """Of weights (..., d), intercepts and precisions (...)."""
        shape, rate = self._settled("the density")
        away = self.best.excess(np.asarray(weights, np.float64), np.asarray(intercept, np.float64))
        beta = np.asarray(precision, np.float64)
        free = len(self.best.weights) + (self.intercept is not None)
        with np.errstate(divide="ignore", invalid="ignore"):
            density = (shape - 1 + 0.5 * free) * np.log(beta) - beta * (rate + 0.5 * away) - self.log_normalizer()
        return np.where(beta > 0, density, -np.inf)

    def sample(self, size: int, rng: np.random.Generator) -> dict[str, Floats]:
        """Draws of the precision, and of weights (size, d) and intercept given it."""
        shape, rate = self._settled("a sample")
        precision = rng.gamma(shape, 1 / rate, size)
        weights, intercept = self.best.draw(1 / np.sqrt(precision), rng)
        with_intercept = {} if self.intercept is None else {"intercept": intercept}
        return {"weights": weights, **with_intercept, "precision": precision}

    def marginals(self) -> dict[str, Any]:
        """Each coefficient is Student's t by itself, the precision Gamma."""
        from scipy.stats import gamma, t

        shape, rate = self._settled("a marginal")
        centres, variances = self.spreads()
        scales = np.sqrt(variances * rate / shape)
        by_place = {name: t(2 * shape, c, s) for name, c, s in zip(self.places(), centres, scales, strict=True)}
        return {**by_place, "precision": gamma(shape, scale=1 / rate)}

    def _gamma(self) -> tuple[float, float]:
        """Shape and rate of β by itself."""
        return self.shape + 0.5 * (self.rows.n - self._used_up()), self.rate + 0.5 * self.best.residual

    def _used_up(self) -> int:
        """How many observations told of flat coefficients, one each, and not of β."""
        if self.rows.n == 0:
            return 0
        flat_intercept = self.intercept == "flat" or (self.intercept == "penalised" and self.penalty == 0)
        return (len(self.best.weights) if self.penalty == 0 else 0) + flat_intercept

    def _settled(self, wanted: str) -> tuple[float, float]:
        self.require_proper(wanted)
        return self._gamma()

    def _penalty(self) -> float:
        return self.penalty

    def _with(self, seen: VectorMoments) -> Self:
        return type(self)(self.penalty, self.shape, self.rate, self.intercept, names=self.names, seen=seen)

    def __str__(self) -> str:
        if self.seen is not None and self.solvable() and self.proper:
            shape, rate = self._gamma()
            return f"w ~ t(ν={said(2 * shape)}, {self.told(rate / shape)}), β ~ Gamma({said(shape)}, {said(rate)})"
        share = "β" if self.penalty == 1 else f"({said(self.penalty)} β)"
        weights = f"𝒩(0, I / {share})" if self.penalty else "flat"
        return f"w ~ {weights}, β ~ Gamma({said(self.shape)}, {said(self.rate)})"
