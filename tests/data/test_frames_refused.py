"""Tables in memory that are refused, and those that must fit a schema."""

import math
import re
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from table_frames import DAYS, TIMES

from priori.data import Field, Schema, table_batches
from priori.errors import DataError

REFUSED = [
    (scipy.sparse.csr_matrix(np.eye(2)), "X is a sparse matrix, .*; give dense data, .* TextClassifier"),
    (scipy.sparse.csr_array(np.eye(2)), "X is a sparse matrix"),
    ([], "X is an empty list, which has no columns; give at least one row"),
    (3, "X is a int, not a table; give a frame"),
    (None, "X is a NoneType, not a table"),
    ([[1, 2], [3]], "the rows of X have from 1 to 2 values; give as many in every row"),
    ({"a": [1, 2], "b": [1]}, "column 'b' has 1 values and column 'a' 2; give as many to all"),
    ({"a": 1}, "column 'a' is one int, not many values; put it into a list"),
    ({"a": "text"}, "column 'a' is one str, not many values; put it into a list"),
    ({"a": np.zeros((2, 2))}, r"column 'a' has the shape .*; a column has one dimension"),
    ({"a": [3, "x"]}, r"column 'a' mixes 3 \(int\) and 'x' \(str\), and a column has one type; convert all"),
    ({"a": [True, 3]}, r"column 'a' mixes True \(bool\) and 3 \(int\)"),
    ({"a": [DAYS[0], TIMES[0]]}, r"column 'a' mixes .* \(date\) and .* \(datetime\)"),
    ({"a": ["x", b"y"]}, r"column 'a' has b'y' \(bytes\), but a cell given as argument must be a string, a number"),
    (pd.DataFrame({"a": pd.Series([None, 3, "x"], dtype=object)}), r"column 'a' mixes 3 \(int\) and 'x' \(str\)"),
    (np.array([[1, "x"], ["y", 2.5]], object), r"column 'x0' mixes 1 \(int\) and 'y' \(str\)"),
    ([[1, {"k": 1}]], r"column 'x1' has {'k': 1} \(dict\), but a cell given as argument must be a string, a number"),
    (pd.DataFrame({"a": [[1], [2]]}), r"column 'a' has \[1\] \(list\)"),
    (pa.table({"a": [[1]]}), "column 'a' is of type list<.*>, .*; leave the column out"),
    (pl.DataFrame({"a": [{"b": 1}]}), "column 'a' is of type struct<.*>, .*; leave the column out"),
    (pd.DataFrame({"a": pd.period_range("2020", periods=2, freq="D")}), "column 'a' is of type .*period"),
    (pd.DataFrame([[1, 2]], columns=["a", "a"]), "there are 2 columns called 'a'; rename all but one"),
    (pd.DataFrame([[1, 2]], columns=["1", 1]), "there are 2 columns called '1'; rename all but one"),
    (pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["a", "a"]), "there are 2 columns called 'a'"),
    (np.zeros((1, 1), complex), "Complex data not supported"),
]


@pytest.mark.parametrize(("X", "message"), REFUSED)
def test_what_is_no_table_is_refused_with_a_remedy(X, message):
    with pytest.raises(DataError, match=message):
        list(table_batches(X))


def test_numbers_that_integers_cannot_hold_become_floats():
    (batch,) = table_batches({"a": [2**70, None, 1], "b": [2**60 + 1, 2.5, None], "c": [Decimal("1.5"), 2, None]})
    np.testing.assert_array_equal(batch.numbers("a"), [2.0**70, math.nan, 1])
    np.testing.assert_array_equal(batch.numbers("b"), [float(2**60 + 1), 2.5, math.nan])
    np.testing.assert_array_equal(batch.numbers("c"), [1.5, 2, math.nan])


def test_half_a_surrogate_pair_is_replaced():
    (batch,) = table_batches({"a": ["x", "\ud800"]})
    assert batch.texts("a").to_pylist() == ["x", "\ufffd"]


SCHEMA = Schema((Field("a", "real"), Field("b", "string")))


def test_order_does_not_matter_and_other_columns_are_not_looked_at():
    X = pd.DataFrame({"c": pd.Series([1, "x"], dtype=object), "b": ["u", "v"], "a": [1, 2]})
    for table in (X, {name: X[name].tolist() for name in X}, X.to_dict("records")):
        (batch,) = table_batches(table, SCHEMA)
        assert batch.schema == SCHEMA
        assert list(batch.columns) == ["a", "b"]
        assert batch.numbers("a").tolist() == [1, 2]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, dict, lambda columns: [{"c": 1}]])
def test_missing_columns_are_named(make):
    with pytest.raises(DataError, match=r"X has no columns 'a', 'b'; its columns are 'c'. Add what is missing"):
        list(table_batches(make({"c": [1]}), SCHEMA))


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, dict])
def test_a_type_that_does_not_fit_is_refused(make):
    with pytest.raises(DataError, match="X: column 'a' is of type string where real is expected; convert it"):
        list(table_batches(make({"a": ["1"], "b": ["x"]}), SCHEMA))


def test_an_array_must_have_as_many_columns():
    message = "X has 3 features, but NaiveBayes is expecting 2 features as input"
    for X in (np.zeros((1, 3)), [[0, "x", 1]]):
        with pytest.raises(DataError, match=re.escape(message)):
            list(table_batches(X, SCHEMA, estimator="NaiveBayes"))
    with pytest.raises(DataError, match="there are 1 names for 2 columns; give one for each"):
        list(table_batches(np.zeros((1, 2)), names=["a"]))


def test_all_missing_fits_every_type():
    every = Schema(tuple(Field(kind, kind) for kind in ("boolean", "integer", "category", "string", "date", "time")))
    (batch,) = table_batches({name: [None, None] for name in every.names}, every)
    assert batch.schema == every
    for name in every.names:
        assert batch.codes(name)[0].tolist() == [-1, -1]
    assert batch.texts("string").to_pylist() == [None, None]
    assert batch.dates("time").hour.tolist() == [-1, -1]
    assert np.isnan(batch.numbers("integer")).all()


def test_objects_that_are_arrays_to_numpy_are_arrays():
    class Tensor:
        def __array__(self, dtype=None, copy=None):
            return np.array([[1.0, 2.0]])

    (batch,) = table_batches(Tensor())
    assert batch.numbers("x1").tolist() == [2.0]


def test_sparse_columns_of_pandas_are_made_dense():
    (batch,) = table_batches(pd.DataFrame({"a": pd.arrays.SparseArray([0.0, 1.0, 0.0])}))
    assert batch.numbers("a").tolist() == [0, 1, 0]


def test_foreign_bytes_are_turned():
    (batch,) = table_batches(np.array([[1.5, 2.5]], ">f8"))
    assert batch.numbers("x1").tolist() == [2.5]


def test_hours_and_minutes_of_numpy_are_times():
    X = {
        "a": np.array(["2020-01-01T05", "NaT"], "datetime64[h]"),
        "b": np.array(["2020-01-01", "NaT"], "datetime64[D]"),
    }
    (batch,) = table_batches(X)
    assert [field.type for field in batch.schema.fields] == ["time", "date"]
    assert batch.dates("a").hour.tolist() == [5, -1]
