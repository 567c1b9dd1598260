"""Bytes to features: words, n-grams, characters."""

from priori.text.analyzer import Analyzer, parse_ngrams

__all__ = ["Analyzer", "parse_ngrams"]
