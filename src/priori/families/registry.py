"""All families by the names that the command line has for them."""

from typing import Any

from priori.errors import DataError
from priori.families.base import Family
from priori.families.bernoulli import BetaBernoulli
from priori.families.dirichlet import DirichletCategorical
from priori.families.exponential import GammaExponential
from priori.families.gamma import GammaGamma
from priori.families.multinomial import DirichletMultinomial
from priori.families.multivariate_normal import NormalInverseWishart
from priori.families.normal import NormalInverseGamma
from priori.families.normal_known_variance import NormalKnownVariance
from priori.families.poisson import GammaPoisson
from priori.families.regression.base import Regression
from priori.families.regression.linear import NormalRegression
from priori.families.regression.logistic import LogisticRegression
from priori.families.regression.normal_gamma import NormalGammaRegression

FAMILIES: dict[str, type[Family[Any]]] = {
    family.name: family
    for family in (
        BetaBernoulli,
        DirichletCategorical,
        DirichletMultinomial,
        GammaPoisson,
        GammaExponential,
        GammaGamma,
        NormalInverseGamma,
        NormalKnownVariance,
        NormalInverseWishart,
    )
}
REGRESSIONS: dict[str, type[Regression] | type[LogisticRegression]] = {
    "linear": NormalGammaRegression,
    "linear-weights": NormalRegression,
    "logistic": LogisticRegression,
}


def family_named(name: str) -> type[Family[Any]]:
    """A family by its name.

    >>> family_named("poisson").__name__
    'GammaPoisson'
    """
    if name not in FAMILIES:
        raise DataError(f"there is no family {name!r}; the families are {', '.join(FAMILIES)}")
    return FAMILIES[name]


def regression_named(name: str) -> type[Regression] | type[LogisticRegression]:
    """A regression by its name."""
    if name not in REGRESSIONS:
        raise DataError(f"there is no regression {name!r}; the regressions are {', '.join(REGRESSIONS)}")
    return REGRESSIONS[name]
