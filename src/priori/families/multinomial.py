"""Rows of counts under a Dirichlet prior.

p(x | θ) = trials! / ∏ x_j! ∏ θ_j^x_j, the number of trials of a row being given. Posterior Dirichlet(α + N) as for
single values (dirichlet.py); the predictive of a row is the Pólya urn, not the mean. docs/maths/families.md.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from scipy.special import xlogy

from priori.errors import DataError, EstimateError, MergeError
from priori.families.base import Distribution, Family, Likelihood, Support
from priori.families.dirichlet import (
    DirichletCategorical,
    dirichlet_marginals,
    dirichlet_mode,
    log_beta,
    log_beta_step,
    named,
    simplex,
)
from priori.families.numerics.special import log_rising
from priori.formatting import listed
from priori.statistics import CountVectors, Statistics
from priori.statistics.categories import Value, count_rows, log_coefficient
from priori.statistics.sums import whole
from priori.validation import vector

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Multinomial(Likelihood[CountVectors]):
    """p(x) = trials! / ∏ x_j! ∏ θ_j^x_j of a row of counts, given how many trials it has.

    >>> print(Multinomial([0.25, 0.75], values=("no", "yes")))
    Multinomial(θ=(0.25, 0.75))
    """

    probabilities: Floats  # (V,)
    values: tuple[Value, ...]
    trials: int | None = None  # of the rows that are drawn; rows that are scored may have any number

    def __post_init__(self) -> None:
        object.__setattr__(self, "probabilities", simplex(self.probabilities))
        object.__setattr__(self, "values", named(self.values, len(self.probabilities)))
        refuse_trials(self.trials)

    @property
    def free_parameters(self) -> int:
        """V - 1: they sum to 1."""
        return len(self.values) - 1

    def log_prob(self, X: Any) -> Floats:
        """log of the multinomial coefficient, + Σ x_j log θ_j."""
        return _scored(X, len(self.values), lambda rows: xlogy(rows, self.probabilities).sum(axis=1))

    def log_likelihood(self, stats: CountVectors) -> float:
        """Σ N_j log θ_j, and the coefficients of the rows."""
        return float(xlogy(_fitting(stats, self.values), self.probabilities).sum()) + stats.log_base()

    def sample(self, size: int, rng: np.random.Generator) -> npt.NDArray[Any]:
        """Draw rows of counts, (size, V)."""
        return rng.multinomial(needed(self.trials), self.probabilities, size)

    def natural_parameters(self) -> Floats:
        """log θ_j; T(x) are the counts."""
        with np.errstate(divide="ignore"):
            return np.log(self.probabilities)

    def expected_statistics(self) -> Floats:
        """θ: the expected counts of one trial."""
        return self.probabilities

    def freeze(self) -> Any:
        """scipy's multinomial."""
        from scipy.stats import multinomial

        return multinomial(needed(self.trials), self.probabilities)

    def __str__(self) -> str:
        return f"Multinomial(θ={listed(self.probabilities)})"


@dataclass(frozen=True, eq=False)
class PolyaUrn(Distribution):
    """Rows of a multinomial whose θ is Dirichlet(α): each draw of value j adds one more ball of that colour.

    >>> print(PolyaUrn([0.5, 1.5], values=("no", "yes")))
    PolyaUrn(α=(0.5, 1.5))
    """

    alpha: Floats  # (V,)
    values: tuple[Value, ...]
    trials: int | None = None  # of the rows that are drawn; rows that are scored may have any number

    def __post_init__(self) -> None:
        object.__setattr__(self, "alpha", vector(self.alpha, "alpha", 0, above=True))
        object.__setattr__(self, "values", named(self.values, len(self.alpha)))
        refuse_trials(self.trials)

    def log_prob(self, X: Any) -> Floats:
        """log of the multinomial coefficient, + Σ log(α_j rising by x_j) - log(α_0 rising by the trials)."""
        return _scored(X, len(self.values), self._log_density)

    def _log_density(self, rows: Floats) -> Floats:
        of_values: Floats = log_rising(self.alpha, rows).sum(axis=1)
        return of_values - log_rising(self.alpha.sum(), rows.sum(axis=1))

    def sample(self, size: int, rng: np.random.Generator) -> npt.NDArray[Any]:
        """Draw rows of counts, (size, V)."""
        return rng.multinomial(needed(self.trials), rng.dirichlet(self.alpha, size))

    def freeze(self) -> Any:
        """scipy's dirichlet_multinomial."""
        from scipy.stats import dirichlet_multinomial

        return dirichlet_multinomial(self.alpha, needed(self.trials))

    def __str__(self) -> str:
        return f"PolyaUrn(α={listed(self.alpha)})"


@dataclass(frozen=True, eq=False)
class DirichletMultinomial(Family[CountVectors]):
    """θ ~ Dirichlet(α), as for single values; α is one number for all, one for each, or a mapping from values.

    >>> prior = DirichletMultinomial(1, values=("a", "b", "c"))
    >>> print(prior.posterior(DirichletMultinomial.statistics([[2, 1, 0], [1, 1, 1]])))
    θ ~ Dirichlet(4, 3, 2)
    """

    name: ClassVar[str] = "multinomial"
    kind: ClassVar[type[Statistics]] = CountVectors
    support: ClassVar[Support] = "tallies"

    alpha: Floats  # (V,)
    values: tuple[Value, ...]

    def __init__(self, alpha: float | Sequence[float] | Floats | Mapping[Value, float], values: Sequence[Value] = ()):
        places = range(np.size(alpha)) if np.ndim(alpha) == 1 else ()  # type: ignore[arg-type]
        dirichlet = DirichletCategorical(alpha, values or tuple(places))
        object.__setattr__(self, "alpha", dirichlet.alpha)
        object.__setattr__(self, "values", dirichlet.values)

    @classmethod
    def statistics(cls, X: Any, weights: Any = None) -> CountVectors:
        """Sums of rows of counts."""
        return CountVectors.of(X, weights)

    @classmethod
    def flat(cls, stats: CountVectors) -> Self:
        """α = 1."""
        return cls(np.ones(len(stats.counts)))

    @classmethod
    def unit(cls, stats: CountVectors) -> Self:
        """α = 1 / V: one trial in all, spread evenly (Perks 1947)."""
        size = len(stats.counts)
        return cls(np.full(size, 1 / max(size, 1)))

    @property
    def proper(self) -> bool:
        """Always: every α is above 0."""
        return True

    def posterior(self, stats: CountVectors) -> Self:
        """Add the counts to the imagined ones."""
        return type(self)(self.alpha + _fitting(self.checked(stats), self.values), self.values)

    def mode(self) -> Multinomial:
        """(α_j - 1) / (α_0 - V)."""
        return Multinomial(dirichlet_mode(self.alpha), self.values)

    def mean(self) -> Multinomial:
        """α_j / α_0."""
        return Multinomial(self.alpha / self.alpha.sum(), self.values)

    def predictive(self, trials: int | None = None) -> Distribution:
        """The Pólya urn; `trials` is needed to draw from it."""
        return PolyaUrn(self.alpha, self.values, trials)

    def log_normalizer(self) -> float:
        """log of the multivariate Beta function."""
        return log_beta(self.alpha)

    def log_evidence(self, stats: CountVectors) -> float:
        """log B(α + N) - log B(α), and the multinomial coefficients."""
        data = self.checked(stats)
        return log_beta_step(self.alpha, data.counts) + data.log_base() if data.n else 0.0

    def log_prob(self, *, probabilities: Any) -> Floats:  # type: ignore[override]
        """Of θ, (..., V)."""
        return self._of_values().log_prob(probabilities=probabilities)

    def sample(self, size: int, rng: np.random.Generator) -> dict[str, Floats]:
        """Draws of θ, (size, V)."""
        return self._of_values().sample(size, rng)

    def marginals(self) -> dict[str, Any]:
        """Each θ_j is Beta(α_j, α_0 - α_j) by itself."""
        return dirichlet_marginals(self.alpha, self.values)

    def _of_values(self) -> DirichletCategorical:
        return DirichletCategorical(self.alpha, self.values)

    def __str__(self) -> str:
        return str(self._of_values())


def refuse_trials(trials: int | None) -> None:
    """Refuse a number of trials that is none."""
    if trials is not None and not (isinstance(trials, int | np.integer) and trials >= 0):
        raise DataError(f"trials={trials!r} cannot be; give a whole number from 0")


def needed(trials: int | None) -> int:
    """The number of trials, where a row cannot be drawn without."""
    if trials is None:
        raise EstimateError(
            "how many trials a row has is not said, so none can be drawn; give trials, as in predictive(trials=10), or "
            "replace(model, trials=10)"
        )
    return trials


def _fitting(stats: CountVectors, values: tuple[Value, ...]) -> Floats:
    """The counts, if there are as many as values; no rows have no width."""
    if len(stats.counts) not in (0, len(values)):
        raise MergeError(
            f"the rows have {len(stats.counts)} counts, and the model {len(values)} values; "
            "give each row one count for each value"
        )
    return stats.counts if len(stats.counts) else np.zeros(len(values))


def _scored(X: Any, size: int, log_density: Callable[[Floats], Floats]) -> Floats:
    """log p of each row: 0 for those that are missing, -inf where it has what is no count."""
    rows = count_rows(X)
    if len(rows) and rows.shape[1] != size:
        raise DataError(f"the rows have {rows.shape[1]} counts, and the model {size} values; give one for each")
    missing = np.isnan(rows).any(axis=1)
    inside = whole(rows).all(axis=1)
    result = np.where(missing, 0.0, -np.inf)
    if inside.any():
        result[inside] = log_coefficient(rows[inside]) + log_density(rows[inside])
    return result
