"""Tables in files: one table whatever the format, types by the stated rule, and refusals with their place."""

import csv
import io
import math
import re

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from table_files import EXPECTED, FORMATS, column_of, table_of, write, write_table

from priori.data import Field, ReadOptions, Schema, read_table
from priori.data.parsing import type_of_cells
from priori.errors import DataError


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("batch_bytes", [1, 1 << 20])
def test_every_format_gives_the_same_table(kind, known, batch_bytes, tmp_path):
    if kind in {"csv", "tsv", "jsonl"} and batch_bytes == 1 and not known:
        pytest.skip("the types would be read off one row")
    options = ReadOptions(label="y", weight="w", batch_bytes=batch_bytes)
    schema, rows = read_table(write_table(tmp_path, kind), options, EXPECTED if known else None)
    assert schema == EXPECTED
    batches = list(rows)
    assert all(batch.table.schema == EXPECTED for batch in batches)
    assert [text for batch in batches for text in batch.labels.to_pylist()] == ["yes", None, "no"]
    assert np.concatenate([batch.weights for batch in batches]).tolist() == [1, 0.5, 2]
    assert column_of(batches, "flag") == ["true", None, "false"]
    assert column_of(batches, "count") == ["3", None, "-4"]
    assert column_of(batches, "size") == ["1.5", None, "2"]
    assert column_of(batches, "word") == ["a", None, "b"]
    numbers = np.concatenate([batch.table.numbers("size") for batch in batches])
    np.testing.assert_array_equal(numbers, [1.5, math.nan, 2])
    assert batches[-1].bytes_read == batches[-1].bytes_total


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["true", "FALSE", ""], "boolean"),
        (["true", "1"], "string"),
        (["1", "-2", "+3", " 4 "], "integer"),
        (["1", "-2", " 4 "], "integer"),
        (["007"], "integer"),
        (["1", "2.5", "1e-3", ".5"], "real"),
        (["99999999999999999999"], "real"),
        (["0x10"], "string"),
        (["1_000"], "string"),
        (["1,5"], "string"),
        (["2020-02-29", "?"], "date"),
        (["2021-02-29"], "string"),
        (["2020-01-01T05:06:07", "2020-01-01 05:06", "2020-01-01T05:06:07.123456789Z"], "time"),
        (["2020-01-01T05:06:07+02:00", "2020-01-01T05:06-0800"], "time"),
        (["2020-01-01", "2020-01-01T05:06"], "string"),
        (["", "NA", "n/a", "NaN", "NULL", "None", "?", " ? "], "null"),
        (["a", "1"], "string"),
        (["++1"], "string"),
        ([], "null"),
    ],
)
def test_the_stated_rule(cells, expected):
    assert type_of_cells(pa.array(cells, pa.large_string())) == expected


def test_dates_and_times_are_as_written(tmp_path):
    lines = ["d,t", "2020-02-29,2020-01-01T05:06:07+02:00", "NA,?", "1969-12-31,1969-12-31 23:59Z"]
    schema, (batch,) = table_of(write(tmp_path / "t.csv", lines), label=None)
    assert [field.type for field in schema.fields] == ["date", "time"]
    assert batch.labels is None
    assert batch.table.dates("d").weekday.tolist() == [6, -1, 3]
    assert batch.table.dates("t").hour.tolist() == [5, -1, 23]


texts = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), min_size=1)
words = texts.map(str.strip).filter(lambda text: text and text.lower() not in {"na", "n/a", "nan", "null", "none", "?"})


@given(st.lists(st.tuples(st.none() | words, st.none() | st.floats(allow_nan=False, allow_infinity=False)), min_size=1))
def test_what_is_written_is_read(tmp_path_factory, rows):
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows([("s", "x"), *rows])
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    path.write_bytes(stream.getvalue().encode())
    schema = Schema((Field("s", "string"), Field("x", "real")))
    _, (batch,) = table_of(path, schema=schema, label=None)
    trimmed = pc.utf8_trim_whitespace(pa.array([row[0] for row in rows], pa.string())).to_pylist()
    assert batch.table.texts("s").to_pylist() == [text or None for text in trimmed]
    np.testing.assert_array_equal(batch.table.numbers("x"), np.array([row[1] for row in rows], float))


def test_an_integer_column_may_go_on_with_reals(tmp_path):
    path = write(tmp_path / "t.csv", ["a,y", *["1,p"] * 50, "2.5,q"])
    schema, batches = table_of(path, label="y", batch_bytes=64)
    assert schema == Schema((Field("a", "integer"),))
    assert len(batches) > 1
    assert column_of(batches, "a") == ["1"] * 50 + ["2.5"]


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["3", "abc"], "a number"),
        (["3", "true"], "a number"),
        (["2.5", "1_000"], "a number"),
        (["true", "1"], "true or false"),
        (["2020-01-01", "2020-02-30"], "a date as 2020-12-31"),
        (["2020-01-01", "2020-02-28T01:00"], "a date as 2020-12-31"),
        (["2020-01-01T01:00", "2020-02-28"], "a time as 2020-12-31T23:59"),
        (["NA", "3"], "an empty cell, as its column was empty where its type was read"),
    ],
)
def test_a_later_cell_that_does_not_fit_is_refused_with_its_place(cells, expected, tmp_path):
    path = write(tmp_path / "t.csv", ["a,y", *[f"{cells[0]},p"] * 50, f"{cells[1]},q", f"{cells[0]},p"])
    message = (
        f"{path}: column 'a' has {cells[1]!r} in row 51, which is not {expected}; correct the cell, leave it empty if "
        "it is missing, or name the column's family: --columns a=categorical"
    )
    with pytest.raises(DataError, match=re.escape(message)):
        table_of(path, label="y", batch_bytes=64)


def test_a_column_can_be_told_to_be_text(tmp_path):
    path = write(tmp_path / "t.csv", ["zip,y", *["007,p"] * 50, "unknown,q", "?,q"])
    schema, batches = table_of(path, label="y", batch_bytes=64, types={"zip": "string"})
    assert schema == Schema((Field("zip", "string"),))
    assert column_of(batches, "zip") == ["007"] * 50 + ["unknown", None]
    with pytest.raises(DataError, match=r"has no column 'zap' among those to learn from, which are 'zip'"):
        table_of(path, label="y", types={"zap": "string"})


def test_infinite_cells_are_refused_with_their_row(tmp_path):
    _, (batch,) = table_of(write(tmp_path / "t.csv", ["a", "1", "inf"]), label=None)
    with pytest.raises(DataError, match=r"t.csv: column 'a' has inf in row 2, which is no finite number"):
        batch.table.numbers("a")


def test_conditions_choose_rows_and_are_no_features(tmp_path):
    path = write(tmp_path / "t.csv", ["split,a,y", "train,1,p", "test,x,q", "train,2,q"])
    options = {"label": "y", "where": (("split", "train"),)}
    schema, (batch,) = table_of(path, **options)
    assert schema == Schema((Field("a", "integer"),))
    assert batch.table.numbers("a").tolist() == [1, 2]
    assert batch.labels.to_pylist() == ["p", "q"]
    with pytest.raises(DataError, match=r"column 'a' has 'x' in row 1 of those with split=test, which is not a number"):
        table_of(path, schema=schema, label="y", where=(("split", "test"),))
    with pytest.raises(DataError, match=r"has no rows of those with split=none; give a table with at least one row"):
        table_of(path, label="y", where=(("split", "none"),))


def test_missing_words_are_missing_labels_too(tmp_path):
    _, (batch,) = table_of(write(tmp_path / "t.csv", ["a,y", "1,?", "2,NA", "3, q"]), label="y")
    assert batch.labels.to_pylist() == [None, None, " q"]


def test_types_of_typed_files_are_their_own(tmp_path):
    table = pa.table(
        {"c": pa.array(["NA", "?"]).dictionary_encode(), "s": ["1", "NA"], "d": pa.array([1, 2], pa.date32())}
    )
    pq.write_table(table, tmp_path / "t.parquet")
    write(tmp_path / "t.jsonl", '{"s": "1", "d": "2020-01-01"}\n{"s": "NA"}\n')
    schema, (batch,) = table_of(tmp_path / "t.parquet", label=None)
    assert [field.type for field in schema.fields] == ["category", "string", "date"]
    assert batch.table.texts("c").to_pylist() == ["NA", "?"]
    schema, (batch,) = table_of(tmp_path / "t.jsonl", label=None)
    assert [field.type for field in schema.fields] == ["string", "string"]
    assert batch.table.texts("s").to_pylist() == ["1", "NA"]


def test_json_numbers_that_integers_cannot_hold_become_floats(tmp_path):
    path = write(
        tmp_path / "t.jsonl", '{"a": 1180591620717411303424, "b": 1}\n{"a": null, "b": 2.5}\n{"a": 3, "b": NaN}\n'
    )
    schema, (batch,) = table_of(path, label=None)
    assert [field.type for field in schema.fields] == ["real", "real"]
    np.testing.assert_array_equal(batch.table.numbers("a"), [2.0**70, math.nan, 3])
    np.testing.assert_array_equal(batch.table.numbers("b"), [1, 2.5, math.nan])


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            '{"a": 3}\n\n{"a": "x"}\n',
            "column 'a' mixes 3 (line 1) and \"x\" (line 3), and a column has one type; write all",
        ),
        ('{"a": true}\n{"a": 1.50}\n', "column 'a' mixes true (line 1) and 1.50 (line 2)"),
        ('{"a": null}\n{"a": [1]}\n', "line 2: 'a' is a list or an object, which no column holds; leave it out"),
        ('{"a": {"b": 1}}\n', "line 1: 'a' is a list or an object, which no column holds; leave it out"),
    ],
)
def test_json_values_of_several_kinds_are_refused(lines, message, tmp_path):
    with pytest.raises(DataError, match=re.escape(message)):
        table_of(write(tmp_path / "t.jsonl", lines), label=None)


def test_later_json_of_another_type_is_refused(tmp_path):
    path = write(tmp_path / "t.jsonl", '{"a": 3}\n' * 48 + '{"a": "x"}\n')
    with pytest.raises(DataError, match=r"t.jsonl, from row 49 on: column 'a' is of type string where integer is"):
        table_of(path, label=None, batch_bytes=64)
