"""Prior to posterior to predictive, one file per family; all speak the same words (docs/estimation.md)."""

from priori.families.base import Distribution, Expectation, Family, Likelihood
from priori.families.dirichlet import Categorical, DirichletCategorical
from priori.families.laplace import LogisticPosterior, LogisticPredictive
from priori.families.linear_model import LinearModel, LinearPredictive
from priori.families.linear_regression import NormalRegression
from priori.families.logistic_model import LogisticModel
from priori.families.logistic_regression import LogisticRegression
from priori.families.normal_gamma_regression import NormalGammaRegression
from priori.families.penalty import Penalty, leave_one_out, penalty_by_evidence, penalty_by_press, press

__all__ = [
    "Categorical",
    "DirichletCategorical",
    "Distribution",
    "Expectation",
    "Family",
    "Likelihood",
    "LinearModel",
    "LinearPredictive",
    "LogisticModel",
    "LogisticPosterior",
    "LogisticPredictive",
    "LogisticRegression",
    "NormalGammaRegression",
    "NormalRegression",
    "Penalty",
    "leave_one_out",
    "penalty_by_evidence",
    "penalty_by_press",
    "press",
]
