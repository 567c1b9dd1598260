"""Mistakes that were found once, each with the smallest input that showed it."""

import pytest

from priori import _core


@pytest.mark.parametrize("features", ["words", "chars", "chars_across"])
def test_folding_keeps_nul(features):
    """Folding an accent gives 0, "drop it"; NUL folds to itself, which is 0 too, and words were joined across it."""
    plain, folding = (_core.Analyzer.of(features, (1, 1), True, fold, 1, False) for fold in (False, True))
    assert folding.features("é\0b") == plain.features("e\0b")
