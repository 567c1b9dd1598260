"""Reads a table from an Arrow IPC stream as `arrow_writer` writes it, without pyarrow and without a copy.

    schema message · record batch message · its body, the buffers of all columns · end mark

A message is ff ff ff ff, the length of its metadata (i32), the metadata (a flatbuffer) and a body. The numbers below
are the field numbers of Arrow's Message.fbs and Schema.fbs. Whatever the writer would not write is refused.
"""

import codecs
import struct
from typing import TYPE_CHECKING, Any

import numpy as np

from priori.store.damage import NotCanonicalError, damaged, in_one_line
from priori.store.flatbuffer import FlatTable, Metadata, invalid
from priori.store.table_types import (
    LISTS,
    NUMBERS,
    TEXTS,
    Column,
    Lists,
    Schema,
    Table,
    Texts,
    Values,
    refuse_depth,
    refuse_twins,
)

if TYPE_CHECKING:
    import numpy.typing as npt

_PREFIX = struct.Struct("<4si")
_MARK = b"\xff\xff\xff\xff"
_END_MARK = _MARK + bytes(4)
_VERSION_5, _SCHEMA, _BATCH = 4, 1, 3
_ALIGNMENT = 8
_MOST_PADDING = 64
_BLOCK = 1 << 20
_KINDS = (
    *("none", "null", "int", "float", "binary", "string", "bool", "decimal", "date", "time", "timestamp", "interval"),
    *("list", "struct", "union", "fixed_size_binary", "fixed_size_list", "map", "duration", "large_binary"),
    *("large_string", "large_list", "run_end_encoded", "binary_view", "string_view", "list_view", "large_list_view"),
)
_FLOATS = ("float16", "float32", "float64")


def read_table(data: memoryview, expected: Schema | None = None) -> Table:
    """The table in an Arrow stream, as views into its bytes; everything in it is checked before it is believed."""
    try:
        head, batch, body = _two_messages(data)
        schema = _schema(head, expected)
        return _Batch(batch, body).table(schema)
    except NotCanonicalError as error:
        raise damaged(str(error)) from error


def unexpected(found: Schema, expected: Schema) -> str:
    """What to say of other columns than the expected ones."""
    have, want = (in_one_line(", ".join(map(str, schema)), limit=300) for schema in (found, expected))
    return f"it has the columns ({have}) where ({want}) are expected"


def _two_messages(data: memoryview) -> tuple[FlatTable, FlatTable, memoryview]:
    """The header of a schema, and the header and body of a batch; nothing else may be in the stream."""
    schema, _, position = _message(data, 0, _SCHEMA)
    batch, body, position = _message(data, position, _BATCH)
    rest = bytes(data[position : position + _PREFIX.size])
    if rest.startswith(_MARK) and rest != _END_MARK:
        raise _not_two()
    if rest != _END_MARK or position + len(rest) != len(data):
        raise NotCanonicalError("it does not end with its end mark")
    return schema, batch, body


def _message(data: memoryview, position: int, kind: int) -> tuple[FlatTable, memoryview, int]:
    """The header and body of the message at a place, which must be of that kind, and the place after it."""
    start = position + _PREFIX.size
    if start > len(data):
        raise invalid("it ends where a message is expected")
    mark, length = _PREFIX.unpack_from(data, position)
    if mark == _MARK and length == 0:
        raise _not_two()
    if mark != _MARK or length < 0 or length % _ALIGNMENT or start + length > len(data):
        raise invalid("a message has no beginning or no end")
    message = Metadata(bytes(data[start : start + length])).root()
    if message.int16(0) != _VERSION_5:
        raise invalid("it is of another version")
    if message.uint8(1) != kind:
        raise _not_two()
    if message.has(4):
        raise NotCanonicalError("its batch carries metadata")
    size = message.int64(3)
    end = start + length + size
    if size < 0 or size % _ALIGNMENT or end > len(data) or (kind == _SCHEMA and size):
        raise invalid("a message has a body of the wrong size")
    return message.table(2), data[start + length : end], end


def _not_two() -> NotCanonicalError:
    return NotCanonicalError("it holds something else than one schema and one record batch")


def _schema(schema: FlatTable, expected: Schema | None) -> Schema:
    columns = tuple(_column(field, 1) for field in schema.tables(1))
    if schema.int16(0) or schema.has(2, 3):
        raise NotCanonicalError("its schema carries metadata or a foreign byte order")
    if expected is not None and columns != expected:
        raise NotCanonicalError(unexpected(columns, expected))
    return refuse_twins(columns)


def _column(field: FlatTable, depth: int) -> Column:
    refuse_depth(depth)
    kind = _kind(field)
    parts = tuple(_column(child, depth + 1) for child in field.tables(5))
    if kind == "struct" and parts:
        refuse_twins(parts)
    elif len(parts) != (kind in LISTS) or not (kind in NUMBERS or kind in TEXTS or kind in LISTS):
        raise NotCanonicalError(f"it has a column of type {kind}, which is not among the plain ones")
    if field.has(4, 6):
        raise NotCanonicalError("its schema carries metadata or a dictionary")
    return Column(field.text(0), kind, *parts, nullable=bool(field.uint8(1)))


def _kind(field: FlatTable) -> str:
    """The name of a field's type; of a type that is not plain, any name that tells it."""
    number = field.uint8(2)
    kind = _KINDS[number] if number < len(_KINDS) else "unknown"
    details = field.table(3)
    if kind == "int":
        return f"{'' if details.uint8(1) else 'u'}int{details.int32(0)}"
    if kind == "float":
        precision = details.int16(0)
        return _FLOATS[precision] if 0 <= precision < len(_FLOATS) else kind
    return kind


class _Batch:
    """The nodes and buffers of a record batch, handed out in the order in which its columns need them."""

    def __init__(self, batch: FlatTable, body: memoryview) -> None:
        if batch.has(3):
            raise NotCanonicalError("its batch is compressed")
        if batch.has(4):
            raise invalid("it has buffers of no column")
        self.length = batch.int64(0)
        self.nodes = batch.pairs(1)
        self.buffers = batch.pairs(2)
        self.body = body
        self.position = 0

    def table(self, schema: Schema) -> Table:
        """All columns; nothing of the batch may be left over."""
        columns = self._parts(schema, self.length)
        if next(self.nodes, None) or next(self.buffers, None):
            raise invalid("it has values of no column")
        self._skip_padding(len(self.body))
        return Table(schema, columns)

    def _parts(self, parts: Schema, length: int) -> dict[str, Values]:
        return {part.name: self._values(part, length) for part in parts}

    def _values(self, column: Column, expected: int) -> Values:
        """The values of one column, as many as the table, struct or list has that it is a part of."""
        length, nulls = next(self.nodes, (-1, 0))
        if length != expected or length < 0:
            raise NotCanonicalError("the parts of a table, struct or list differ in length")
        if nulls:
            raise NotCanonicalError("it has nulls")
        self._array("uint8", 0)  # where nulls would be marked
        if column.kind in NUMBERS:
            return self._array(column.kind, length)
        if column.kind == "struct":
            return Table(column.parts, self._parts(column.parts, length))
        offsets = self._array("int64" if column.kind.startswith("large") else "int32", length + 1)
        end = int(offsets[-1])
        if offsets[0] != 0 or bool((offsets[1:] < offsets[:-1]).any()):
            raise NotCanonicalError("a column's offsets do not rise from zero")
        if column.kind in LISTS:
            return Lists(offsets, self._values(column.parts[0], end))
        data = self._array("uint8", end)
        if column.kind.endswith("string"):
            _check_utf8(offsets, data)
        return Texts(offsets, data)

    def _array(self, kind: str, length: int) -> "npt.NDArray[Any]":
        """The next buffer, which must hold exactly that many numbers and follow the one before."""
        dtype = np.dtype(kind)
        start, size = next(self.buffers, (0, -1))
        if size != length * dtype.itemsize or start % _ALIGNMENT or start + size > len(self.body):
            raise NotCanonicalError("a column's buffer has the wrong size or place")
        self._skip_padding(start)
        self.position = start + size
        array = np.frombuffer(self.body, dtype, length, start) if size else np.zeros(0, dtype)
        array.flags.writeable = False
        return array

    def _skip_padding(self, start: int) -> None:
        if not 0 <= start - self.position < _MOST_PADDING or any(self.body[self.position : start]):
            raise NotCanonicalError("there is something between its buffers")


def _check_utf8(offsets: "npt.NDArray[Any]", data: "npt.NDArray[np.uint8]") -> None:
    """All bytes together must be UTF-8, and no text may begin in the middle of a character."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for start in range(0, len(data), _BLOCK):
            decoder.decode(data[start : start + _BLOCK].data)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        raise invalid("a text is not UTF-8") from error
    starts = offsets[: np.searchsorted(offsets, len(data))]
    if bool(((data[starts] & 0xC0) == 0x80).any()):
        raise invalid("a text begins in the middle of a character")
