"""Real numbers of known variance under a normal prior of their mean.

μ ~ 𝒩(location, mean_variance): σ² / mean_variance imagined observations. Posterior, mode and mean pool them with the
real ones; the predictive is 𝒩(location, mean_variance + σ²). Lecture 003; docs/maths/families.md.
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from priori.errors import EstimateError
from priori.families.base import Distribution, Family, Support
from priori.families.normal import Normal
from priori.families.numerics.special import LOG_2PI
from priori.formatting import said
from priori.statistics import Moments, Statistics
from priori.validation import number

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class NormalOfKnownVariance(Normal):
    """A normal of which only μ was free to choose.

    >>> NormalOfKnownVariance(1, 4).free_parameters
    1
    """

    @property
    def free_parameters(self) -> int:
        """μ."""
        return 1

    def natural_parameters(self) -> Floats:
        """μ / σ²; T(x) = x."""
        return np.array([self.mean / self.variance])

    def expected_statistics(self) -> Floats:
        """μ."""
        return np.array([self.mean])


@dataclass(frozen=True)
class NormalKnownVariance(Family[Moments]):
    """μ ~ 𝒩(location, mean_variance), σ² = variance known; mean_variance is infinite under the flat prior.

    >>> print(NormalKnownVariance(variance=4, location=0, mean_variance=1).posterior(Moments.of([1.0, 2.0, 6.0, 3.0])))
    μ ~ 𝒩(1.5, 0.5), σ² = 4
    """

    name: ClassVar[str] = "normal-mean"
    kind: ClassVar[type[Statistics]] = Moments
    support: ClassVar[Support] = "real"
    known: ClassVar[tuple[str, ...]] = ("variance",)

    variance: float
    location: float = 0.0  # not `mean`, which is a reading
    mean_variance: float = math.inf

    def __post_init__(self) -> None:
        object.__setattr__(self, "variance", number(self.variance, "variance", 0, above=True))
        object.__setattr__(self, "location", number(self.location, "location"))
        if self.mean_variance != math.inf:
            object.__setattr__(self, "mean_variance", number(self.mean_variance, "mean_variance", 0, above=True))

    @classmethod
    def statistics(cls, X: Any, weights: Any = None) -> Moments:
        """Weight, mean and scatter."""
        return Moments.of(X, weights)

    @classmethod
    def flat(cls, stats: Moments, *, variance: float) -> Self:  # type: ignore[override]
        """An infinite mean_variance."""
        return cls(variance)

    @classmethod
    def unit(cls, stats: Moments, *, variance: float) -> Self:  # type: ignore[override]
        """One observation at the data's mean."""
        return cls(variance, float(stats.average()[0]), variance)

    @classmethod
    def maximum_likelihood(cls, stats: Moments, *, variance: float) -> NormalOfKnownVariance:  # type: ignore[override]
        """μ = x̄."""
        return cls.flat(stats, variance=variance).posterior(stats).mode()

    @property
    def proper(self) -> bool:
        """Where mean_variance is finite."""
        return self.mean_variance < math.inf

    @property
    def kappa(self) -> float:
        """How many observations the prior is worth: σ² / mean_variance."""
        return self.variance / self.mean_variance

    def posterior(self, stats: Moments) -> Self:
        """Pool the imagined observations with the real ones."""
        data = self.checked(stats)
        if data.n == 0:
            return self
        total = Moments(self.kappa, self.location, 0.0) + data
        return type(self)(self.variance, total.mean, self.variance / total.n)

    def mode(self) -> NormalOfKnownVariance:
        """μ = location."""
        if not self.proper:
            raise EstimateError("without data every μ is equally probable under the flat prior; add data")
        return NormalOfKnownVariance(self.location, self.variance)

    def mean(self) -> NormalOfKnownVariance:
        """The mode: the density is symmetric."""
        return self.mode()

    def predictive(self) -> Distribution:
        """𝒩(location, mean_variance + σ²)."""
        self.require_proper("the predictive")
        return Normal(self.location, self.mean_variance + self.variance)

    def log_normalizer(self) -> float:
        """½ log(2π mean_variance)."""
        self.require_proper("its normalizer")
        return 0.5 * (LOG_2PI + math.log(self.mean_variance))

    def log_evidence(self, stats: Moments) -> float:
        """log of ∏ 𝒩(x_i; x̄, σ²), times √(κ / (κ + n)) exp(-κ n / (κ + n) (x̄ - location)² / (2σ²))."""
        self.require_proper("the evidence")
        data = self.checked(stats)
        # subtle: a ratio of natural normalizers would be this with squares of the data in it, which cancel
        at_mean = Normal(data.mean, self.variance).log_likelihood(data)
        shared = data.n / (self.kappa + data.n)
        gap = self.kappa * shared * (data.mean - self.location) ** 2 / self.variance
        return at_mean - 0.5 * (math.log1p(data.n / self.kappa) + gap)

    def log_prob(self, *, mean: Any) -> Floats:  # type: ignore[override]
        """Of μ."""
        kernel: Floats = -((np.asarray(mean, np.float64) - self.location) ** 2) / (2 * self.mean_variance)
        return kernel - self.log_normalizer()

    def sample(self, size: int, rng: np.random.Generator) -> dict[str, Floats]:
        """Draws of μ."""
        self.require_proper("a sample")
        return {"mean": rng.normal(self.location, math.sqrt(self.mean_variance), size)}

    def marginals(self) -> dict[str, Any]:
        """scipy's norm."""
        self.require_proper("a marginal")
        return {"mean": Normal(self.location, self.mean_variance).freeze()}

    def __str__(self) -> str:
        return f"μ ~ 𝒩({said(self.location)}, {said(self.mean_variance)}), σ² = {said(self.variance)}"
