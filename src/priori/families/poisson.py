"""Counts of events under a Gamma prior.

p(x | λ) = λ^x exp(-λ) / x!. Posterior Gamma(shape + Σx, rate + n); mode (shape - 1) / rate; mean shape / rate;
predictive negative binomial. docs/maths/families.md.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from scipy.special import xlogy

from priori.families.base import Distribution, Likelihood, Support
from priori.families.gamma_rate import GammaRate
from priori.families.numerics.special import log_rising, scored
from priori.formatting import said
from priori.statistics import EventCounts, Statistics
from priori.statistics.sums import log_factorial, whole
from priori.validation import number

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Poisson(Likelihood[EventCounts]):
    """p(x) = λ^x exp(-λ) / x!; at λ = 0 every count is 0.

    >>> print(Poisson(2.5))
    Poisson(λ=2.5)
    """

    rate: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "rate", number(self.rate, "rate", 0))

    @property
    def free_parameters(self) -> int:
        """λ."""
        return 1

    def log_prob(self, X: Any) -> Floats:
        """x log λ - λ - log x!."""
        return scored(X, lambda x: xlogy(x, self.rate) - self.rate - log_factorial(x), whole)

    def log_likelihood(self, stats: EventCounts) -> float:
        """Σx log λ - n λ - Σ log x!."""
        return float(xlogy(stats.total, self.rate)) - stats.n * self.rate + stats.log_base()

    def sample(self, size: int, rng: np.random.Generator) -> npt.NDArray[Any]:
        """Draw counts."""
        return rng.poisson(self.rate, size)

    def natural_parameters(self) -> Floats:
        """log λ; T(x) = x."""
        with np.errstate(divide="ignore"):
            return np.log([self.rate])

    def expected_statistics(self) -> Floats:
        """λ."""
        return np.array([self.rate])

    def freeze(self) -> Any:
        """scipy's poisson."""
        from scipy.stats import poisson

        return poisson(self.rate)

    def __str__(self) -> str:
        return f"Poisson(λ={said(self.rate)})"


@dataclass(frozen=True)
class NegativeBinomial(Distribution):
    """Counts of a Poisson whose λ is Gamma(shape, rate): p(x) = Γ(x + shape) / (Γ(shape) x!) p^shape (1 - p)^x with
    p = rate / (rate + 1).

    >>> print(NegativeBinomial(3, 1.5))
    NegativeBinomial(r=3, p=0.6)
    """

    shape: float
    rate: float  # subtle: not p, of which 1 - p would lose digits after much data

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", number(self.shape, "shape", 0, above=True))
        object.__setattr__(self, "rate", number(self.rate, "rate", 0, above=True))

    @property
    def probability(self) -> float:
        """p as scipy has it."""
        return self.rate / (self.rate + 1)

    def log_prob(self, X: Any) -> Floats:
        """log of Γ(x + shape) / (Γ(shape) x!), + shape log p + x log(1 - p)."""
        return scored(X, self._log_density, whole)

    def _log_density(self, x: Floats) -> Floats:
        ways = log_rising(self.shape, x) - log_factorial(x)
        density: Floats = ways - self.shape * np.log1p(1 / self.rate) - x * np.log1p(self.rate)
        return density

    def sample(self, size: int, rng: np.random.Generator) -> npt.NDArray[Any]:
        """Draw counts."""
        return rng.negative_binomial(self.shape, self.probability, size)

    def freeze(self) -> Any:
        """scipy's nbinom."""
        from scipy.stats import nbinom

        return nbinom(self.shape, self.probability)

    def __str__(self) -> str:
        return f"NegativeBinomial(r={said(self.shape)}, p={said(self.probability)})"


@dataclass(frozen=True)
class GammaPoisson(GammaRate[EventCounts]):
    """λ ~ Gamma(shape, rate): `shape` events imagined in `rate` observations.

    >>> print(GammaPoisson(2, 1).posterior(GammaPoisson.statistics([3, 0, 4])))
    λ ~ Gamma(9, 4)
    """

    name: ClassVar[str] = "poisson"
    kind: ClassVar[type[Statistics]] = EventCounts
    support: ClassVar[Support] = "counts"

    @classmethod
    def statistics(cls, X: Any, weights: Any = None) -> EventCounts:
        """The weight, the total, and the factorials of whole numbers from 0."""
        return EventCounts.of(X, weights)

    @classmethod
    def unit(cls, stats: EventCounts) -> Self:
        """One observation at the data's mean; shape 1/2, as in Jeffreys' prior, where no event was seen."""
        return cls(float(stats.average()[0]) or 0.5, 1.0)

    def seen(self, stats: EventCounts) -> tuple[float, float]:
        """The total of the counts, in so many observations."""
        return stats.total, stats.n

    def mode(self) -> Poisson:
        """λ = (shape - 1) / rate."""
        return Poisson(self.most_probable_rate())

    def mean(self) -> Poisson:
        """λ = shape / rate."""
        return Poisson(self.mean_rate())

    def predictive(self) -> Distribution:
        """Negative binomial."""
        self.require_proper("the predictive")
        return NegativeBinomial(self.shape, self.rate)
