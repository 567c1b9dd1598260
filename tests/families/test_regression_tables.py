"""Tables of pandas, Polars and Arrow as inputs: the numbers of a matrix, and the names of its columns."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import priori
from priori.families import LogisticRegression, NormalGammaRegression, NormalInverseWishart
from priori.families.regression.least_squares import column_names

COLUMNS = {"age": [31.0, 45.0, 27.0, 60.0, 39.0], "dose": [1, 3, 2, 5, 2]}
MATRIX = np.column_stack(list(COLUMNS.values()))
TARGETS = [1.0, 2.5, None, 4.0, 2.0]
every_table = pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame,
        lambda columns: pd.DataFrame(columns).convert_dtypes(),
        lambda columns: pd.DataFrame(columns, dtype="float64[pyarrow]"),
        pl.DataFrame,
        pa.table,
        pa.RecordBatch.from_pydict,
    ],
)


@every_table
def test_the_numbers_are_those_of_the_matrix(table):
    X = table(COLUMNS)
    expected = NormalGammaRegression.statistics(MATRIX, TARGETS)
    for targets in (TARGETS, pd.Series(TARGETS), pl.Series(TARGETS), pa.array(TARGETS), pa.chunked_array([TARGETS])):
        np.testing.assert_array_equal(NormalGammaRegression.statistics(X, targets).scatter, expected.scatter)
    np.testing.assert_array_equal(
        NormalInverseWishart.statistics(X).scatter, NormalInverseWishart.statistics(MATRIX).scatter
    )
    labels = ["a", "b", "a", "b", "b"]
    found, same = (LogisticRegression(0.01).most_probable(of, labels) for of in (X, MATRIX))
    np.testing.assert_allclose(found.weights, same.weights, rtol=1e-12)  # the order in memory rounds
    np.testing.assert_array_equal(found.predict(X), same.predict(MATRIX))
    assert priori.estimate("multivariate-normal", X).n == 5


@every_table
def test_names_are_the_table_s(table):
    X = table(COLUMNS)
    assert column_names(X) == ("age", "dose")
    model = priori.regress("linear", X, TARGETS, names=column_names(X)).ml
    assert "·age" in str(model) and "·dose" in str(model)


def test_what_is_no_table_has_no_names():
    class Odd:
        columns = 3

    for X in (MATRIX, MATRIX.tolist(), pd.DataFrame(MATRIX), pd.Series([1.0]), pa.array([1.0]), Odd(), None):
        assert column_names(X) == ()
