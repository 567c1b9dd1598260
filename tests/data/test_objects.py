import subprocess
import sys

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from source_helpers import rows, strings

from priori.data import ReadOptions, read_objects
from priori.errors import DataError

TEXTS = ["hello", "", "naïve 中", "x" * 40]
LABELS = ["a", None, "b", "a"]
EXPECTED = list(zip(LABELS, TEXTS, strict=True))

COLUMNS = {
    "list": TEXTS,
    "tuple": tuple(TEXTS),
    "iterator": None,
    "numpy str": np.array(TEXTS),
    "numpy object": np.array(TEXTS, dtype=object),
    "arrow string": pa.array(TEXTS),
    "arrow large": pa.array(TEXTS, pa.large_string()),
    "arrow view": pa.array(TEXTS, pa.string_view()),
    "arrow dictionary": pa.array(TEXTS).dictionary_encode(),
    "arrow slice": pa.array(["no", *TEXTS, "no"]).slice(1, 4),
    "arrow chunks": pa.chunked_array([TEXTS[:1], [], TEXTS[1:]]),
    "pandas": pd.Series(TEXTS, index=[9, 8, 7, 6]),
    "pandas object": pd.Series(TEXTS, dtype=object),
    "pandas category": pd.Series(TEXTS).astype("category"),
    "polars": pl.Series(TEXTS),
    "polars category": pl.Series(TEXTS, dtype=pl.Categorical),
}


@pytest.mark.parametrize("kind", COLUMNS)
@pytest.mark.parametrize("batch_bytes", [1, 1 << 20])
def test_one_column_of_any_library(kind, batch_bytes):
    texts = (text for text in TEXTS) if kind == "iterator" else COLUMNS[kind]
    options = ReadOptions(batch_bytes=batch_bytes)
    assert rows(read_objects(texts, LABELS, options=options)) == EXPECTED


TABLE = pa.table({"text": TEXTS, "label": LABELS, "split": ["x", "y", "x", "x"]})
FRAMES = {
    "arrow table": lambda: TABLE,
    "arrow batch": lambda: TABLE.to_batches()[0],
    "arrow reader": TABLE.to_reader,
    "pandas": TABLE.to_pandas,
    "polars": lambda: pl.from_arrow(TABLE),
    "duckdb": lambda: duckdb.from_arrow(TABLE),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_frames_of_any_library(kind):
    frame = FRAMES[kind]
    assert rows(read_objects(frame())) == EXPECTED
    assert rows(read_objects(frame(), list("wxyz"))) == list(zip("wxyz", TEXTS, strict=True))
    filtered = read_objects(frame(), options=ReadOptions(where=(("split", "x"),)))
    assert rows(filtered) == [EXPECTED[0], *EXPECTED[2:]]
    with pytest.raises(DataError, match="no column 'body'; its columns are 'text', 'label', 'split'"):
        list(read_objects(frame(), options=ReadOptions(text="body")))


@given(st.lists(st.text(st.characters(codec=None), max_size=8)), st.integers(1, 30))
def test_lists_of_any_strings(texts, batch_bytes):
    batches = list(read_objects(texts, options=ReadOptions(batch_bytes=batch_bytes)))
    found = [s for b in batches for s in strings(b.text)]
    assert found == [t.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace") for t in texts]


@pytest.mark.parametrize(
    ("tokens"),
    [
        [["a", "b c"], []],
        [("a", "b c"), ()],
        np.array([["a", "b c"], []], dtype=object),
        pa.array([["a", "b c"], []]),
        pa.array([["a", "b c"], []], pa.large_list(pa.large_string())),
        pl.Series([["a", "b c"], []]),
        pd.Series([["a", "b c"], []]),
    ],
)
def test_token_lists(tokens):
    (batch,) = read_objects(tokens)
    assert batch.text.type == pa.list_(pa.string())
    assert batch.text.to_pylist() == [["a", "b c"], []]


def test_counts():
    (batch,) = read_objects([{"a": 2, "b": np.int32(1)}, {}])
    assert batch.text.type == pa.map_(pa.string(), pa.int64())
    assert batch.text.to_pylist() == [[("a", 2), ("b", 1)], []]


def test_labels_weights_and_fields_of_many_kinds():
    for labels, expected in (
        ([1, 2], ["1", "2"]),
        (np.array([True, False]), ["true", "false"]),
        (pl.Series([1, None]), ["1", None]),
    ):
        (batch,) = read_objects(["a", "b"], labels, weights=[1, 0.5], fields={"title": ["t", None]})
        assert batch.label.to_pylist() == expected
        assert batch.weight.to_pylist() == [1.0, 0.5]
        assert batch.fields["title"].to_pylist() == ["t", ""]


@pytest.mark.parametrize(
    ("texts", "labels", "message"),
    [
        ("one string", None, "Put it into a list"),
        (b"bytes", None, "Put it into a list"),
        (["a", None], None, "Document 1 is None"),
        (pd.Series(["a", None]), None, "Document 1 is None"),
        (pd.Series(["a", np.nan], dtype=object), None, "Document 1 is None"),
        (pa.array(["a", None]), None, "Document 1 is None"),
        (np.array(["a", None], dtype=object), None, "Document 1 is None"),
        ([b"a"], None, "Document 0 is bytes.*Decode"),
        (np.array([b"a"]), None, "Document 0 is bytes"),
        (pa.array([b"a"]), None, "Document 0 is bytes"),
        (["a", 3], None, "Document 1 is of type int"),
        (pd.Series(["a", 3], dtype=object), None, "Document 1 is of type int"),
        ([["a"], "b"], None, "Document 1 is of type str"),
        ([["a", 1]], None, "token of type int"),
        ([{"a": -1}], None, "'a': -1"),
        ([{"a": 0.5}], None, "'a': 0.5"),
        (np.array([["a", "b"]]), None, "2 dimensions"),
        (np.array("a"), None, "0 dimensions"),
        (np.array([1.0, 2.0]), None, "Document 0 is of type float"),
        (pa.array([1]), None, "type int64, not text"),
        (5, None, "are a int"),
        (["a", "b"], ["x"], "1 labels but more texts"),
        (["a"], ["x", "y"], "2 labels for 1 texts"),
        (["a", "b"], ["x", 1], "several kinds"),
        (["a"], [["x"]], "no single text"),
    ],
)
def test_what_cannot_be_used_is_said(texts, labels, message):
    with pytest.raises(DataError, match=message) as caught:
        list(read_objects(texts, labels))
    assert "\n" not in str(caught.value)


def test_the_door_is_light(tmp_path):
    (tmp_path / "a.csv").write_text("text,label\na,b\nc,\n")
    heavy = [
        "sklearn",
        "matplotlib",
        "rich",
        "pandas",
        "polars",
        "duckdb",
        "pyarrow.parquet",
        "pyarrow.compute",
        "pyarrow.csv",
        "email",
        "scipy",
    ]
    read = f"import sys, priori.data as s; list(s.read({str(tmp_path)!r} + '/a.csv'))"
    code = f"{read}; print([name for name in {heavy} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
