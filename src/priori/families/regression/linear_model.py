"""Linear models of a target: p(t | x) with coefficients known, and with coefficients integrated out."""

import math
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from priori.families.base import Conditional
from priori.families.numerics.special import LOG_2PI, log_rising
from priori.families.regression.least_squares import LeastSquares, line, pairs_of, rows_of
from priori.formatting import said
from priori.statistics import VectorMoments
from priori.validation import number, vector

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LinearModel(Conditional):
    """p(t | x) = 𝒩(wᵀx + w₀, 1/β).

    >>> print(LinearModel([0.5, -2.0], 1.0, precision=4.0))
    t ~ 𝒩(0.5·x₀ - 2·x₁ + 1, σ²=0.25)
    """

    weights: Floats  # (d,)
    intercept: float | None  # None: the line goes through the origin
    precision: float
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", vector(self.weights, "weights"))
        if self.intercept is not None:
            object.__setattr__(self, "intercept", number(self.intercept, "intercept"))
        object.__setattr__(self, "precision", number(self.precision, "precision", 0, above=True))

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def free_parameters(self) -> int:
        """d + 2: weights, intercept (one less without) and precision."""
        return len(self.weights) + 1 + (self.intercept is not None)

    def predict(self, X: Any) -> Floats:
        """wᵀx + w₀ of each row."""
        return rows_of(X, len(self.weights)) @ self.weights + (self.intercept or 0.0)

    def log_prob(self, X: Any, t: Any) -> Floats:
        """log p(t | x) of each pair: minus half the squared error times β, and a constant; missing targets score 0."""
        inputs, targets, there = pairs_of(X, t, len(self.weights))
        scores = np.zeros(len(there))
        scores[there] = 0.5 * (math.log(self.precision) - LOG_2PI)
        scores[there] -= 0.5 * self.precision * (targets - self.predict(inputs)) ** 2
        return scores

    def log_likelihood(self, stats: VectorMoments) -> float:
        """n/2 log(β / 2π) - β/2 Σ (t - wᵀx - w₀)², from the moments alone."""
        against = np.append(-self.weights, 1.0)
        errors = (
            float(against @ stats.scatter @ against)
            + stats.n * (float(against @ stats.mean) - (self.intercept or 0.0)) ** 2
        )
        return 0.5 * stats.n * (math.log(self.precision) - LOG_2PI) - 0.5 * self.precision * errors

    def sample(self, X: Any, rng: np.random.Generator) -> Floats:
        """A target for each row."""
        centre = self.predict(X)
        return centre + rng.standard_normal(len(centre)) / math.sqrt(self.precision)

    def freeze(self, X: Any) -> Any:
        """scipy's normal distributions of the targets, one for each row."""
        from scipy.stats import norm

        return norm(self.predict(X), 1 / math.sqrt(self.precision))

    def natural_parameters(self) -> Floats:
        """(βw, βw₀, -β/2); T(x, t) is (x t, t, t²)."""
        return np.append(self.precision * np.append(self.weights, self.intercept or 0.0), -0.5 * self.precision)

    def expected_statistics(self, stats: VectorMoments) -> Floats:
        """The mean over the rows x of E[T(x, t) | x]; at the maximum likelihood it is that of their own targets."""
        covariance, mean = stats.covariance()[:-1, :-1], stats.mean[:-1]
        centre = float(self.weights @ mean) + (self.intercept or 0.0)
        square = 1 / self.precision + float(self.weights @ covariance @ self.weights) + centre**2
        return np.concatenate([covariance @ self.weights + mean * centre, [centre, square]])

    def __str__(self) -> str:
        return f"t ~ 𝒩({line(self.weights, self.intercept, self.names)}, σ²={said(1 / self.precision)})"


@dataclass(frozen=True, eq=False)
class LinearPredictive(Conditional):
    """p(t | x) with the coefficients integrated out: normal, or Student's t where the precision was too.

    Its squared scale is `noise` · (1 + leverage of x), so it is the less certain the farther x is from the data.
    """

    best: LeastSquares
    noise: float
    degrees: float = math.inf  # of freedom
    names: tuple[str, ...] = ()

    def predict(self, X: Any) -> Floats:
        """The centre for each row."""
        return rows_of(X, len(self.best.weights)) @ self.best.weights + self.best.intercept

    def scale(self, X: Any) -> Floats:
        """The scale for each row; for a normal predictive, the standard deviation."""
        scale: Floats = np.sqrt(self.noise * (1 + self.best.leverage(rows_of(X, len(self.best.weights)))))
        return scale

    def log_prob(self, X: Any, t: Any) -> Floats:
        """log p(t | x) of each pair; missing targets score 0."""
        inputs, targets, there = pairs_of(X, t, len(self.best.weights))
        scale = self.scale(inputs)
        square, nu = ((targets - self.predict(inputs)) / scale) ** 2, self.degrees
        scores = np.zeros(len(there))
        if math.isinf(nu):
            scores[there] = -0.5 * (LOG_2PI + square) - np.log(scale)
        else:
            constant = float(log_rising(nu / 2, np.array(0.5))) - 0.5 * math.log(math.pi * nu)
            scores[there] = constant - (nu + 1) / 2 * np.log1p(square / nu)
            scores[there] -= np.log(scale)
        return scores

    def sample(self, X: Any, rng: np.random.Generator) -> Floats:
        """A target for each row, the rows independent of each other."""
        centre = self.predict(X)
        draws = rng.standard_normal(len(centre))
        if not math.isinf(self.degrees):
            draws = rng.standard_t(self.degrees, len(centre))
        return centre + self.scale(X) * draws

    def freeze(self, X: Any) -> Any:
        """The same as scipy has it, one distribution for each row."""
        from scipy.stats import norm, t

        centre, scale = self.predict(X), self.scale(X)
        return norm(centre, scale) if math.isinf(self.degrees) else t(self.degrees, centre, scale)

    def __str__(self) -> str:
        kind = "𝒩(" if math.isinf(self.degrees) else f"t(ν={said(self.degrees)}, "
        return f"t ~ {kind}{line(self.best.weights, self.best.intercept, self.names)}, σ²≥{said(self.noise)})"
