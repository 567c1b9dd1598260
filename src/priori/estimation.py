"""One distribution estimated from data by all three schools, side by side: maximum likelihood, MAP and full Bayes."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from priori.errors import DataError, EstimateError
from priori.families import Distribution, Family, Likelihood
from priori.statistics import Categories, Statistics
from priori.statistics.categories import present
from priori.statistics.observations import as_numbers

T = TypeVar("T")


@dataclass(frozen=True)
class Absent:
    """What does not exist for these data, and why; it is false where a condition asks.

    >>> print(Absent("there are no data; add some"))
    none: there are no data; add some
    """

    reason: str

    def __bool__(self) -> bool:
        return False

    def __str__(self) -> str:
        return f"none: {self.reason}"


@dataclass(frozen=True, eq=False)
class Estimate:
    """All that one family says of some data; `estimate` makes it."""

    family: type[Family[Any]]
    statistics: Statistics
    missing: int  # observations left out
    prior: Family[Any]
    posterior: Family[Any]
    ml: Likelihood[Any] | Absent
    map: Likelihood[Any] | Absent
    mean: Likelihood[Any] | Absent
    predictive: Distribution | Absent
    mass: float  # of the credible interval
    interval: dict[str, tuple[float, float]] | Absent
    log_likelihood: float | Absent  # at its maximum
    free_parameters: int | Absent
    log_evidence: float | Absent

    @property
    def n(self) -> float:
        """The weight of all observations that are there."""
        return self.statistics.n

    @property
    def aic(self) -> float | Absent:
        """2 |θ| - 2 max log-likelihood; smaller is better."""
        return self._penalised(2.0)

    @property
    def bic(self) -> float | Absent:
        """|θ| log n - 2 max log-likelihood; smaller is better."""
        return self._penalised(math.log(self.n)) if self.n > 0 else Absent("there are no data; add some")

    def _penalised(self, price: float) -> float | Absent:
        if isinstance(self.log_likelihood, Absent):
            return self.log_likelihood
        if isinstance(self.free_parameters, Absent):
            return self.free_parameters
        return price * self.free_parameters - 2 * self.log_likelihood

    def to_json(self) -> dict[str, Any]:
        """All of it as plain values; what does not exist is null, and `absent` says why."""
        values = {name: getattr(self, name) for name in _REPORTED}
        return {
            "family": self.family.name,
            "n": _plain(self.n),
            "missing": self.missing,
            **{name: _plain(value) for name, value in values.items()},
            "absent": {name: value.reason for name, value in values.items() if isinstance(value, Absent)},
        }


_REPORTED = (
    "prior", "posterior", "ml", "map", "mean", "mass", "interval", "predictive", "log_likelihood", "free_parameters",
    "aic", "bic", "log_evidence",
)  # fmt: skip


def estimate(
    family: type[Family[Any]], X: Any, prior: Family[Any] | None = None, weights: Any = None, mass: float = 0.95
) -> Estimate:
    """Estimate a family's parameters; without a prior, under its unit prior.

    >>> from priori.families import DirichletCategorical
    >>> found = estimate(DirichletCategorical, list("abacab"), DirichletCategorical(2, values=("a", "b", "c")))
    >>> print(found.ml, found.map, found.mean, sep="\\n")
    Categorical(θ=(0.5, 0.33333, 0.16667))
    Categorical(θ=(0.44444, 0.33333, 0.22222))
    Categorical(θ=(0.41667, 0.33333, 0.25))
    """
    stats = family.statistics(X, weights)
    missing = _missing(family, X)
    if prior is None:
        if stats.n == 0:
            raise DataError(f"there are no observations ({missing} are missing), so no estimate exists; add data")
        prior = family.unit(stats)
    posterior = prior.posterior(stats)
    ml = _try(lambda: family.maximum_likelihood(stats))
    mode, mean = _try(posterior.mode), _try(posterior.mean)
    some = ml or mode or mean
    return Estimate(
        family=family,
        statistics=stats,
        missing=missing,
        prior=prior,
        posterior=posterior,
        ml=ml,
        map=mode,
        mean=mean,
        predictive=_try(posterior.predictive),
        mass=mass,
        interval=_try(lambda: posterior.interval(mass)),
        log_likelihood=ml if isinstance(ml, Absent) else _try(lambda: ml.log_likelihood(stats)),
        free_parameters=some if isinstance(some, Absent) else some.free_parameters,
        log_evidence=_try(lambda: prior.log_evidence(stats)),
    )


def _try(read: Callable[[], T]) -> T | Absent:
    """What is read, or why it does not exist."""
    try:
        return read()
    except EstimateError as error:
        return Absent(str(error))


def _missing(family: type[Family[Any]], X: Any) -> int:
    """How many observations have a part that is not there."""
    if family.kind is Categories:
        return len(X) - len(present(X, np.ones(len(X)))[0])
    gaps = np.isnan(as_numbers(X).astype(np.float64, copy=False))
    return int((gaps if gaps.ndim == 1 else gaps.any(axis=1)).sum())


def _plain(value: Any) -> Any:
    """A value as JSON has it."""
    if isinstance(value, Absent):
        return None
    if isinstance(value, Likelihood):
        return {"says": str(value), **{name: _plain(of) for name, of in value.parameters.items()}}
    if isinstance(value, Family | Distribution):
        return str(value)
    if isinstance(value, dict):
        return {name: _plain(of) for name, of in value.items()}
    if isinstance(value, np.ndarray | tuple | list):
        return [_plain(of) for of in (value.tolist() if isinstance(value, np.ndarray) else value)]
    return value if not isinstance(value, float) or math.isfinite(value) else None
