"""Tables in files: one table whatever the format, types by the stated rule, and refusals with their place."""

import csv
import io
import math
import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from priori.errors import DataError
from priori.sources import ReadOptions
from priori.tables import Field, Schema, read_table, table_columns
from priori.tables.written import type_of_cells

HEADER = "flag,count,size,word,y,w"
ROWS = ["true,3,1.5,a,yes,1", ",,,,,0.5", "False, -4 ,2,b,no,2"]
TABLE = pa.table(
    {
        "flag": [True, None, False],
        "count": [3, None, -4],
        "size": [1.5, None, 2.0],
        "word": ["a", None, "b"],
        "y": ["yes", None, "no"],
        "w": [1.0, 0.5, 2.0],
    }
)
JSON = """{"flag": true, "count": 3, "size": 1.5, "word": "a", "y": "yes", "w": 1}
{"flag": null, "size": null, "w": 0.5}

{"y": "no", "word": "b", "flag": false, "count": -4, "size": 2, "w": 2}
"""
EXPECTED = Schema((Field("flag", "boolean"), Field("count", "integer"), Field("size", "real"), Field("word", "string")))
OPTIONS = ReadOptions(label="y", weight="w")
FORMATS = ["csv", "tsv", "jsonl", "parquet", "arrow"]


def write(path, lines):
    path.write_text(lines if isinstance(lines, str) else "\n".join(lines) + "\n")
    return path


def write_table(folder, kind):
    path = folder / f"t.{kind}"
    match kind:
        case "csv":
            write(path, [HEADER, *ROWS])
        case "tsv":
            write(path, [line.replace(",", "\t") for line in [HEADER, *ROWS]])
        case "jsonl":
            write(path, JSON)
        case "parquet":
            pq.write_table(TABLE, path)
        case _:
            feather.write_feather(TABLE, path)
    return path


def table_of(*sources, schema=None, types=None, **options):
    """The schema, and all batches as one list."""
    found, batches = read_table(list(sources), ReadOptions(**options), schema, types)
    return found, list(batches)


def column_of(batches, name):
    found = []
    for batch in batches:
        codes, values = batch.table.codes(name)
        found += [None if code < 0 else values[code] for code in codes]
    return found


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


@pytest.mark.parametrize("kind", FORMATS)
def test_a_missing_label_column_is_named_with_those_that_are_there(kind, tmp_path):
    path = write_table(tmp_path, kind)
    there = "'flag', 'count', 'size', 'word', 'y', 'w'"
    with pytest.raises(
        DataError, match=f"has no column 'label'; its columns are {there}. Name one of them: --label COL"
    ):
        table_of(path)
    with pytest.raises(DataError, match=r"has no column 'm'; .* Name one of them: --weight COLUMN"):
        table_of(path, label="y", weight="m")
    _, batches = table_of(path, label_required=False)
    assert batches[0].labels is None


@pytest.mark.parametrize("kind", FORMATS)
def test_missing_columns_of_the_schema_are_named(kind, tmp_path):
    schema = Schema((Field("age", "real"), Field("size", "real"), Field("town", "string")))
    message = "has no columns 'age', 'town'; its columns are 'flag', .* Add what is missing; where a value is not known"
    if kind == "jsonl":  # a missing key means null, so only a line without any of them is none of this table
        _, batches = table_of(write_table(tmp_path, kind), schema=schema, label=None)
        assert column_of(batches, "size") == ["1.5", None, "2"] and column_of(batches, "town") == [None] * 3
        schema, message = (
            schema.only(["age", "town"]),
            "has no columns 'age', 'town'; its columns are 'flag', .* Add what is",
        )
    with pytest.raises(DataError, match=message):
        table_of(write_table(tmp_path, kind), schema=schema, label=None)


@pytest.mark.parametrize("kind", ["parquet", "arrow", "jsonl"])
def test_a_type_that_does_not_fit_the_schema_is_refused(kind, tmp_path):
    schema = Schema((Field("word", "real"),))
    with pytest.raises(DataError, match="column 'word' is of type string where real is expected"):
        table_of(write_table(tmp_path, kind), schema=schema, label="y")


def test_a_table_of_labels_alone_and_what_is_no_table(tmp_path):
    with pytest.raises(DataError, match="has no column besides those of 'y'; give a table with some"):
        table_of(write(tmp_path / "t.csv", ["y", "p"]), label="y")
    with pytest.raises(DataError, match="has no rows; give a table with at least one row"):
        table_of(write(tmp_path / "e.csv", ["a,y"]), label="y")


def test_several_files_are_one_table_with_rows_of_their_own(tmp_path):
    one = write(tmp_path / "1.csv", ["a,y", "1,p", "2,q"])
    two = write(tmp_path / "2.csv", ["y,a", "p,3", "q,x"])
    with pytest.raises(DataError, match=re.escape(f"{two}: column 'a' has 'x' in row 2, which is not a number")):
        table_of(one, two, label="y")
    with pytest.raises(DataError, match=re.escape(f"{two}: column 'a' has 'x' in row 2, which is not a number")):
        table_of(tmp_path, label="y")
    write(two, ["y,b", "p,3"])
    with pytest.raises(DataError, match=re.escape(f"{two} has no column 'a'; its columns are 'y', 'b'. Add what is")):
        table_of(one, two, label="y")
    write(two, ["y,a", "p,3"])
    _, batches = table_of(one, two, label="y")
    assert column_of(batches, "a") == ["1", "2", "3"]
    assert [batch.table.first_row for batch in batches] == [0, 0]
    assert [batch.bytes_read for batch in batches] == [12, 20]
    assert {batch.bytes_total for batch in batches} == {20}


def test_standard_input_is_a_table_too(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"a,y\n1,p\n")))
    schema, (batch,) = table_of("-", label="y")
    assert schema == Schema((Field("a", "integer"),))
    assert batch.labels.to_pylist() == ["p"]


def test_mail_is_no_table(tmp_path):
    with pytest.raises(DataError, match=r"m\.mbox is no table; give a CSV, TSV, JSONL, Parquet or Arrow file"):
        table_of(write(tmp_path / "m.mbox", "From x 12:00\nSubject: hi\n\nWin now\n"), label=None)


def test_a_label_in_front_of_a_file_labels_its_rows(tmp_path):
    path = write(tmp_path / "t.csv", ["a", "1", "2"])
    _, (batch,) = table_of(f"spam={path}", label="y")
    assert batch.labels.to_pylist() == ["spam", "spam"]


def test_a_bad_weight_is_refused(tmp_path):
    with pytest.raises(DataError, match=r"column 'w' has the value -1.0 in row 1"):
        table_of(write(tmp_path / "t.csv", ["a,w", "1,2", "2,-1"]), label=None, weight="w")


@pytest.mark.parametrize("kind", FORMATS)
def test_tables_are_told_from_texts(kind, tmp_path):
    path = write_table(tmp_path, kind)
    options = ReadOptions(label="y", weight="w", where=(("flag", "true"),))
    assert table_columns(path, options) == ("count", "size", "word")
    assert table_columns(path, ReadOptions(label="y", text="word")) is None
    assert table_columns([path, path], ReadOptions()) == ("flag", "count", "size", "word", "y", "w")


def test_texts_are_no_tables(tmp_path):
    assert table_columns(write(tmp_path / "t.csv", ["text,label", "a,b"])) is None
    assert table_columns(write(tmp_path / "u.csv", ["label,w", "a,1"]), ReadOptions(weight="w")) is None
    assert table_columns(write(tmp_path / "t.txt", ["a", "b"])) is None
    assert table_columns("-") is None
    (tmp_path / "spam").mkdir()
    write(tmp_path / "spam" / "1.txt", ["a"])
    assert table_columns(tmp_path / "spam") is None


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_a_column_of_lists_is_refused_unless_left_out(kind, tmp_path):
    path = tmp_path / f"t.{kind}"
    if kind == "jsonl":
        write(path, '{"a": 1, "tags": ["x"]}\n')
    else:
        pq.write_table(pa.table({"a": [1], "tags": [["x"]]}), path)
    with pytest.raises(DataError, match=r"t\.\w+.*: .*'tags' is .*leave"):
        table_of(path, label=None)
    schema, (batch,) = table_of(path, label=None, leave_out=("tags",))
    assert schema == Schema((Field("a", "integer"),))
    assert table_columns(path, ReadOptions(leave_out=("tags",))) == ("a",)
    with pytest.raises(DataError, match=r"has no column 'tog'; its columns are 'a', 'tags'. Leave out one of them"):
        table_of(path, label=None, leave_out=("tog",))
    schema, (batch,) = table_of(path, schema=schema, label=None, leave_out=("tags",))
    assert batch.table.numbers("a").tolist() == [1]


def test_pandas_and_a_file_of_it_have_one_schema(tmp_path):
    frame = pd.DataFrame({"a": [1, 2], "b": [0.5, None], "c": ["x", None], "d": [True, False]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    schema, _ = table_of(tmp_path / "t.csv", label=None)
    assert [field.type for field in schema.fields] == ["integer", "real", "string", "boolean"]


def test_kept_columns_come_along_as_they_are_written(tmp_path):
    (tmp_path / "t.csv").write_text("id,a,label\n007,1,x\n008,?,y\n", encoding="utf-8")
    schema = Schema((Field("a", "real"),))
    _, batches = read_table(tmp_path / "t.csv", ReadOptions(keep=("id", "a")), schema)
    (batch,) = batches
    assert {name: cells.to_pylist() for name, cells in batch.keep.items()} == {"id": ["007", "008"], "a": ["1", "?"]}
    assert list(batch.table.columns) == ["a"]


def test_all_columns_can_be_strings_but_some(tmp_path):
    (tmp_path / "t.csv").write_text("zip,age,born,label\n007,1,2,x\n", encoding="utf-8")
    schema, _ = read_table(tmp_path / "t.csv", types={"age": None, "born": "real"}, otherwise="string")
    assert [field.type for field in schema.fields] == ["string", "integer", "real"]


def test_a_single_column_of_strings_is_a_text_and_pipes_are_not_looked_at(tmp_path):
    for name, rows, expected in (("s", "win\nlose\n", None), ("n", "1\n2\n", ("a",)), ("m", "1\n?\n", ("a",))):
        path = tmp_path / f"{name}.csv"
        path.write_text("a,label\n" + rows.replace("\n", ",x\n"), encoding="utf-8")
        assert table_columns(path) == expected
    assert table_columns("-", ReadOptions(format="csv")) is None


def test_numbers_with_a_word_among_them_are_pointed_out(tmp_path, caplog):
    numbers = [*map(str, range(30)), "-1.5e3", "+2", ".5", "5."]
    for word, said in (("about 30", True), ("?", False), ("NA", False)):
        caplog.clear()
        (tmp_path / "t.csv").write_text("a,label\n" + "".join(f"{cell},x\n" for cell in [*numbers, word]))
        read_table(tmp_path / "t.csv")
        assert (f"{word!r} in row 35" in caplog.text) is said
    caplog.clear()
    (tmp_path / "t.csv").write_text("a,label\n1,x\nred,x\nblue,x\n")
    read_table(tmp_path / "t.csv")
    assert caplog.text == ""
