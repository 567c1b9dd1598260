"""Additive summaries of data: values that add and subtract, and hold no hyper-parameter."""

from priori.statistics.counts import Counts

__all__ = ["Counts"]
