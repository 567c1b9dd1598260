"""What a gamma distribution of unknown shape and rate predicts: beta primes, mixed over shapes.

The probability of an observation without itself comes from the same quadrature over the shape:
1 / p(x | others) = ∫ p(a | all) / p(x | a, others) da, for p(a | all) ∝ p(a | others) p(x | a, others); given the shape
the rate is integrated out in closed form.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from priori.families.base import Distribution
from priori.families.gamma_shape import ShapePosterior
from priori.families.numerics.special import HALF_LOG_2PI, LEAST, Compound, scored, stirling
from priori.formatting import said
from priori.statistics.positives import NEAR, Positives, near_excess

Floats = npt.NDArray[np.float64]

_BLOCK = 512  # numbers, each with all shapes
_EDGE = 37.0  # e^-37 is below rounding
_LOST = 1e-4  # of the time: what is left of less has lost digits


@dataclass(frozen=True)
class GammaPredictive(Distribution):
    """p(x) = ∫ p(a) p(x | a) da, x / time | a ~ BetaPrime(a, rate_shape + n a), time = rate_rate + n mean.

    >>> from priori.families import GammaGamma
    >>> print(GammaGamma(2, 0.5, 3, 1).predictive())
    ∫ BetaPrime(α, 3 + 0 α; scale=1) p(α) dα
    """

    of_shape: ShapePosterior

    @property
    def time(self) -> float:
        """rate_rate + n mean."""
        return self.of_shape.rate_rate + self.of_shape.data.n * self.of_shape.data.mean

    @property
    def events(self) -> Floats:
        """rate_shape + n a, at the nodes."""
        return self.of_shape.rate_shape + self.of_shape.data.n * self.of_shape.shapes

    def log_prob(self, X: Any) -> Floats:
        """By quadrature over the shape; where x moves its weight off the nodes, by a ratio of normalizers."""

        def log_density(x: Floats) -> Floats:
            parts = [self._mixed(x[start : start + _BLOCK]) for start in range(0, len(x), _BLOCK)]
            return np.concatenate(parts) if parts else np.zeros(0)

        return scored(X, log_density, lambda x: (x > 0) & (x < np.inf))

    def _mixed(self, x: Floats) -> Floats:
        with np.errstate(divide="ignore"):
            terms = self._given_shape(x) + np.log(self.of_shape.weights)
        top = terms.max(axis=1)
        result: Floats = top + np.log(np.exp(terms - top[:, None]).sum(axis=1))
        astray = np.maximum(terms[:, 0], terms[:, -1]) > result - _EDGE
        result[astray] = [self._exactly(value) for value in x[astray].tolist()]
        return result

    def _given_shape(self, x: Floats) -> Floats:
        """log p(x | a) of each x at each node, (n, nodes).

        With z = x / centre - 1 and θ = a / (events + a): -log x - a g(z) + (events + a) g(θ z) + Stirling's terms,
        g(u) = u - log(1 + u), whose linear parts cancel.
        """
        a, events = self.of_shape.shapes, self.events
        both = events + a
        theta, centre = a / both, self.time * (a / events)
        constant = 0.5 * np.log(a * (events / both)) - HALF_LOG_2PI + stirling(both) - stirling(events) - stirling(a)
        far = both * np.log1p(a / events) + a * np.log(events / a)
        column = x[:, None]
        logs = constant + far - both * np.log1p(column / self.time) + a * (np.log(column) - math.log(self.time))
        with np.errstate(over="ignore"):
            z = (column - centre) / centre
        row, node = np.nonzero(np.abs(z) < NEAR)
        z = z[row, node]
        logs[row, node] = constant[node] - a[node] * near_excess(z) + both[node] * near_excess(theta[node] * z)
        return logs - np.log(column)

    def _exactly(self, x: float) -> float:
        of, data = self.of_shape, self.of_shape.data + Positives(1.0, x, 0.0)
        more = ShapePosterior(of.shape_shape, of.shape_rate, of.rate_shape, of.rate_rate, data)
        return more.log_normalizer - of.log_normalizer

    def sample(self, size: int, rng: np.random.Generator) -> npt.NDArray[Any]:
        """Draw a shape, a rate and a number."""
        of = self.of_shape
        shape = np.maximum(of.rvs(size, rng), LEAST)
        rate = rng.gamma(of.rate_shape + of.data.n * shape) / self.time
        with np.errstate(divide="ignore", over="ignore"):
            drawn = np.maximum(rng.gamma(shape), LEAST) / rate
        return np.clip(drawn, LEAST, np.finfo(np.float64).max)  # as far as numbers go

    def freeze(self) -> Any:
        """With scipy's methods."""
        from scipy.stats import betaprime

        parts = betaprime(self.of_shape.shapes, self.events, scale=self.time)
        return Compound(self.of_shape.weights, parts, self.sample)

    def __str__(self) -> str:
        events = f"{said(self.of_shape.rate_shape)} + {said(self.of_shape.data.n)} α"
        return f"∫ BetaPrime(α, {events}; scale={said(self.time)}) p(α) dα"


# --- each observation as if it had never been seen --------------------------------------------------------------------


def gamma_without(of: ShapePosterior, x: Floats, weight: Floats) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """log p of each number without it, and where that is sure: where the nodes reach as far as it moves the shape."""
    scores, sure = np.zeros(len(x)), np.zeros(len(x), bool)
    whole = np.flatnonzero((weight == 1) & (of.data.n > 1))  # of a part of a weight the identity would need another
    for start in range(0, len(whole), _BLOCK):
        at = whole[start : start + _BLOCK]
        logs, enough = _without_given_shape(of, x[at])
        with np.errstate(divide="ignore"):
            terms = np.log(of.weights) - logs
        top = terms.max(axis=1)
        total = top + np.log(np.exp(terms - top[:, None]).sum(axis=1))
        reached = np.maximum(terms[:, 0], terms[:, -1]) < total - _EDGE
        scores[at], sure[at] = -total, reached & enough
    return scores, sure


def _without_given_shape(of: ShapePosterior, x: Floats) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """log p(x | a, all but x) at each node, (n, nodes): x / time is BetaPrime(a, events); and where time is left."""
    a, n = of.shapes, of.data.n - 1
    events = of.rate_shape + n * a
    all_time = of.rate_rate + of.data.n * of.data.mean
    time = all_time - x
    enough = time > _LOST * all_time
    column, time = x[:, None], np.where(enough, time, all_time)[:, None]
    both = events + a
    theta, centre = a / both, time * (a / events)
    constant = 0.5 * np.log(a * (events / both)) - HALF_LOG_2PI + stirling(both) - stirling(events) - stirling(a)
    far = both * np.log1p(a / events) + a * np.log(events / a)
    logs = constant + far - both * np.log1p(column / time) + a * (np.log(column) - np.log(time))
    with np.errstate(over="ignore"):
        z = (column - centre) / centre
    row, node = np.nonzero(np.abs(z) < NEAR)
    z = z[row, node]
    logs[row, node] = constant[node] - a[node] * near_excess(z) + both[node] * near_excess(theta[node] * z)
    return logs - np.log(column), enough
