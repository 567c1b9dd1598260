"""What each term tells of the classes, as a number; and the terms of the highest."""

from priori.rankings.chosen import chosen_terms, only_selected
from priori.rankings.scores import SCORES
from priori.rankings.table import PairTable

__all__ = ["SCORES", "PairTable", "chosen_terms", "only_selected"]
