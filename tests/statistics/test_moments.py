"""Weight, mean and scatter: against exact fractions, under offsets, and through long runs of adding and taking away."""

from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from priori.errors import DataError, MergeError, NegativeCountError
from priori.statistics import Durations, EventCounts, Moments, Positives, Successes, VectorMoments

EPSILON = 2.0**-52
numbers = st.floats(-1e6, 1e6).map(lambda x: round(x, 3))


def exactly(values, weights):
    """n, mean and scatter in fractions."""
    values, weights = [Fraction(x) for x in values], [Fraction(w) for w in weights]
    n = sum(weights)
    mean = sum(w * x for w, x in zip(weights, values, strict=True)) / n
    return n, mean, sum(w * (x - mean) ** 2 for w, x in zip(weights, values, strict=True))


@given(st.lists(st.tuples(numbers, st.floats(0.125, 8)), min_size=1, max_size=30), st.sampled_from([0.0, 1e8, -1e12]))
def test_moments_are_the_exact_ones(rows, offset):
    """The mean to its last digits; the scatter to n roundings of the data's spread and of the offset."""
    values, weights = [x + offset for x, _ in rows], [w for _, w in rows]
    n, mean, scatter = exactly(values, weights)
    found = Moments.of(values, weights)
    size = max(abs(x) for x in values) + 1e-300
    spread = max(values) - min(values)
    assert found.n == pytest.approx(float(n), rel=30 * EPSILON)
    assert found.mean == pytest.approx(float(mean), abs=4 * EPSILON * size)
    slack = 60 * float(n) * EPSILON * (spread**2 + spread * EPSILON * size) + float(n) * (EPSILON * size) ** 2
    assert found.scatter == pytest.approx(float(scatter), abs=slack)


@pytest.mark.parametrize("offset", [0.0, 1e8, -3e10])
def test_blocks_do_not_show(offset):
    """More numbers than a block holds, weighted or not: the same as in one piece, whatever the offset."""
    values = np.random.default_rng(3).normal(size=100_000)
    shifted = values + offset
    exact = shifted - offset  # what is left of the values beside the offset; exact (Sterbenz) or nearly so
    for found in (Moments.of(shifted), Moments.of(shifted, np.ones(len(values)))):
        assert found.variance() == pytest.approx(exact.var(), rel=1e-6 if offset else 1e-13)
        assert found.mean - offset == pytest.approx(exact.mean(), abs=4 * EPSILON * max(1.0, abs(offset)))


def test_raw_squares_would_not_do():
    """The planted fault: E[x²] - E[x]² has nothing left of a unit variance at 1e8."""
    values = np.random.default_rng(4).normal(size=10_000) + 1e8
    raw = float((values**2).mean() - values.mean() ** 2)
    assert abs(raw - 1) > 0.1
    assert Moments.of(values).variance() == pytest.approx((values - 1e8).var(), rel=1e-6)


def test_ten_thousand_rounds_of_adding_and_taking_away():
    rng = np.random.default_rng(5)
    kept = Moments.of(rng.normal(1e6, 1, 1_000))
    now = kept
    for _ in range(10_000):
        batch = Moments.of(rng.normal(1e6, 1, 3))
        now = now + batch - batch
    assert now.n == kept.n
    assert now.variance() == pytest.approx(kept.variance(), rel=1e-7)


def test_subtract_only_what_the_total_contains():
    """The caveat of the documentation: at weight zero nothing of the data is left."""
    a, b, c = Moments.of([1.0, 2.0]), Moments.of([5.0, 9.0]), Moments.of([5.0, 6.0])
    assert b - c == Moments.zero()
    assert ((a + b) - b).mean == pytest.approx(a.mean)
    with pytest.raises(NegativeCountError, match="subtract only data that were added"):
        (a - Moments.of([50.0])).refuse_negative()


CONTAINERS = [list, pd.Series, pl.Series, pa.array, lambda x: pa.chunked_array([x]), lambda x: np.array(x, object)]


@pytest.mark.parametrize("container", CONTAINERS)
def test_any_sequence_with_missing_values(container):
    assert Moments.of(container([1.0, None, 5.0])) == Moments(2.0, 3.0, 8.0)


def test_other_numbers():
    masked = np.ma.masked_array([1, 100, 5], [False, True, False])
    assert Moments.of(masked) == Moments.of(np.array([1, 5], np.int32)) == Moments.of(np.array([1, 5], np.float32))
    assert Moments.of([True, False]).mean == 0.5
    assert Moments.of([]) == Moments.of([None, float("nan")]) == Moments.zero()
    assert Moments.of([1.0, 2.0], [0, 0]) == Moments.zero()
    nullable = pd.Series([1, None, 5], dtype="Int64")
    assert Moments.of(nullable) == Moments.of([1, 5])


@pytest.mark.parametrize(
    ("data", "weights", "message"),
    [
        (["a", "b"], None, "no numbers"),
        ([[1.0, 2.0]], None, "2 dimensions"),
        ([1.0, float("inf")], None, "infinite"),
        ([1e200, -1e200], None, "scale the data down"),
        ([1e200, -1e200], [1, 1], "scale the data down"),
        ([1.0, 2.0], [1.0], "1 weights for 2 observations"),
        ([1.0, 2.0], [1.0, -1.0], "a weight is negative"),
    ],
)
def test_bad_data(data, weights, message):
    with pytest.raises(DataError, match=message):
        Moments.of(data, weights)


rows = st.lists(st.tuples(numbers, numbers, numbers), min_size=1, max_size=12)


@given(rows, st.integers(0, 12))
def test_vectors_are_moments_of_every_pair(table, at):
    """Variances are those of the columns, covariances those of sums: scatter(x + y) = xx + 2 xy + yy."""
    X = np.array(table)
    found = VectorMoments.of(X[:at]) + VectorMoments.of(X[at:]) if 0 < at < len(X) else VectorMoments.of(X)
    scale = 1e-9 * (1 + float(np.square(X - X[0]).sum()))
    for i in range(3):
        column = Moments.of(X[:, i])
        assert found.column(i).mean == pytest.approx(column.mean, rel=1e-12, abs=1e-9)
        assert found.column(i).scatter == pytest.approx(column.scatter, abs=scale)
        for j in range(i):
            both = Moments.of(X[:, i] + X[:, j]).scatter
            assert found.scatter[i, i] + 2 * found.scatter[i, j] + found.scatter[j, j] == pytest.approx(both, abs=scale)


def test_vectors_over_many_blocks():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(5_000, 40)) @ rng.normal(size=(40, 40)) + 1e6
    weights = rng.integers(0, 4, len(X))
    plain, weighted = VectorMoments.of(X), VectorMoments.of(X, weights)
    np.testing.assert_allclose(plain.covariance(), np.cov(X.T, bias=True), rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(weighted.covariance(), np.cov(X.T, bias=True, fweights=weights), rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(VectorMoments.joined((X[:, :7], X[:, 7:])).scatter, plain.scatter, rtol=1e-12)


def test_the_largest_numbers_have_a_mean():
    assert Moments.of([1e308, 1e308]) == Moments(2.0, 1e308, 0.0)


def test_bad_rows():
    with pytest.raises(DataError, match="row 1 is missing column 0"):
        VectorMoments.of([[1.0, 2.0], [None, 3.0]])
    with pytest.raises(DataError, match="infinite"):
        VectorMoments.of([[1.0, float("inf")]])
    with pytest.raises(DataError, match="2 and 3 rows"):
        VectorMoments.joined((np.zeros((2, 1)), np.zeros((3, 1))))
    with pytest.raises(MergeError, match="different widths"):
        VectorMoments.zero(2) + VectorMoments.zero(3)
    with pytest.raises(MergeError, match="one kind"):
        Moments.zero() + VectorMoments.zero(1)
    assert VectorMoments.of([[None, None], [1.0, 2.0], [3.0, 2.0]]).n == 2
    assert VectorMoments.of([[None, 4.0], [1.0, 2.0]], [0, 1]).n == 1


def test_fractions_of_weights_come_back():
    """0.1 + 0.7 - 0.7 is not 0.1; what is left of nothing is nothing, and no estimate is refused for a rounding."""
    first, second = Successes.of([1, 0], [0.1, 0.2]), Successes.of([1, 0], [0.7, 0.3])
    left = first + second - second
    assert left.successes == pytest.approx(0.1) and left.failures == pytest.approx(0.2)
    gone = left - first
    gone.refuse_negative()
    assert gone == Successes(0.0, 0.0)
    moments = Moments.of([3.0, 4.0], [0.1, 0.2])
    assert moments + Moments.of([1.0], [0.7]) - Moments.of([1.0], [0.7]) - moments == Moments.zero()


@given(st.floats(-8, 8), st.integers(0, 3))
def test_the_slack_of_a_subtraction_scales_with_the_data(power, seed):
    """Whatever their unit: what was added may be taken away, and what was not is refused."""
    rng = np.random.default_rng(seed)
    unit = 10.0**power
    data, other = rng.exponential(size=20) * unit, rng.exponential(size=200) * 1e5 * unit
    for statistics in (Moments, Durations, Positives):
        total = statistics.of(data) + statistics.of(other)
        (total - statistics.of(other)).refuse_negative()
        with pytest.raises(NegativeCountError):
            (statistics.of(data) - statistics.of(other[:3])).refuse_negative()


def test_sums_that_overflow_are_refused():
    for statistics in (Durations, EventCounts):
        with pytest.raises(DataError, match="scale the data down"):
            statistics.of([1e308, 1e308])
    with pytest.raises(DataError, match="scale the data down"):
        Moments.of([1e300, -1e300, 2e307])


def test_rows_without_weight_do_not_even_move_the_origin():
    """However far away they are."""
    assert Moments.of([1e17, 1.0, 3.0], [0, 1, 1]) == Moments.of([1.0, 3.0])
    assert Positives.of([1e17, 1.0, 3.0], [0, 1, 1]).gap == pytest.approx(Positives.of([1.0, 3.0]).gap, rel=1e-14)
    found = VectorMoments.of([[1e17, 1.0], [1.0, 2.0], [3.0, 6.0]], [0, 1, 1])
    assert found.mean.tolist() == [2.0, 4.0] and found.scatter.tolist() == [[2.0, 4.0], [4.0, 8.0]]
    assert VectorMoments.of([[1.0, 2.0]], [0]).n == 0


def test_one_observation_left_has_no_spread():
    """Whatever was taken away from it, rounding is no variance."""
    rng = np.random.default_rng(8)
    for _ in range(50):
        values = rng.gamma(3, size=100) + 100
        for statistics, spread in ((Moments, "scatter"), (Positives, "gap")):
            left = statistics.of(values) - statistics.of(values[1:])
            assert left.n == 1 and getattr(left, spread) == 0
