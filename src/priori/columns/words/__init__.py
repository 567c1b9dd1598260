"""Event models of text: what counts of terms by classes say about a new document."""

from priori.events.table import Reading, TermPrior, Weights
from priori.events.weights import weights_of

__all__ = ["Reading", "TermPrior", "Weights", "weights_of"]
