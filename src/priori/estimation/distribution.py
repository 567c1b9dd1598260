"""One distribution estimated from data by all three schools, side by side: maximum likelihood, MAP and full Bayes."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from priori.errors import DataError, EstimateError
from priori.estimation.description import by_name, described, described_posterior, named_place, plain
from priori.families import Distribution, Family, Likelihood
from priori.families.registry import family_named
from priori.formatting import grid, said
from priori.statistics import Categories, CountVectors, Statistics
from priori.statistics.categories import Value, present
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


_BEYOND = Absent("floating-point numbers do not reach that far; give a prior and data of a less extreme size")


@dataclass(frozen=True)
class Parameter:
    """One number of a distribution, as each school has it; None where it does not exist."""

    name: str
    ml: float | None
    map: float | None
    mean: float | None
    interval: tuple[float, float] | None


@dataclass(frozen=True, eq=False)
class Estimate:
    """All that one family says of some data; `estimate` makes it."""

    family: type[Family[Any]]  # of a regression: Regression, and below LinearModel and LinearPredictive
    known: Mapping[str, float]  # parameters that were given
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
    names: tuple[str, ...] = ()  # of the columns, where an observation has several

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

    def parameters(self) -> list[Parameter]:
        """Every number that was estimated, side by side."""
        intervals = {} if isinstance(self.interval, Absent) else self.interval
        names = list(intervals or by_name(self.mean or self.map))
        ml, mode, mean = (by_name(of, names) for of in (self.ml, self.map, self.mean))
        return [
            Parameter(named_place(name, self.names), ml.get(name), mode.get(name), mean.get(name), intervals.get(name))
            for name in {**intervals, **ml, **mode, **mean}
            if name not in self.known
        ]

    def __str__(self) -> str:
        """The three schools side by side, and what they came from."""

        def cell(value: float | None) -> str:
            return "-" if value is None else said(value)

        rows = [("parameter", "ML", "MAP", "mean", f"{100 * self.mass:g} % interval")]
        for each in self.parameters():
            ends = "-" if each.interval is None else f"{said(each.interval[0])} to {said(each.interval[1])}"
            rows.append((each.name, cell(each.ml), cell(each.map), cell(each.mean), ends))
        head = f"{self.family.name}: n = {said(self.n)}" + (f", {self.missing} missing" if self.missing else "")
        evidence = said(self.log_evidence) if isinstance(self.log_evidence, float) else str(self.log_evidence)
        return "\n".join([head, grid(rows), f"{self.prior}  →  {self.posterior}", f"log evidence {evidence}"])

    def to_json(self) -> dict[str, Any]:
        """All of it as plain values; what does not exist is null, and `absent` says why."""
        models = {"ml": self.ml, "map": self.map, "mean": self.mean}
        scores = {
            "log_likelihood": self.log_likelihood,
            "free_parameters": self.free_parameters,
            "aic": self.aic,
            "bic": self.bic,
            "log_evidence": self.log_evidence,
        }
        interval, predictive = {"interval": self.interval}, {"predictive": self.predictive}
        absent = {**models, **interval, **predictive, **scores}
        return {
            "family": self.family.name,
            "n": self.n,
            "missing": self.missing,
            "known": dict(self.known),
            "prior": described(self.prior),
            "posterior": described_posterior(self.posterior, self.names),
            **_there(models, described),
            "mass": self.mass,
            **_there(interval, lambda of: plain({named_place(name, self.names): ends for name, ends in of.items()})),
            **_there(predictive, described),
            **_there(scores, plain),
            "absent": {name: value.reason for name, value in absent.items() if isinstance(value, Absent)},
        }


def _there(values: Mapping[str, Any], say: Callable[[Any], Any]) -> dict[str, Any]:
    """Values as they are said; None where there is none."""
    return {name: None if isinstance(value, Absent) else say(value) for name, value in values.items()}


def estimate(
    family: str | type[Family[Any]],
    X: Any,
    prior: Family[Any] | str | None = None,
    weights: Any = None,
    *,
    mass: float = 0.95,
    known: Mapping[str, float] | None = None,
    names: Sequence[str] = (),
) -> Estimate:
    """Estimate a family's parameters under a prior: "unit" (the default), "flat", or one of the family; `names` are
    those of the columns of rows.

    >>> from priori.families import BetaBernoulli
    >>> found = estimate(BetaBernoulli, [1] * 55 + [0] * 45, BetaBernoulli(3, 2))
    >>> print(found.ml, found.map, found.mean)
    Bernoulli(θ=0.55) Bernoulli(θ=0.5534) Bernoulli(θ=0.55238)
    """
    family = family_named(family) if isinstance(family, str) else family
    stats = family.statistics(X, weights)
    missing, rows = _missing(family, X)
    given = known_of(family, prior, known)
    chosen: Any = prior
    if not isinstance(prior, Family):
        refuse_nothing(stats, missing, rows)
        chosen = prior_named(family, stats, prior or "unit", given)
        if names and isinstance(stats, CountVectors):
            chosen = replace(chosen, values=tuple(names))
    if isinstance(stats, Categories):  # values that only the prior knows have probabilities too
        values: tuple[Value, ...] = chosen.values
        stats = Categories(values, stats.of_values(values))
    found = read_off(family, stats, chosen, missing=missing, mass=mass, known=given, told=given)
    return replace(found, names=tuple(names) if family.support == "vectors" else ())


def read_off(
    family: Any,
    stats: Any,
    prior: Any,
    *,
    missing: int,
    mass: float,
    known: Mapping[str, float],
    told: Mapping[str, Any],
) -> Estimate:
    """Everything that prior and statistics say; `told` is what the flat prior needs to know beside them."""
    refuse_mass(mass)
    posterior = prior.posterior(stats)
    ml = attempt(lambda: family.maximum_likelihood(stats, **told))
    if ml and isinstance(stats, CountVectors):  # sums of counts do not know the names of their columns
        ml = replace(ml, values=posterior.values)
    mode, mean = attempt(posterior.mode), attempt(posterior.mean)
    some = ml or mode or mean
    return Estimate(
        family=family,
        known=known,
        statistics=stats,
        missing=missing,
        prior=prior,
        posterior=posterior,
        ml=ml,
        map=mode,
        mean=mean,
        predictive=attempt(posterior.predictive),
        mass=mass,
        interval=attempt(lambda: posterior.interval(mass)),
        log_likelihood=ml if isinstance(ml, Absent) else attempt(lambda: ml.log_likelihood(stats)),
        free_parameters=some if isinstance(some, Absent) else some.free_parameters,
        log_evidence=attempt(lambda: prior.log_evidence(stats)),
    )


def refuse_mass(mass: float) -> None:
    """Refuse what is no probability of an interval."""
    if not 0 < mass < 1:
        raise DataError(f"mass={mass!r} is no probability of an interval; give a number between 0 and 1")


def attempt(read: Callable[[], T]) -> T | Absent:
    """What is read, or why it does not exist; NaN is no number and never one of them."""
    try:
        value = read()
    except EstimateError as error:
        return Absent(str(error))
    except (ArithmeticError, DataError):  # the data were checked before: a parameter has become no number
        return _BEYOND
    return _BEYOND if _has_nan(value) else value


def _has_nan(value: Any) -> bool:
    if isinstance(value, dict | tuple):
        return any(_has_nan(of) for of in (value.values() if isinstance(value, dict) else value))
    return isinstance(value, float) and math.isnan(value)


def known_of(
    family: type[Family[Any]], prior: Family[Any] | str | None, known: Mapping[str, float] | None
) -> dict[str, float]:
    """What is not estimated but told, by the caller or by the prior."""
    if isinstance(prior, Family) and not isinstance(prior, family):
        raise DataError(f"{prior} is no prior of {family.name}; give a {family.__name__}")
    given = {name: getattr(prior, name) for name in family.known} if isinstance(prior, Family) else dict(known or {})
    if known and dict(known) != given:
        raise DataError(
            f"{dict(known)} is told beside {prior}; give a known parameter once, of this family, or in the prior"
        )
    for name in (*family.known, *given):
        if name not in given:
            raise DataError(f"the {name} of {family.name} is not estimated but known; give it")
        if name not in family.known:
            raise DataError(f"{family.name} does not take a known {name}; leave it out")
    return given


def prior_named(family: Any, stats: Statistics, name: str, told: Mapping[str, Any]) -> Any:
    """The unit prior or the flat one."""
    if name not in ("unit", "flat"):
        raise DataError(f"there is no prior {name!r}; give 'unit', 'flat', or a {family.__name__}")
    return family.unit(stats, **told) if name == "unit" else family.flat(stats, **told)


def refuse_nothing(stats: Statistics, missing: int, rows: int) -> None:
    """Refuse what no prior can be placed by."""
    if stats.n == 0 and missing < rows:
        raise DataError("all weights are 0, so nothing is observed and no estimate exists; give some above 0")
    if stats.n == 0:
        raise DataError(f"there are no observations ({missing} are missing), so no estimate exists; add data")


def _missing(family: type[Family[Any]], X: Any) -> tuple[int, int]:
    """How many observations have a part that is not there, and how many there are in all."""
    if family.kind is Categories:
        return len(X) - len(present(X, np.ones(len(X)))[0]), len(X)
    gaps = np.isnan(as_numbers(X).astype(np.float64, copy=False))
    return int((gaps if gaps.ndim == 1 else gaps.any(axis=1)).sum()), len(gaps)
