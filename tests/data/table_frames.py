"""One table as every kind of frame, for the tests of reading them."""

import datetime as dt

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from priori.data import Field, Schema

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
