"""With a schema known, columns become what it expects, or the first cell that does not fit is refused."""

import datetime as dt
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from priori.data import Field, Schema, table_batches
from priori.errors import DataError

DATED = Schema((Field("day", "date"), Field("at", "time"), Field("paid", "boolean")))
DAYS = [dt.date(1969, 12, 31), None, dt.date(2024, 2, 29)]
TIMES = [dt.datetime(1960, 1, 1, 13, 30), None, dt.datetime(2024, 2, 29, 23, 59, 59)]
NATIVE = {"day": pa.array(DAYS), "at": pa.array(TIMES), "paid": pa.array([True, None, False])}
WRITTEN = {
    "day": [None if day is None else day.isoformat() for day in DAYS],
    "at": [None if time is None else time.isoformat() for time in TIMES],
    "paid": [1, None, 0],
}
MIDNIGHTS = [None if day is None else dt.datetime.combine(day, dt.time()) for day in DAYS]


@pytest.mark.parametrize(
    "frame",
    [
        WRITTEN,
        pd.DataFrame(WRITTEN),
        pd.DataFrame(WRITTEN).astype({"day": "category", "at": "datetime64[ns]", "paid": "Int8"}),
        pd.DataFrame(WRITTEN).assign(day=pd.to_datetime(pd.Series(MIDNIGHTS))),
        pl.DataFrame(WRITTEN),
        pa.table({**NATIVE, "day": pa.array(MIDNIGHTS, pa.timestamp("s"))}),
        [dict(zip(WRITTEN, row, strict=True)) for row in zip(*WRITTEN.values(), strict=True)],
    ],
)
def test_what_a_schema_expects_is_made_of_what_means_the_same(frame):
    (batch,), (native,) = table_batches(frame, DATED), table_batches(NATIVE, DATED)
    for name in ("day", "at"):
        for part in ("year", "month", "weekday", "hour"):
            one, other = getattr(batch.dates(name), part), getattr(native.dates(name), part)
            assert (one is None and other is None) or np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    np.testing.assert_array_equal(batch.numbers("paid"), native.numbers("paid"))
    assert set(batch.codes("paid")[1]) == {"false", "true"}


@pytest.mark.parametrize(
    ("name", "cells", "said"),
    [
        ("day", ["2024-02-29", "soon", "x"], "has 'soon' in row 2, which is not a date as 2020-12-31"),
        (
            "day",
            [MIDNIGHTS[0], TIMES[0], TIMES[2]],
            "has 1960-01-01T13:30:00 in row 2, which is not a date without a time",
        ),
        ("at", ["2024-02-29T01:00", "2024-02-29", None], "has '2024-02-29' in row 2, which is not a time as"),
        ("paid", [1, 2, 3], "has 2 in row 2, which is not 0 or 1"),
        ("paid", [1.0, 0.5, None], "has 0.5 in row 2, which is not 0 or 1"),
        ("paid", ["yes", "no", None], "is of type string where boolean is expected"),
        ("paid", pa.array([1, 0, None], pa.duration("s")), "is of type real where boolean is expected"),
        ("at", DAYS, "is of type date where time is expected"),
    ],
)
def test_the_first_cell_that_does_not_fit_is_refused(name, cells, said):
    with pytest.raises(DataError, match=re.escape(f"X: column {name!r} {said}")):
        list(table_batches({**NATIVE, name: cells}, DATED))
