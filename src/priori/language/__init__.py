"""N-gram language models: probabilities of a token after a history, read off additive counts of n-grams."""

from priori.language.ngrams import Chained, Nodes, Tallied
from priori.language.probabilities import Probabilities, probabilities
from priori.language.smoothing import Resolved, resolve

__all__ = ["Chained", "Nodes", "Probabilities", "Resolved", "Tallied", "probabilities", "resolve"]
