"""Exact sums by class: against fractions, for any floats, weights, orders and batches."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from priori import _core
from priori.errors import DataError, NegativeCountError
from priori.statistics.by_class import UNIT_BITS
from priori.statistics.class_moments import ClassMoments
from priori.statistics.exact_sums import Dyadics

ONE = 1 << UNIT_BITS
TINY, HUGE = 5e-324, 1.7976931348623157e308
NASTY = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.1,
    TINY,
    -TINY,
    2.2250738585072014e-308,
    1e308,
    -HUGE,
    HUGE,
    2.0**31,
    -(2.0**-32),
    1e16,
]
finite = st.sampled_from(NASTY) | st.floats(allow_nan=False, allow_infinity=False)
moderate = st.sampled_from([0.0, 0.1, -1e100, 1e-100, 2.0**400]) | st.floats(-1e120, 1e120)
units = st.sampled_from([0, 1, ONE, ONE - 1, (1 << 31) * ONE]) | st.integers(0, 1 << 40)


@st.composite
def tables(draw, numbers=finite, dimensions=(1, 2, 5)):
    """(d columns with holes, groups from -1, weights in units or none, K)."""
    d, rows, classes = draw(st.sampled_from(dimensions)), draw(st.integers(0, 8)), draw(st.integers(0, 3))
    cell = numbers | st.just(math.nan) if draw(st.booleans()) else numbers
    columns = [draw(st.lists(cell, min_size=rows, max_size=rows)) for _ in range(d)]
    group = draw(st.lists(st.integers(-1, classes - 1), min_size=rows, max_size=rows))
    weights = draw(st.none() | st.lists(units, min_size=rows, max_size=rows))
    return columns, group, weights, classes


def counted(columns, group, weights, classes, products=True):
    given_weights = None if weights is None else np.array(weights, np.int64)
    return ClassMoments.of(columns, np.array(group, np.int32), given_weights, classes=classes, products=products)


def in_fractions(columns, group, weights, classes):
    """Σw, missing, Σwx and Σw x_i x_j of each class, weights in units."""
    d = len(columns)
    found = [[0, 0, [Fraction(0)] * d, [Fraction(0)] * (d * (d + 1) // 2)] for _ in range(classes)]
    for row, k in enumerate(group):
        weight = ONE if weights is None else weights[row]
        cells = [column[row] for column in columns]
        if k < 0:
            continue
        if any(math.isnan(x) for x in cells):
            found[k][1] += weight
            continue
        exact = [Fraction(x) for x in cells]
        found[k][0] += weight
        found[k][2] = [total + weight * x for total, x in zip(found[k][2], exact, strict=True)]
        pairs = [exact[i] * exact[j] for i in range(d) for j in range(i, d)]
        found[k][3] = [total + weight * x for total, x in zip(found[k][3], pairs, strict=True)]
    return found


def as_fractions(dyadics):
    return [[Fraction(x) * Fraction(2) ** dyadics.exponent for x in row] for row in dyadics.integers.tolist()]


@given(tables())
def test_sums_are_those_of_fractions(table):
    found = counted(*table)
    expected = in_fractions(*table)
    assert found.weight.tolist() == [each[0] for each in expected]
    assert found.missing.tolist() == [each[1] for each in expected]
    assert as_fractions(found.sums) == [each[2] for each in expected]
    assert as_fractions(found.products) == [each[3] for each in expected]
    only = counted(*table, products=False)
    assert only.sums == found.sums
    assert only.products.integers.shape == (table[3], 0)


@given(tables(), st.data())
def test_neither_order_nor_batches_show(table, data):
    columns, group, weights, classes = table
    rows = len(group)
    order = data.draw(st.permutations(range(rows)))
    cut = data.draw(st.integers(0, rows))

    def part(places):
        return counted(
            [[column[i] for i in places] for column in columns],
            [group[i] for i in places],
            None if weights is None else [weights[i] for i in places],
            classes,
        )

    whole, first, second = counted(*table), part(order[:cut]), part(order[cut:])
    assert part(order) == whole
    assert first + second == whole
    assert second + first == whole
    assert first + second - second == first
    assert whole - whole == ClassMoments.zero(classes, len(columns))
    assert whole - first == second


def nearest(number):
    """The float nearest to a fraction: the oracle's own single rounding, as Python divides integers."""
    return number.numerator / number.denominator


@given(tables(moderate))
def test_means_and_scatters_are_rounded_once(table):
    columns, _, _, classes = table
    found, expected, d = counted(*table), in_fractions(*table), len(columns)
    for k in range(classes):
        weight, _, sums, products = expected[k]
        vector = found.vector_moments(k)
        assert vector.n == weight / ONE
        if not weight:
            continue
        pair = 0
        for i in range(d):
            assert vector.mean[i] == nearest(sums[i] / weight)
            assert found.total(k, i) == nearest(sums[i] / ONE)
            for j in range(i, d):
                scatter = (products[pair] - sums[i] * sums[j] / weight) / ONE
                assert vector.scatter[i, j] == vector.scatter[j, i] == nearest(scatter)
                pair += 1
            one = found.moments(k, i)
            assert (one.n, one.mean, one.scatter) == (vector.n, vector.mean[i], vector.scatter[i, i])


@given(tables(moderate), st.permutations(range(4)))
def test_classes_can_be_placed_and_kept(table, order):
    found, classes = counted(*table), table[3]
    labels = tuple("abcd")
    places = order[:classes]
    wider = found.placed(places, labels)
    assert wider.classes == 4
    assert wider.kept(np.array(places, np.intp), tuple(labels[k] for k in places)) == found
    assert wider.pooled() == found.pooled()


@pytest.mark.parametrize("value", [1.0, 0.1, 2.0**52 + 1, TINY, HUGE, 2.0**-32 - 2.0**-85])
@pytest.mark.parametrize("d", [1, 2])
def test_many_carries_of_alternating_sign(value, d):
    """Digits fill up and empty again; what is left is one value, and squares that only grow."""
    n = 100_001
    x = np.where(np.arange(n) % 2 == 0, value, -value)
    found = counted([x] * d, np.zeros(n, np.int32), None, 1)
    assert as_fractions(found.sums) == [[ONE * Fraction(value)] * d]
    assert as_fractions(found.products) == [[n * ONE * Fraction(value) ** 2] * (d * (d + 1) // 2)]


@pytest.mark.parametrize("sign", [1, -1])
def test_weights_stand_for_more_than_2_to_the_24_additions(sign):
    heavy = [(1 << 31) * ONE] * 1000  # near what 64 bits of a class's weight can hold
    found = counted([[sign * HUGE] * 1000, [0.1] * 1000], [0] * 1000, heavy, 1)
    total = 1000 * heavy[0]
    assert as_fractions(found.sums) == [[sign * total * Fraction(HUGE), total * Fraction(0.1)]]
    product = total * Fraction(HUGE)
    assert as_fractions(found.products)[0][:2] == [product * Fraction(HUGE), sign * product * Fraction(0.1)]


def test_more_rows_than_are_added_between_carries():
    """2^24 + 3 rows of the largest mantissa, in one column and in the general way."""
    n = (1 << 24) + 3
    x = np.full(n, 2.0**53 - 1)
    found = counted([x], np.zeros(n, np.int32), None, 1)
    assert as_fractions(found.sums) == [[n * ONE * Fraction(2**53 - 1)]]
    assert as_fractions(found.products) == [[n * ONE * Fraction(2**53 - 1) ** 2]]


def test_a_million_numbers_near_a_million_leave_exactly_the_hundred_near_zero():
    rng = np.random.default_rng(0)
    near, far = rng.normal(size=100), 1e6 + rng.normal(size=1_000_000)
    few = counted([near], np.zeros(100, np.int32), None, 1)
    many = counted([far], np.zeros(len(far), np.int32), None, 1)
    assert few + many - many == few
    mean = sum(map(Fraction, near.tolist())) / 100
    assert few.moments(0).scatter == nearest(sum((Fraction(x) - mean) ** 2 for x in near.tolist()))


def test_infinite_numbers_are_refused():
    with pytest.raises(ValueError, match="an infinite number has no sum"):
        counted([[1.0, math.inf]], [0, 0], None, 1)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([np.zeros(2)], np.zeros(3, np.int32), None, 1, True), "differ in length"),
        (([np.zeros(2)], np.zeros(2, np.int32), np.ones(1, np.int64), 1, True), "differ in length"),
        (([np.zeros(2)], np.ones(2, np.int32), None, 1, True), "out of range"),
        (([np.zeros(2)], np.zeros(2, np.int32), -np.ones(2, np.int64), 1, True), "negative"),
    ],
)
def test_wrong_arguments_are_refused(arguments, words):
    with pytest.raises(ValueError, match=words):
        _core.exact_moments(*arguments)


def test_no_rows_and_no_classes():
    assert counted([[]], [], None, 0) == ClassMoments.zero(0, 1)
    assert counted([[], []], [], None, 2) == ClassMoments.zero(2, 2)
    assert counted([[1.0]], [-1], None, 1) == ClassMoments.zero(1, 1)
    assert counted([[math.nan]], [0], None, 1).missing.tolist() == [ONE]


def test_what_no_data_can_have_is_refused():
    some = counted([[1.0, 2.0, 4.0]], [0, 0, 0], None, 1)
    some.refuse_negative("x")
    for taken, words in [
        ([[1.0] * 4], "less than no rows"),
        ([[1.0, 2.0, 5.0]], "a sum of no numbers"),
        ([[1.0, 4.5]], "a variance below zero"),
    ]:
        with pytest.raises(NegativeCountError, match=f"column 'x' would have {words}"):
            (some - counted(taken, [0] * len(taken[0]), None, 1)).refuse_negative("x")


def test_sums_beyond_the_largest_float_are_refused():
    found = counted([[HUGE, HUGE]], [0, 0], None, 1)
    assert found.moments(0).mean == HUGE
    with pytest.raises(DataError, match="exceed the largest floating-point number; scale the data down"):
        found.total(0)


@given(st.lists(finite, max_size=6), st.lists(finite, max_size=6))
def test_dyadics_add_as_fractions_do(first, second):
    size = min(len(first), len(second))
    a, b = Dyadics.of(first[:size]), Dyadics.of(second[:size])
    assert a + b - b == a
    assert a + b == b + a
    assert (a + b).integers.shape == (size,)
    total = [Fraction(x) + Fraction(y) for x, y in zip(first, second, strict=False)]
    assert [Fraction(x) * Fraction(2) ** (a + b).exponent for x in (a + b).integers.tolist()] == total
    assert a.floats().tolist() == [x + 0.0 for x in first[:size]]


def test_carries_come_before_words_overflow():
    """The square of the number below 4 has all of its 106 bits at the top of a word: 2^23 of them would overflow it."""
    size, number = (1 << 24) + 1, math.nextafter(4.0, 0.0)
    found = ClassMoments.of([np.full(size, number)], np.zeros(size, np.int32))
    assert as_fractions(found.sums) == [[size * ONE * Fraction(number)]]
    assert as_fractions(found.products) == [[size * ONE * Fraction(number) ** 2]]
