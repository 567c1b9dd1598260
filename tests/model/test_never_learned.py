"""Rows can be left out only of what holds them."""

import warnings

import numpy as np
import pytest

from model.estimators import discriminant, naive_bayes
from priori.errors import DataError

LABELS = [0, 0, 0, 1, 1, 1]
NUMBERS = {"x": [1.0, 2.0, 3.0, 7.0, 8.0, 10.0]}
OTHER = {"x": [50.0, 2.0]}


@pytest.mark.parametrize(
    ("family", "table", "other"),
    [
        ("binned", NUMBERS, OTHER),
        ("gaussian", NUMBERS, OTHER),
        ("student", NUMBERS, OTHER),
        ("lognormal", NUMBERS, OTHER),
        ("categorical", {"x": ["a", "a", "b", "c", "c", "b"]}, {"x": ["c", "a"]}),
        ("bernoulli", {"x": [True, True, True, False, False, True]}, {"x": [False, True]}),
        ("text", {"x": ["a b", "a", "b", "c d", "c", "d"]}, {"x": ["c", "a"]}),
        ("multinomial", NUMBERS, OTHER),
        ("gaussian_joint", NUMBERS, OTHER),
    ],
)
def test_a_row_that_was_never_learned_is_named(family, table, other):
    model = naive_bayes(columns=family).fit(table, LABELS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isfinite(model.leave_one_out(table, LABELS)).all()
        with pytest.raises(DataError, match=r"column 'x': row 1 was never learned with this label"):
            model.leave_one_out(other, [0, 0])


@pytest.mark.parametrize("kind", ["shared", "full", "diagonal"])
def test_a_row_far_from_its_class_was_never_learned(kind):
    X = np.random.default_rng(0).normal(size=(12, 2))
    model = discriminant(covariance=kind).fit(X, [0, 1] * 6)
    with pytest.raises(DataError, match="row 2 was never learned with this label"):
        model.leave_one_out(np.array([X[0], [1e3, 1.0]]), [0, 1])


def test_a_missing_cell_where_none_was_missing():
    model = naive_bayes(columns="gaussian").fit(NUMBERS, LABELS)
    with pytest.raises(DataError, match="row 2 was never learned"):
        model.leave_one_out({"x": [1.0, None]}, [0, 0])
