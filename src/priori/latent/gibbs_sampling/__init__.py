"""Gibbs sampling of hidden classes."""
