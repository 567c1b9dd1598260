"""What goes in comes out, in the same bytes whatever way it was made; whatever else is refused in one line."""

import gc
import hashlib
import io
import json
import os
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from contents import SCHEMAS, columns, equal, json_values, same, sections, small_model
from hypothesis import given, settings
from hypothesis import strategies as st

from priori import store
from priori.errors import DataError, ModelFileError
from priori.store.container import MAGIC
from priori.store.table_types import Column, Table


def file_bytes(contents):
    file = io.BytesIO()
    store.write(file, contents)
    return file.getvalue()


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "small.priori"
    store.write(path, small_model())
    return path


@settings(max_examples=150, deadline=None)
@given(sections)
def test_round_trip(tmp_path_factory, contents):
    path = tmp_path_factory.getbasetemp() / "any.priori"
    store.write(path, contents)
    found = store.read(path)
    assert equal(found, contents)
    assert all(isinstance(found[name], Table) == isinstance(contents[name], pa.Table) for name in found)
    assert file_bytes(found) == path.read_bytes() == file_bytes(contents)


@settings(max_examples=150, deadline=None)
@given(columns(), st.data())
def test_bytes_depend_on_values_only(column, data):
    """Chunks, slices, metadata and leftovers around a slice must not reach the file."""
    kind, items = column
    plain = pa.table({"x": pa.array(items, kind)})
    before, cut = data.draw(st.integers(0, 2)), data.draw(st.integers(0, len(items)))
    around = pa.array(items[:before] + items + items[:1], kind)
    inside = around.slice(min(before, len(items)), len(items))
    chunked = pa.chunked_array([inside.slice(0, cut), inside.slice(cut)], kind)
    dressed = pa.table([chunked], schema=pa.schema([pa.field("x", kind, metadata={"a": "b"})], metadata={"c": "d"}))
    assert file_bytes({"t": dressed}) == file_bytes({"t": plain})
    assert store.table_digest({"t": dressed}) == store.table_digest({"t": plain})


def test_no_word_of_a_larger_table_reaches_the_file():
    table = pa.table({"term": pa.array(["public", "secret"], pa.large_string())}).slice(0, 1)
    assert b"secret" not in file_bytes({"terms": table})


def test_layout_as_documented(model):
    """An independent reading of docs/format.md: every byte is accounted for and nothing names a library or a date."""
    data = model.read_bytes()
    version, length = struct.unpack("<II", data[8:16])
    header = data[48 : 48 + length]
    assert (data[:8], version, data[16:48]) == (MAGIC, 1, hashlib.sha256(header).digest())
    position = 48 + length
    base = -(-position // 64) * 64
    for section in json.loads(header)["sections"]:
        start = base + section["offset"]
        assert start % 64 == 0
        assert 0 <= start - position < 64
        assert not any(data[position:start])
        position = start + section["length"]
        assert hashlib.sha256(data[start:position]).hexdigest() == section["sha256"]
    assert position == len(data)
    assert pa.__version__.encode() not in data


def test_digest_is_of_contents(model):
    contents = small_model()
    chosen = ("classes", "terms")
    digest = store.table_digest({name: contents[name] for name in chosen})
    assert digest == store.table_digest({name: contents[name] for name in reversed(chosen)})
    assert digest == store.combined_digest({name: store.read(model).digests[name] for name in chosen})
    assert digest != store.table_digest({"classes": contents["classes"], "terms": contents["terms"].slice(0, 3)})


def test_tables_are_views_and_outlive_everything(model):
    found = store.read(model, SCHEMAS)
    terms = found["terms"]
    del found
    gc.collect()
    assert not terms["term"].data.flags.owndata
    assert not terms["term"].data.flags.writeable
    store.write(model, {"classes": small_model()["classes"]})  # replaced by rename while mapped
    assert same(terms, small_model()["terms"])
    assert list(store.read(model)) == ["classes"]
    model.unlink()
    assert same(terms, small_model()["terms"])


def test_no_descriptor_stays_open(model):
    """Python before 3.13 keeps one for each map, but only for as long as the map is used."""
    before = sum(1 for _ in Path("/dev/fd").iterdir())
    kept = [store.read(model) for _ in range(5)]
    assert sum(1 for _ in Path("/dev/fd").iterdir()) == before + (0 if sys.version_info >= (3, 13) else 5)
    assert all(equal(one, small_model()) for one in kept)
    del kept
    gc.collect()
    assert sum(1 for _ in Path("/dev/fd").iterdir()) == before


@pytest.mark.parametrize(
    ("contents", "word"),
    [
        (b"", "empty"),
        (b"text\tlabel\nhello\tham\n", "not a Priori model file"),
        (b"\x89PNG\r\n\x1a\n" + bytes(60), "not a Priori model file"),
        (MAGIC.replace(b"\r\n", b"\n") + bytes(60), "transfer it again in binary mode"),
        (MAGIC.decode("latin-1").encode() + bytes(60), "transfer it again in binary mode"),
        (MAGIC, "only 8 bytes are left"),
        (MAGIC + struct.pack("<II", 2, 0) + bytes(32), "upgrade priori"),
        (MAGIC + struct.pack("<II", 0, 0) + bytes(32), "never existed"),
        (MAGIC + struct.pack("<II", 1, 2**32 - 1) + bytes(32), "does not fit"),
    ],
)
def test_foreign_and_newer_files(tmp_path, contents, word):
    path = tmp_path / "other.bin"
    path.write_bytes(contents)
    with pytest.raises(ModelFileError, match=word) as error:
        store.read(path)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)


def test_zip_folder_pipe_and_missing_file(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a", "b")
    with pytest.raises(ModelFileError, match="not a Priori model file"):
        store.read(tmp_path / "a.zip")
    with pytest.raises(ModelFileError, match="folder"):
        store.read(tmp_path)
    with pytest.raises(ModelFileError, match="no such file"):
        store.read(tmp_path / "none.priori")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ModelFileError, match="pipe"):
        store.read(tmp_path / "pipe")


def test_schemas_are_enforced(model):
    assert equal(store.read(model, SCHEMAS), small_model())
    for schema in (
        (Column("label", "large_string"), Column("documents", "int64")),
        (Column("documents", "int64"), Column("label", "string")),
        (Column("label", "string"),),
        (Column("label", "string", nullable=False), Column("documents", "int64")),
    ):
        with pytest.raises(ModelFileError, match="section 'classes' cannot be used: it has the columns"):
            store.read(model, {"classes": schema})
    with pytest.raises(ModelFileError, match="JSON where a table is expected"):
        store.read(model, {"analyzer": SCHEMAS["classes"]})


@pytest.mark.parametrize(
    "section",
    [
        pa.table({"x": pa.array([1, None])}),
        pa.table({"x": pa.array([[1, None]])}),
        pa.table({"x": pa.array(["a", "a"]).dictionary_encode()}),
        pa.table({"x": pa.array([True])}),
        pa.table({"x": pa.nulls(3)}),
        pa.table({"x": pa.array([{}], pa.struct([]))}),
        pa.table({}),
        pa.table([pa.array([1]), pa.array([1])], names=["x", "x"]),
        pa.table({"x": pa.StructArray.from_arrays([pa.array([1]), pa.array([1])], names=["y", "y"])}),
        Table((Column("x", "int64"),), {"x": np.zeros(1, np.int32)}),
        {1: 2},
        {"x": float("nan")},
        {"x": float("inf")},
        {"x": 2**63},
        {"x": (1, 2)},
        {"x": "\ud800"},
        {"x": b"bytes"},
    ],
)
def test_what_would_not_come_back_is_not_written(tmp_path, section):
    with pytest.raises(DataError, match="section 'x'") as error:
        store.write(tmp_path / "bad.priori", {"ok": 1, "x": section})
    assert "\n" not in str(error.value)
    assert "file" not in str(error.value)  # the data are at fault, not a file
    assert list(tmp_path.iterdir()) == []


def test_bad_names_and_deep_json():
    with pytest.raises(DataError, match="cannot name a section"):
        file_bytes({"Bad name": 1})
    deep: list[object] = []
    for _ in range(5000):
        deep = [deep]
    with pytest.raises(DataError, match="nested"):
        file_bytes({"deep": deep})


@given(json_values)
def test_json_has_one_spelling(value):
    """The standard library, told to be canonical, is the oracle."""
    spelled = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    assert file_bytes({"j": value}).endswith(spelled)


def test_odd_paths(tmp_path):
    for name in ("with space.priori", "ünï.priori", os.fsdecode(b"\xff.priori")):
        store.write(tmp_path / name, small_model())
        assert equal(store.read(str(tmp_path / name)), small_model())


def test_writing_and_reading_import_nothing_heavy(tmp_path):
    script = """
import sys
import numpy as np
from priori import store
from priori.store.table_types import Column, Table
table = Table((Column("a", "int64"),), {"a": np.arange(9, dtype=np.int64)})
store.write(sys.argv[1], {"t": table, "j": {"a": 1}})
store.read(sys.argv[1])
print(*{"pandas", "sklearn", "scipy", "pyarrow.compute", "pyarrow.parquet", "rich", "matplotlib"} & set(sys.modules))
"""
    command = [sys.executable, "-c", script, tmp_path / "small.priori"]
    assert subprocess.run(command, check=True, capture_output=True, text=True).stdout.split() == []
