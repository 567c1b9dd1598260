"""Every kind of table in memory gives the same batches, or a refusal that says what to do."""

import math
import tracemalloc

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from table_frames import COLUMNS, EXPECTED, KINDS, TIMES, decoded

from priori.data import Field, Schema, table_batches
from priori.data.frames import BATCH_ROWS
from priori.errors import DataError


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("known", [False, True])
def test_every_kind_gives_the_same_table(kind, known):
    batches = list(table_batches(KINDS[kind](), EXPECTED if known else None, names=list(COLUMNS)))
    rows = 0
    for batch in batches:
        assert batch.schema == EXPECTED
        assert batch.first_row == rows
        assert all(isinstance(array, pa.Array) and len(array) == len(batch) for array in batch.columns.values())
        rows += len(batch)
    for name, numbers in {"flag": [1, math.nan, 0], "count": [3, math.nan, -4], "size": [1.5, math.nan, 2]}.items():
        np.testing.assert_array_equal(np.concatenate([batch.numbers(name) for batch in batches]), numbers)
    assert decoded(batches, "flag") == ["true", None, "false"]
    assert decoded(batches, "count") == ["3", None, "-4"]
    assert decoded(batches, "size") == ["1.5", None, "2"]
    assert decoded(batches, "word") == ["a", None, "b"]
    assert decoded(batches, "day") == ["2020-01-01", "1969-12-31", None]
    assert decoded(batches, "time") == ["2020-01-01T05:00:00", None, "1999-12-31T23:59:00"]
    assert [text for batch in batches for text in batch.texts("word").to_pylist()] == ["a", None, "b"]
    hours = np.concatenate([batch.dates("time").hour for batch in batches])
    assert hours.tolist() == [5, -1, 23]
    assert np.concatenate([batch.dates("day").weekday for batch in batches]).tolist() == [3, 3, -1]


TWO_DICTIONARIES = pa.chunked_array([pa.array(["x", None]).dictionary_encode(), pa.array(["y"]).dictionary_encode()])


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"a": pd.Categorical(["x", None, "y"], categories=["z", "y", "x"])}),
        pl.DataFrame({"a": pl.Series(["x", None, "y"], dtype=pl.Categorical)}),
        pl.DataFrame({"a": pl.Series(["x", None, "y"], dtype=pl.Enum(["z", "y", "x"]))}),
        pa.table({"a": pa.array(["x", None, "y"]).dictionary_encode()}),
        pa.table({"a": TWO_DICTIONARIES}),
        {"a": TWO_DICTIONARIES},
        duckdb.sql("select unnest(['x', null, 'y'])::enum('z', 'y', 'x') as a"),
    ],
)  # fmt: skip
def test_categories_of_every_library(X):
    batches = list(table_batches(X))
    assert batches[0].schema.fields == (Field("a", "category"),)
    assert decoded(batches, "a") == ["x", None, "y"]


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "uint8", "bool"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_have_the_names_of_scikit_learn(dtype, order):
    X = np.array([[0, 1], [1, 1], [1, 0]], dtype=dtype, order=order)
    (batch,) = table_batches(X)
    assert batch.schema.names == ("x0", "x1")
    np.testing.assert_array_equal(batch.numbers("x1"), [1, 1, 0])
    (batch,) = table_batches(X[::2, ::-1], names=["b", "a"])
    np.testing.assert_array_equal(batch.numbers("b"), [1, 0])


def test_missing_values_of_pandas_are_missing():
    X = pd.DataFrame(
        {"a": pd.Series([None, math.nan, pd.NA, "x"], dtype=object), "t": [pd.NaT, pd.NaT, pd.NaT, TIMES[0]]}
    )
    (batch,) = table_batches(X)
    assert batch.schema == Schema((Field("a", "string"), Field("t", "time")))
    assert decoded([batch], "a") == [None, None, None, "x"]
    assert batch.dates("t").hour.tolist() == [-1, -1, -1, 5]


def test_names_become_text():
    (batch,) = table_batches(pd.DataFrame({0: [1], ("a", 1): [2]}))
    assert batch.schema.names == ("0", "('a', 1)")
    assert batch.numbers("('a', 1)").tolist() == [2]


def test_long_tables_come_in_batches_that_share_memory():
    values = np.arange(3.0 * BATCH_ROWS + 7)
    for X in (pd.DataFrame({"a": values}, copy=False), {"a": values}, pa.table({"a": values}), values.reshape(-1, 1)):
        batches = list(table_batches(X))
        assert [len(batch) for batch in batches] == [BATCH_ROWS, BATCH_ROWS, BATCH_ROWS, 7]
        assert [batch.first_row for batch in batches] == [0, BATCH_ROWS, 2 * BATCH_ROWS, 3 * BATCH_ROWS]
        assert all(np.shares_memory(batch.numbers(batch.schema.names[0]), values) for batch in batches)
        np.testing.assert_array_equal(np.concatenate([b.numbers(b.schema.names[0]) for b in batches]), values)


@pytest.mark.parametrize("make", [np.asarray, pd.DataFrame])
def test_an_array_is_never_copied_whole(make):
    X = np.zeros((4 * BATCH_ROWS, 8))
    frame = make(X)
    peak, before = 0, pa.total_allocated_bytes()
    tracemalloc.start()
    for batch in table_batches(frame):
        for name in batch.schema.names:
            batch.numbers(name)
            peak = max(peak, pa.total_allocated_bytes() - before)
    peak += tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < X.nbytes / 2


@given(st.lists(st.tuples(st.none() | st.text(), st.none() | st.floats(allow_infinity=False), st.booleans())))
def test_frames_of_two_libraries_agree(rows):
    columns = {"s": [row[0] for row in rows], "x": [row[1] for row in rows], "b": [row[2] for row in rows]}
    kinds = {"s": pl.String, "x": pl.Float64, "b": pl.Boolean}
    expected = list(table_batches(pl.DataFrame(columns, schema=kinds)))
    found = list(table_batches(pl.DataFrame(columns, schema=kinds).to_pandas(), expected[0].schema))
    for one, other in zip(expected, found, strict=True):
        assert one.texts("s").to_pylist() == other.texts("s").to_pylist()
        np.testing.assert_array_equal(one.numbers("x"), other.numbers("x"))
        np.testing.assert_array_equal(one.numbers("b"), other.numbers("b"))


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"a": pd.Series([], dtype="float64")}),
        pl.DataFrame({"a": pl.Series([], dtype=pl.Float64)}),
        pa.table({"a": pa.array([], pa.float64())}),
        pa.schema({"a": pa.float64()}).empty_table().to_reader(),
        {"a": np.array([])},
        np.empty((0, 1)),
    ],
)
def test_no_rows_are_one_empty_batch(X):
    (batch,) = table_batches(X, names=["a"])
    assert len(batch) == 0
    name = batch.schema.names[0]
    assert batch.schema.fields[0].type == "real"
    assert batch.numbers(name).shape == (0,)
    assert batch.codes(name)[1] == ()


@pytest.mark.parametrize(
    "X",
    [pd.DataFrame(index=[0, 1, 2]), pl.DataFrame(), pa.table({}), {}, np.empty((3, 0)), [[], [], []], [{}, {}, {}]],
)
def test_no_columns_are_refused_as_scikit_learn_does(X):
    with pytest.raises(DataError, match=r"0 feature\(s\) \(shape=\(\d*, 0\)\) while a minimum of \d* is required."):
        list(table_batches(X))


@pytest.mark.parametrize(
    "X",
    [
        [1, 2],
        ["a", "b"],
        np.zeros(3),
        np.zeros((2, 2, 2)),
        pd.Series([1]),
        pl.Series([1]),
        pa.array([1]),
        pa.chunked_array([[1]]),
    ],
)
def test_what_is_not_two_dimensional_is_to_be_reshaped(X):
    with pytest.raises(DataError, match="Reshape your data"):
        list(table_batches(X))
