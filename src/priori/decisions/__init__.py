"""From probabilities to decisions: what to do, and how good they are."""

from priori.decisions.curves import Ranking, Reliability, Roc, ece_floor, reliability, roc_curve
from priori.decisions.decide import Decisions, Policy, decide
from priori.decisions.isotonic import MonotoneMap, fit_monotone
from priori.decisions.losses import Loss
from priori.decisions.measures import UNDERFLOW, ClassScores, Evaluation, Scorecard, evaluation_of
from priori.decisions.mistakes import Mistake, Worst
from priori.decisions.prior_shift import PriorEstimate, estimated_prior, reweighted
from priori.decisions.thresholds import Threshold, threshold_for_false_positives, threshold_for_precision

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
