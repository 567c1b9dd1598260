"""Rows of three classes, and their statistics."""

import numpy as np

from priori.statistics import VectorMoments

MIXING = np.array([[1.0, 0.4, 0.0], [0.0, 2.0, 0.3], [0.0, 0.0, 0.5]])
CENTERS = np.array([[0.0, 0.0, 0.0], [1.0, -1.0, 0.5], [0.0, 2.0, 0.2]])
KINDS = ["shared", "full", "diagonal", "shared_diagonal"]


def labelled(n=60, d=3, classes=3, seed=0):
    """Rows with unequal classes (each has at least n // (2 classes) rows), and their codes."""
    rng = np.random.default_rng(seed)
    codes = np.concatenate([np.repeat(np.arange(classes), n // (2 * classes)), rng.integers(0, classes, n)])[:n]
    mixing = MIXING[:d, :d] if d <= 3 else np.eye(d) + 0.3 * rng.normal(size=(d, d))
    centers = CENTERS[:classes, :d] if d <= 3 else rng.normal(size=(classes, d))
    return centers[codes] + rng.normal(size=(n, d)) @ mixing, codes


def by_class(X, codes, classes=3, weights=None):
    """One VectorMoments per class."""
    weights = np.ones(len(X)) if weights is None else weights
    return [VectorMoments.of(X[codes == k], weights[codes == k]) for k in range(classes)]


def posterior(log_prob, log_prior):
    """Bayes' rule, in plain numpy."""
    joint = log_prob + log_prior
    joint = np.exp(joint - joint.max(axis=1, keepdims=True))
    return joint / joint.sum(axis=1, keepdims=True)
