"""From probabilities to decisions: how good they are."""

from priori.decisions.evaluation import ClassScores, Evaluation, Scorecard
from priori.decisions.ranking import Ranking, Roc, roc_curve
from priori.decisions.reliability import Reliability, ece_floor, reliability

__all__ = [
    "ClassScores",
    "Evaluation",
    "Ranking",
    "Reliability",
    "Roc",
    "Scorecard",
    "ece_floor",
    "reliability",
    "roc_curve",
]
