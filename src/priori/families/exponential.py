"""Waiting times under a Gamma prior.

p(x | λ) = λ exp(-λ x). Posterior Gamma(shape + n, rate + Σx); mode (shape - 1) / rate; mean shape / rate; predictive
Lomax. docs/maths/families.md.
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from priori.errors import EstimateError
from priori.families.base import Distribution, Likelihood, Support
from priori.families.gamma_rate import GammaRate
from priori.families.numerics.special import not_negative, scored
from priori.formatting import said
from priori.statistics import Durations, Statistics
from priori.validation import number

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Exponential(Likelihood[Durations]):
    """p(x) = λ exp(-λ x) for x from 0.

    >>> print(Exponential(0.25))
    Exponential(λ=0.25)
    """

    rate: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "rate", number(self.rate, "rate", 0, above=True))

    @property
    def free_parameters(self) -> int:
        """λ."""
        return 1

    def log_prob(self, X: Any) -> Floats:
        """log λ - λ x."""
        with np.errstate(over="ignore"):  # too far away is as good as impossible: -inf
            return scored(X, lambda x: math.log(self.rate) - self.rate * x, not_negative)

    def log_likelihood(self, stats: Durations) -> float:
        """n log λ - λ Σx."""
        return stats.n * math.log(self.rate) - self.rate * stats.total

    def sample(self, size: int, rng: np.random.Generator) -> npt.NDArray[Any]:
        """Draw waiting times."""
        return rng.exponential(1 / self.rate, size)

    def natural_parameters(self) -> Floats:
        """-λ; T(x) = x."""
        return np.array([-self.rate])

    def expected_statistics(self) -> Floats:
        """1 / λ."""
        return np.array([1 / self.rate])

    def freeze(self) -> Any:
        """scipy's expon."""
        from scipy.stats import expon

        return expon(scale=1 / self.rate)

    def __str__(self) -> str:
        return f"Exponential(λ={said(self.rate)})"


@dataclass(frozen=True)
class Lomax(Distribution):
    """Waiting times whose λ is Gamma(shape, scale): p(x) = shape / scale (1 + x / scale)^-(shape + 1).

    >>> print(Lomax(3, 12.5))
    Lomax(shape=3, scale=12.5)
    """

    shape: float
    scale: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", number(self.shape, "shape", 0, above=True))
        object.__setattr__(self, "scale", number(self.scale, "scale", 0, above=True))

    def log_prob(self, X: Any) -> Floats:
        """log(shape / scale) - (shape + 1) log(1 + x / scale)."""
        return scored(X, self._log_density, not_negative)

    def _log_density(self, x: Floats) -> Floats:
        return math.log(self.shape) - math.log(self.scale) - (self.shape + 1) * np.log1p(x / self.scale)

    def sample(self, size: int, rng: np.random.Generator) -> npt.NDArray[Any]:
        """Draw waiting times."""
        return self.scale * rng.pareto(self.shape, size)  # subtle: numpy's Pareto begins at 0, so it is a Lomax

    def freeze(self) -> Any:
        """scipy's lomax."""
        from scipy.stats import lomax

        return lomax(self.shape, scale=self.scale)

    def __str__(self) -> str:
        return f"Lomax(shape={said(self.shape)}, scale={said(self.scale)})"


@dataclass(frozen=True)
class GammaExponential(GammaRate[Durations]):
    """λ ~ Gamma(shape, rate): `shape` imagined waits that took `rate` in all.

    >>> print(GammaExponential(2, 1).posterior(GammaExponential.statistics([0.5, 3.0])))
    λ ~ Gamma(4, 4.5)
    """

    name: ClassVar[str] = "exponential"
    kind: ClassVar[type[Statistics]] = Durations
    support: ClassVar[Support] = "positive"

    @classmethod
    def statistics(cls, X: Any, weights: Any = None) -> Durations:
        """The weight and the total of numbers from 0."""
        return Durations.of(X, weights)

    @classmethod
    def unit(cls, stats: Durations) -> Self:
        """One wait as long as the data's mean."""
        mean = float(stats.average()[0])
        if mean <= 0:
            raise EstimateError("every observation is 0, so no prior can be placed by them; give one with rate > 0")
        return cls(1.0, mean)

    def seen(self, stats: Durations) -> tuple[float, float]:
        """Each waiting time ends with an event."""
        return stats.n, stats.total

    def mode(self) -> Exponential:
        """λ = (shape - 1) / rate."""
        rate = self.most_probable_rate()
        if rate == 0:
            raise EstimateError(
                f"{self} is largest at λ = 0, where no exponential distribution is; add data, or use the mean"
            )
        return Exponential(rate)

    def mean(self) -> Exponential:
        """λ = shape / rate."""
        return Exponential(self.mean_rate())

    def predictive(self) -> Distribution:
        """Lomax."""
        self.require_proper("the predictive")
        return Lomax(self.shape, self.rate)
