"""A Gamma prior over a rate: what the Poisson and the exponential family share.

p(λ) ∝ λ^(shape - 1) exp(-rate λ): `shape` events in a time of `rate`, if the mean is asked.
"""

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln, xlogy

from priori.errors import EstimateError
from priori.families.base import Family, S
from priori.families.numerics.special import log_rising
from priori.formatting import said
from priori.validation import MOST, number

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class GammaRate(Family[S]):
    """λ ~ Gamma(shape, rate); improper where its own rate is 0."""

    shape: float
    rate: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", number(self.shape, "shape", 0, above=True, high=MOST))
        object.__setattr__(self, "rate", number(self.rate, "rate", 0))

    @classmethod
    def flat(cls, stats: S) -> Self:
        """Gamma(1, 0)."""
        return cls(1.0, 0.0)

    @property
    def proper(self) -> bool:
        """Where the rate is above 0."""
        return self.rate > 0

    def most_probable_rate(self) -> float:
        """(shape - 1) / rate."""
        if self.shape < 1:
            raise EstimateError(
                f"{self} has no mode: with shape < 1 its density grows without bound at 0; use shape >= 1, or the mean"
            )
        if self.shape == 1 and self.rate == 0:
            raise EstimateError("without data every rate is equally probable under the flat prior; add data")
        mode = (self.shape - 1) / self.rate if self.rate > 0 else math.inf
        if mode == math.inf:
            raise EstimateError(
                f"{self} has no mode: every observation is 0 (or too near it), so the density grows with λ "
                "without bound; use a prior with rate > 0"
            )
        return mode

    def mean_rate(self) -> float:
        """shape / rate."""
        self.require_proper("the mean")
        return self.shape / self.rate

    def log_normalizer(self) -> float:
        """log Γ(shape) - shape log rate."""
        self.require_proper("its normalizer")
        return float(gammaln(self.shape)) - self.shape * math.log(self.rate)

    @abstractmethod
    def seen(self, stats: S) -> tuple[float, float]:
        """How many events the data had, in how much time."""

    def posterior(self, stats: S) -> Self:
        """Add events to events, time to time."""
        events, time = self.seen(self.checked(stats))
        return type(self)(self.shape + events, self.rate + time)

    def log_evidence(self, stats: S) -> float:
        """Γ(shape + events) / Γ(shape) rate^shape / (rate + time)^(shape + events): a strong prior cancels in none."""
        self.require_proper("the evidence")
        events, time = self.seen(self.checked(stats))
        ways = float(log_rising(self.shape, np.array(events)))
        return ways - self.shape * math.log1p(time / self.rate) - events * math.log(self.rate + time) + stats.log_base()

    def log_prob(self, *, rate: Any) -> Floats:  # type: ignore[override]
        """Of λ, -inf where it is no rate."""
        values = np.asarray(rate, np.float64)
        inside = (values >= 0) & (values < np.inf)
        at = np.where(inside, values, 1.0)
        kernel: Floats = xlogy(self.shape - 1, at) - self.rate * at
        return np.where(inside, kernel - self.log_normalizer(), -np.inf)

    def sample(self, size: int, rng: np.random.Generator) -> dict[str, Floats]:
        """Draws of λ."""
        self.require_proper("a sample")
        return {"rate": rng.gamma(self.shape, 1 / self.rate, size)}

    def marginals(self) -> dict[str, Any]:
        """scipy's gamma."""
        from scipy.stats import gamma

        self.require_proper("a marginal")
        return {"rate": gamma(self.shape, scale=1 / self.rate)}

    def __str__(self) -> str:
        return f"λ ~ Gamma({said(self.shape)}, {said(self.rate)})"
