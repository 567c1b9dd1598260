"""Laplace's approximation to the posterior of a logistic regression: a normal around the mode (MacKay 1992)."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from scipy.special import log_expit, log_ndtr, logsumexp

from priori.errors import DataError, EstimateError
from priori.families.base import Expectation, Family
from priori.families.least_squares import refuse_repeats
from priori.families.linear_model import LOG_2PI
from priori.families.logistic_model import LogisticModel, chosen, drawn, picked
from priori.families.pairs import rows_of
from priori.families.softmax import Softmax, moved

Floats = npt.NDArray[np.float64]
_BLOCK = 4096  # rows whose integrals are computed at once
_STEP = 0.4  # of the trapezoidal rule; its error is exp(-2π²/0.4)
_GAUSS = np.arange(-10, 11, _STEP)
_LOGISTIC = np.arange(-40, 40 + _STEP, _STEP)


@dataclass(frozen=True, eq=False)
class LogisticPosterior:
    """𝒩(mode, H⁻¹), with H the second derivatives of -log(likelihood x prior) at the mode.

    Coefficients are those about `origin`, the rows' mean, where the intercept is flat: it is then nearly independent.
    """

    best: LogisticModel
    origin: Floats  # (d,)
    theta: Floats  # (P,) the free coefficients, class by class
    root: Floats  # (P, P), rootᵀ root = H⁻¹
    free: npt.NDArray[np.bool_]  # (K, p)
    log_peak: float  # log (likelihood x prior) at the mode
    log_det: float  # log |H|
    evident: bool  # whether the prior of the weights is proper

    @classmethod
    def around(
        cls, task: Softmax, theta: Floats, model: LogisticModel, origin: Floats, evident: bool
    ) -> "LogisticPosterior":
        """Of the data, at the mode."""
        matrix = task.curvature(task.probabilities(theta))
        scale = np.sqrt(np.diag(matrix))
        correlation = matrix / np.outer(scale, scale)
        refuse_repeats(correlation, _places(model, task.free), math.inf)
        lower = np.linalg.cholesky(correlation)
        root = np.linalg.solve(lower, np.diag(1 / scale))
        decay = task.decay[task.free]
        log_prior = 0.5 * float(np.log(decay[decay > 0] / (2 * math.pi)).sum() - decay @ theta**2)
        log_det = 2 * float(np.log(np.diag(lower)).sum() + np.log(scale).sum())
        return cls(model, origin, theta, root, task.free, task.log_likelihood(theta) + log_prior, log_det, evident)

    def mode(self) -> LogisticModel:
        """MAP; ML under the flat prior."""
        return self.best

    def mean(self) -> LogisticModel:
        """A normal's mean is its mode."""
        return self.best

    def log_evidence(self) -> float:
        """log (likelihood x prior) at the mode + P/2 log 2π - ½ log |H|; the error falls as one over the rows."""
        if not self.evident:
            raise EstimateError(
                "the flat prior does not integrate to 1, so there is no evidence; give a finite variance"
            )
        return self.log_peak + 0.5 * len(self.theta) * LOG_2PI - 0.5 * self.log_det

    @property
    def proper(self) -> bool:
        """A normal always is."""
        return True

    def covariance(self) -> Floats:
        """Of the coefficients, in the order of `marginals`; under the flat prior, the inverse observed information."""
        spread = self._spread()
        return spread.T @ spread

    def log_prob(self, *, weights: Any, intercept: Any = 0.0) -> Floats:
        """Of weights (..., R, d) and intercepts (..., R), in the shape that the model has them."""
        weights, intercept = np.asarray(weights, np.float64), np.asarray(intercept, np.float64)
        if self.best.intercept is not None:
            table = np.concatenate([weights, np.broadcast_to(intercept, weights.shape[:-1])[..., None]], axis=-1)
            weights = moved(table, -self.origin, self.free)
        away = weights[..., self._kept()] - self.theta
        cost: Floats = np.square(np.linalg.solve(self.root.T, away[..., None])).sum(axis=(-2, -1))
        return 0.5 * (self.log_det - len(self.theta) * LOG_2PI - cost)

    def sample(self, size: int, rng: np.random.Generator) -> dict[str, Floats]:
        """Draws of weights, (size, R, d), and intercepts, (size, R)."""
        table = np.zeros((size, *self._kept().shape))
        table[:, self._kept()] = self.theta + rng.standard_normal((size, len(self.theta))) @ self.root
        if self.best.intercept is None:
            return {"weights": table}
        table = moved(table, self.origin, self.free)
        return {"weights": table[:, :, :-1], "intercept": table[:, :, -1]}

    def marginals(self) -> dict[str, Any]:
        """Each coefficient is normal by itself."""
        from scipy.stats import norm

        constant = [] if self.best.intercept is None else [self.best.intercept]
        centres = np.column_stack([self.best.weights, *constant])[self._kept()]
        scales = np.sqrt(np.square(self._spread()).sum(axis=0))
        return {name: norm(c, s) for name, c, s in zip(_places(self.best, self.free), centres, scales, strict=True)}

    def interval(self, mass: float = 0.95) -> dict[str, tuple[float, float]]:
        """The central credible interval of each coefficient."""
        return Family.interval(cast(Any, self), mass)

    def require_proper(self, wanted: str) -> None:
        """A normal has all that is wanted of it."""

    def expect(self, f: Callable[..., Any], rng: np.random.Generator, size: int = 10_000) -> Expectation:
        """E[f(parameters)] by sampling; f takes arrays of the draws by name (those it asks for)."""
        return Family.expect(cast(Any, self), f, rng, size)

    def predictive(self, rng: np.random.Generator | None = None, size: int = 1000) -> "LogisticPredictive":
        """p(class | x), the coefficients integrated out: to rounding for two classes, by `size` draws for more."""
        if len(self.free) > 2 and rng is None:
            raise DataError("more than two classes are averaged over draws; give rng=numpy.random.default_rng(seed)")
        draws = None if len(self.free) == 2 else self.sample(size, cast(np.random.Generator, rng))
        return LogisticPredictive(self, draws)

    def _kept(self) -> npt.NDArray[np.bool_]:
        """Which coefficients of the model's rows are free."""
        return self.free[int(not self.free[0].any()) :]

    def _spread(self) -> Floats:
        """The root in coordinates about zero."""
        if self.best.intercept is None:
            return self.root
        table = np.zeros((len(self.root), *self._kept().shape))
        table[:, self._kept()] = self.root
        spread: Floats = moved(table, self.origin, self.free)[:, self._kept()]
        return spread

    def __str__(self) -> str:
        return f"w ~ 𝒩(mode of {len(self.theta)} coefficients, H⁻¹), {self.best}"


@dataclass(frozen=True, eq=False)
class LogisticPredictive:
    """p(class | x) under Laplace's posterior."""

    posterior: LogisticPosterior
    draws: dict[str, Floats] | None

    def log_probabilities(self, X: Any) -> Floats:
        """log p(class | x), (n, K)."""
        of = self.posterior
        inputs = rows_of(X, len(of.origin))
        if self.draws is not None:
            return np.log(self._moments(inputs)[0])
        away = inputs - of.origin
        away = away if of.best.intercept is None else np.column_stack([away, np.ones(len(away))])
        centre = of.best.log_odds(inputs)[:, 1]
        scale = np.sqrt(np.square(away @ of.root.T).sum(axis=1))
        return np.column_stack([log_mean_sigmoid(-centre, scale), log_mean_sigmoid(centre, scale)])

    def probabilities(self, X: Any) -> Floats:
        """p(class | x), (n, K)."""
        table: Floats = np.exp(self.log_probabilities(X))
        return table

    def error(self, X: Any) -> Floats:
        """The Monte Carlo standard error of each probability, (n, K); 0 for two classes."""
        inputs = rows_of(X, len(self.posterior.origin))
        if self.draws is None:
            return np.zeros((len(inputs), 2))
        return self._moments(inputs)[1]

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The most probable class of each row."""
        return chosen(self.log_probabilities(X), self.posterior.best.classes)

    def log_prob(self, X: Any, y: Any) -> Floats:
        """log p(label | x); missing labels score 0, unknown ones -inf."""
        return picked(self.log_probabilities, X, y, self.posterior.best.classes)

    def sample(self, X: Any, rng: np.random.Generator) -> npt.NDArray[Any]:
        """A label for each row."""
        return drawn(self.probabilities(X), self.posterior.best.classes, rng)

    def __str__(self) -> str:
        return f"p(class | x) of {', '.join(map(str, self.posterior.best.classes))}, the coefficients integrated out"

    def _moments(self, inputs: Floats) -> tuple[Floats, Floats]:
        """Mean over the draws and its standard error."""
        draws = cast("dict[str, Floats]", self.draws)
        size, best = len(draws["weights"]), self.posterior.best
        total, squares = np.zeros((2, len(inputs), len(best.classes)))
        for i in range(size):
            constant = draws["intercept"][i] if best.intercept is not None else None
            table = LogisticModel(draws["weights"][i], constant, best.classes).probabilities(inputs)
            total += table
            squares += table**2
        mean = total / size
        return mean, np.sqrt(np.maximum(squares / size - mean**2, 0.0) / (size - 1))


def log_mean_sigmoid(mean: Floats, scale: Floats) -> Floats:
    """log E[σ(a)] for a ~ 𝒩(mean, scale²), by the trapezoidal rule, which converges geometrically for such integrands.

    A narrow normal is integrated over itself. A wide one is smooth beside σ', so ∫ σ'(u) Φ((mean + u)/scale) du.
    """
    result = np.empty(len(mean))
    for start in range(0, len(mean), _BLOCK):
        m, s = mean[start : start + _BLOCK, None], scale[start : start + _BLOCK, None]
        narrow = log_expit(m + s * _GAUSS) - 0.5 * (_GAUSS**2 + LOG_2PI)
        peak = np.maximum(-m - s**2, 0.0)  # subtle: far below 0 the integrand's weight is where e^-u meets Φ
        u = peak + _LOGISTIC
        wide = log_expit(u) + log_expit(-u) + log_ndtr((m + u) / np.maximum(s, 1.0))
        both = np.where(s[:, 0] < 1, logsumexp(narrow, axis=1), logsumexp(wide, axis=1))
        result[start : start + _BLOCK] = both + math.log(_STEP)
    return np.minimum(result, 0.0)


def _places(model: LogisticModel, free: npt.NDArray[np.bool_]) -> list[str]:
    """The names of the free coefficients, class by class."""
    columns = list(model.names) or [str(place) for place in range(model.weights.shape[1])]
    names = []
    for place, name in enumerate(model.classes):
        of = "" if len(model.classes) == 2 else f"{name}, "
        last = "intercept" if len(model.classes) == 2 else f"intercept[{name}]"
        row = [f"weights[{of}{column}]" for column in columns] + ([] if model.intercept is None else [last])
        names += [text for text, wanted in zip(row, free[place], strict=True) if wanted]
    return names
