"""From probabilities to decisions: how good they are."""

from priori.decisions.evaluation import UNDERFLOW, ClassScores, Evaluation, Scorecard
from priori.decisions.ranking import Ranking, Roc, roc_curve
from priori.decisions.reliability import Reliability, ece_floor, reliability
from priori.decisions.worst import Mistake, Worst

__all__ = [
    "UNDERFLOW",
    "ClassScores",
    "Evaluation",
    "Mistake",
    "Ranking",
    "Reliability",
    "Roc",
    "Scorecard",
    "Worst",
    "ece_floor",
    "reliability",
    "roc_curve",
]
