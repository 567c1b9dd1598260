"""N-gram language models: probabilities of a token after a history, read off additive counts of n-grams."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from priori.language.ngrams import Chained, Nodes, Tallied
    from priori.language.probabilities import Probabilities
    from priori.language.smoothing import Resolved, Smoothing
    from priori.language.table import LanguageWeights, NGramTable

__all__ = ["Chained", "LanguageWeights", "NGramTable", "Nodes", "Probabilities", "Resolved", "Smoothing", "Tallied"]

# Loaded when first touched: a message is classified without n-grams.
_HOMES = {
    "Chained": "ngrams",
    "LanguageWeights": "table",
    "NGramTable": "table",
    "Nodes": "ngrams",
    "Probabilities": "probabilities",
    "Resolved": "smoothing",
    "Smoothing": "smoothing",
    "Tallied": "ngrams",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"priori.language.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'priori.language' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(_HOMES)
