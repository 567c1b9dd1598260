"""Choosing: which terms tell classes apart."""

from priori.select.terms import RANKINGS, Term, log_odds, mutual_information, rank, word_information

__all__ = ["RANKINGS", "Term", "log_odds", "mutual_information", "rank", "word_information"]
