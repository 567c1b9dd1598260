import gzip
import io
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from source_helpers import read_batches, read_rows, rows, strings, write

from priori.data import ReadOptions, read
from priori.errors import DataError

DATA = os.environ.get("PRIORI_DATA")  # the folder with the real data sets, where they are at hand
EXPECTED = [("ham", "hello there"), ("spam", "win, now"), (None, "who?")]
TABLE = pa.table({"text": [t for _, t in EXPECTED], "label": [label for label, _ in EXPECTED], "n": [1, 2, 3]})


def jsonl_of(records) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def parquet_of(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink)
    return sink.getvalue()


CONTENTS = {
    "csv": b'text,label\nhello there,ham\n"win, now",spam\nwho?,\n',
    "tsv": b"text\tlabel\nhello there\tham\nwin, now\tspam\nwho?\t\n",
    "jsonl": jsonl_of({"text": t, "label": label} for label, t in EXPECTED),
    "parquet": parquet_of(TABLE),
}


class FakeStdin:
    def __init__(self, content: bytes) -> None:
        self.buffer = io.BytesIO(content)


@pytest.mark.parametrize("kind", CONTENTS)
def test_every_format_from_a_file_a_url_and_stdin(kind, tmp_path, monkeypatch):
    path = write(tmp_path / f"data.{kind}", CONTENTS[kind])
    assert read_rows(path) == EXPECTED
    assert read_rows(f"file://{path}") == EXPECTED
    for content in (CONTENTS[kind], gzip.compress(CONTENTS[kind]), pa.compress(CONTENTS[kind], "zstd", asbytes=True)):
        monkeypatch.setattr(sys, "stdin", FakeStdin(content))
        assert read_rows("-") == EXPECTED
        if kind != "parquet":
            assert read_rows(write(tmp_path / f"packed.{kind}.gz", content)) == EXPECTED


def test_several_sources_are_read_one_after_another(tmp_path):
    paths = [write(tmp_path / f"data.{kind}", content) for kind, content in CONTENTS.items()]
    batches = read_batches(paths)
    assert rows(batches) == EXPECTED * len(paths)
    total = sum(path.stat().st_size for path in paths)
    assert [batch.bytes_total for batch in batches] == [total] * len(batches)
    assert batches[-1].bytes_read == total
    with pytest.raises(DataError, match="no column 'n'"):
        read_batches(paths, keep=("n",))


@given(st.lists(st.tuples(st.text(max_size=20), st.sampled_from(["a", "b", None]))), st.integers(1, 200))
def test_jsonl_is_read_as_it_was_written(tmp_path_factory, documents, batch_bytes):
    path = write(tmp_path_factory.mktemp("j") / "a.jsonl", jsonl_of({"text": t, "label": y} for t, y in documents))
    if documents and any(y for _, y in documents):
        assert read_rows(path, batch_bytes=batch_bytes) == [(y, t) for t, y in documents]


def test_jsonl_values_are_text_as_written(tmp_path):
    lines = (
        '{"text":"a","label":1,"id":7,"x":1.50}\n\n{"text":"b","label":true,"id":8,"x":2}\n{"text":"\\ud83d!","id":9}\n'
    )
    path = write(tmp_path / "a.jsonl", lines)
    (batch,) = read_batches(path, keep=("id", "absent"), fields=("x",))
    assert strings(batch.label) == ["1", "true", None]
    assert batch.keep["id"].to_pylist() == [7, 8, 9]
    assert batch.keep["absent"].to_pylist() == [None] * 3
    assert strings(batch.fields["x"]) == ["1.50", "2", ""]
    assert strings(batch.text)[2] == "\ufffd!"
    assert read_rows(path, where=(("id", "8"),)) == [("true", "b")]


def test_jsonl_tokens_and_counts(tmp_path):
    (batch,) = read_batches(write(tmp_path / "a.jsonl", '{"text":["a","b a"]}\n{"text":[]}\n'), label=None)
    assert batch.text.type == pa.list_(pa.string())
    assert batch.text.to_pylist() == [["a", "b a"], []]
    (batch,) = read_batches(write(tmp_path / "b.jsonl", '{"text":{"a":2}}\n{"text":{}}\n'), label=None)
    assert batch.text.type == pa.map_(pa.string(), pa.int64())
    assert batch.text.to_pylist() == [[("a", 2)], []]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b'{"text":"a","label":"x"}\nnonsense\n', "line 2: not a JSON object"),
        (b'{"text":"a","label":"x"}\n\n{"label":"x"}\n', "line 3: 'text' is missing"),
        (b'{"text":"a","label":"x"}\n{"text":["b"],"label":"x"}\n', "line 2: 'text' is a list"),
        (b'{"text":3,"label":"x"}\n', "line 1: 'text' is a number"),
        (b'{"text":"a"}\n', "no column 'label'"),
        (b'{"text":"a","label":["x"]}\n', "line 1: 'label' is a list"),
        (b'{"text":{"a":1.5},"label":"x"}\n', "whole counts"),
        (b'{"text":[1],"label":"x"}\n', "token is a number"),
        (b'[{"text":"a","label":"x"}]\n', "not a JSON object"),
        (b'[\n{"text":"a","label":"x"}]\n', "one JSON array"),
        (b'{"text":"\xe9","label":"x"}\n', "not UTF-8"),
        (b"[" * 100_000, "one JSON array"),
        (b'"text"\n', "not a JSON object"),
    ],
)
def test_bad_jsonl_is_refused_with_its_line(tmp_path, content, message):
    with pytest.raises(DataError, match=message) as caught:
        read_batches(write(tmp_path / "bad.jsonl", content))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("batch_bytes", [1, 1 << 20])
def test_parquet_columns_of_any_type(tmp_path, batch_bytes):
    table = pa.table(
        {
            "body": pa.array(["a", "b", "a"]).dictionary_encode(),
            "y": pa.array([1, None, 3]),
            "flag": [True, False, True],
            "w": pa.array([1, 2, 3], pa.int8()),
        }
    )
    path = tmp_path / "t.parquet"
    pq.write_table(table, path)
    batches = read_batches(path, text="body", label="y", weight="w", keep=("flag",), batch_bytes=batch_bytes)
    assert rows(batches) == [("1", "a"), (None, "b"), ("3", "a")]
    assert [w for b in batches for w in b.weight.to_pylist()] == [1.0, 2.0, 3.0]
    assert [w for b in batches for w in b.keep["flag"].to_pylist()] == [True, False, True]
    assert read_rows(path, text="body", label="y", where=(("flag", "true"),)) == [("1", "a"), ("3", "a")]
    with pytest.raises(DataError, match="column 'w' is of type int8"):
        read_batches(path, text="w", label="y")


def test_a_null_text_is_refused_with_its_row(tmp_path):
    pq.write_table(pa.table({"text": ["a", None], "label": ["x", "y"]}), tmp_path / "t.parquet")
    with pytest.raises(DataError, match="row 1 has no text"):
        read_batches(tmp_path / "t.parquet")


def test_arrow_files_and_streams(tmp_path):
    feather.write_feather(TABLE, str(tmp_path / "t.feather"), compression="zstd")
    assert read_rows(tmp_path / "t.feather") == EXPECTED
    views = pa.table({"text": TABLE["text"].cast(pa.string_view()), "label": TABLE["label"].cast(pa.string_view())})
    with pa.ipc.new_stream(tmp_path / "t.arrows", views.schema) as sink:
        sink.write_table(views)
    assert read_rows(tmp_path / "t.arrows") == EXPECTED
    assert read_rows(tmp_path / "t.arrows", where=(("label", "spam"),)) == EXPECTED[1:2]


@pytest.mark.parametrize("name", ["t.parquet", "t.arrow", "t.feather"])
@pytest.mark.parametrize("content", [b"", b"PAR1 or not", b"ARROW1\0\0nonsense", b"\0" * 100])
def test_damaged_columnar_files_are_refused(tmp_path, name, content):
    with pytest.raises(DataError, match="cannot be read"):
        read_batches(write(tmp_path / name, content))


def test_lines_take_the_label_of_their_source(tmp_path):
    path = write(tmp_path / "junk.txt", b"\xef\xbb\xbffirst, one\r\n\nsecond \xff")
    batches = read_batches(f"spam={path}", batch_bytes=4)
    assert [t for b in batches for t in b.text.to_pylist()] == [b"first, one", b"second \xff"]
    assert [y for b in batches for y in b.label.to_pylist()] == ["spam", "spam"]
    assert len(read_rows(write(tmp_path / "b.txt", "a\nb"), label=None)) == 2
    with pytest.raises(DataError, match="LABEL="):
        read_batches(path)
    with pytest.raises(DataError, match="empty"):
        read_batches("x=" + str(write(tmp_path / "e.txt", "")))


def test_a_label_in_front_of_a_table_replaces_its_own(tmp_path):
    path = write(tmp_path / "a=b.csv", "text,label\nx,y\n")
    assert read_rows(str(path)) == [("y", "x")]  # a path that exists is a path
    assert read_rows(f"z={path}") == [("z", "x")]


def test_fasttext(tmp_path):
    path = write(tmp_path / "a.txt", "__label__spam win now\nno label\n__label__ham\n")
    assert read_rows(path, format="fasttext") == [("spam", "win now"), (None, "no label"), ("ham", "")]
    with pytest.raises(DataError, match="more than one label"):
        read_batches(write(tmp_path / "b.txt", "__label__a __label__b x\n"), format="fasttext")


def test_what_is_not_there_is_said(tmp_path):
    with pytest.raises(DataError, match="no such file"):
        read(tmp_path / "nothing.csv")
    with pytest.raises(DataError, match="No source"):
        read([])
    with pytest.raises(DataError, match="cannot be opened"):
        read("nonsense://bucket/a.csv", ReadOptions())


def test_reading_a_real_pipe_leaves_nothing_behind():
    code = "import priori.data as s; b = s.read_ahead(s.read('-')); print(next(b).label.to_pylist()); b.close()"
    found = subprocess.run([sys.executable, "-c", code], input=CONTENTS["csv"], capture_output=True, check=True)
    assert (found.stdout, found.stderr) == (b"['ham', 'spam', None]\n", b"")


def test_a_silent_stdin_does_not_keep_an_interrupted_program():
    code = "import priori.data as s; print('ready', flush=True); next(s.read_ahead(s.read('-')))"
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", code], stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.stdout.readline() == b"ready\n"
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=10) != 0
        errors = process.stderr.read()
        assert b"KeyboardInterrupt" in errors
        assert b"Fatal" not in errors


def test_a_named_pipe_is_read_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(CONTENTS["jsonl"],))
    writer.start()
    assert read_rows(tmp_path / "pipe") == EXPECTED
    writer.join()


@pytest.mark.skipif(not DATA, reason="PRIORI_DATA names no folder with the real data sets")
def test_real_tables_are_read_as_they_are():
    paths = [path for path in sorted(Path(str(DATA)).glob("*.parquet")) if "label" in pq.read_schema(path).names]
    assert paths
    for path in paths:  # those that have one label a row
        table = pq.read_table(path, columns=["text", "label"])
        expected = list(zip(table["label"].to_pylist(), table["text"].to_pylist(), strict=True))
        assert read_rows(path) == expected
