"""Zeros and ones under a Beta prior.

p(θ) ∝ θ^(α - 1) (1 - θ)^(β - 1). Posterior Beta(α + N_1, β + N_0); mode (N_1 + α - 1) / (N + α + β - 2); mean and
predictive (N_1 + α) / (N + α + β). Lectures 003 and 004; docs/maths/families.md.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from scipy.special import betaln, xlog1py, xlogy

from priori.errors import EstimateError
from priori.families.base import Distribution, Family, Likelihood, Support
from priori.families.numerics.special import log_rising, scored
from priori.formatting import said
from priori.statistics import Statistics, Successes
from priori.statistics.sums import zero_or_one
from priori.validation import MOST, number

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Bernoulli(Likelihood[Successes]):
    """p(x = 1) = θ.

    >>> print(Bernoulli(0.55))
    Bernoulli(θ=0.55)
    """

    probability: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "probability", number(self.probability, "probability", 0, high=1))

    @property
    def free_parameters(self) -> int:
        """θ."""
        return 1

    def log_prob(self, X: Any) -> Floats:
        """log θ of a one, log(1 - θ) of a zero."""
        return scored(X, lambda x: xlogy(x, self.probability) + xlog1py(1 - x, -self.probability), zero_or_one)

    def log_likelihood(self, stats: Successes) -> float:
        """N_1 log θ + N_0 log(1 - θ)."""
        return float(xlogy(stats.successes, self.probability) + xlog1py(stats.failures, -self.probability))

    def sample(self, size: int, rng: np.random.Generator) -> npt.NDArray[Any]:
        """Draw zeros and ones."""
        return (rng.random(size) < self.probability).astype(np.int64)

    def natural_parameters(self) -> Floats:
        """log(θ / (1 - θ)); T(x) = x."""
        with np.errstate(divide="ignore"):
            return np.array([np.log(self.probability) - np.log1p(-self.probability)])

    def expected_statistics(self) -> Floats:
        """θ."""
        return np.array([self.probability])

    def freeze(self) -> Any:
        """scipy's bernoulli."""
        from scipy.stats import bernoulli

        return bernoulli(self.probability)

    def __str__(self) -> str:
        return f"Bernoulli(θ={said(self.probability)})"


@dataclass(frozen=True)
class BetaBernoulli(Family[Successes]):
    """θ ~ Beta(α, β): α - 1 imagined ones and β - 1 imagined zeros, if the mode is asked; α and β, if the mean is.

    >>> print(BetaBernoulli(2, 2).posterior(BetaBernoulli.statistics([1, 1, 0])))
    θ ~ Beta(4, 3)
    """

    name: ClassVar[str] = "bernoulli"
    kind: ClassVar[type[Statistics]] = Successes
    support: ClassVar[Support] = "binary"

    alpha: float = 1.0
    beta: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "alpha", number(self.alpha, "alpha", 0, above=True, high=MOST))
        object.__setattr__(self, "beta", number(self.beta, "beta", 0, above=True, high=MOST))

    @classmethod
    def statistics(cls, X: Any, weights: Any = None) -> Successes:
        """Counts of ones and zeros."""
        return Successes.of(X, weights)

    @classmethod
    def flat(cls, stats: Successes) -> Self:
        """Beta(1, 1)."""
        return cls(1.0, 1.0)

    @classmethod
    def unit(cls, stats: Successes) -> Self:
        """Beta(1/2, 1/2): one observation in all (Jeffreys 1946)."""
        return cls(0.5, 0.5)

    @property
    def proper(self) -> bool:
        """Always: α and β are above 0."""
        return True

    def posterior(self, stats: Successes) -> Self:
        """Add the counts to the imagined ones."""
        data = self.checked(stats)
        return type(self)(self.alpha + data.successes, self.beta + data.failures)

    def mode(self) -> Bernoulli:
        """(α - 1) / (α + β - 2)."""
        if min(self.alpha, self.beta) < 1:
            raise EstimateError(
                f"{self} has no mode: where alpha or beta is below 1 its density grows without bound at the edge; use "
                "alpha and beta >= 1, or the mean"
            )
        if self.alpha == self.beta == 1:
            raise EstimateError(
                "without data every θ is equally probable under the flat prior; add data, or use the mean"
            )
        return Bernoulli((self.alpha - 1) / ((self.alpha - 1) + (self.beta - 1)))

    def mean(self) -> Bernoulli:
        """α / (α + β)."""
        return Bernoulli(self.alpha / (self.alpha + self.beta))

    def predictive(self) -> Distribution:
        """For one observation the mean is all that matters."""
        return self.mean()

    def log_normalizer(self) -> float:
        """log of the Beta function."""
        return float(betaln(self.alpha, self.beta))

    def log_evidence(self, stats: Successes) -> float:
        """log B(α + N_1, β + N_0) - log B(α, β), as products of as many factors: two log-Betas would cancel."""
        data = self.checked(stats)
        apart = log_rising(self.alpha, np.array(data.successes)) + log_rising(self.beta, np.array(data.failures))
        return float(apart - log_rising(self.alpha + self.beta, np.array(data.n)))

    def log_prob(self, *, probability: Any) -> Floats:  # type: ignore[override]
        """Of θ, -inf where it is no probability."""
        theta = np.asarray(probability, np.float64)
        inside = (theta >= 0) & (theta <= 1)
        at = np.where(inside, theta, 0.5)
        kernel: Floats = xlogy(self.alpha - 1, at) + xlog1py(self.beta - 1, -at)
        return np.where(inside, kernel - self.log_normalizer(), -np.inf)

    def sample(self, size: int, rng: np.random.Generator) -> dict[str, Floats]:
        """Draws of θ."""
        return {"probability": rng.beta(self.alpha, self.beta, size)}

    def marginals(self) -> dict[str, Any]:
        """scipy's beta."""
        from scipy.stats import beta

        return {"probability": beta(self.alpha, self.beta)}

    def __str__(self) -> str:
        return f"θ ~ Beta({said(self.alpha)}, {said(self.beta)})"
