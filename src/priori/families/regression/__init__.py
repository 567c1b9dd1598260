"""Regressions: linear, logistic, softmax, and how strong their penalty is."""
