"""Generative against discriminative learners, by the number of labelled rows."""

from priori.learners.compare import compare_learners, compare_simulated

__all__ = ["compare_learners", "compare_simulated"]
