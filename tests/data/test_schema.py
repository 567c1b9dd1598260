"""Schemas are read off Arrow types, fit or refuse each other, and survive JSON."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from priori.data import FIELD_TYPES, Field, Schema
from priori.errors import DataError, ModelFileError

ARROW = {
    "boolean": [pa.bool_()],
    "integer": [pa.int8(), pa.uint64(), pa.int64()],
    "real": [pa.float16(), pa.float32(), pa.float64(), pa.decimal128(9, 2), pa.duration("ms"), pa.time32("s")],
    "category": [pa.dictionary(pa.int8(), pa.string()), pa.dictionary(pa.uint32(), pa.int64())],
    "string": [pa.string(), pa.large_string(), pa.string_view()],
    "date": [pa.date32(), pa.date64()],
    "time": [pa.timestamp("s"), pa.timestamp("ns", "Europe/Berlin")],
    "null": [pa.null()],
}
schemas = st.lists(st.builds(Field, st.text(), st.sampled_from(FIELD_TYPES)), unique_by=lambda field: field.name).map(
    lambda fields: Schema(tuple(fields))
)


@pytest.mark.parametrize("expected", FIELD_TYPES)
def test_every_arrow_type_has_its_field_type(expected):
    for kind in ARROW[expected]:
        assert Schema.of(pa.schema({"a": kind})) == Schema((Field("a", expected),))


@pytest.mark.parametrize(
    "kind",
    [
        pa.list_(pa.int8()),
        pa.struct({"a": pa.int8()}),
        pa.map_(pa.string(), pa.int8()),
        pa.binary(),
        pa.dictionary(pa.int8(), pa.binary()),
        pa.month_day_nano_interval(),
    ],
)
def test_a_type_that_no_column_has_is_refused_by_name(kind):
    with pytest.raises(DataError, match=r"column 'tags' is of type .*; leave the column out"):
        Schema.of(pa.schema({"tags": kind}))


def test_a_name_twice_is_refused():
    with pytest.raises(DataError, match="there are 2 columns called 'a'; rename all but one"):
        Schema.of(pa.schema([("a", pa.int8()), ("b", pa.int8()), ("a", pa.string())]))


@given(schemas)
def test_json_and_back(schema):
    assert Schema.from_json(schema.to_json()) == schema


@pytest.mark.parametrize(
    "damage",
    [
        None,
        {},
        "a",
        [1],
        [{"name": "a"}],
        [{"name": 1, "type": "real"}],
        [{"name": "a", "type": "float"}],
        [{"name": "a", "type": []}],
        [{"name": "a", "type": "real", "more": 1}],
        [{"name": "a", "type": "real"}, {"name": "a", "type": "date"}],
    ],
)
def test_damaged_json_is_a_model_file_error(damage):
    with pytest.raises(ModelFileError, match="the file is damaged"):
        Schema.from_json(damage)


FITS = {
    "integer": {"integer", "real", "boolean"},
    "real": {"integer", "real", "boolean"},
    "string": {"string", "category"},
    "category": {"string", "category"},
    "boolean": {"boolean", "integer", "real"},  # these cell by cell
    "date": {"date", "time", "string", "category"},
    "time": {"time", "string", "category"},
}


@pytest.mark.parametrize("expected", FIELD_TYPES)
@pytest.mark.parametrize("found", FIELD_TYPES)
def test_only_safe_widenings_fit(expected, found):
    fits = found in FITS.get(expected, {expected}) | {"null"}
    table = Schema((Field("b", "real"), Field("a", found)))
    schema = Schema((Field("a", expected),))
    if fits:
        schema.check(table, "new.csv")
    else:
        with pytest.raises(DataError, match=rf"new.csv: column 'a' is of type {found} where {expected} is expected; "):
            schema.check(table, "new.csv")


def test_missing_columns_are_named_and_others_do_not_matter():
    expected = Schema.of(pa.schema({"a": pa.int8(), "b": pa.int8(), "c": pa.int8()}))
    found = Schema.of(pa.schema({"d": pa.int8(), "b": pa.int8()}))
    with pytest.raises(DataError, match=r"X has no columns 'a', 'c'; its columns are 'd', 'b'. Add what is missing"):
        expected.check(found, "X")


def test_a_column_that_is_not_there():
    with pytest.raises(DataError, match="there is no column 'b'; the columns are 'a'"):
        Schema((Field("a", "real"),))["b"]
