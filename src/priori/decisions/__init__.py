"""From probabilities to decisions: what to do, and how good they are."""

from priori.decisions.decide import Decisions, decide
from priori.decisions.evaluation import ClassScores, Evaluation, Scorecard
from priori.decisions.losses import Loss
from priori.decisions.monotone import MonotoneMap, fit_monotone
from priori.decisions.policy import Policy
from priori.decisions.prior_shift import PriorEstimate, estimated_prior, reweighted
from priori.decisions.reliability import Reliability, ece_floor, reliability
from priori.decisions.thresholds import Threshold, threshold_for_false_positives, threshold_for_precision

__all__ = [
    "ClassScores",
    "Decisions",
    "Evaluation",
    "Loss",
    "MonotoneMap",
    "Policy",
    "PriorEstimate",
    "Reliability",
    "Scorecard",
    "Threshold",
    "decide",
    "ece_floor",
    "estimated_prior",
    "fit_monotone",
    "reliability",
    "reweighted",
    "threshold_for_false_positives",
    "threshold_for_precision",
]
