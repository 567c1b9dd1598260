"""Calibration error: its bins, and what it says about models whose calibration is known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from priori.decisions import ece_floor, reliability

TOPS = st.lists(st.integers(0, 20).map(lambda k: 0.5 + k / 40), min_size=1, max_size=80)


def bins_by_hand(top, bins):
    """The bin of each document: its place is the mean of the ranks of all documents with the same probability."""
    ranks = sorted(top)
    places = [ranks.index(p) + (ranks.count(p) - 1) / 2 + 0.5 for p in top]
    return [int(bins * place / len(top)) for place in places]


@given(TOPS, st.randoms(use_true_random=False), st.integers(1, 15))
def test_by_hand(top, random, bins):
    correct = [random.random() < p for p in top]
    members = {}
    for number, p, right in zip(bins_by_hand(top, bins), top, correct, strict=True):
        members.setdefault(number, []).append((p, right))
    table = [(np.mean([p for p, _ in m]), np.mean([r for _, r in m]), len(m)) for _, m in sorted(members.items())]
    got = reliability(np.array(top), np.array(correct), bins)
    np.testing.assert_allclose(np.transpose([got.confidence, got.accuracy, got.count]), table, rtol=1e-12)
    wanted = sum(count * abs(right - sure) for sure, right, count in table) / len(top)
    assert got.ece == pytest.approx(wanted, abs=1e-12)


def test_bins_hold_equally_many_where_nothing_is_tied():
    top = np.random.default_rng(1).uniform(0.5, 1, size=15 * 20 + 7)
    got = reliability(top, top > 0.7)
    assert len(got.count) == 15
    assert got.count.max() - got.count.min() <= 1


def test_equal_probabilities_share_a_bin():
    """A model that is always sure, and right 3 times in 4, is off by 1/4 in whatever order the documents come."""
    correct = np.array([True, True, True, False] * 30)
    for order in (np.arange(120), np.argsort(correct)):
        got = reliability(np.ones(120), correct[order])
        assert (got.count.tolist(), got.ece) == ([120], 0.25)


def test_floor_is_what_calibrated_models_show():
    """The floor must be the mean ECE of independently simulated calibrated models, here with labels of 5 classes."""
    rng = np.random.default_rng(3)
    p = rng.dirichlet([0.5] * 5, size=400)
    top = p.max(axis=1)
    shown = []
    for _ in range(200):
        truth = (rng.random((400, 1)) > p.cumsum(axis=1)[:, :-1]).sum(axis=1)
        shown.append(reliability(top, truth == p.argmax(axis=1)).ece)
    floors = [ece_floor(top, np.random.default_rng(seed)) for seed in range(5)]
    spread = np.std(shown) * np.sqrt(1 / 200 + 1 / 500)
    assert abs(np.mean(shown) - np.mean(floors)) < 5 * spread


@pytest.mark.parametrize("n", [400, 4000])
def test_calibrated_is_near_its_floor_and_overconfident_is_not(n):
    rng = np.random.default_rng(n)
    odds = rng.normal(0, 2, size=n)
    right = rng.random(n) < 1 / (1 + np.exp(-np.abs(odds)))
    calibrated = 1 / (1 + np.exp(-np.abs(odds)))
    overconfident = 1 / (1 + np.exp(-3 * np.abs(odds)))  # the planted fault: log-odds three times too large
    assert reliability(calibrated, right).ece < 2 * ece_floor(calibrated, np.random.default_rng(0))
    assert reliability(overconfident, right).ece > 4 * ece_floor(overconfident, np.random.default_rng(0))


def test_floor_falls_with_the_root_of_the_documents():
    rng = np.random.default_rng(8)
    small, large = (ece_floor(rng.uniform(0.5, 1, size=n), np.random.default_rng(0)) for n in (500, 50_000))
    assert small / large == pytest.approx(10, rel=0.15)


def test_floor_is_seeded_and_blind_to_order():
    top = np.random.default_rng(2).uniform(0.5, 1, size=300)
    assert ece_floor(top, np.random.default_rng(7)) == ece_floor(top[::-1], np.random.default_rng(7))
    assert ece_floor(top, np.random.default_rng(7)) != ece_floor(top, np.random.default_rng(8))
