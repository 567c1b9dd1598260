"""Files of tables: what is missing in them, what is no table, and what is told of them."""

import io
import re

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from table_files import FORMATS, column_of, table_of, write, write_table

from priori.data import Field, ReadOptions, Schema, read_table, table_columns
from priori.errors import DataError


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
