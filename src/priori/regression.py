"""Regressions estimated by all three schools, side by side."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from priori.errors import DataError
from priori.estimation import Estimate, prior_named, read_off
from priori.families.named import regression_named
from priori.families.pairs import column
from priori.families.regression import Regression


def regress(
    family: str | type[Regression],
    X: Any,
    t: Any,
    prior: Regression | str | None = None,
    weights: Any = None,
    *,
    names: Sequence[str] = (),
    mass: float = 0.95,
) -> Estimate:
    """Estimate p(t | x): the weights of the columns of X, the intercept and the precision of the noise.

    >>> found = regress("linear-gamma", [[0.0], [1.0], [2.0], [4.0]], [1.0, 3.0, 4.5, 9.5], names=["dose"])
    >>> print(found.ml)
    t ~ 𝒩(2.1143·dose + 0.8, σ²=0.096429)
    """
    family = regression_named(family) if isinstance(family, str) else family
    if isinstance(prior, Regression) and not isinstance(prior, family):
        raise DataError(f"{prior} is no prior of {family.name}; give a {family.__name__}")
    stats = family.statistics(X, t, weights)
    missing = int(np.isnan(column(t)).sum())
    told: dict[str, Any] = {"intercept": "flat", "names": tuple(names)}
    if isinstance(prior, Regression):
        told["intercept"] = prior.intercept
    else:
        prior = prior_named(family, stats, prior or "unit", told, missing)
    return read_off(family, stats, prior, missing=missing, mass=mass, known={}, told=told)
