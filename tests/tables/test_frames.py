"""Every kind of table in memory gives the same batches, or a refusal that says what to do."""

import datetime as dt
import math
import re
import tracemalloc
from decimal import Decimal

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from priori.errors import DataError
from priori.tables import Field, Schema, table_batches

DAYS = [dt.date(2020, 1, 1), dt.date(1969, 12, 31), None]
TIMES = [dt.datetime(2020, 1, 1, 5), None, dt.datetime(1999, 12, 31, 23, 59)]
COLUMNS = {
    "flag": [True, None, False],
    "count": [3, None, -4],
    "size": [1.5, None, 2.0],
    "word": ["a", None, "b"],
    "day": DAYS,
    "time": TIMES,
}
TYPES = ("boolean", "integer", "real", "string", "date", "time")
EXPECTED = Schema(tuple(Field(name, kind) for name, kind in zip(COLUMNS, TYPES, strict=True)))


def pandas_nullable():
    dtypes = {"flag": "boolean", "count": "Int64", "word": "string"}
    return pd.DataFrame(COLUMNS).astype({"size": "float64", "time": "datetime64[us]"} | dtypes)


def narwhals_frame(native):
    return pytest.importorskip("narwhals").from_native(native)


def chunked(array):
    return pa.chunked_array([array[:2], array[2:]])


KINDS = {
    "pandas objects": lambda: pd.DataFrame(COLUMNS, dtype=object, index=[7, 7, 9]),
    "pandas nullable": pandas_nullable,
    "pandas arrow": lambda: pa.table(COLUMNS).to_pandas(types_mapper=pd.ArrowDtype),
    "polars": lambda: pl.DataFrame(COLUMNS),
    "polars lazy": lambda: pl.LazyFrame(COLUMNS),
    "pyarrow table": lambda: pa.table(COLUMNS),
    "pyarrow batch": lambda: pa.record_batch(COLUMNS),
    "pyarrow chunks": lambda: pa.concat_tables([pa.table(COLUMNS)[:1], pa.table(COLUMNS)[1:1], pa.table(COLUMNS)[1:]]),
    "pyarrow reader": lambda: pa.table(COLUMNS).to_reader(2),
    "duckdb": lambda: duckdb.from_arrow(pa.table(COLUMNS)),
    "narwhals of polars": lambda: narwhals_frame(pl.DataFrame(COLUMNS)),
    "narwhals of lazy": lambda: narwhals_frame(pl.LazyFrame(COLUMNS)),
    "narwhals of pandas": lambda: narwhals_frame(pandas_nullable()),
    "dict of lists": lambda: COLUMNS,
    "dict of series": lambda: {name: pl.Series(values) for name, values in COLUMNS.items()},
    "dict of arrays": lambda: {name: np.array(values, object) for name, values in COLUMNS.items()},
    "dict of chunks": lambda: {name: chunked(pa.array(values)) for name, values in COLUMNS.items()},
    "list of dicts": lambda: [
        {"flag": True, "count": 3, "size": 1.5, "word": "a", "day": DAYS[0], "time": TIMES[0]},
        {"day": DAYS[1]},
        {"flag": False, "count": -4, "size": 2.0, "word": "b", "day": None, "time": TIMES[2]},
    ],
    "numpy objects": lambda: np.array(list(zip(*COLUMNS.values(), strict=True)), object),
    "list of rows": lambda: [list(row) for row in zip(*COLUMNS.values(), strict=True)],
    "tuple of tuples": lambda: tuple(zip(*COLUMNS.values(), strict=True)),
}  # fmt: skip


def decoded(batches, name):
    found = []
    for batch in batches:
        codes, values = batch.codes(name)
        found += [None if code < 0 else values[code] for code in codes]
    return found


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
    values = np.arange(200_000.0)
    for X in (pd.DataFrame({"a": values}, copy=False), {"a": values}, pa.table({"a": values}), values.reshape(-1, 1)):
        batches = list(table_batches(X))
        assert [len(batch) for batch in batches] == [65536, 65536, 65536, 3392]
        assert [batch.first_row for batch in batches] == [0, 65536, 131072, 196608]
        assert all(np.shares_memory(batch.numbers(batch.schema.names[0]), values) for batch in batches)
        np.testing.assert_array_equal(np.concatenate([b.numbers(b.schema.names[0]) for b in batches]), values)


@pytest.mark.parametrize("make", [np.asarray, pd.DataFrame])
def test_an_array_is_never_copied_whole(make):
    X = np.zeros((500_000, 8))
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
