"""Choosing: which terms tell classes apart, how families do on what they have not seen, which rows go together."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from priori.select.folds import folds, labelled_folds
from priori.select.terms import RANKINGS, Term, frequent_words, log_odds, mutual_information, rank, word_information

if TYPE_CHECKING:
    from priori.select.left_out import LeftOut, k_fold, leave_one_out

__all__ = [
    "RANKINGS",
    "LeftOut",
    "Term",
    "folds",
    "frequent_words",
    "k_fold",
    "labelled_folds",
    "leave_one_out",
    "log_odds",
    "mutual_information",
    "rank",
    "word_information",
]


def __getattr__(name: str) -> Any:
    if name in ("LeftOut", "k_fold", "leave_one_out"):  # they need scipy, which ranking terms does not
        return getattr(import_module("priori.select.left_out"), name)
    raise AttributeError(f"module 'priori.select' has no attribute {name!r}")
