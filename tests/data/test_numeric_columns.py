"""Columns of tables as numbers and as text."""

import bz2
import gzip
import io
import math
import sys
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from source_helpers import write

from priori.data import ReadOptions, read_columns
from priori.errors import DataError

AGES = [31.5, math.nan, 4.0, -7e3]
CSV = b"name,age,split\nann,31.5,train\nbob,,train\neve, 4 ,test\nzoe,-7e3,train\n"


def numbers(source, column, **options):
    found = [batch[column].numbers() for batch in read_columns(source, [column], ReadOptions(**options))]
    return np.concatenate(found)


def texts(source, column, **options):
    return [text for batch in read_columns(source, [column], ReadOptions(**options)) for text in batch[column].texts()]


def jsonl(tmp_path):
    lines = ['{"age": 31.5, "name": "ann"}', '{"name": "bob", "age": null}', '{"age": 4}', '{"age": "-7e3"}']
    return write(tmp_path / "ages.jsonl", "\n".join(lines))


@pytest.mark.parametrize("kind", ["csv", "tsv", "gz", "bz2", "jsonl", "parquet", "arrow", "txt", "stdin"])
def test_every_format_gives_the_same_numbers(kind, tmp_path, monkeypatch):
    table = pa.table({"age": pa.array([31.5, None, 4.0, -7e3]), "name": list("abez")})
    path = tmp_path / f"ages.{kind}"
    match kind:
        case "csv":
            write(path, CSV)
        case "tsv":
            write(path, CSV.replace(b",", b"\t"))
        case "gz":
            write(path, gzip.compress(CSV))
        case "bz2":
            write(path, bz2.compress(CSV))
        case "jsonl":
            jsonl(tmp_path)
        case "parquet":
            pq.write_table(table, path)
        case "arrow":
            feather.write_feather(table, path)
        case "txt":
            write(path, "31.5\nNA\n4\n\n-7e3\n")
        case "stdin":
            monkeypatch.setattr(sys, "stdin", type("Stdin", (), {"buffer": io.BytesIO(CSV)}))
    found = numbers("-" if kind == "stdin" else path, "value" if kind == "txt" else "age")
    np.testing.assert_array_equal(found, AGES)


def test_batches_join_up_and_rows_are_chosen(tmp_path):
    path = write(tmp_path / "ages.csv", CSV)
    np.testing.assert_array_equal(numbers(path, "age", batch_bytes=16), AGES)
    assert numbers(path, "age", where=(("split", "test"),)).tolist() == [4.0]
    np.testing.assert_array_equal(numbers([path, path], "age"), AGES * 2)
    assert texts(path, "name") == ["ann", "bob", "eve", "zoe"]
    assert texts(path, "age") == ["31.5", None, " 4 ", "-7e3"]


def test_no_column_named_gives_all_and_numbers_need_no_header(tmp_path):
    assert [list(batch) for batch in read_columns(write(tmp_path / "ages.csv", CSV))] == [["name", "age", "split"]]
    bare = write(tmp_path / "bare", "3\n1\n2\n")
    assert numbers(bare, "0").tolist() == [3, 1, 2]
    years = write(tmp_path / "years.csv", "2019,2020\n1,2\n3,4\n")
    assert numbers(years, "2020").tolist() == [2, 4]
    assert numbers(years, "1").tolist() == [2020, 2, 4]


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_numbers_survive_being_written(tmp_path_factory, values):
    path = write(tmp_path_factory.mktemp("numbers") / "x.csv", "x\n" + "".join(f"{value!r}\n" for value in values))
    assert numbers(path, "x").tolist() == values


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (pa.array([True, None, False]), [1, math.nan, 0]),
        (pa.array([1, 2**60 + 1], pa.int64()), [1, 2.0**60]),
        (pa.array([Decimal("1.25"), None], pa.decimal128(5, 2)), [1.25, math.nan]),
        (pa.array(["+5", "1e2", "n/a", "NaN", "true", "False"]), [5, 100, math.nan, math.nan, 1, 0]),
        (pa.array([None, None]), [math.nan, math.nan]),
        (pa.array(["a", "b", "a"]).dictionary_encode(), None),
        (pa.array([[1], [2]]), None),
        (pa.array([1.0, math.inf]), None),
        (pa.array(["1", "1e999"]), None),
    ],
)
def test_kinds_of_cells(tmp_path, array, expected):
    pq.write_table(pa.table({"x": array}), tmp_path / "x.parquet")
    if expected is None:
        with pytest.raises(DataError, match=r"x.parquet: column 'x' (has|is of type)"):
            numbers(tmp_path / "x.parquet", "x")
    else:
        np.testing.assert_array_equal(numbers(tmp_path / "x.parquet", "x"), expected)


def test_a_column_of_words_is_text_and_one_with_a_number_is_not(tmp_path):
    path = write(tmp_path / "x.csv", "words,mixed,numbers\nred,NA,1\n7up,x,2\n,3,\n")
    (batch,) = read_columns(path)
    assert {name: column.is_text() for name, column in batch.items()} == {
        "words": True, "mixed": False, "numbers": False,
    }  # fmt: skip


def test_what_cannot_be_read_is_named(tmp_path):
    path = write(tmp_path / "ages.csv", CSV.replace(b"-7e3", b"old"))
    with pytest.raises(DataError, match=r"ages.csv: column 'age' has 'old' in row 4, which is no finite number; "):
        numbers(path, "age")
    with pytest.raises(DataError, match=r"'old' in row 3 of those with split=train,"):
        numbers(path, "age", where=(("split", "train"),))
    with pytest.raises(DataError, match=r"no column 'weight'; its columns are 'name', 'age', 'split'.*--column"):
        numbers(path, "weight")
    with pytest.raises(DataError, match=r"no column 'weight'; its columns are 'age', 'name'"):
        numbers(jsonl(tmp_path), "weight")
    with pytest.raises(DataError, match="has no rows of those with split=dev"):
        numbers(path, "age", where=(("split", "dev"),))
    with pytest.raises(DataError, match="has no rows"):
        numbers(write(tmp_path / "head.csv", "age\n"), "age")
    with pytest.raises(DataError, match="is empty"):
        numbers(write(tmp_path / "none.csv", ""), "age")
    with pytest.raises(DataError, match="is no table"):
        list(read_columns(write(tmp_path / "m.mbox", "From x 12:00\nSubject: hi\n\nWin now\n")))


def test_a_question_mark_is_a_missing_cell(tmp_path):
    path = write(tmp_path / "ages.csv", "age\n3\n?\n ? \n")
    np.testing.assert_array_equal(numbers(path, "age"), [3, math.nan, math.nan])
    (batch,) = read_columns(path, ["age"])
    assert batch["age"].labels() == ["3", None, None]


def test_all_columns_that_are_missing_are_named(tmp_path):
    path = write(tmp_path / "ages.csv", CSV)
    with pytest.raises(DataError, match="has no columns 'a', 'b'; its columns are 'name', 'age', 'split'"):
        list(read_columns(path, ["a", "age", "b"]))
