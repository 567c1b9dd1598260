"""Additive summaries of data: values that add and subtract, and hold no hyper-parameter."""

from priori.statistics.base import Statistics, Sums
from priori.statistics.categories import Categories, CountVectors
from priori.statistics.moments import Moments
from priori.statistics.positives import Positives
from priori.statistics.sums import Durations, EventCounts, Successes
from priori.statistics.term_counts import Counts
from priori.statistics.vector_moments import VectorMoments

__all__ = [
    "Categories",
    "CountVectors",
    "Counts",
    "Durations",
    "EventCounts",
    "Moments",
    "Positives",
    "Statistics",
    "Successes",
    "Sums",
    "VectorMoments",
]
