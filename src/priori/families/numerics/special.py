"""Distributions of one positive number that have no name in scipy, with scipy's methods."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import logsumexp

from priori.errors import DataError

Floats = npt.NDArray[np.float64]

_LOGS = (-700.0, 700.0)  # of numbers that are numbers still after some arithmetic


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
