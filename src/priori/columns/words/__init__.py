"""The column of words: counted in one pass, read by an event model, scored by the compiled core."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from priori.columns.words.column import TextColumn
    from priori.columns.words.counter import Summary
    from priori.columns.words.encoded import Sample
    from priori.columns.words.event_models import LogLikelihood, log_likelihood_of, weights_of
    from priori.columns.words.readings import Prior, Readings
    from priori.columns.words.term_selection import TermSelection
    from priori.columns.words.weights import Reading, Weights

__all__ = [
    "LogLikelihood",
    "Prior",
    "Reading",
    "Readings",
    "Sample",
    "Summary",
    "TermSelection",
    "TextColumn",
    "Weights",
    "log_likelihood_of",
    "weights_of",
]

# Loaded when first touched: scoring needs few of them.
_HOMES = {
    "LogLikelihood": "event_models",
    "Prior": "readings",
    "Reading": "weights",
    "Readings": "readings",
    "Sample": "encoded",
    "Summary": "counter",
    "TermSelection": "term_selection",
    "TextColumn": "column",
    "Weights": "weights",
    "log_likelihood_of": "event_models",
    "weights_of": "event_models",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"priori.columns.words.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'priori.columns.words' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(_HOMES)
