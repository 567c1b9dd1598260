"""Columns as numbers, codes, texts and parts of dates; the oracles are Python's own float, str and datetime."""

import datetime as dt
import math
import zoneinfo
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from priori.data import Field, Schema, TableBatch
from priori.errors import DataError


def batch_of(array, first_row=0, source="t.csv"):
    return TableBatch(Schema.of(pa.schema({"a": array.type})), {"a": array}, len(array), first_row, source)


def decoded(array):
    """Code by code the value, and that every value occurs once."""
    codes, values = batch_of(array).codes("a")
    assert codes.dtype == np.int32
    assert set(codes.tolist()) - {-1} == set(range(len(values)))
    assert len(set(values)) == len(values)
    return [None if code < 0 else values[code] for code in codes.tolist()]


def sliced(array):
    """The same values behind an offset."""
    return pa.concat_arrays([array[:0], array, array]).slice(len(array))


def same(found, expected):
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, np.array(expected, float))


@pytest.mark.parametrize("cut", [lambda array: array, sliced])
@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (pa.array([1.5, None, math.nan, -2.0]), [1.5, math.nan, math.nan, -2.0]),
        (pa.array([1.5, 2.5], pa.float32()), [1.5, 2.5]),
        (pa.array([1, None, 2**53 + 1, -7]), [1, math.nan, float(2**53 + 1), -7]),
        (pa.array([2**64 - 1, 0], pa.uint64()), [float(2**64 - 1), 0]),
        (pa.array([True, None, False]), [1, math.nan, 0]),
        (pa.array([Decimal("1.25"), None]), [1.25, math.nan]),
        (pa.array([dt.timedelta(seconds=90), None]), [90, math.nan]),
        (pa.array([dt.time(1, 0, 1), None]), [3601, math.nan]),
        (pa.array([3, None], pa.time32("ms")), [0.003, math.nan]),
        (pa.nulls(3), [math.nan] * 3),
        (pa.array([], pa.float64()), []),
    ],
)
def test_numbers_of_every_type(array, expected, cut):
    same(batch_of(cut(array)).numbers("a"), expected)


def test_numbers_that_are_float64_are_not_copied():
    values = np.array([1.0, math.nan, 3.0])
    array = pa.array(values)
    assert np.shares_memory(batch_of(array).numbers("a"), values)
    assert np.shares_memory(batch_of(array.slice(1)).numbers("a"), values)


def test_text_is_not_numbers():
    array = pa.array([None, "abc"])
    for cells in (array, array.dictionary_encode(), array.cast(pa.string_view())):
        with pytest.raises(
            DataError, match=r"t.csv: column 'a' holds \w+ \('abc' in row 17\), numbers were expected; "
        ):
            batch_of(cells, first_row=15).numbers("a")
    with pytest.raises(DataError, match="column 'a' holds dates, numbers were expected; "):
        batch_of(pa.array([dt.date(2020, 1, 1)])).numbers("a")


@pytest.mark.parametrize("read", ["numbers", "codes"])
def test_infinite_numbers_are_refused_with_their_row(read):
    with pytest.raises(DataError, match=r"column 'a' has -inf in row 12, which is no finite number; .*leave it empty"):
        getattr(batch_of(pa.array([1.0, -math.inf]), first_row=10), read)("a")


@pytest.mark.parametrize("cut", [lambda array: array, sliced])
@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (pa.array(["b", None, "", "b", "é"]), ["b", None, "", "b", "é"]),
        (pa.array(["b", None], pa.string_view()), ["b", None]),
        (pa.array([7, None, -3, 7], pa.int8()), ["7", None, "-3", "7"]),
        (pa.array([None, None], pa.int8()), [None, None]),
        (pa.array([-128, 127], pa.int8()), ["-128", "127"]),
        (pa.array([2**64 - 1, 2**64 - 3, None], pa.uint64()), [str(2**64 - 1), str(2**64 - 3), None]),
        (pa.array([-(2**63), 2**63 - 1, None]), [str(-(2**63)), str(2**63 - 1), None]),
        (pa.array([True, None, False]), ["true", None, "false"]),
        (pa.array([2.5, 3.0, None, math.nan, -0.0, 0.0]), ["2.5", "3", None, None, "0", "0"]),
        (pa.array([2.1, 3.0], pa.float32()), ["2.1", "3"]),
        (pa.array([Decimal("2.50"), Decimal("3.00")]), ["2.5", "3"]),
        (pa.array([dt.date(2020, 2, 29), None]), ["2020-02-29", None]),
        (pa.array([dt.date(2020, 2, 29), None], pa.date64()), ["2020-02-29", None]),
        (pa.array([dt.datetime(2020, 2, 29, 1), None]), ["2020-02-29T01:00:00", None]),
        (pa.array([1500], pa.timestamp("ms")), ["1970-01-01T00:00:01.5"]),
        (pa.array([0], pa.timestamp("s", "Asia/Tokyo")), ["1970-01-01T09:00:00"]),
        (pa.array([dt.timedelta(seconds=90)]), ["90"]),
        (pa.array(["x", None, "y"]).dictionary_encode(), ["x", None, "y"]),
        (pa.DictionaryArray.from_arrays([1, None, 1, 2], ["unused", "x", None]), ["x", None, "x", None]),
        (pa.DictionaryArray.from_arrays([0, 1, 2], ["x", "y", "x"], safe=False), ["x", "y", "x"]),
        (pa.DictionaryArray.from_arrays([0, 1], [3, 4]), ["3", "4"]),
        (pa.DictionaryArray.from_arrays(pa.array([None], pa.int8()), pa.array([], pa.string())), [None]),
        (pa.nulls(2), [None, None]),
        (pa.array([], pa.string()), []),
    ],
)
def test_codes_and_texts_of_every_type(array, expected, cut):
    array = cut(array)
    assert decoded(array) == expected
    assert batch_of(array).texts("a").to_pylist() == expected


@given(st.lists(st.none() | st.integers(-(2**63), 2**63 - 1) | st.integers(-5, 5)))
def test_codes_of_integers_are_their_texts(numbers):
    array = pa.array(numbers, pa.int64())
    assert decoded(array) == [None if number is None else str(number) for number in numbers]


@given(st.lists(st.none() | st.floats(allow_infinity=False)))
def test_codes_of_floats_read_back_as_the_same_floats(numbers):
    for number, text in zip(numbers, decoded(pa.array(numbers, pa.float64())), strict=True):
        assert (text is None) == (number is None or math.isnan(number))
        assert text is None or float(text) == number


@given(st.lists(st.none() | st.text()), st.integers(0, 5))
def test_codes_of_texts_are_the_texts(texts, start):
    array = pa.array(texts, pa.string())
    assert decoded(array.slice(start)) == texts[start:]
    assert decoded(array.dictionary_encode().slice(start)) == texts[start:]


def parts(array):
    found = batch_of(array).dates("a")
    hours = [None] * len(array) if found.hour is None else found.hour.tolist()
    return list(zip(found.year.tolist(), found.month.tolist(), found.weekday.tolist(), hours, strict=True))


DATES = st.dates()
TIMES = st.datetimes(dt.datetime(1700, 1, 1), dt.datetime(2250, 1, 1))


@given(st.lists(DATES), st.sampled_from([pa.date32(), pa.date64()]))
def test_parts_of_dates_are_those_of_the_calendar(dates, kind):
    expected = [(date.year, date.month, date.isoweekday(), None) for date in dates]
    assert parts(pa.array(dates, kind)) == expected


@given(st.lists(TIMES), st.sampled_from(["s", "ms", "us", "ns"]))
def test_parts_of_times_are_those_of_the_clock(times, unit):
    whole = [time.replace(microsecond=0) for time in times]
    held = whole if unit in ("s", "ms") else times  # cut by Arrow, a time before 1970 would move forward
    array = pa.array(held, pa.timestamp("us")).cast(pa.timestamp(unit))
    assert parts(array) == [(time.year, time.month, time.isoweekday(), time.hour) for time in whole]


@given(
    st.lists(st.datetimes(dt.datetime(1990, 1, 1), dt.datetime(2030, 1, 1), timezones=st.just(dt.UTC))),
    st.sampled_from(["America/New_York", "Asia/Kolkata", "UTC", "+05:30"]),
)
def test_times_are_local_to_their_zone(times, zone):
    offset = dt.timezone(dt.timedelta(hours=5, minutes=30)) if zone[0] == "+" else zoneinfo.ZoneInfo(zone)
    local = [time.astimezone(offset) for time in times]
    array = pa.array(times, pa.timestamp("us", zone))
    assert parts(array) == [(time.year, time.month, time.isoweekday(), time.hour) for time in local]


def test_missing_dates():
    for kind in (pa.date32(), pa.timestamp("s")):
        found = batch_of(pa.array([None, 0], kind)).dates("a")
        assert np.isnan(found.year[0])
        assert [found.month[0], found.weekday[0]] == [-1, -1]
        assert found.hour is None if kind == pa.date32() else found.hour.tolist() == [-1, 0]


def test_an_unknown_zone_is_refused():
    with pytest.raises(DataError, match="the time zone 'Mars/Olympus' is not known here"):
        batch_of(pa.array([0], pa.timestamp("s", "Mars/Olympus"))).dates("a")


def test_all_missing_fits_any_reading():
    schema = Schema.of(pa.schema({"a": pa.timestamp("s")}))
    found = TableBatch(schema, {"a": pa.nulls(2)}, 2).dates("a")
    assert np.isnan(found.year).all()
    assert found.hour.tolist() == [-1, -1]


def test_numbers_are_no_dates():
    with pytest.raises(DataError, match="column 'a' holds int64, dates were expected"):
        batch_of(pa.array([1])).dates("a")


def test_a_column_that_is_not_there_is_named():
    with pytest.raises(DataError, match="there is no column 'b'; the columns are 'a'"):
        batch_of(pa.array([1])).numbers("b")


def test_true_and_false_are_one_and_zero_where_integers_are_expected():
    batch = TableBatch(Schema((Field("a", "integer"),)), {"a": pa.array([True, False, None])}, 3)
    assert batch.texts("a").to_pylist() == ["1", "0", None]
    assert batch.numbers("a").tolist()[:2] == [1, 0]


def test_a_large_dictionary_is_read_where_it_is_used():
    values = [f"v{i}" for i in range(100_000)]
    array = pa.DictionaryArray.from_arrays(pa.array([99_999, None, 5, 5]), values)
    assert decoded(array) == ["v99999", None, "v5", "v5"]
    views = pa.DictionaryArray.from_arrays(pa.array([99_999, None, 5, 5]), pa.array(values, pa.string_view()))
    assert decoded(views) == ["v99999", None, "v5", "v5"]
