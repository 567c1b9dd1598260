"""Prior to posterior to predictive, one file per family; all speak the same words (docs/estimation.md)."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from priori.families.base import Distribution, Expectation, Family, Likelihood
    from priori.families.bernoulli import Bernoulli, BetaBernoulli
    from priori.families.dirichlet import Categorical, DirichletCategorical
    from priori.families.discrete import Bayes, BayesTable, bayes
    from priori.families.exponential import Exponential, GammaExponential, Lomax
    from priori.families.gamma import Gamma, GammaGamma
    from priori.families.gamma_predictive import GammaPredictive
    from priori.families.laplace import LogisticPosterior, LogisticPredictive
    from priori.families.linear_model import LinearModel, LinearPredictive
    from priori.families.linear_regression import NormalRegression
    from priori.families.logistic_model import LogisticModel
    from priori.families.logistic_regression import LogisticRegression
    from priori.families.missing_rows import Completion, complete_rows, completions
    from priori.families.mixture import Mixture
    from priori.families.multinomial import DirichletMultinomial, Multinomial, PolyaUrn
    from priori.families.multivariate_normal import MultivariateNormal, NormalInverseWishart
    from priori.families.multivariate_t import MultivariateT
    from priori.families.named import FAMILIES
    from priori.families.normal import Normal, NormalInverseGamma, StudentT
    from priori.families.normal_gamma_regression import NormalGammaRegression
    from priori.families.normal_mean import NormalKnownVariance, NormalOfKnownVariance
    from priori.families.penalty import Penalty, leave_one_out, penalty_by_evidence, penalty_by_press, press
    from priori.families.poisson import GammaPoisson, NegativeBinomial, Poisson
    from priori.families.regression_mixture import LinearMixture, LogisticMixture

__all__ = [
    "FAMILIES",
    "Bayes",
    "BayesTable",
    "Bernoulli",
    "BetaBernoulli",
    "Categorical",
    "Completion",
    "DirichletCategorical",
    "DirichletMultinomial",
    "Distribution",
    "Expectation",
    "Exponential",
    "Family",
    "Gamma",
    "GammaExponential",
    "GammaGamma",
    "GammaPoisson",
    "GammaPredictive",
    "Likelihood",
    "LinearMixture",
    "LinearModel",
    "LinearPredictive",
    "LogisticMixture",
    "LogisticModel",
    "LogisticPosterior",
    "LogisticPredictive",
    "LogisticRegression",
    "Lomax",
    "Mixture",
    "Multinomial",
    "MultivariateNormal",
    "MultivariateT",
    "NegativeBinomial",
    "Normal",
    "NormalGammaRegression",
    "NormalInverseGamma",
    "NormalInverseWishart",
    "NormalKnownVariance",
    "NormalOfKnownVariance",
    "NormalRegression",
    "Penalty",
    "Poisson",
    "PolyaUrn",
    "StudentT",
    "bayes",
    "complete_rows",
    "completions",
    "leave_one_out",
    "penalty_by_evidence",
    "penalty_by_press",
    "press",
]

# Loaded when first touched: most need scipy, and Bayes' rule over a few hypotheses does not.
_HOMES = {
    "base": ("Distribution", "Expectation", "Family", "Likelihood"),
    "bernoulli": ("Bernoulli", "BetaBernoulli"),
    "dirichlet": ("Categorical", "DirichletCategorical"),
    "discrete": ("Bayes", "BayesTable", "bayes"),
    "exponential": ("Exponential", "GammaExponential", "Lomax"),
    "gamma": ("Gamma", "GammaGamma"),
    "gamma_predictive": ("GammaPredictive",),
    "laplace": ("LogisticPosterior", "LogisticPredictive"),
    "linear_model": ("LinearModel", "LinearPredictive"),
    "linear_regression": ("NormalRegression",),
    "logistic_model": ("LogisticModel",),
    "logistic_regression": ("LogisticRegression",),
    "missing_rows": ("Completion", "complete_rows", "completions"),
    "mixture": ("Mixture",),
    "multinomial": ("DirichletMultinomial", "Multinomial", "PolyaUrn"),
    "multivariate_normal": ("MultivariateNormal", "NormalInverseWishart"),
    "multivariate_t": ("MultivariateT",),
    "named": ("FAMILIES",),
    "normal": ("Normal", "NormalInverseGamma", "StudentT"),
    "normal_gamma_regression": ("NormalGammaRegression",),
    "normal_mean": ("NormalKnownVariance", "NormalOfKnownVariance"),
    "penalty": ("Penalty", "leave_one_out", "penalty_by_evidence", "penalty_by_press", "press"),
    "poisson": ("GammaPoisson", "NegativeBinomial", "Poisson"),
    "regression_mixture": ("LinearMixture", "LogisticMixture"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name in _HOME_OF:
        return getattr(import_module(f"priori.families.{_HOME_OF[name]}"), name)
    raise AttributeError(f"module 'priori.families' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
