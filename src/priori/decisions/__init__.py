"""From probabilities to decisions: what to do, and how good they are."""

from priori.decisions.decide import Decisions, decide
from priori.decisions.evaluation import ClassScores, Evaluation, Scorecard
from priori.decisions.losses import Loss
from priori.decisions.prior_shift import reweighted
from priori.decisions.reliability import Reliability, ece_floor, reliability

__all__ = [
    "ClassScores",
    "Decisions",
    "Evaluation",
    "Loss",
    "Reliability",
    "Scorecard",
    "decide",
    "ece_floor",
    "reliability",
    "reweighted",
]
