"""Prior to posterior to predictive, one file per family; all speak the same words (docs/estimation.md)."""

from priori.families.base import Distribution, Expectation, Family, Likelihood
from priori.families.bernoulli import Bernoulli, BetaBernoulli
from priori.families.dirichlet import Categorical, DirichletCategorical
from priori.families.exponential import Exponential, GammaExponential, Lomax
from priori.families.gamma import Gamma, GammaGamma
from priori.families.gamma_predictive import GammaPredictive
from priori.families.missing_rows import Completion, complete_rows, completions
from priori.families.multinomial import DirichletMultinomial, Multinomial, PolyaUrn
from priori.families.multivariate_normal import MultivariateNormal, NormalInverseWishart
from priori.families.multivariate_t import MultivariateT
from priori.families.normal import Normal, NormalInverseGamma, StudentT
from priori.families.normal_mean import NormalKnownVariance, NormalOfKnownVariance
from priori.families.poisson import GammaPoisson, NegativeBinomial, Poisson

__all__ = [
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
    "Lomax",
    "Multinomial",
    "MultivariateNormal",
    "MultivariateT",
    "NegativeBinomial",
    "Normal",
    "NormalInverseGamma",
    "NormalInverseWishart",
    "NormalKnownVariance",
    "NormalOfKnownVariance",
    "Poisson",
    "PolyaUrn",
    "StudentT",
    "complete_rows",
    "completions",
]
