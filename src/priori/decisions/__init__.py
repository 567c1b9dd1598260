"""From probabilities to decisions: how good they are."""

from priori.decisions.evaluation import ClassScores, Evaluation, Scorecard
from priori.decisions.reliability import Reliability, ece_floor, reliability

__all__ = ["ClassScores", "Evaluation", "Reliability", "Scorecard", "ece_floor", "reliability"]
