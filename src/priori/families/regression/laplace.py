"""Laplace's approximation to the posterior of a logistic regression: a normal around the mode (MacKay 1992)."""

import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.special import log_expit, log_ndtr, log_softmax, logsumexp

from priori.errors import DataError, EstimateError
from priori.families.base import Belief
from priori.families.numerics.special import LOG_2PI
from priori.families.regression.least_squares import rows_of
from priori.families.regression.logistic_model import Labelling, LogisticModel
from priori.families.regression.softmax import Softmax, moved, settled
from priori.statistics.categories import Value

Floats = npt.NDArray[np.float64]
_BLOCK = 4096  # rows whose integrals are computed at once
_STEP = 0.4  # of the trapezoidal rule; its error is exp(-2π²/0.4)
_GAUSS = np.arange(-10, 11, _STEP)
_LOGISTIC = np.arange(-40, 80, _STEP)  # to the right it falls as e^(-u/2) at least


@dataclass(frozen=True, eq=False)
class LogisticPosterior(Belief[LogisticModel]):
    """𝒩(mode, H⁻¹), with H the second derivatives of -log(likelihood x prior) at the mode.

    Coefficients are those about `origin`, the rows' mean, where the intercept is flat: it is then nearly independent.
    """

    best: LogisticModel
    origin: Floats  # (d,)
    basis: Floats  # (K, R): the classes' coefficients are basis @ (R, p) free ones
    decay: Floats  # (p,) precision of the prior of each
    theta: Floats  # (R p,) the free ones
    root: Floats  # (R p, R p), rootᵀ root = H⁻¹
    log_likelihood: float  # at the mode
    log_det: float  # log |H|

    @classmethod
    def around(cls, task: Softmax, theta: Floats, model: LogisticModel, origin: Floats) -> Self:
        """Of the data, at the mode."""
        log_table = task.log_probabilities(theta)
        scale, correlation = settled(task, np.exp(log_table), model.names or [str(at) for at in range(len(origin))])
        lower = np.linalg.cholesky(correlation)
        root = np.linalg.solve(lower, np.diag(1 / scale))
        log_det = 2 * float(np.log(np.diag(lower)).sum() + np.log(scale).sum())
        return cls(model, origin, task.basis, task.decay, theta, root, task.log_likelihood(log_table), log_det)

    def mode(self) -> LogisticModel:
        """MAP; ML under the flat prior."""
        return self.best

    def mean(self) -> LogisticModel:
        """A normal's mean is its mode."""
        return self.best

    def log_evidence(self) -> float:
        """log (likelihood x prior) at the mode + P/2 log 2π - ½ log |H|; the error falls as one over the rows."""
        if (self.decay[: len(self.origin)] == 0).any():
            raise EstimateError(
                "a flat prior does not integrate to 1, so there is no evidence; use a finite weight_variance"
            )
        decay = np.tile(self.decay, self.basis.shape[1])
        log_prior = 0.5 * float(
            np.log(decay[decay > 0] / (2 * math.pi)).sum() - np.square(np.sqrt(decay) * self.theta).sum()
        )
        return self.log_likelihood + log_prior + 0.5 * (len(self.theta) * LOG_2PI - self.log_det)

    @property
    def proper(self) -> bool:
        """A normal always is."""
        return True

    def covariance(self) -> Floats:
        """Of the coefficients, in the order of `marginals`; under the flat prior, the inverse observed information."""
        spread = self._spread()
        return spread.T @ spread

    def log_prob(self, *, weights: Any, intercept: Any = 0.0) -> Floats:  # type: ignore[override]
        """Of weights (..., R, d) and intercepts (..., R), in the shape that the model has them.

        Those of more than two classes sum to 0, and their density is that of orthonormal contrasts: what all classes
        share changes no probability.
        """
        table = np.asarray(weights, np.float64)
        if self.best.intercept is not None:
            constant = np.broadcast_to(np.asarray(intercept, np.float64), table.shape[:-1])
            table = moved(np.concatenate([table, constant[..., None]], axis=-1), -self.origin, self._centred())
        within = self.basis.T @ table if self._even() else table
        away = within.reshape(*within.shape[:-2], -1) - self.theta
        cost: Floats = np.square(np.linalg.solve(self.root.T, away[..., None])).sum(axis=(-2, -1))
        density: Floats = 0.5 * (self.log_det - len(self.theta) * LOG_2PI - cost)
        return density

    def sample(self, size: int, rng: np.random.Generator) -> dict[str, Floats]:
        """Draws of weights, (size, R, d), and intercepts, (size, R)."""
        noise = rng.standard_normal((size, len(self.theta)))
        table = self._by_class(self.theta + noise @ self.root)
        table = self._about_zero(table)
        if self.best.intercept is None:
            return {"weights": table}
        return {"weights": table[:, :, :-1], "intercept": table[:, :, -1]}

    def marginals(self) -> dict[str, Any]:
        """Each coefficient is normal by itself."""
        from scipy.stats import norm

        constant = [] if self.best.intercept is None else [self.best.intercept]
        centres = np.column_stack([self.best.weights, *constant]).ravel()
        scales = np.sqrt(np.square(self._spread()).sum(axis=0))
        return {name: norm(c, s) for name, c, s in zip(_places(self.best), centres, scales, strict=True)}

    def predictive(self, rng: np.random.Generator | None = None, size: int = 1000) -> "LogisticPredictive":
        """p(class | x), the coefficients integrated out: to rounding for two classes, by `size` draws for more."""
        if len(self.basis) > 2 and rng is None:
            raise DataError("more than two classes are averaged over draws; give rng=numpy.random.default_rng(seed)")
        draws = None if rng is None or len(self.basis) == 2 else self.sample(size, rng)
        return LogisticPredictive(self, draws, self.best.classes)

    def _even(self) -> bool:
        return len(self.best.weights) == len(self.best.classes)

    def _centred(self) -> bool:
        return self._even() and self.best.intercept is not None and self.decay[-1] == 0

    def _by_class(self, theta: Floats) -> Floats:
        """Free coefficients (m, R p) as those of the model's classes, (m, K or K - 1, p)."""
        table: Floats = self.basis @ theta.reshape(len(theta), -1, len(self.decay))
        return table[:, int(not self._even()) :]

    def _about_zero(self, table: Floats) -> Floats:
        return table if self.best.intercept is None else moved(table, self.origin, self._centred())

    def _spread(self) -> Floats:
        """A root of the covariance of all the model's coefficients about zero."""
        table = self._about_zero(self._by_class(self.root))
        return table.reshape(len(table), -1)

    def __str__(self) -> str:
        return f"w ~ 𝒩(mode of {len(self.theta)} coefficients, H⁻¹), {self.best}"


@dataclass(frozen=True, eq=False)
class LogisticPredictive(Labelling):
    """p(class | x) under Laplace's posterior."""

    posterior: LogisticPosterior
    draws: dict[str, Floats] | None
    classes: tuple[Value, ...]

    def log_probabilities(self, X: Any) -> Floats:
        """log p(class | x), (n, K)."""
        of = self.posterior
        inputs = rows_of(X, len(of.origin))
        if self.draws is not None:
            return self._moments(inputs, self.draws)[0]
        away = inputs - of.origin
        away = away if of.best.intercept is None else np.column_stack([away, np.ones(len(away))])
        centre = of.best.log_odds(inputs)[:, 1]
        scale = np.sqrt(np.square(away @ of.root.T).sum(axis=1))
        return np.column_stack([log_mean_sigmoid(-centre, scale), log_mean_sigmoid(centre, scale)])

    def error(self, X: Any) -> Floats:
        """The Monte Carlo standard error of each probability, (n, K); 0 for two classes."""
        inputs = rows_of(X, len(self.posterior.origin))
        if self.draws is None:
            return np.zeros((len(inputs), 2))
        return self._moments(inputs, self.draws)[1]

    def __str__(self) -> str:
        return f"p(class | x) of {', '.join(map(str, self.classes))}, the coefficients integrated out"

    def _moments(self, inputs: Floats, draws: dict[str, Floats]) -> tuple[Floats, Floats]:
        """The log of the mean over the draws, and the mean's standard error."""
        size, best = len(draws["weights"]), self.posterior.best
        log_total = np.full((len(inputs), len(best.classes)), -np.inf)
        squares = np.zeros(log_total.shape)
        for i in range(size):
            constant = draws["intercept"][i] if best.intercept is not None else None
            log_table = log_softmax(LogisticModel(draws["weights"][i], constant, best.classes).log_odds(inputs), axis=1)
            log_total = np.logaddexp(log_total, log_table)
            squares += np.exp(2 * log_table)
        log_mean = log_total - math.log(size)
        return log_mean, np.sqrt(np.maximum(squares / size - np.exp(2 * log_mean), 0.0) / (size - 1))


def log_mean_sigmoid(mean: Floats, scale: Floats) -> Floats:
    """log E[σ(a)] for a ~ 𝒩(mean, scale²), by the trapezoidal rule, which converges geometrically for such integrands.

    A narrow normal is integrated over itself. A wide one is smooth beside σ', so ∫ σ'(u) Φ((mean + u)/scale) du. As
    σ(a) = e^a σ(-a), a mean far below 0 is e^(mean + scale²/2) times the same with -mean - scale².
    """
    result = np.empty(len(mean))
    for start in range(0, len(mean), _BLOCK):
        m, s = mean[start : start + _BLOCK, None], scale[start : start + _BLOCK, None]
        far = m < -(s**2) / 2
        tilt = np.where(far, m + s**2 / 2, 0.0)[:, 0]
        m = np.where(far, -m - s**2, m)
        narrow = log_expit(m + s * _GAUSS) - 0.5 * (_GAUSS**2 + LOG_2PI)
        wide = log_expit(_LOGISTIC) + log_expit(-_LOGISTIC) + log_ndtr((m + _LOGISTIC) / np.maximum(s, 1.0))
        both = np.where(s[:, 0] < 1, logsumexp(narrow, axis=1), logsumexp(wide, axis=1))
        result[start : start + _BLOCK] = tilt + both + math.log(_STEP)
    return np.minimum(result, 0.0)


def _places(model: LogisticModel) -> list[str]:
    """The names of the coefficients, class by class."""
    columns = list(model.names) or [str(place) for place in range(model.weights.shape[1])]
    names = []
    for name in model.classes[len(model.classes) - len(model.weights) :]:
        of, last = ("", "intercept") if len(model.classes) == 2 else (f"{name}, ", f"intercept[{name}]")
        names += [f"weights[{of}{column}]" for column in columns] + ([] if model.intercept is None else [last])
    return names
