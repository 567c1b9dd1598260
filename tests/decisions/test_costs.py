"""Decisions of least expected cost: against every decision tried, and what costs may look like."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from priori.decisions.costs import cost_matrix, least_cost
from priori.errors import DataError
from priori.tabular import NaiveBayes

LABELS = ["a", "b", "c"]
prices = st.integers(-20, 20)


@given(data=st.data(), size=st.integers(1, 4), rows=st.integers(0, 5))
def test_the_decision_is_the_cheapest_of_all(data, size, rows):
    """In whole numbers, so that ties are ties: the first of them is taken."""
    costs = np.array(data.draw(st.lists(prices, min_size=size**2, max_size=size**2)), float).reshape(size, size)
    chances = np.array(data.draw(st.lists(st.integers(0, 9), min_size=rows * size, max_size=rows * size)), float)
    posterior = chances.reshape(rows, size)
    found = least_cost(posterior, cost_matrix(costs.tolist(), [str(k) for k in range(size)]))
    for row, decision in zip(posterior, found, strict=True):
        expected = [sum(costs[d, c] * row[c] for c in range(size)) for d in range(size)]
        assert decision == min(range(size), key=lambda d: expected[d])


@given(given=st.dictionaries(st.sampled_from(LABELS), st.dictionaries(st.sampled_from(LABELS), prices)))
def test_what_a_mapping_does_not_name_costs_nothing_if_right_and_one_if_wrong(given):
    matrix = cost_matrix(given, LABELS)
    for d, decision in enumerate(LABELS):
        for c, truth in enumerate(LABELS):
            assert matrix[d, c] == given.get(decision, {}).get(truth, float(d != c))


def test_mapping_and_matrix_say_the_same():
    matrix = cost_matrix({"b": {"a": 10, "b": -1}}, LABELS)
    np.testing.assert_array_equal(cost_matrix(matrix, LABELS), matrix)
    np.testing.assert_array_equal(cost_matrix(matrix.tolist(), LABELS), matrix)
    assert matrix.tolist() == [[0, 1, 1], [10, -1, 1], [1, 1, 0]]


def test_classes_that_are_numbers_are_named_by_them():
    assert cost_matrix({1: {0: 10}}, ["0", "1"]).tolist() == [[0, 1], [10, 0]]


@pytest.mark.parametrize(
    ("cost", "words"),
    [
        ({"d": {"a": 1}}, "the costs name 'd', which is no class; the classes are"),
        ({"a": {"d": 1}}, "the costs name 'd'"),
        ({"a": 3}, "the cost of 'a' is 3; give"),
        ({"a": {"b": float("nan")}}, "a cost is not finite"),
        ({"a": {"b": "much"}}, "the cost of 'a' where it is 'b' is 'much'"),
        ({"a": {"b": None}}, "the cost of 'a' where it is 'b' is None"),
        ([[0, 1], [1, 0]], r"of shape \(2, 2\) for 3 classes"),
        ([[0, 1, 1], [1, 0, 1], [1, 1, np.inf]], "a cost is not finite"),
        ([[0, 1], [1]], "no matrix of numbers"),
        ("costs", "no matrix of numbers"),
        (7, r"of shape \(\) for 3 classes"),
        (None, "of shape|no matrix"),
    ],
)
def test_what_costs_cannot_be(cost, words):
    with pytest.raises(DataError, match=words) as found:
        cost_matrix(cost, LABELS)
    assert "\n" not in str(found.value)


def test_an_estimator_decides_by_its_costs():
    table, y = {"c": ["x", "x", "x", "y"]}, ["no", "no", "yes", "yes"]
    model = NaiveBayes(temper=1).fit(table, y)
    assert model.predict({"c": ["x"]}).tolist() == ["no"]
    chance = model.predict_proba({"c": ["x"]})[0, 1]
    for price, expected in ((0.99 * chance / (1 - chance), "yes"), (1.01 * chance / (1 - chance), "no")):
        # a wrong yes costs the price times 1 - chance, a wrong no costs the chance
        assert model.set_params(cost={"yes": {"no": price}}).predict({"c": ["x"]}).tolist() == [expected]
