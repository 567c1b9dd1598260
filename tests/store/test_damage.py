"""No damaged file crashes the reader, fills the memory or is taken for a good one."""

import io
import json
import struct
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from contents import small_model
from damage import join

from priori import store
from priori.errors import ModelFileError
from priori.store.damage import naming_file


@pytest.fixture
def path(tmp_path):
    return tmp_path / "damaged.priori"


def small_file():
    file = io.BytesIO()
    store.write(file, {"j": {"a": [1, "é"]}, "t": pa.table({"term": pa.array(["a", "bc"]), "n": pa.array([1, 2])})})
    return file.getvalue()


def test_every_flipped_byte_is_noticed(path):
    intact = small_file()
    for position in range(len(intact)):
        for flip in (0x01, 0x80, 0xFF):
            mutant = bytearray(intact)
            mutant[position] ^= flip
            path.write_bytes(mutant)
            with pytest.raises(ModelFileError):
                store.read(path)


def test_every_truncation_and_any_addition_is_noticed(path):
    intact = small_file()
    for mutant in [intact[:size] for size in range(len(intact))] + [intact + b"\0", intact + intact, b"\0" + intact]:
        path.write_bytes(mutant)
        with pytest.raises(ModelFileError):
            store.read(path)
    path.write_bytes(intact)
    assert list(store.read(path)) == ["j", "t"]


def test_ten_thousand_damages(tmp_path):
    """Half of them with repaired checksums, so that what lies behind the checksums is tried too."""
    script = Path(__file__).with_name("damage.py")
    command = [sys.executable, "-X", "faulthandler", str(script), "1", "10000", str(tmp_path)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stderr
    report = json.loads(run.stdout)
    assert sum(report["tally"].values()) == 10_000
    assert report["peak"] < 2**22  # bytes ever held while reading one: no lie made it allocate
    assert min(report["tally"][f"{kind} refused"] for kind in ("raw", "header", "arrow", "json", "spelling")) > 1_000
    assert report["tally"]["arrow other"] > 0  # the repaired ones do reach the contents


def arrow_section(*batches, schema=None, **options):
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, schema or batches[0].schema, options=pa.ipc.IpcWriteOptions(**options)) as stream:
        for batch in batches:
            stream.write_batch(batch)
    return sink.getvalue().to_pybytes()


def consistent_file(section, kind="arrow"):
    return join([{"name": "t", "kind": kind}], [section])


def batch_of(**columns):
    return pa.record_batch(list(columns.values()), names=list(columns))


ONE = batch_of(x=pa.array([1, 2, 3]))
ZEROS = batch_of(x=pa.array(np.zeros(4_000_000, np.int64)))


@pytest.mark.parametrize(
    ("section", "fact"),
    [
        pytest.param(arrow_section(ZEROS, compression="zstd"), "compressed", id="zstd bomb"),
        pytest.param(arrow_section(ONE, compression="lz4"), "compressed", id="lz4"),
        pytest.param(arrow_section(ONE, ONE), "something else than one schema and one record batch", id="two batches"),
        pytest.param(arrow_section(schema=ONE.schema), "something else than one schema", id="no batch"),
        pytest.param(arrow_section(ONE) + b"\0" * 8, "does not end with its end mark", id="more after the end"),
        pytest.param(arrow_section(ONE)[:-8], "does not end with its end mark", id="no end mark"),
        pytest.param(
            arrow_section(batch_of(x=pa.array(["a"]).dictionary_encode())), "something else than one", id="dictionary"
        ),
        pytest.param(arrow_section(batch_of(x=pa.array([1, None]))), "nulls", id="nulls"),
        pytest.param(arrow_section(batch_of(x=pa.array([[1], [None]]))), "nulls", id="nulls inside"),
        pytest.param(arrow_section(batch_of(x=pa.array([True]))), "type bool", id="bits"),
        pytest.param(arrow_section(batch_of(x=pa.nulls(3))), "type null", id="no buffers at all"),
        pytest.param(arrow_section(batch_of(x=pa.array([{}], pa.struct([])))), "type struct", id="empty struct"),
        pytest.param(arrow_section(batch_of(x=pa.array(["a"], pa.string_view()))), "type string_view", id="views"),
        pytest.param(
            arrow_section(pa.record_batch([pa.array([1]), pa.array([1])], names=["x", "x"])), "share a name", id="twins"
        ),
        pytest.param(arrow_section(ONE.replace_schema_metadata({"a": "b"})), "metadata", id="metadata"),
        pytest.param(
            arrow_section(
                pa.record_batch(ONE.columns, schema=pa.schema([pa.field("x", pa.int64(), metadata={"a": "b"})]))
            ),
            "metadata",
            id="field metadata",
        ),
        pytest.param(
            arrow_section(batch_of(x=pa.array([1, 2, 3], pa.int32()).slice(0, 1))), "wrong size", id="leftovers"
        ),
    ],
)
def test_arrow_that_priori_does_not_write(path, section, fact):
    path.write_bytes(consistent_file(section))
    tracemalloc.start()
    with pytest.raises(ModelFileError, match=fact):
        store.read(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**22  # the bomb would be 2^25


def test_extension_types_are_refused(path):
    """As their storage, or as themselves where the reader happens to know them."""
    field = pa.field(
        "x", pa.binary(16), metadata={"ARROW:extension:name": "arrow.uuid", "ARROW:extension:metadata": ""}
    )
    section = arrow_section(pa.record_batch([pa.array([b"0" * 16], pa.binary(16))], schema=pa.schema([field])))
    path.write_bytes(consistent_file(section))
    with pytest.raises(ModelFileError, match="not among the plain ones"):
        store.read(path)


def test_buffers_out_of_line_are_refused(path):
    """Compiled code reads the map in place, so a number must not begin in the middle of a word."""
    section = arrow_section(ONE)
    body = section.index(struct.pack("<qqq", 1, 2, 3))
    metadata = section.index(b"\xff\xff\xff\xff", 8)
    (length,) = struct.unpack_from("<i", section, metadata + 4)
    assert metadata + 8 + length == body
    shifted = section[: metadata + 4] + struct.pack("<i", length + 4) + section[metadata + 8 : body] + bytes(4)
    path.write_bytes(consistent_file(shifted + section[body:]))
    with pytest.raises(ModelFileError):
        store.read(path)


@pytest.mark.parametrize(
    "text", [b"[" * 10**6, b'{"a":' * 10**5, b"1" * 10**5, b"NaN", b"-Infinity", b"[1,2", b'"\xff"']
)
def test_json_that_priori_does_not_write(path, text):
    path.write_bytes(consistent_file(text, "json"))
    with pytest.raises(ModelFileError, match="section 't' cannot be used"):
        store.read(path)


def test_errors_of_later_checks_get_the_path():
    with pytest.raises(ModelFileError, match=r"^'a.priori': too bad$"), naming_file("a.priori"):
        raise ModelFileError("too bad")


def test_the_fixture_is_intact(path):
    store.write(path, small_model())
    assert list(store.read(path)) == list(small_model())
