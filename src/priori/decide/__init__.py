"""From probabilities to decisions: how good they are."""

from priori.decide.evaluation import ClassScores, Evaluation, Scorecard
from priori.decide.reliability import Reliability, ece_floor, reliability

__all__ = ["ClassScores", "Evaluation", "Reliability", "Scorecard", "ece_floor", "reliability"]
