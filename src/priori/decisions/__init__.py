"""From probabilities to decisions: what to do, and how good they are."""

from priori.decisions.decide import Decisions, decide
from priori.decisions.evaluation import UNDERFLOW, ClassScores, Evaluation, Scorecard, evaluation_of
from priori.decisions.losses import Loss
from priori.decisions.monotone import MonotoneMap, fit_monotone
from priori.decisions.policy import Policy
from priori.decisions.prior_shift import PriorEstimate, estimated_prior, reweighted
from priori.decisions.ranking import Ranking, Roc, roc_curve
from priori.decisions.reliability import Reliability, ece_floor, reliability
from priori.decisions.thresholds import Threshold, threshold_for_false_positives, threshold_for_precision
from priori.decisions.worst import Mistake, Worst

__all__ = [
    "UNDERFLOW",
    "ClassScores",
    "Decisions",
    "Evaluation",
    "Loss",
    "Mistake",
    "MonotoneMap",
    "Policy",
    "PriorEstimate",
    "Ranking",
    "Reliability",
    "Roc",
    "Scorecard",
    "Threshold",
    "Worst",
    "decide",
    "ece_floor",
    "estimated_prior",
    "evaluation_of",
    "fit_monotone",
    "reliability",
    "reweighted",
    "roc_curve",
    "threshold_for_false_positives",
    "threshold_for_precision",
]
