"""Positive numbers: sixty decimal digits are the oracle, and the algebra holds at any size and offset."""

from decimal import Decimal, localcontext

import numpy as np
import pytest

from priori.errors import DataError, MergeError, NegativeCountError
from priori.statistics import Moments, Positives
from priori.statistics.positives import NEAR, excess, near_excess

rng = np.random.default_rng(0)
DATA = {
    "wide": rng.gamma(1.3, 2, 150),
    "tiny shape": np.maximum(rng.gamma(0.01, 2, 150), 5e-324),
    "narrow": rng.normal(5, 0.1, 150),
    "narrower": rng.normal(5, 0.002, 150),
    "between": rng.normal(5, 0.01, 150),
    "offset": rng.normal(1e8, 1, 150),
    "outlier": np.r_[rng.normal(1e8, 1, 150), 8e7],
    "one step of the floats": np.r_[np.full(9, 0.1), np.nextafter(0.1, 1)],
    "largest": rng.gamma(3, 1e306, 60),
    "least": rng.gamma(3, 1e-310, 60),
}


def exactly(values, weights):
    """n, mean and gap in sixty digits."""
    with localcontext(prec=60):
        x, w = ([Decimal(float(v)) for v in column] for column in (values, weights))
        n = sum(w)
        mean = sum(a * b for a, b in zip(w, x, strict=True)) / n
        return float(n), float(mean), float(sum(a * (mean.ln() - b.ln()) for a, b in zip(w, x, strict=True)))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("values", DATA.values(), ids=DATA)
def test_they_are_exact_at_any_size(values, weighted):
    weights = np.random.default_rng(1).integers(0, 4, len(values)).astype(float) if weighted else np.ones(len(values))
    n, mean, gap = exactly(values, weights)
    got = Positives.of(values, weights if weighted else None)
    assert got.n == n
    assert got.mean == pytest.approx(mean, rel=4e-16, abs=0)
    # between, logarithms of ratios about 1 are taken, with a few roundings of numbers about 1
    rounding = 8 * 2.0**-53 / (gap / n) if 1e-6 < gap / n < 1e-5 else 0.0
    assert got.gap == pytest.approx(gap, rel=1e-11 + rounding, abs=0)
    at = len(values) // 3
    parts = [Positives.of(values[part], weights[part]) for part in (slice(0, at), slice(at, None))]
    merged = parts[0] + parts[1]
    # a mean is right to half a step of the floats: where the means differ by k steps, its part of the gap to 1 / k
    steps = abs(parts[0].mean - parts[1].mean) / np.spacing(mean)
    assert merged.gap == pytest.approx(gap, rel=1e-11 + rounding + 1 / max(steps, 1), abs=0)
    left = merged - parts[1]
    assert left.gap == pytest.approx(parts[0].gap, abs=1e-12 * max(1.0, gap))


def test_many_blocks_are_one():
    values = np.random.default_rng(2).gamma(2.5, 3, 100_001)
    got = Positives.of(values)
    assert got.mean == pytest.approx(values.mean(), rel=1e-14)
    assert got.gap / got.n == pytest.approx(np.log(values.mean()) - np.log(values).mean(), rel=1e-11)
    assert Positives.of(np.arange(1, 40)).gap == pytest.approx(Positives.of(np.arange(1.0, 40)).gap)
    strided = np.repeat(values, 3)[::3]
    assert Positives.of(strided) == got


@pytest.mark.parametrize("u", [1e-17, -1e-12, 3e-5, -2e-3, 0.05, -NEAR, NEAR])
def test_the_excess_loses_no_digits(u):
    with localcontext(prec=60):
        expected = float(Decimal(u) - (1 + Decimal(u)).ln())
    assert near_excess(u) == pytest.approx(expected, rel=1e-15, abs=0)
    assert near_excess(np.array([u]), abs(u))[0] == pytest.approx(expected, rel=1e-15, abs=0)
    assert excess(np.array([u]), np.log1p([u]))[0] == pytest.approx(expected, rel=1e-14, abs=0)


def test_equal_numbers_have_no_gap():
    for value in (0.1, 1e8, 1e-300):
        stats = Positives.of(np.full(40_000, value)) + Positives.of([value, value, value], [1, 0.5, 3])
        assert (stats.mean, stats.gap) == (value, 0.0)


def test_what_is_missing_is_left_out_and_what_is_not_positive_refused():
    some = Positives.of([1.0, None, 3.0, np.nan])
    assert (some.n, some.mean) == (2.0, 2.0)
    assert some.gap == pytest.approx(np.log(4 / 3), rel=1e-15)
    assert Positives.of([]) == Positives.of([2.0], [0.0]) == Positives.zero()
    for values, message in (([1.0, 0.0], "0 is not above 0"), ([-2.5, 1.0], "-2.5 is not above 0")):
        with pytest.raises(DataError, match=message):
            Positives.of(values)
    assert Positives.of([-2.5, 1.0], [0, 1]).n == 1.0
    with pytest.raises(DataError, match="infinite"):
        Positives.of([1.0, np.inf])
    with pytest.raises(DataError, match="2 dimensions"):
        Positives.of([[1.0, 2.0]])


def test_what_was_not_there_cannot_be_taken_away():
    with pytest.raises(NegativeCountError, match="subtract only data that were added"):
        Positives.of([1.0, 1.0, 1.0]) - Positives.of([50.0])
    with pytest.raises(NegativeCountError, match="gap -1"):
        Positives(3.0, 1.0, -1.0).refuse_negative()
    with pytest.raises(MergeError, match="do not add up"):
        Positives.of([1.0]) + Moments.of([1.0])
    with pytest.raises(DataError, match="no data"):
        Positives.zero().average()
