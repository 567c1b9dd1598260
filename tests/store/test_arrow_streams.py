"""Our reader of Arrow streams against pyarrow's: it reads the same, and accepts nothing that pyarrow does not."""

import io
import random
import struct

import numpy as np
import pyarrow as pa
import pytest
from contents import same, tables
from damage import mangle
from hypothesis import given, settings
from hypothesis import strategies as st

from priori.errors import DataError, ModelFileError
from priori.store.arrow_reader import read_table
from priori.store.arrow_views import arrow_schema, columns_of
from priori.store.arrow_writer import canonical_batch, write_batch
from priori.store.damage import NotCanonicalError
from priori.store.flatbuffer import FlatTable, Metadata


def stream_of(table):
    sink = io.BytesIO()
    write_batch(canonical_batch(table), sink)
    return sink.getvalue()


def nested(depth):
    kind = pa.int32()
    for _ in range(depth):
        kind = pa.list_(kind)
    return pa.table({"x": pa.array([], kind)})


@settings(max_examples=200, deadline=None)
@given(tables())
def test_reads_what_pyarrow_reads(table):
    stream = stream_of(table)
    found = read_table(memoryview(stream), columns_of(table.schema))
    oracle = pa.ipc.open_stream(stream).read_all()
    assert same(found, oracle)
    assert len(found) == len(oracle)
    assert found.to_arrow().schema.equals(oracle.schema, check_metadata=True)
    found.to_arrow().validate(full=True)


@given(tables())
def test_schemas_there_and_back(table):
    columns = columns_of(table.schema)
    assert arrow_schema(columns).equals(table.schema)
    assert columns_of(arrow_schema(columns)) == columns
    assert hash(columns_of(arrow_schema(columns))) == hash(columns)


@settings(max_examples=300, deadline=None)
@given(tables(), st.integers(0, 2**32), st.integers(1, 3))
def test_accepts_nothing_that_pyarrow_refuses(table, seed, times):
    """Damage of any table: what is accepted all the same, pyarrow accepts and reads alike."""
    rng = random.Random(seed)
    stream = stream_of(table)
    for _ in range(times):
        stream = mangle(stream, rng)
    try:
        found = read_table(memoryview(stream))
    except ModelFileError:
        return
    oracle = pa.ipc.open_stream(stream).read_all()
    oracle.validate(full=True)
    assert oracle.schema.equals(found.to_arrow().schema)
    assert str(oracle.to_pylist()) == str(found.to_arrow().to_pylist())  # as text: NaN is not itself


def test_every_number_of_the_metadata_in_every_place():
    """Each word of 2, 4 and 8 bytes replaced by extremes: a lie is refused, or pyarrow believes it too."""
    pairs = pa.array([[(1, 2)], [(3, 4), (5, 6)]], pa.large_list(pa.struct([("a", pa.int32()), ("b", pa.int64())])))
    stream = stream_of(pa.table({"t": pa.array(["é", "b"]), "p": pairs}))
    accepted = 0
    for width, code in ((2, "<h"), (4, "<i"), (8, "<q")):
        top = 2 ** (8 * width - 1)
        for at in range(0, len(stream), width):
            (was,) = struct.unpack_from(code, stream, at)
            for number in {0, 1, -1, was + 1, was - 1, was + 8, top - 1, -top, top - 8}:
                if not -top <= number < top:
                    continue
                mutant = stream[:at] + struct.pack(code, number) + stream[at + width :]
                try:
                    found = read_table(memoryview(mutant))
                except ModelFileError:
                    continue
                oracle = pa.ipc.open_stream(mutant).read_all()
                oracle.validate(full=True)
                assert same(found, oracle), (width, at, number)
                accepted += 1
    assert accepted  # values may change as they like


@pytest.mark.parametrize("depth", [1, 62, 63])
def test_as_deep_as_arrow(depth):
    table = nested(depth)
    assert same(read_table(memoryview(stream_of(table))), table)


def test_no_deeper_than_arrow():
    with pytest.raises(DataError, match="nested too deeply"):
        canonical_batch(nested(64))


@pytest.mark.parametrize(
    ("offsets", "text", "fact"),
    [
        ([0, 1, 2], "é", "middle of a character"),
        ([0, 2, 3], b"\xc3\xa9\xa9", "not UTF-8"),
        ([0, 1, 2], b"a\xc3", "not UTF-8"),
        ([0, 3, 2], "ab", "do not rise"),
        ([1, 1, 2], "ab", "do not rise"),
        ([0, 1, 1], "ab", "wrong size"),
        ([0, 1, 3], "ab", "wrong size"),
        ([0, 1, 2**31 - 1], "ab", "wrong size"),
    ],
)
def test_texts_that_are_none(offsets, text, fact):
    data = text.encode() if isinstance(text, str) else text
    stream = stream_of(pa.table({"x": pa.array(["a", "b" * (len(data) - 1)])}))
    at = stream.rindex(struct.pack("<iii", 0, 1, len(data)))
    stream = stream[:at] + struct.pack("<iii", *offsets) + stream[at + 12 :]
    at = stream.rindex(b"a" + b"b" * (len(data) - 1))
    stream = stream[:at] + data + stream[at + len(data) :]
    with pytest.raises(ModelFileError, match=fact):
        read_table(memoryview(stream))


def test_text_across_blocks():
    """UTF-8 is checked block by block; a character may lie across two."""
    for shift in range(3):
        table = pa.table({"x": pa.array(["a" * (2**20 - 2 + shift) + "é€𝄞", "z"], pa.large_string())})
        assert same(read_table(memoryview(stream_of(table))), table)


def test_many_references_to_one_place_are_no_bomb():
    """A schema of 60 levels whose lists of children name one child twice each: 2^60 columns in 2 kB."""
    tables = b"".join(
        struct.pack("<HHHH", 8, 8, 0, 4) + struct.pack("<iIIII", 8, 4, 2, 16, 12) for _ in range(60)
    )  # vtable, table of one vector, the vector: twice the next table
    metadata = Metadata(struct.pack("<II", 16, 0) + tables + struct.pack("<HHHHi", 4, 4, 0, 0, 8))
    assert len(list(metadata.root().tables(1))) == 2

    def walk(table: FlatTable) -> None:
        for child in table.tables(1):
            walk(child)

    with pytest.raises(NotCanonicalError, match="say something twice"):
        walk(metadata.root())


def test_views_are_read_only_and_in_place():
    data = np.frombuffer(stream_of(pa.table({"x": pa.array([1, 2, 3])})), np.uint8).copy()
    view = read_table(memoryview(data))["x"]
    assert not view.flags.writeable
    assert np.shares_memory(view, data)
