"""The shape of a gamma distribution given data, its rate integrated out: one dimension, by the trapezoid rule.

Given the shape a, the rate has a Gamma posterior, so p(data | a) is closed. With u = log a the integrand is analytic
for |Im u| < π/2 and falls exponentially on both sides, so that the trapezoid rule with step h errs by about
exp(-π² / h), 1e-28 for the steps used here. docs/maths/gamma.md. The most probable shape needs no integral: Newton's
method in 1/a finds it, within bounds that always hold.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln, sici

from priori.errors import EstimateError
from priori.families.numerics.special import HALF_LOG_2PI, Numeric, log_minus_digamma, stirling
from priori.statistics.positives import Positives, excess

Floats = npt.NDArray[np.float64]

_LOSS = 60.0  # where the integrand has fallen by e^-60, nothing is left
_STEP, _NODES = 0.08, 96  # the longest step, the fewest nodes: far more than the integral needs, what cdf needs
_LEAST = -650.0  # of log a: shapes that are numbers still after some arithmetic


@dataclass(frozen=True)
class ShapePosterior(Numeric):
    """p(a | data) ∝ Gamma(a; shape_shape, shape_rate) p(data | a), the rate's prior Gamma(rate_shape, rate_rate)."""

    shape_shape: float
    shape_rate: float
    rate_shape: float
    rate_rate: float
    data: Positives

    @property
    def pull(self) -> float:
        """How fast the logarithm of the density falls for large a; there is a density where it is above 0."""
        n, mean, d = self.data.n, self.data.mean, self.rate_rate
        if n == 0:
            return self.shape_rate
        # subtle: d / (n mean) may be beyond all numbers where its logarithm is not
        of_rate = math.log1p(d / (n * mean)) if d < 1e6 * n * mean else math.log(d) - math.log(n) - math.log(mean)
        return self.shape_rate + self.data.gap + n * of_rate

    def log_kernel(self, u: Floats) -> Floats:
        """log of a^shape_shape e^(-shape_rate a) p(data | a) at a = e^u: the density of u, but for its integral.

        Stirling's terms cancel by hand, so that shapes of 1e16 lose no digits. With an improper prior of the rate
        b^(rate_shape - 1) stands for its density.
        """
        n, a = self.data.n, np.exp(u)
        of_prior = self.shape_shape * u - self.shape_rate * a
        if n == 0:
            return of_prior
        of_data = 0.5 * n * u - n * (HALF_LOG_2PI + stirling(a)) - a * self.data.gap - self.data.log_sum()
        return of_prior + of_data + (self._proper_rate(u, a) if self.rate_rate > 0 else self._improper_rate(a))

    def _proper_rate(self, u: Floats, a: Floats) -> Floats:
        n, mean, c, d = self.data.n, self.data.mean, self.rate_shape, self.rate_rate
        events, time = c + n * a, d + n * mean
        apart = c * mean - a * d  # 0 where the prior's mean of the rate is a / mean
        log_events = np.log(events)
        of_data = a * excess(apart / (a * time), log_events - u + math.log(mean) - math.log(time))
        of_prior = excess(-n * apart / (c * time), log_events - math.log(c) + math.log(d) - math.log(time))
        left = stirling(events) - float(stirling(np.array(c))) + 0.5 * (math.log(c) - log_events)
        return left - n * of_data - c * of_prior

    def _improper_rate(self, a: Floats) -> Floats:
        n, c = self.data.n, self.rate_shape
        events = c + n * a
        left = stirling(events) + HALF_LOG_2PI - 0.5 * np.log(events) - c
        return left + n * a * np.log1p(c / (n * a)) + c * (np.log(events) - math.log(n) - math.log(self.data.mean))

    @cached_property
    def log_shapes(self) -> Floats:
        """The nodes, evenly from where the density begins to where it ends."""
        if self.data.n and -_LEAST * (self.shape_shape + self.data.n) < _LOSS:  # subtle: it falls as e^(u times this)
            raise EstimateError(
                "the shape is known so little that most of its probability lies below the least number above 0; use "
                "shape_shape >= 0.1, or more data"
            )
        most = math.log(self.shape_shape + self.data.n + self.rate_shape) - math.log(self.pull) + 9  # far below a peak
        u = np.linspace(_LEAST, most, 301)
        for _ in range(30):  # zoom to the peak, until it is no higher than its neighbours by more than 1
            heights = self.log_kernel(u)
            top = int(heights[1:-1].argmax()) + 1
            if heights[top] - min(heights[top - 1], heights[top + 1]) < 1:
                break
            u = np.linspace(u[top - 1], u[top + 1], 33)
        outwards = (u[1] - u[0]) * 1.25 ** np.arange(120)
        ends = []
        for side in (-1, 1):
            away = np.clip(u[top] + side * outwards, _LEAST, most)
            gone = self.log_kernel(away) < heights[top] - _LOSS
            ends.append(float(away[gone.argmax()] if gone.any() else away[-1]))
        return np.linspace(ends[0], ends[1], max(_NODES, math.ceil((ends[1] - ends[0]) / _STEP)))

    @cached_property
    def heights(self) -> Floats:
        """The kernel at the nodes."""
        return self.log_kernel(self.log_shapes)

    @cached_property
    def log_normalizer(self) -> float:
        """log of the kernel's integral over u."""
        if self.data.n == 0:
            return float(gammaln(self.shape_shape)) - self.shape_shape * math.log(self.shape_rate)
        top = float(self.heights.max())
        if not (math.isfinite(top) and self.step > 0):
            raise EstimateError(
                "prior and data are so far apart that floating-point numbers do not reach from one to the other; give "
                "a prior that is nearer"
            )
        return top + math.log(self.step * float(np.exp(self.heights - top).sum()))

    @property
    def step(self) -> float:
        """Between two nodes."""
        return float(self.log_shapes[1] - self.log_shapes[0])

    @cached_property
    def weights(self) -> Floats:
        """The probability that each node stands for."""
        weights: Floats = np.exp(self.heights - self.heights.max())
        if self.data.n:
            weights /= weights.sum()
            return weights
        weights = self.step * np.exp(self.heights - self.log_normalizer)
        if self.log_shapes[0] == _LEAST:  # what is below all numbers stands at the least one
            weights[0] += max(0.0, 1 - float(weights.sum()))
        return weights

    @cached_property
    def shapes(self) -> Floats:
        """a at the nodes."""
        return np.exp(self.log_shapes)

    def logpdf(self, x: Any) -> Floats:
        """Exact but for the normalizer; -inf where a is no shape."""
        a = np.asarray(x, np.float64)
        inside = (a > 0) & (a < np.inf)
        u = np.log(np.where(inside, a, 1.0))
        return np.where(inside, self.log_kernel(u) - u - self.log_normalizer, -np.inf)

    def cdf(self, x: Any) -> Floats:
        """The integral of the function that the nodes determine (Whittaker's cardinal series), to 1e-10 or better."""
        return self._tail(x, 1)

    def sf(self, x: Any) -> Floats:
        """The other side of cdf, no less exact."""
        return self._tail(x, -1)

    def _tail(self, x: Any, side: int) -> Floats:
        a = np.asarray(x, np.float64)
        with np.errstate(divide="ignore"):
            u = np.log(np.maximum(a, 0.0))
        sine, _ = sici((math.pi / self.step) * (u[..., None] - self.log_shapes))
        tail: Floats = np.clip((0.5 + side * sine / math.pi) @ self.weights, 0.0, 1.0)
        return tail

    def mean(self) -> float:
        """E[a]."""
        return float(self.weights @ self.shapes) if self.data.n else self.shape_shape / self.shape_rate

    def std(self) -> float:
        """√E[(a - E[a])²]."""
        if self.data.n == 0:
            return math.sqrt(self.shape_shape) / self.shape_rate
        return math.sqrt(float(self.weights @ (self.shapes - self.mean()) ** 2))

    def rvs(self, size: int, random_state: np.random.Generator) -> Floats:
        """Exact draws, by rejection under a staircase over the nodes."""
        if self.data.n == 0:
            return random_state.gamma(self.shape_shape, 1 / self.shape_rate, size)
        bends = np.abs(np.diff(self.heights, 2, prepend=self.heights[0], append=self.heights[-1]))
        # subtle: between nodes the curve may pass both by an eighth of its bend; a quarter is on the safe side
        stairs = np.maximum(self.heights[:-1], self.heights[1:]) + np.maximum(bends[:-1], bends[1:]) / 4
        chances = np.exp(stairs - stairs.max())
        chances /= chances.sum()
        kept: list[Floats] = []
        while sum(map(len, kept)) < size:
            cells = random_state.choice(len(stairs), size + 16, p=chances)
            u = self.log_shapes[cells] + self.step * random_state.random(size + 16)
            kept.append(u[np.log(random_state.random(size + 16)) < self.log_kernel(u) - stairs[cells]])
        return np.exp(np.concatenate(kept)[:size]) if size else np.zeros(0)


# --- the most probable shape ------------------------------------------------------------------------------------------


def most_probable(of: ShapePosterior) -> tuple[float, float]:
    """Shape and rate where their density is largest together; under the flat prior, the maximum of the likelihood.

    Given a, the best rate is (rate_shape - 1 + n a) / (rate_rate + n mean). What is left is concave in a, with slope
    n [log a - ψ(a)] - gap + n log[(1 + c/(n a)) / (1 + rate_rate/(n mean))] + (shape_shape - 1) / a - shape_rate,
    c = rate_shape - 1.
    """
    data, s, c, d = of.data, of.shape_shape - 1, of.rate_shape - 1, of.rate_rate
    _refuse(of)
    if data.n == 0:
        return s / of.shape_rate, c / d
    n, mean, time = data.n, data.mean, d + data.n * data.mean
    # subtle: 1/2a < log a - ψ(a) < 1/a, so the slope is above 0 at `low` and below at `high`
    low, high = (n / 2 + s) / of.pull, (n + s + c) / of.pull
    share = of.pull / n
    a = min(max((3 - share + math.sqrt((share - 3) ** 2 + 24 * share)) / (12 * share), low), high)  # Minka 2002
    for _ in range(200):
        value, bend = log_minus_digamma(a)
        apart = (c * mean - a * d) / (a * time)
        of_rate = math.log1p(apart) if abs(apart) < 0.5 else math.log(n + c / a) + math.log(mean) - math.log(time)
        slope = n * (value + of_rate) + s / a - of.shape_rate - data.gap
        curvature = n * (bend - c / (a * (n * a + c))) - s / a**2
        low, high = (a, high) if slope > 0 else (low, a)
        inverse = 1 / a + slope / (a * a * curvature)
        better = 1 / inverse if inverse > 0 else math.inf
        # subtle: Newton squares the error, so a step of 1e-8 leaves rounding only; waiting for none would wait for ever
        done = abs(better - a) <= 1e-8 * a
        if not done and not low <= better <= high:
            better = math.sqrt(low * high) if low > 0 else high / 2
        a = better
        if done:
            break
    return a, (c + n * a) / time


def _refuse(of: ShapePosterior) -> None:
    """Name what has no mode."""
    if of.rate_shape < 1 or (of.data.n == 0 and of.rate_shape == 1):
        raise EstimateError(
            "the density has no mode: with so small a rate_shape it is largest where the rate goes to 0; use "
            "rate_shape > 1, or the mean"
        )
    if of.data.n < 2 * (1 - of.shape_shape) or (of.data.n == 0 and of.shape_shape == 1):
        raise EstimateError(
            "the density may have no mode: with so small a shape_shape and so few data it is largest where the shape "
            "goes to 0; use shape_shape > 1, or the mean"
        )
    if of.pull <= 0 or (of.data.n == 0 and of.rate_rate == 0):
        raise EstimateError(
            "the observations are all equal, or there are no two, so the density grows with the shape without bound; "
            "use a prior with shape_rate > 0, or data that differ"
        )
