"""N-gram language models: probabilities of a token after a history, read off additive counts of n-grams."""

from priori.language.chain import BEGIN, END, Chained, Nodes, Tallied
from priori.language.probabilities import Probabilities, probabilities
from priori.language.resolved import Resolved, resolve

__all__ = ["BEGIN", "END", "Chained", "Nodes", "Probabilities", "Resolved", "Tallied", "probabilities", "resolve"]
