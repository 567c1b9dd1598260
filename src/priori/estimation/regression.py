"""Regressions estimated by all three schools, side by side."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from priori.errors import DataError
from priori.estimation.distribution import Absent, Estimate, attempt, prior_named, read_off, refuse_mass, refuse_nothing
from priori.families.registry import regression_named
from priori.families.regression.base import Regression
from priori.families.regression.least_squares import column, column_names
from priori.families.regression.logistic import LogisticRegression
from priori.statistics import Categories
from priori.statistics.categories import present


def regress(
    family: str | type[Regression] | type[LogisticRegression],
    X: Any,
    t: Any,
    prior: Regression | LogisticRegression | str | None = None,
    weights: Any = None,
    *,
    names: Sequence[str] = (),
    mass: float = 0.95,
    rng: np.random.Generator | None = None,
) -> Estimate:
    """Estimate p(t | x): weights of the columns of X and an intercept. A logistic regression's targets are labels, and
    its predictive of more than two of them is an average over draws (rng).

    >>> found = regress("linear", [[0.0], [1.0], [2.0], [4.0]], [1.0, 3.0, 4.5, 9.5], names=["dose"])
    >>> print(found.ml)
    t ~ 𝒩(2.1143·dose + 0.8, σ²=0.096429)
    """
    family = regression_named(family) if isinstance(family, str) else family
    names = tuple(names) or column_names(X)
    if not (prior is None or isinstance(prior, str | family)):
        raise DataError(f"{prior} is no prior of {family.name}; give a {family.__name__}")
    if issubclass(family, LogisticRegression):
        data = (X, t, weights)
        return _logistic(_of_classes(family, prior, data, names), data, mass, rng)
    stats = family.statistics(X, t, weights)
    missing = int(np.isnan(column(t)).sum())
    told: dict[str, Any] = {"intercept": "flat", "names": tuple(names)}
    if isinstance(prior, Regression):
        told["intercept"] = prior.intercept
    else:
        refuse_nothing(stats, missing, len(t))
        prior = prior_named(family, stats, prior or "unit", told)  # type: ignore[arg-type]
    return read_off(family, stats, prior, missing=missing, mass=mass, known={}, told=told)


def _of_classes(
    family: type[LogisticRegression], prior: object, data: tuple[Any, Any, Any], names: Sequence[str]
) -> LogisticRegression:
    """The given prior, the unit one or the flat one."""
    if isinstance(prior, LogisticRegression):
        return prior
    if prior not in (None, "unit", "flat"):
        raise DataError(f"there is no {prior!r} prior; choose 'unit', 'flat', or give one")
    return family.flat(names=names) if prior == "flat" else family.unit(*data, names=names)


def _logistic(prior: Any, data: tuple[Any, Any, Any], mass: float, rng: np.random.Generator | None) -> Estimate:
    """It has no statistics but the counts of its labels: every reading goes over the rows."""
    refuse_mass(mass)
    _, y, weights = data
    labels = Categories.of(y, weights)
    posterior = prior.posterior(*data)
    ml: Any = attempt(lambda: prior.maximum_likelihood(*data, intercept=prior.intercept, names=prior.names))
    drawn = len(labels.values) > 2 and rng is None
    return Estimate(
        family=type(prior),
        known={},
        statistics=labels,
        missing=len(y) - len(present(y, np.ones(len(y)))[0]),
        prior=prior,
        posterior=posterior,
        ml=ml,
        map=posterior.mode(),
        mean=posterior.mean(),
        predictive=Absent("it is averaged over draws; give rng") if drawn else posterior.predictive(rng),
        mass=mass,
        interval=posterior.interval(mass),
        log_likelihood=ml if isinstance(ml, Absent) else ml.score(*data),
        free_parameters=posterior.mode().free_parameters,
        log_evidence=attempt(posterior.log_evidence),
    )
