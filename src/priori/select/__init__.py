"""Choosing: which terms tell classes apart, which rows go together."""

from priori.select.folds import folds
from priori.select.terms import RANKINGS, Term, log_odds, mutual_information, rank, word_information

__all__ = ["RANKINGS", "Term", "folds", "log_odds", "mutual_information", "rank", "word_information"]
