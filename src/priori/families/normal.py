"""Real numbers of unknown mean and variance under a normal-inverse-gamma prior.

σ² ~ InvGamma(shape, scale), μ | σ² ~ 𝒩(mean, σ² / kappa): kappa imagined observations with this mean, and as many as
2 shape for the variance. Mode σ² = scale / (shape + 3/2), mean scale / (shape - 1), predictive Student's t.
Lecture 003; Murphy (2007), section 6; docs/maths/families.md.
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

from priori.errors import EstimateError
from priori.families.base import Distribution, Family, Likelihood, Support
from priori.families.numerics.special import LOG_2PI, log_rising, scored
from priori.formatting import said
from priori.statistics import Moments, Statistics
from priori.validation import MOST, number

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Normal(Likelihood[Moments]):
    """p(x) = exp(-(x - μ)² / (2σ²)) / √(2πσ²).

    >>> print(Normal(1, 4))
    𝒩(μ=1, σ²=4)
    """

    mean: float
    variance: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "mean", number(self.mean, "mean"))
        object.__setattr__(self, "variance", number(self.variance, "variance", 0, above=True))

    @property
    def free_parameters(self) -> int:
        """μ and σ²."""
        return 2

    def log_prob(self, X: Any) -> Floats:
        """-½ log(2πσ²) - (x - μ)² / (2σ²)."""
        constant = -0.5 * (LOG_2PI + math.log(self.variance))
        with np.errstate(over="ignore"):  # too far away is as good as impossible: -inf
            return scored(X, lambda x: constant - (x - self.mean) ** 2 / (2 * self.variance))

    def log_likelihood(self, stats: Moments) -> float:
        """-½ n log(2πσ²) - (scatter + n (x̄ - μ)²) / (2σ²)."""
        away = stats.mean - self.mean
        squares = stats.scatter + stats.n * away * away
        return -0.5 * (stats.n * (LOG_2PI + math.log(self.variance)) + squares / self.variance)

    def sample(self, size: int, rng: np.random.Generator) -> npt.NDArray[Any]:
        """Draw numbers."""
        return rng.normal(self.mean, math.sqrt(self.variance), size)

    def natural_parameters(self) -> Floats:
        """μ / σ² and -1 / (2σ²); T(x) = (x, x²)."""
        return np.array([self.mean / self.variance, -0.5 / self.variance])

    def expected_statistics(self) -> Floats:
        """μ and σ² + μ²."""
        return np.array([self.mean, self.variance + self.mean**2])

    def freeze(self) -> Any:
        """scipy's norm."""
        from scipy.stats import norm

        return norm(self.mean, math.sqrt(self.variance))

    def __str__(self) -> str:
        return f"𝒩(μ={said(self.mean)}, σ²={said(self.variance)})"


@dataclass(frozen=True)
class StudentT(Distribution):
    """Numbers of a normal whose σ² is inverse-gamma: p(x) ∝ (1 + z² / ν)^(-(ν + 1) / 2) with z = (x - mean) / scale.

    >>> print(StudentT(5, mean=1, scale=2))
    t(ν=5, μ=1, scale=2)
    """

    degrees: float
    mean: float
    scale: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "degrees", number(self.degrees, "degrees", 0, above=True))
        object.__setattr__(self, "mean", number(self.mean, "mean"))
        object.__setattr__(self, "scale", number(self.scale, "scale", 0, above=True))

    def log_prob(self, X: Any) -> Floats:
        """The constant is log of Γ((ν + 1)/2) / (Γ(ν/2) √(πν) scale)."""
        return scored(X, self._log_density)

    def _log_density(self, x: Floats) -> Floats:
        rising = float(log_rising(self.degrees / 2, np.array(0.5)))
        constant = rising - 0.5 * math.log(math.pi * self.degrees) - math.log(self.scale)
        z = (x - self.mean) / self.scale / math.sqrt(self.degrees)
        far = np.abs(z) > 1e8  # where z² is all of 1 + z², and may be too large for a number
        squared = np.where(far, 2 * np.log(np.where(far, np.abs(z), 1.0)), np.log1p(np.where(far, 0.0, z) ** 2))
        return constant - (self.degrees + 1) / 2 * squared

    def sample(self, size: int, rng: np.random.Generator) -> npt.NDArray[Any]:
        """Draw numbers."""
        return self.mean + self.scale * rng.standard_t(self.degrees, size)

    def freeze(self) -> Any:
        """scipy's t."""
        from scipy.stats import t

        return t(self.degrees, self.mean, self.scale)

    def __str__(self) -> str:
        return f"t(ν={said(self.degrees)}, μ={said(self.mean)}, scale={said(self.scale)})"


@dataclass(frozen=True)
class NormalInverseGamma(Family[Moments]):
    """μ | σ² ~ 𝒩(mean, σ² / kappa), σ² ~ InvGamma(shape, scale); improper at kappa, shape or scale of 0 and below.

    >>> print(NormalInverseGamma(0, 1, 2, 3).posterior(NormalInverseGamma.statistics([1.0, 2.0, 6.0])))
    μ ~ 𝒩(2.25, σ²/4), σ² ~ InvGamma(3.5, 13.375)
    """

    name: ClassVar[str] = "normal"
    kind: ClassVar[type[Statistics]] = Moments
    support: ClassVar[Support] = "real"

    location: float  # not `mean`, which is a reading
    kappa: float
    shape: float
    scale: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "location", number(self.location, "location"))
        object.__setattr__(self, "kappa", number(self.kappa, "kappa", 0, high=MOST))
        object.__setattr__(self, "shape", number(self.shape, "shape", -1.5, high=MOST))  # that of the flat prior
        object.__setattr__(self, "scale", number(self.scale, "scale", 0))

    @classmethod
    def statistics(cls, X: Any, weights: Any = None) -> Moments:
        """Weight, mean and scatter."""
        return Moments.of(X, weights)

    @classmethod
    def flat(cls, stats: Moments) -> Self:
        """Constant in μ and σ²: shape -3/2, for the density has σ² to the power -(shape + 1) - ½."""
        return cls(0.0, 0.0, -1.5, 0.0)

    @classmethod
    def unit(cls, stats: Moments) -> Self:
        """One observation at the data's mean, with their variance."""
        stats.refuse_negative()
        variance = resolved(stats).variance()
        if variance == 0:
            raise EstimateError(
                "the observations are all equal, or there is only one, so no prior of σ² can be placed by them; give "
                "one with scale > 0"
            )
        return cls(stats.mean, 1.0, 0.5, variance / 2)

    @property
    def proper(self) -> bool:
        """Where kappa, shape and scale are above 0."""
        return min(self.kappa, self.shape, self.scale) > 0

    def posterior(self, stats: Moments) -> Self:
        """Pool the imagined observations with the real ones."""
        data = resolved(self.checked(stats))
        if data.n == 0:
            return self
        total = Moments(self.kappa, self.location, 2 * self.scale) + data
        return type(self)(total.mean, total.n, self.shape + data.n / 2, total.scatter / 2)

    def mode(self) -> Normal:
        """Of μ and σ² together: location and scale / (shape + 3/2)."""
        if self.kappa == 0 or self.shape == -1.5:
            raise EstimateError(f"without data {self} has no mode; add data, or use kappa > 0 and shape > 0")
        if self.scale == 0:
            raise EstimateError(
                "the observations are all equal, or there is only one, so the density grows without bound as σ² goes "
                "to 0; use a prior with scale > 0, or a known variance"
            )
        return Normal(self.location, self.scale / (self.shape + 1.5))

    def mean(self) -> Normal:
        """location and scale / (shape - 1)."""
        self.require_proper("the mean")
        if self.shape <= 1:
            raise EstimateError(f"the mean of σ² is infinite under {self}; use shape > 1, more data, or the mode")
        return Normal(self.location, self.scale / (self.shape - 1))

    def predictive(self) -> Distribution:
        """Student's t of 2 shape degrees."""
        self.require_proper("the predictive")
        return StudentT(2 * self.shape, self.location, math.sqrt(self.scale / self.shape * (1 + 1 / self.kappa)))

    def log_normalizer(self) -> float:
        """log Γ(shape) - shape log scale + ½ log(2π / kappa)."""
        self.require_proper("its normalizer")
        of_variance = float(gammaln(self.shape)) - self.shape * math.log(self.scale)
        return of_variance + 0.5 * (LOG_2PI - math.log(self.kappa))

    def log_evidence(self, stats: Moments) -> float:
        """The ratio of normalizers, in steps in which a strong prior cancels, and 1 / √(2π) for each observation."""
        self.require_proper("the evidence")
        data = resolved(self.checked(stats))
        half, gap = data.n / 2, data.mean - self.location
        grown = (data.scatter + gap * gap * (self.kappa / (self.kappa + data.n) * data.n)) / 2  # of the scale
        of_shape = float(log_rising(self.shape, np.array(half))) - self.shape * math.log1p(grown / self.scale)
        of_mean = math.log1p(data.n / self.kappa) / 2
        return of_shape - half * (math.log(self.scale + grown) + LOG_2PI) - of_mean

    def log_prob(self, *, mean: Any, variance: Any) -> Floats:  # type: ignore[override]
        """Of μ and σ² together, -inf where the latter is no variance."""
        values = np.asarray(variance, np.float64)
        inside = values > 0
        at = np.where(inside, values, 1.0)
        squares = 2 * self.scale + self.kappa * (np.asarray(mean, np.float64) - self.location) ** 2
        kernel: Floats = -(self.shape + 1.5) * np.log(at) - squares / (2 * at)
        return np.where(inside, kernel - self.log_normalizer(), -np.inf)

    def sample(self, size: int, rng: np.random.Generator) -> dict[str, Floats]:
        """Draws of μ and σ²."""
        self.require_proper("a sample")
        with np.errstate(divide="ignore", over="ignore"):  # with a small shape some variances exceed all numbers
            variance = self.scale / rng.gamma(self.shape, size=size)
        return {"mean": rng.normal(self.location, np.sqrt(variance / self.kappa)), "variance": variance}

    def marginals(self) -> dict[str, Any]:
        """μ by itself is Student's t, σ² inverse-gamma."""
        from scipy.stats import invgamma

        self.require_proper("a marginal")
        of_mean = StudentT(2 * self.shape, self.location, math.sqrt(self.scale / (self.shape * self.kappa)))
        return {"mean": of_mean.freeze(), "variance": invgamma(self.shape, scale=self.scale)}

    def __str__(self) -> str:
        of_mean = f"μ ~ 𝒩({said(self.location)}, σ²/{said(self.kappa)})"
        return f"{of_mean}, σ² ~ InvGamma({said(self.shape)}, {said(self.scale)})"


def resolved(stats: Moments) -> Moments:
    """The same, but no scatter where it is no larger than the rounding of equal numbers (or below 0, by rounding)."""
    rounding = 4 * np.finfo(np.float64).eps * abs(stats.mean)
    return stats if stats.scatter > stats.n * rounding**2 else Moments(stats.n, stats.mean, 0.0)
