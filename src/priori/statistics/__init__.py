"""Additive summaries of data: values that add and subtract, and hold no hyper-parameter."""

from priori.statistics.base import Statistics, Sums
from priori.statistics.categories import Categories
from priori.statistics.counts import Counts
from priori.statistics.moments import Moments
from priori.statistics.vectors import VectorMoments

__all__ = ["Categories", "Counts", "Moments", "Statistics", "Sums", "VectorMoments"]
