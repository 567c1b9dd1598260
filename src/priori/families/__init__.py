"""Prior to posterior to predictive, one file per family: what counts say about a new document."""

from priori.families.table import Reading, TermPrior, Weights
from priori.families.weights import weights_of

__all__ = ["Reading", "TermPrior", "Weights", "weights_of"]
