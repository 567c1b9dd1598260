"""Rows with labels for the tests of logistic regression."""

import numpy as np

from priori.families import LogisticModel


def rows(classes, size=150, seed=9):
    """Inputs with offsets, and labels that overlap."""
    rng = np.random.default_rng(seed)
    X = rng.normal([3.0, -1.0, 0.5], [1.0, 2.0, 0.3], (size, 3))
    weights = rng.normal(0, 0.7, (classes, 3))
    truth = LogisticModel(weights, -weights @ [3.0, -1.0, 0.5], tuple("abcd"[:classes]))
    return X, truth.sample(X, rng)


def with_ones(X):
    return np.column_stack([X, np.ones(len(X))])
