"""Special functions that lose no digits, densities that have no name in scipy, and what scores of families share.

Differences of gamma functions are right from the smallest arguments to the largest.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln, logsumexp

from priori.errors import DataError
from priori.statistics.observations import one_column

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

LOG_2PI = math.log(2 * math.pi)
HALF_LOG_2PI = 0.5 * LOG_2PI
LEAST = float(np.nextafter(0, 1))  # the least number above 0
_FAR = 15.0  # from here on the first terms of the series at infinity are right to rounding
_NEARER = 11.0  # the same of log a - ψ(a), whose series has more terms here
_LOGS = (-700.0, 700.0)  # of numbers that are numbers still after some arithmetic


def stirling(a: Floats) -> Floats:
    """log Γ(a) - [(a - ½) log a - a + ½ log 2π], what Stirling's formula leaves: about 1 / 12a.

    >>> [f"{value:.7f}" for value in stirling(np.array([1.0, 100.0]))]
    ['0.0810615', '0.0008333']
    """
    a = np.asarray(a, np.float64)
    far = np.maximum(a, _FAR)
    v = (1 / far) ** 2
    series = (1 / 12 - v * (1 / 360 - v * (1 / 1260 - v * (1 / 1680 - v * (1 / 1188 - v * 691 / 360360))))) / far
    near = np.minimum(a, _FAR)
    direct = gammaln(near) - ((near - 0.5) * np.log(near) - near + HALF_LOG_2PI)
    result: Floats = np.where(a >= _FAR, series, direct)
    return result


def log_rising(base: Any, steps: Floats) -> Floats:
    """log of Γ(base + steps) / Γ(base): the product base (base + 1) ... (base + steps - 1) for whole steps.

    >>> float(log_rising(3.0, np.array(2.0)).round(12)), float(np.log(3 * 4).round(12))
    (2.484906649788, 2.484906649788)
    """
    start, step = np.asarray(base, np.float64), np.asarray(steps, np.float64)
    # subtle: two log-gammas of a large base would cancel; what Stirling's formula leaves of each is small
    left = stirling(start + step) - stirling(start)
    return np.asarray((start + step - 0.5) * np.log1p(step / start) + step * (np.log(start) - 1) + left)


def log_minus_digamma(a: float) -> tuple[float, float]:
    """log a - ψ(a) and its derivative 1 / a - ψ'(a), each right to a few units in its last place.

    log a - ψ(a) = 1/a - log(1 + 1/a) + [the same at a + 1], all terms of one sign; from 11 on the series at infinity.
    """
    value = slope = 0.0
    while a < _NEARER:
        inverse = 1 / a
        value += inverse - math.log1p(inverse)
        slope -= inverse * inverse / (a + 1)
        a += 1
    v = 1 / (a * a)
    value += 0.5 / a + v * (
        1 / 12 - v * (1 / 120 - v * (1 / 252 - v * (1 / 240 - v * (1 / 132 - v * (691 / 32760 - v / 12)))))
    )
    slope -= v * (
        0.5 + (1 / 6 - v * (1 / 30 - v * (1 / 42 - v * (1 / 30 - v * (5 / 66 - v * (691 / 2730 - v * 7 / 6)))))) / a
    )
    return value, slope


def log_sums(scores: Floats) -> Floats:
    """log Σ_k e^score of each row, (n, 1); -inf where all are. By columns: of few of them that is faster than by rows.

    >>> log_sums(np.array([[0.0, 0.0], [-np.inf, -np.inf]])).round(6).tolist()
    [[0.693147], [-inf]]
    """
    columns = list(scores.T)
    top = columns[0]
    for column in columns[1:]:
        top = np.maximum(top, column)
    shift = np.where(np.isfinite(top), top, 0.0)
    total = np.zeros(len(scores))
    for column in columns:
        total += np.exp(column - shift)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(total) + shift)[:, None]


# --- distributions of one positive number, with scipy's methods -------------------------------------------------------


class Numeric(ABC):
    """A density, its two tails, and what follows from them."""

    @abstractmethod
    def logpdf(self, x: Any) -> Floats:
        """The logarithm of the density."""

    @abstractmethod
    def cdf(self, x: Any) -> Floats:
        """The probability of no more than x."""

    @abstractmethod
    def sf(self, x: Any) -> Floats:
        """The probability of more than x."""

    @abstractmethod
    def mean(self) -> float:
        """The expectation."""

    @abstractmethod
    def std(self) -> float:
        """The standard deviation."""

    @abstractmethod
    def rvs(self, size: int, random_state: np.random.Generator) -> Floats:
        """Draws."""

    def pdf(self, x: Any) -> Floats:
        """The density."""
        return np.exp(self.logpdf(x))

    def ppf(self, q: Any) -> Floats:
        """Where the lower tail is q."""
        return _quantiles(lambda x: float(self.cdf(x)), q)

    def isf(self, q: Any) -> Floats:
        """Where the upper tail is q."""
        return _quantiles(lambda x: -float(self.sf(x)), -np.asarray(q, np.float64))

    def median(self) -> float:
        """Where both tails are ½."""
        return float(self.ppf(0.5))

    def interval(self, confidence: float) -> tuple[float, float]:
        """The central interval of so much probability."""
        return float(self.ppf((1 - confidence) / 2)), float(self.isf((1 - confidence) / 2))

    def support(self) -> tuple[float, float]:
        """Where the density is."""
        return 0.0, math.inf


@dataclass(frozen=True, eq=False)
class Compound(Numeric):
    """p(x) = Σ_k w_k p_k(x), the parts being one distribution of scipy with an array of parameters."""

    weights: Floats  # (K,)
    parts: Any  # frozen, its parameters (K,)
    draw: Callable[[int, np.random.Generator], Floats]

    def logpdf(self, x: Any) -> Floats:
        """log Σ w_k p_k, in logarithms throughout."""
        return np.asarray(logsumexp(self._parts("logpdf", x), b=self.weights, axis=-1))

    def cdf(self, x: Any) -> Floats:
        """Σ w_k cdf_k."""
        return np.asarray(self._parts("cdf", x) @ self.weights)

    def sf(self, x: Any) -> Floats:
        """Σ w_k sf_k."""
        return np.asarray(self._parts("sf", x) @ self.weights)

    def _parts(self, what: str, x: Any) -> Any:
        with np.errstate(over="ignore", divide="ignore"):  # scipy divides by the scale, and may pass the largest number
            return getattr(self.parts, what)(np.asarray(x, np.float64)[..., None])

    def mean(self) -> float:
        """Σ w_k mean_k."""
        there = self.weights > 0  # subtle: nothing of an infinite mean is nothing
        return float(np.broadcast_to(self.parts.mean(), there.shape)[there] @ self.weights[there])

    def std(self) -> float:
        """√(Σ w_k [variance_k + (mean_k - mean)²])."""
        there, mean = self.weights > 0, self.mean()
        if math.isinf(mean):
            return math.inf
        of_parts = (np.broadcast_to(of, there.shape)[there] for of in (self.parts.var(), self.parts.mean()))
        variances, means = of_parts
        return math.sqrt(float((variances + (means - mean) ** 2) @ self.weights[there]))

    def rvs(self, size: int, random_state: np.random.Generator) -> Floats:
        """Draws."""
        return self.draw(size, random_state)


def _quantiles(rising: Callable[[float], float], targets: Any) -> Floats:
    """Where a function that rises from 0 to 1, or from -1 to 0, reaches each target."""
    from scipy.optimize import brentq

    def one(target: float) -> float:
        if not -1 <= target <= 1:
            raise DataError(f"{abs(target):g} is no probability; give a number from 0 to 1")
        low, high = (rising(math.exp(end)) - target for end in _LOGS)
        if low >= 0:
            return 0.0
        if high <= 0:
            return math.inf
        return math.exp(brentq(lambda log_x: rising(math.exp(log_x)) - target, *_LOGS, xtol=1e-14, maxiter=1000))

    return np.asarray(np.vectorize(one, otypes=[np.float64])(targets))


# --- scores: missing values and the support ---------------------------------------------------------------------------


def scored(X: Any, log_density: Callable[[Floats], Floats], support: Callable[[Floats], Bools] | None = None) -> Floats:
    """log p of each number: 0 for what is missing, -inf outside the support, else as `log_density` has it."""
    values = one_column(X).astype(np.float64, copy=False)
    there = ~np.isnan(values)
    inside = there if support is None else there & support(values)
    result = np.where(there, -np.inf, 0.0)
    result[inside] = log_density(values[inside])
    return result


def not_negative(values: Floats) -> Bools:
    """The support of waiting times."""
    return values >= 0
