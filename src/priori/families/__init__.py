"""Prior to posterior to predictive, one file per family; all speak the same words (docs/estimation.md)."""

from priori.families.base import Distribution, Expectation, Family, Likelihood
from priori.families.dirichlet import Categorical, DirichletCategorical

__all__ = ["Categorical", "DirichletCategorical", "Distribution", "Expectation", "Family", "Likelihood"]
