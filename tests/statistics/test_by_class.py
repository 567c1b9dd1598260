"""Counts of values by class, and of numbers in buckets: against a count by hand, in any order and batches."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from priori import _core
from priori.columns.base import Codes, Rows
from priori.columns.bin_tree import bucket_of, edges_of, middle_of
from priori.columns.bins import BinnedColumn
from priori.columns.categories import Categorical
from priori.errors import MergeError, NegativeCountError
from priori.statistics.by_class import UNIT_BITS, Tallies
from priori.statistics.class_moments import ClassMoments

ONE = 1 << UNIT_BITS
VALUES = ("b", "a", "", "é", "\U0001f600", "a\0b", "10", "9")
numbers = st.sampled_from([0.0, -0.0, 5e-324, -5e-324, 1e308, -1e308, 17.0, math.nan]) | st.floats(allow_infinity=False)


@st.composite
def coded(draw, cell):
    rows, classes = draw(st.integers(0, 12)), draw(st.integers(0, 3))
    cells = draw(st.lists(cell, min_size=rows, max_size=rows))
    group = draw(st.lists(st.integers(-1, classes - 1), min_size=rows, max_size=rows))
    weights = draw(st.none() | st.lists(st.integers(0, 1 << 51), min_size=rows, max_size=rows))
    return cells, group, weights, classes


def by_hand(values, group, weights, classes):
    """{(value, class): units}, and the missing units of each class."""
    counts, missing = Counter(), [0] * classes
    for at, (value, k) in enumerate(zip(values, group, strict=True)):
        weight = ONE if weights is None else weights[at]
        if k >= 0 and value is None:
            missing[k] += weight
        elif k >= 0:
            counts[value, k] += weight
    return {key: count for key, count in counts.items() if count}, missing


def told(tallies):
    places = zip(*np.nonzero(tallies.counts), strict=True)
    return {(tallies.keys[v], int(k)): int(tallies.counts[v, k]) for v, k in places}


def rows_of(group, weights, classes):
    return Rows(
        tuple("abc"[:classes]), np.array(group, np.int32), None if weights is None else np.array(weights, np.int64)
    )


def tallied(codes, group, weights, classes):
    return Categorical().count(Codes(np.array(codes, np.int32), VALUES), rows_of(group, weights, classes))


def bucketed(cells, group, weights, classes):
    return BinnedColumn().count(np.array(cells, np.float64), rows_of(group, weights, classes))


def assert_tallies(found, expected, missing):
    assert told(found) == expected
    assert found.missing.tolist() == missing
    assert found.keys.tolist() == sorted({value for value, _ in expected})
    found.refuse_negative("x")


@given(coded(st.integers(-1, len(VALUES) - 1)))
def test_codes_are_counted_as_by_hand(table):
    codes, *rest = table
    found = tallied(*table)
    assert_tallies(found, *by_hand([None if code < 0 else VALUES[code] for code in codes], *rest))


@given(coded(numbers))
def test_buckets_are_counted_as_by_hand(table):
    cells, *rest = table
    places = [None if math.isnan(x) else int(bucket_of(np.array([x]))[0]) for x in cells]
    assert_tallies(bucketed(*table), *by_hand(places, *rest))


@pytest.mark.parametrize(("count", "cell"), [(tallied, st.integers(-1, 7)), (bucketed, numbers)])
@given(data=st.data())
def test_tallies_add_up(count, cell, data):
    cells, group, weights, classes = table = data.draw(coded(cell))
    cut = data.draw(st.integers(0, len(cells)))
    first, second = (
        count(cells[part], group[part], None if weights is None else weights[part], classes)
        for part in (slice(cut), slice(cut, None))
    )
    whole = count(*table)
    assert first + second == second + first == whole
    assert whole - second == first
    assert whole - whole == Tallies.zero(classes)
    assert first + second - second == first


@given(st.lists(numbers.filter(lambda x: not math.isnan(x)), min_size=2, max_size=20))
def test_buckets_keep_the_order_and_hold_their_numbers(values):
    x = np.sort(np.array(values))
    buckets = bucket_of(x)
    assert (np.diff(buckets) >= 0).all()
    near, far = edges_of(buckets)
    assert (np.abs(near) <= np.abs(x)).all()
    assert ((np.abs(x) < np.abs(far)) | (np.abs(far) == np.finfo(np.float64).max)).all()  # the last ends with numbers
    assert (bucket_of(middle_of(buckets)) == buckets).all()
    large = np.abs(x) > 1e-300
    assert (np.abs(far - near)[large] <= np.abs(x)[large] / 1024).all()


def test_whole_numbers_up_to_2048_have_a_bucket_each():
    assert len(set(bucket_of(np.arange(-2048.0, 2049.0)).tolist())) == 4097


def test_negative_counts_and_other_kinds_are_refused():
    some = Tallies.of(["a", "b"], [[1, 0], [2, 1]], [0, 1])
    with pytest.raises(NegativeCountError, match="column 'x' would have the value 'a' less than no times"):
        (some - Tallies.of(["a"], [[2, 0]])).refuse_negative("x")
    with pytest.raises(NegativeCountError, match="column 'x' would have less than no missing cells"):
        (some - Tallies.of(["b"], [[1, 1]], [1, 0])).refuse_negative("x")
    with pytest.raises(MergeError, match="use one family for a column"):
        some + ClassMoments.zero(2, 1)


def test_rows_without_labels_bring_no_values():
    """A batch in which no row has a label has no classes, and no value of it was seen."""
    found = tallied([0, 1, -1], [-1, -1, -1], None, 0)
    assert found.keys.tolist() == []
    assert bucketed([1.0, 2.0], [-1, -1], None, 0).keys.tolist() == []


def test_a_code_beyond_the_values_is_refused():
    with pytest.raises(ValueError, match="a code is beyond the values"):
        _core.tally_codes(np.array([3], np.int32), 3, np.zeros(1, np.int32), None, 1)
