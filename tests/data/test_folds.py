"""Folds: even, reproducible, faithful to groups, and even within labels."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from priori.data.folds import group_numbers, members, shuffled
from priori.errors import DataError
from priori.select import folds, labelled_folds

MASK = 2**64 - 1


def splitmix(seed):
    """SplitMix64 in Python's own integers."""
    state = seed & MASK
    while True:
        state = (state + 0x9E3779B97F4A7C15) & MASK
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        yield z ^ (z >> 31)


@given(st.integers(0, 50), st.integers(0, 2**70))
def test_the_shuffle_is_splitmix64_in_plain_integers(n, seed):
    stream = splitmix(next(splitmix(seed)))
    assert shuffled(n, seed).tolist() == [next(stream) for _ in range(n)]


def test_splitmix64_gives_its_published_stream():
    """The first outputs from seed 1234567, as its authors' C code prints them."""
    stream = splitmix(1234567)
    assert [next(stream) for _ in range(3)] == [6457827717110365317, 3203168211198807973, 9817491932198370423]


@given(st.integers(2, 12), st.integers(0, 60), st.integers(0, 1000))
def test_sizes_differ_by_one_at_most(k, more, seed):
    sizes = np.bincount(folds(k + more, k, seed), minlength=k)
    assert len(sizes) == k
    assert sizes.max() - sizes.min() <= 1


@given(st.integers(2, 6), st.lists(st.sampled_from("abc"), min_size=6, max_size=60), st.integers(0, 9))
def test_each_label_is_spread_evenly(k, labels, seed):
    found = folds(len(labels), k, seed, labels=labels)
    for label in set(labels):
        sizes = np.bincount(found[np.array(labels) == label], minlength=k)
        assert sizes.max() - sizes.min() <= 1
    sizes = np.bincount(found, minlength=k)
    assert sizes.max() - sizes.min() <= 1


@given(st.integers(2, 4), st.lists(st.integers(0, 9), min_size=8, max_size=60), st.booleans(), st.integers(0, 9))
def test_groups_stay_together(k, groups, stratified, seed):
    if len(set(groups)) < k:
        return
    labels = [g % 2 for g in range(len(groups))] if stratified else None
    found = folds(len(groups), k, seed, groups, labels)
    assert len(set(zip(groups, found.tolist(), strict=True))) == len(set(groups))
    if not stratified:  # the least fold took the group that made another the largest
        sizes = np.bincount(found, minlength=k)
        assert sizes.max() - sizes.min() <= max(np.bincount(groups))


def test_groups_of_one_are_dealt_evenly():
    assert np.bincount(folds(25, 10, groups=[None] * 25)).tolist() == [3] * 5 + [2] * 5
    labels = np.repeat([0, 1], [20, 10])
    found = folds(30, 5, groups=np.arange(30), labels=labels)
    assert np.bincount(found[:20]).tolist() == [4] * 5
    assert np.bincount(found[20:]).tolist() == [2] * 5


def test_names_of_groups_do_not_matter_and_seeds_do():
    groups = np.array([3, 1, 3, 2, 2, 1, 0, 5, 4, 5])
    named = ["group " + str(g) for g in groups]
    assert folds(10, 3, 4, groups).tolist() == folds(10, 3, 4, named).tolist()
    assert any(folds(100, 10, 0).tolist() != folds(100, 10, seed).tolist() for seed in range(1, 3))


def test_rows_fall_into_folds_evenly_over_seeds():
    """Each of 12 rows is in each of 3 folds in a third of 3,000 deals: 5 standard errors; a deal that forgets its seed
    or never shuffles would be found at once."""
    times = np.zeros((12, 3))
    for seed in range(3000):
        times[np.arange(12), folds(12, 3, seed)] += 1
    error = np.sqrt(3000 * (1 / 3) * (2 / 3))
    assert np.abs(times - 1000).max() < 5 * error


@pytest.mark.parametrize("make", [list, tuple, np.array, pd.Series, pl.Series, pa.array])
def test_groups_come_in_any_container(make):
    assert group_numbers(make(["x", "y", "x", "z"]), 4).tolist() == [0, 1, 0, 2]
    assert group_numbers(make([7, 5, 7, 9]), 4).tolist() == [0, 1, 0, 2]


@pytest.mark.parametrize("lost", [None, float("nan"), np.nan, pd.NA, pd.NaT])
def test_rows_of_no_group_are_groups_of_one(lost):
    assert group_numbers([lost, "x", lost, "x"], 4).tolist() == [0, 1, 2, 1]


def test_members_are_the_places_of_each_group():
    assert [each.tolist() for each in members(np.array([0, 1, 0, 2, 1]))] == [[0, 2], [1, 4], [3]]
    assert members(np.zeros(0, np.intp)) == []


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: folds(3, 4), "3 rows for 4 folds"),
        (lambda: folds(5, 3, groups=[1, 1, 1, 2, 2]), "2 groups for 3 folds"),
        (lambda: folds(5, 1), "folds=1 is no number of them; give a whole number from 2"),
        (lambda: folds(5, 2, -1), "seed=-1"),
        (lambda: folds(5, 2, groups=[1, 2]), "2 groups for 5 rows"),
        (lambda: folds(5, 2, groups="ab"), "names no group"),
        (lambda: folds(2, 2, groups=[[1], [2]]), "no single value"),
        (lambda: next(labelled_folds([None] * 9, 3)), "0 rows with a label for 3 folds"),
    ],
)
def test_refusals(call, said):
    with pytest.raises(DataError, match=said):
        call()
