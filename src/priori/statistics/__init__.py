"""Additive summaries of data: values that add and subtract, and hold no hyper-parameter."""

from priori.statistics.base import Statistics, Sums
from priori.statistics.categories import Categories
from priori.statistics.count_vectors import CountVectors
from priori.statistics.counts import Counts
from priori.statistics.durations import Durations
from priori.statistics.event_counts import EventCounts
from priori.statistics.moments import Moments
from priori.statistics.positives import Positives
from priori.statistics.successes import Successes
from priori.statistics.vectors import VectorMoments

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
