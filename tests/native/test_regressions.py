"""Mistakes that were found once, each with the smallest input that showed it."""

import pytest

from priori import _core


@pytest.mark.parametrize("features", ["words", "chars", "chars_across"])
def test_folding_keeps_nul(features):
    """Folding an accent gives 0, "drop it"; NUL folds to itself, which is 0 too, and words were joined across it."""
    plain, folding = (_core.Analyzer.of(features, (1, 1), True, fold, 1, False) for fold in (False, True))
    assert folding.features("é\0b") == plain.features("e\0b")


@pytest.mark.parametrize("longest", [2**30, 2**31 - 1])
def test_a_minimum_longer_than_any_word(longest):
    """Four bytes for each of 2^30 characters are 2^32, which is 0 in 32 bits: nothing was too short."""
    assert _core.Analyzer.of("words", (1, 1), True, False, longest, False).features("some words") == []
