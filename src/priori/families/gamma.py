"""Positive numbers: the gamma distribution, of unknown shape and rate, each under a Gamma prior.

p(x) = b^a / Γ(a) x^(a - 1) e^(-b x). The rate's posterior given the shape is a Gamma, that of the shape has no closed
form: the maximum comes from Newton's method in 1/a (Minka 2002), all else from quadrature in log a (gamma_shape.py).
docs/maths/gamma.md.
"""

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln, xlogy

from priori.errors import DataError, EstimateError
from priori.families.base import Distribution, Family, Likelihood, Support
from priori.families.gamma_predictive import GammaPredictive
from priori.families.gamma_shape import ShapePosterior, most_probable
from priori.families.numerics.special import HALF_LOG_2PI, LEAST, Compound, log_minus_digamma, scored, stirling
from priori.formatting import said
from priori.statistics import Positives, Statistics
from priori.statistics.positives import excess, log_ratio
from priori.validation import number

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Gamma(Likelihood[Positives]):
    """p(x) = rate^shape / Γ(shape) x^(shape - 1) e^(-rate x), x > 0; its mean is shape / rate.

    >>> print(Gamma(2, rate=0.5))
    Gamma(α=2, β=0.5)
    """

    shape: float
    rate: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", number(self.shape, "shape", 0, above=True))
        object.__setattr__(self, "rate", number(self.rate, "rate", 0, above=True))
        if not 0 < self.shape / self.rate < math.inf:
            raise DataError(f"shape={self.shape:g}, rate={self.rate:g} have no mean within the numbers; scale the data")

    @property
    def free_parameters(self) -> int:
        """Shape and rate."""
        return 2

    def log_prob(self, X: Any) -> Floats:
        """-shape g(x / mean) - log x + ½ log(shape / 2π) - Stirling's remainder, g(r) = r - 1 - log r."""
        mean = self.shape / self.rate
        constant = 0.5 * math.log(self.shape) - HALF_LOG_2PI - float(stirling(np.array(self.shape)))

        def log_density(x: Floats) -> Floats:
            return constant - np.log(x) - self.shape * excess((x - mean) / mean, log_ratio(x, mean))

        return scored(X, log_density, lambda x: (x > 0) & (x < np.inf))

    def log_likelihood(self, stats: Positives) -> float:
        """From weight, mean and gap."""
        return float(log_likelihood(stats, np.array(self.shape), np.array(self.rate)))

    def sample(self, size: int, rng: np.random.Generator) -> npt.NDArray[Any]:
        """Draw numbers."""
        # subtle: with a small shape some fall below the least number above 0, and are rounded up to it
        return np.maximum(rng.gamma(self.shape, 1 / self.rate, size), LEAST)

    def natural_parameters(self) -> Floats:
        """(shape - 1, -rate); T(x) = (log x, x)."""
        return np.array([self.shape - 1, -self.rate])

    def expected_statistics(self) -> Floats:
        """(ψ(shape) - log rate, shape / rate)."""
        mean = self.shape / self.rate
        return np.array([math.log(mean) - log_minus_digamma(self.shape)[0], mean])

    def freeze(self) -> Any:
        """scipy's gamma."""
        from scipy.stats import gamma

        return gamma(self.shape, scale=1 / self.rate)

    def __str__(self) -> str:
        return f"Gamma(α={said(self.shape)}, β={said(self.rate)})"


@dataclass(frozen=True)
class GammaGamma(Family[Positives]):
    """α ~ Gamma(shape_shape, shape_rate), β ~ Gamma(rate_shape, rate_rate), independent before data; and the data.

    >>> prior = GammaGamma(2, 0.5, 2, 1)
    >>> print(prior.posterior(GammaGamma.statistics([1.0, 2.0, 6.0])).mode())
    Gamma(α=2.1776, β=0.75329)
    """

    name: ClassVar[str] = "gamma"
    kind: ClassVar[type[Statistics]] = Positives
    support: ClassVar[Support] = "positive"

    shape_shape: float
    shape_rate: float
    rate_shape: float
    rate_rate: float
    data: Positives = field(default_factory=Positives.zero)

    def __post_init__(self) -> None:
        for name in ("shape_shape", "rate_shape"):  # beyond 1e12 the peak is too sharp for the quadrature
            object.__setattr__(self, name, number(getattr(self, name), name, 0, above=True, high=1e12))
        for name in ("shape_rate", "rate_rate"):
            object.__setattr__(self, name, number(getattr(self, name), name, 0))

    @classmethod
    def statistics(cls, X: Any, weights: Any = None) -> Positives:
        """Weight, mean, and how far the logarithm of the mean is above the mean of the logarithms."""
        return Positives.of(X, weights)

    @classmethod
    def flat(cls, stats: Positives) -> Self:
        """Constant in shape and rate."""
        return cls(1.0, 0.0, 1.0, 0.0)

    @classmethod
    def unit(cls, stats: Positives) -> Self:
        """The flat prior, having seen one observation with the data's mean and their mean gap."""
        stats.refuse_negative()
        if stats.gap <= 0:
            raise EstimateError(
                "the observations are all equal, or there are no two, so no prior of the shape can be placed by them; "
                "give one"
            )
        return cls.flat(stats).posterior(Positives(1.0, stats.mean, stats.gap / stats.n))

    @property
    def proper(self) -> bool:
        """Before data where both rates are above 0; data that differ do without."""
        if self.data.n == 0:
            return self.shape_rate > 0 and self.rate_rate > 0
        return self.of_shape.pull > 0

    @cached_property
    def of_shape(self) -> ShapePosterior:
        """The distribution of the shape by itself."""
        return ShapePosterior(self.shape_shape, self.shape_rate, self.rate_shape, self.rate_rate, self.data)

    def posterior(self, stats: Positives) -> Self:
        """Keep the data: they are read when asked."""
        total = self.data + self.checked(stats)
        data = total if total.gap >= 0 else Positives(total.n, total.mean, 0.0)  # below 0 by rounding only
        return type(self)(self.shape_shape, self.shape_rate, self.rate_shape, self.rate_rate, data)

    def mode(self) -> Gamma:
        """Of shape and rate together."""
        return Gamma(*most_probable(self.of_shape))

    def mean(self) -> Gamma:
        """E[shape] and E[rate]."""
        self.require_proper("the mean")
        shape = self.of_shape.mean()
        return Gamma(shape, self.rate_events(shape) / self.rate_time())  # linear in the shape

    def predictive(self) -> Distribution:
        """A mixture over shapes of what is predicted for each."""
        self.require_proper("the predictive")
        return GammaPredictive(self.of_shape)

    def log_normalizer(self) -> float:
        """By quadrature; the prior of the rate counts as normalized where it can be."""
        self.require_proper("its normalizer")
        return self.of_shape.log_normalizer

    def log_prob(self, *, shape: Any, rate: Any) -> Floats:  # type: ignore[override]
        """Of both together, -inf where one is not above 0."""
        shapes, rates = np.broadcast_arrays(np.asarray(shape, np.float64), np.asarray(rate, np.float64))
        inside = (shapes > 0) & (rates > 0)
        a, b = np.where(inside, shapes, 1.0), np.where(inside, rates, 1.0)
        of_rate = xlogy(self.rate_shape - 1, b) - self.rate_rate * b
        if self.rate_rate > 0:
            of_rate += self.rate_shape * math.log(self.rate_rate) - gammaln(self.rate_shape)
        of_shape = xlogy(self.shape_shape - 1, a) - self.shape_rate * a
        kernel = of_shape + of_rate + log_likelihood(self.data, a, b)
        return np.where(inside, kernel - self.log_normalizer(), -np.inf)

    def sample(self, size: int, rng: np.random.Generator) -> dict[str, Floats]:
        """Draws of the shape, and of the rate given it."""
        self.require_proper("a sample")
        shape = np.maximum(self.of_shape.rvs(size, rng), LEAST)
        with np.errstate(over="ignore"):
            rate = rng.gamma(self.rate_events(shape)) / self.rate_time()
        return {"shape": shape, "rate": np.clip(rate, LEAST, np.finfo(np.float64).max)}  # as far as numbers go

    def marginals(self) -> dict[str, Any]:
        """The shape by quadrature, the rate a mixture of Gammas over shapes."""
        from scipy.stats import gamma

        self.require_proper("a marginal")
        if self.data.n == 0:
            shape = gamma(self.shape_shape, scale=1 / self.shape_rate)
            return {"shape": shape, "rate": gamma(self.rate_shape, scale=1 / self.rate_rate)}
        parts = gamma(self.rate_events(self.of_shape.shapes), scale=1 / self.rate_time())
        rate = Compound(self.of_shape.weights, parts, lambda size, rng: self.sample(size, rng)["rate"])
        return {"shape": self.of_shape, "rate": rate}

    def rate_events(self, shape: Any) -> Any:
        """The shape of the rate's posterior, given the shape."""
        return self.rate_shape + self.data.n * shape

    def rate_time(self) -> float:
        """The rate of the rate's posterior."""
        return self.rate_rate + self.data.n * self.data.mean

    def __str__(self) -> str:
        n, flat = self.data.n, self.shape_rate == 0 and self.shape_shape == 1
        of_shape = "flat" if flat else f"Gamma({said(self.shape_shape)}, {said(self.shape_rate)})"
        if n == 0:
            return f"α ~ {of_shape}, β ~ Gamma({said(self.rate_shape)}, {said(self.rate_rate)})"
        seen = f"p({said(n)} {'observation' if n == 1 else 'observations'} | α)"
        events = f"{said(self.rate_shape)} + {'' if n == 1 else said(n) + ' '}α"
        return f"α ~ {of_shape} × {seen}, β | α ~ Gamma({events}, {said(self.rate_time())})"


def log_likelihood(stats: Positives, shape: Floats, rate: Floats) -> Floats:
    """Σ log p(x) = -shape [gap + n g(data's mean / mean)] - Σ log x + n [½ log(shape / 2π) - Stirling's remainder]."""
    if stats.n == 0:
        return np.zeros(np.broadcast_shapes(shape.shape, rate.shape))
    mean = shape / rate
    away = excess((stats.mean - mean) / mean, math.log(stats.mean) - np.log(mean))
    each = 0.5 * np.log(shape) - HALF_LOG_2PI - stirling(shape)
    result: Floats = stats.n * each - shape * (stats.gap + stats.n * away) - stats.log_sum()
    return result
