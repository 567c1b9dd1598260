"""Values of a few kinds under a Dirichlet prior: the exemplar of a family.

p(θ) ∝ ∏ θ_j^(α_j - 1). Posterior Dirichlet(α + N); mode (N_j + α_j - 1) / (N + α_0 - V); mean and predictive
(N_j + α_j) / (N + α_0). Lecture 004; docs/maths/families.md.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln, xlogy

from priori.errors import DataError, EstimateError
from priori.families.base import Distribution, Family, Likelihood, Support
from priori.families.numerics.special import log_rising
from priori.formatting import listed
from priori.statistics import Categories, Statistics
from priori.statistics.categories import Value, as_values
from priori.validation import MOST, vector

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Categorical(Likelihood[Categories]):
    """p(x = value j) = θ_j.

    >>> print(Categorical([0.25, 0.75], values=("no", "yes")))
    Categorical(θ=(0.25, 0.75))
    """

    probabilities: Floats  # (V,)
    values: tuple[Value, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "probabilities", simplex(self.probabilities))
        object.__setattr__(self, "values", named(self.values, len(self.probabilities)))

    @property
    def free_parameters(self) -> int:
        """V - 1: they sum to 1."""
        return len(self.values) - 1

    def log_prob(self, X: Any) -> Floats:
        """log θ of each value, -inf for values that are none of these."""
        with np.errstate(divide="ignore"):
            of = dict(zip(self.values, np.log(self.probabilities).tolist(), strict=True))
        return np.array([0.0 if value is None else of.get(value, -np.inf) for value in as_values(X)])

    def log_likelihood(self, stats: Categories) -> float:
        """The sum of N_j log θ_j."""
        return float(xlogy(stats.of_values(self.values), self.probabilities).sum())

    def sample(self, size: int, rng: np.random.Generator) -> npt.NDArray[Any]:
        """Draw values."""
        return np.array(self.values)[rng.choice(len(self.values), size, p=self.probabilities)]

    def natural_parameters(self) -> Floats:
        """log θ_j; T(x) is 1 at the place of x."""
        with np.errstate(divide="ignore"):
            return np.log(self.probabilities)

    def expected_statistics(self) -> Floats:
        """θ."""
        return self.probabilities

    def freeze(self) -> Any:
        """scipy's multinomial of one trial."""
        from scipy.stats import multinomial

        return multinomial(1, self.probabilities)

    def __str__(self) -> str:
        return f"Categorical(θ={listed(self.probabilities)})"


@dataclass(frozen=True, eq=False)
class DirichletCategorical(Family[Categories]):
    """θ ~ Dirichlet(α): α_j - 1 imagined sightings of value j, if the mode is asked; α_j, if the mean is.

    >>> prior = DirichletCategorical(1, values=("a", "b", "c"))
    >>> print(prior.posterior(DirichletCategorical.statistics(list("abacab"))))
    θ ~ Dirichlet(4, 3, 2)
    """

    name: ClassVar[str] = "categorical"
    kind: ClassVar[type[Statistics]] = Categories
    support: ClassVar[Support] = "values"

    alpha: Floats  # (V,)
    values: tuple[Value, ...]

    def __init__(self, alpha: float | Sequence[float] | Floats | Mapping[Value, float], values: Sequence[Value] = ()):
        if isinstance(alpha, Mapping):
            alpha, values = list(alpha.values()), tuple(alpha)
        alpha = np.broadcast_to(np.asarray(alpha, np.float64), (len(values),)) if np.ndim(alpha) == 0 else alpha
        object.__setattr__(self, "alpha", vector(alpha, "alpha", 0, above=True, high=MOST))
        object.__setattr__(self, "values", named(values, len(self.alpha)))

    @classmethod
    def statistics(cls, X: Any, weights: Any = None) -> Categories:
        """Counts of each value."""
        return Categories.of(X, weights)

    @classmethod
    def flat(cls, stats: Categories) -> Self:
        """α = 1."""
        return cls(1.0, stats.values)

    @classmethod
    def unit(cls, stats: Categories) -> Self:
        """α = 1 / V: one observation in all, spread evenly (Perks 1947)."""
        return cls(1.0 / max(len(stats.values), 1), stats.values)

    @property
    def proper(self) -> bool:
        """Always: every α is above 0."""
        return True

    def posterior(self, stats: Categories) -> Self:
        """Add the counts to the imagined ones."""
        return type(self)(self.alpha + self.checked(stats).of_values(self.values), self.values)

    def mode(self) -> Categorical:
        """(α_j - 1) / (α_0 - V)."""
        return Categorical(dirichlet_mode(self.alpha), self.values)

    def mean(self) -> Categorical:
        """α_j / α_0."""
        return Categorical(self.alpha / self.alpha.sum(), self.values)

    def predictive(self) -> Distribution:
        """For one observation the mean is all that matters."""
        return self.mean()

    def log_normalizer(self) -> float:
        """log of the multivariate Beta function."""
        return log_beta(self.alpha)

    def log_evidence(self, stats: Categories) -> float:
        """log B(α + N) - log B(α)."""
        return log_beta_step(self.alpha, self.checked(stats).of_values(self.values))

    def log_prob(self, *, probabilities: Any) -> Floats:  # type: ignore[override]
        """Of θ, (..., V)."""
        return dirichlet_log_prob(self.alpha, probabilities)

    def sample(self, size: int, rng: np.random.Generator) -> dict[str, Floats]:
        """Draws of θ, (size, V)."""
        return {"probabilities": rng.dirichlet(self.alpha, size)}

    def marginals(self) -> dict[str, Any]:
        """Each θ_j is Beta(α_j, α_0 - α_j) by itself."""
        return dirichlet_marginals(self.alpha, self.values)

    def __str__(self) -> str:
        return f"θ ~ Dirichlet{listed(self.alpha)}"


def named(values: Sequence[Value], size: int) -> tuple[Value, ...]:
    """The names of `size` values, each once."""
    names = tuple(values)
    if size == 0 or len(names) != size or len(set(names)) != size:
        raise DataError(
            f"there are {size} numbers for the values {list(names[:10])}; name each value once, at least one"
        )
    return names


def simplex(probabilities: Any) -> Floats:
    """Probabilities that sum to 1."""
    array = vector(probabilities, "probabilities", 0)
    if abs(array.sum() - 1) > 1e-9:
        raise DataError(f"the probabilities sum to {array.sum():g}; give numbers that sum to 1")
    return array


def log_beta(alpha: Floats) -> float:
    """log of the multivariate Beta function: ∏ Γ(α_j) / Γ(α_0)."""
    return float(gammaln(alpha).sum() - gammaln(alpha.sum()))


def log_beta_step(alpha: Floats, counts: Floats) -> float:
    """log B(α + N) - log B(α), as products of N factors: two log-gammas of a strong prior would cancel."""
    return float(log_rising(alpha, counts).sum() - log_rising(alpha.sum(), counts.sum()))


def dirichlet_log_prob(alpha: Floats, probabilities: Any) -> Floats:
    """Of θ, (..., V); -inf where it is no probabilities."""
    theta = np.asarray(probabilities, np.float64)
    inside = (theta >= 0).all(axis=-1) & (np.abs(theta.sum(axis=-1) - 1) <= 1e-9)
    kernel: Floats = xlogy(alpha - 1, np.where(inside[..., None], theta, 1.0)).sum(axis=-1)
    return np.where(inside, kernel - log_beta(alpha), -np.inf)


def dirichlet_mode(alpha: Floats) -> Floats:
    """Where the density is largest; an EstimateError where it grows without bound, or is flat."""
    if len(alpha) == 1:
        return np.ones(1)
    if (alpha < 1).any():
        raise EstimateError(
            "the posterior has no mode: with alpha < 1 a value without counts pulls it to the edge; use alpha >= 1, or "
            "the mean"
        )
    if (alpha == 1).all():
        raise EstimateError("without data every θ is equally probable under the flat prior; add data, or use the mean")
    mode: Floats = (alpha - 1) / (alpha - 1).sum()
    return mode


def dirichlet_marginals(alpha: Floats, values: Sequence[Value]) -> dict[str, Any]:
    """Each θ_j by itself; a single value leaves nothing open."""
    from scipy.stats import beta

    if len(alpha) == 1:
        return {}
    rest = alpha.sum() - alpha
    return {f"probabilities[{v}]": beta(a, b) for v, a, b in zip(values, alpha, rest, strict=True)}
