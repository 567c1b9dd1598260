"""Choosing: which terms tell classes apart, how families do on what they have not seen, which rows go together."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from priori.select.folds import folds, labelled_folds
from priori.select.terms import Term, chi_square, frequent_words, log_odds, mutual_information, rank, word_information
from priori.term_selection import RANKINGS

if TYPE_CHECKING:
    from priori.select.left_out import LeftOut, k_fold, leave_one_out
    from priori.select.pairs import Dependence, WordPair, dependent_pairs

__all__ = [
    "RANKINGS",
    "Dependence",
    "LeftOut",
    "Term",
    "WordPair",
    "chi_square",
    "dependent_pairs",
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
    if name in ("Dependence", "WordPair", "dependent_pairs"):  # they need a model
        return getattr(import_module("priori.select.pairs"), name)
    raise AttributeError(f"module 'priori.select' has no attribute {name!r}")
