"""Costs as they are given: matrices, or labels by name."""

import numpy as np
import pytest

from priori.decisions.costs import cost_matrix
from priori.errors import DataError
from tables_model.estimators import naive_bayes


@pytest.mark.parametrize("labels", [[0, 1], [0.0, 1.0], [False, True], ["0", "1"]], ids=str)
@pytest.mark.parametrize("name", [int, float, str, np.int64])
def test_labels_are_named_as_they_are_or_by_their_text(labels, name):
    if name is float and isinstance(labels[0], str):
        pytest.skip("'0.0' is another text than '0'")
    key = name if name is not str else lambda k: str(labels[k])
    np.testing.assert_array_equal(cost_matrix({key(1): {key(0): 7}}, labels), [[0, 1], [7, 0]])


@pytest.mark.parametrize("value", ["x", None, [1, 2]], ids=str)
def test_a_cost_is_a_number(value):
    with pytest.raises(DataError, match=r"the cost of 0 where it is 1 is .*, no number; give numbers"):
        cost_matrix({0: {1: value}}, [0, 1])


def test_a_cost_of_no_class():
    with pytest.raises(DataError, match=r"the costs name 2, which is no class; the classes are \[0, 1\]"):
        cost_matrix({0: {2: 1}}, [0, 1])


def test_costs_decide_between_numbers():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    dear = naive_bayes(columns="gaussian", cost={1: {0: 1e9}}).fit(X, [0.0, 0.0, 1.0, 1.0])
    assert dear.predict(X).tolist() == [0.0] * 4
