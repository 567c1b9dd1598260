"""N-gram language models: probabilities of a token after a history, read off additive counts of n-grams."""

from priori.language.chain import Chained, Nodes, Tallied
from priori.language.probabilities import Probabilities, probabilities
from priori.language.resolved import Resolved, resolve

__all__ = ["Chained", "Nodes", "Probabilities", "Resolved", "Tallied", "probabilities", "resolve"]
