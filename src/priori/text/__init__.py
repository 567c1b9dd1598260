"""Bytes to features: words, n-grams, characters."""

from priori.text.analyzer import Analyzer, Grams, parse_ngrams

__all__ = ["Analyzer", "Grams", "parse_ngrams"]
