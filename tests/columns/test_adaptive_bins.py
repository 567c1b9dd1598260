"""Numbers whose bins are found: scores, probabilities and rows left out, however few or far the numbers are."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from priori.columns.base import Rows
from priori.columns.bins import BinnedColumn
from priori.columns.readings import TableReadings
from priori.statistics.by_class import UNIT_BITS

cells = st.none() | st.sampled_from([0.0, -0.0, 1.0, 1e300, -1e300, 5e-324]) | st.floats(-1e3, 1e3)
tables = st.lists(st.tuples(cells, st.integers(0, 2)), min_size=1, max_size=30)


def read(x, group, weight=None, labels=("a", "b", "c")):
    rows = Rows(labels, np.asarray(group, np.int32), weight)
    family = BinnedColumn()
    return family.read(family.count(x, rows), TableReadings()), rows


def split(table):
    x = np.array([np.nan if cell is None else cell for cell, _ in table], np.float64)
    return x, np.array([k for _, k in table], np.int32)


@given(table=tables, others=st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=8))
@settings(max_examples=60)
def test_scores_are_probabilities_but_for_one_number(table, others):
    """And all of them are finite, wherever they are asked for."""
    x, group = split(table)
    reading, _ = read(x, group)
    asked = np.r_[x, np.array(others), 1.7e308, -1.7e308, 5e-324]
    gap = reading.log_prob(asked) - reading.log_scores(asked)
    assert np.isfinite(gap).all()
    scale = np.abs(reading.log_prob(asked)).max() + 1
    np.testing.assert_allclose(gap, np.repeat(gap[:, :1], 3, axis=1), atol=1e-13 * scale)


@given(table=tables)
@settings(max_examples=60)
def test_rows_left_out_have_finite_scores(table):
    x, group = split(table)
    reading, rows = read(x, group)
    n = np.bincount(group[~np.isnan(x)], minlength=3)
    known = np.isnan(x) | (n[group] > 1)  # a class without numbers is another matter
    found = reading.almost_without(x, rows)
    assert np.isfinite(found[known]).all()
    assert (found[np.isnan(x)] == 0).all()


def planted(seed, n, shape):
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 3, n).astype(np.int32)
    x = {
        "normal": lambda: rng.normal(group, 1.0),
        "two humps": lambda: rng.choice([-3.0, 3.0], n) * (1 + group) + rng.normal(size=n),
        "whole": lambda: rng.poisson(2 + 2 * group).astype(float),
    }[shape]()
    return x, group


@pytest.mark.parametrize("shape", ["normal", "two humps", "whole"])
def test_almost_leaving_out_is_nearly_leaving_out(shape):
    """How well rows tell their classes, in three tables: less than half as far from the truth as rows that stay in."""
    told = []
    for seed in range(3):
        x, group = planted(seed, 150, shape)
        weight = None if seed < 2 else (np.random.default_rng(1).integers(1, 3, 150) << UNIT_BITS).astype(np.int64)
        reading, rows = read(x, group, weight)
        for scores in (reading.without(x, rows), reading.almost_without(x, rows), reading.log_scores(x)):
            joint = scores + np.log(reading.stats.n)
            told.append((joint - np.logaddexp.reduce(joint, axis=1, keepdims=True))[np.arange(150), group].mean())
    exact, almost, staying = np.reshape(told, (3, 3)).mean(axis=0)
    assert staying > exact
    assert abs(almost - exact) < (staying - exact) / 2


def test_a_weight_near_a_power_of_two_is_that():
    x, group = planted(3, 60, "normal")
    near = np.full(60, int(1.1 * (1 << UNIT_BITS)), np.int64)
    reading, _ = read(x, group)
    ones = reading.almost_without(x, Rows(("a", "b", "c"), group, np.full(60, 1 << UNIT_BITS, np.int64)))
    np.testing.assert_array_equal(reading.almost_without(x, Rows(("a", "b", "c"), group, near)), ones)
    plain = reading.almost_without(x, Rows(("a", "b", "c"), group))
    np.testing.assert_array_equal(plain, ones)


def test_a_class_without_numbers_is_told_nothing():
    x, group = np.array([1.0, 2.0, 3.0, np.nan]), np.array([0, 0, 1, 2], np.int32)
    reading, _ = read(x, group)
    assert (reading.log_scores(np.array([1.0, 9.0]))[:, 2] == 0).all()
    nothing, rows = read(np.array([np.nan, np.nan]), np.array([0, 1], np.int32))
    assert (nothing.log_scores(np.array([1.0, np.nan])) == 0).all()
    assert (nothing.almost_without(np.array([np.nan, np.nan]), rows) == 0).all()
