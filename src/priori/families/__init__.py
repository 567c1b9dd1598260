"""Prior to posterior to predictive, one file per family; all speak the same words (docs/estimation.md)."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from priori.families.base import Distribution, Expectation, Family, Likelihood
    from priori.families.bayes_rule import Bayes, BayesTable, bayes
    from priori.families.bernoulli import Bernoulli, BetaBernoulli
    from priori.families.dirichlet import Categorical, DirichletCategorical
    from priori.families.exponential import Exponential, GammaExponential, Lomax
    from priori.families.gamma import Gamma, GammaGamma
    from priori.families.gamma_predictive import GammaPredictive
    from priori.families.missing_data import Completion, complete_rows, completions
    from priori.families.mixture import LinearMixture, LogisticMixture, Mixture
    from priori.families.multinomial import DirichletMultinomial, Multinomial, PolyaUrn
    from priori.families.multivariate_normal import MultivariateNormal, NormalInverseWishart
    from priori.families.multivariate_t import MultivariateT
    from priori.families.normal import Normal, NormalInverseGamma, StudentT
    from priori.families.normal_known_variance import NormalKnownVariance, NormalOfKnownVariance
    from priori.families.poisson import GammaPoisson, NegativeBinomial, Poisson
    from priori.families.registry import FAMILIES
    from priori.families.regression.laplace import LogisticPosterior, LogisticPredictive
    from priori.families.regression.linear import NormalRegression
    from priori.families.regression.linear_model import LinearModel, LinearPredictive
    from priori.families.regression.logistic import LogisticRegression
    from priori.families.regression.logistic_model import LogisticModel
    from priori.families.regression.normal_gamma import NormalGammaRegression
    from priori.families.regression.penalty import Penalty, leave_one_out, penalty_by_evidence, penalty_by_press, press

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
    "bayes_rule": ("Bayes", "BayesTable", "bayes"),
    "bernoulli": ("Bernoulli", "BetaBernoulli"),
    "dirichlet": ("Categorical", "DirichletCategorical"),
    "exponential": ("Exponential", "GammaExponential", "Lomax"),
    "gamma": ("Gamma", "GammaGamma"),
    "gamma_predictive": ("GammaPredictive",),
    "missing_data": ("Completion", "complete_rows", "completions"),
    "mixture": ("LinearMixture", "LogisticMixture", "Mixture"),
    "multinomial": ("DirichletMultinomial", "Multinomial", "PolyaUrn"),
    "multivariate_normal": ("MultivariateNormal", "NormalInverseWishart"),
    "multivariate_t": ("MultivariateT",),
    "normal": ("Normal", "NormalInverseGamma", "StudentT"),
    "normal_known_variance": ("NormalKnownVariance", "NormalOfKnownVariance"),
    "poisson": ("GammaPoisson", "NegativeBinomial", "Poisson"),
    "registry": ("FAMILIES",),
    "regression.laplace": ("LogisticPosterior", "LogisticPredictive"),
    "regression.linear": ("NormalRegression",),
    "regression.linear_model": ("LinearModel", "LinearPredictive"),
    "regression.logistic": ("LogisticRegression",),
    "regression.logistic_model": ("LogisticModel",),
    "regression.normal_gamma": ("NormalGammaRegression",),
    "regression.penalty": ("Penalty", "leave_one_out", "penalty_by_evidence", "penalty_by_press", "press"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name in _HOME_OF:
        return getattr(import_module(f"priori.families.{_HOME_OF[name]}"), name)
    raise AttributeError(f"module 'priori.families' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
