"""Readings fitted from a model's own documents, each left out: how much to smooth, and how far to believe a score.

The fitting itself is in `priori.model.fitting.words`, loaded where something is to be fitted.
"""
