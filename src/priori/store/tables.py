"""Arrow tables with one spelling each: plain types, no nulls, one batch, exact buffers, no metadata, no compression.

A section is an Arrow IPC *stream* (schema, one record batch, end mark). The IPC file format would add a footer that
says everything a second time, and two statements can disagree.
"""

import struct
from typing import Any, Protocol

import pyarrow as pa

from priori.errors import DataError
from priori.store.faults import damaged, in_one_line

_WIDTHS: dict[Any, int] = {
    **{t: t.bit_width // 8 for t in (pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.float32(), pa.float64())},
    **{t: t.bit_width // 8 for t in (pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64())},
}
_TEXTS: dict[Any, str] = {pa.string(): "<i", pa.large_string(): "<q", pa.binary(): "<i", pa.large_binary(): "<q"}
_END_MARK = b"\xff\xff\xff\xff\0\0\0\0"
_MESSAGE_HEADER, _MESSAGE_CUSTOM_METADATA, _BATCH_COMPRESSION = 2, 4, 3  # field numbers in Arrow's Message.fbs


class NotCanonicalError(Exception):
    """A fact about a table that no file may hold: the writer's fault, or the file's."""


class Sink(Protocol):
    """Where bytes go: a file, or a running checksum."""

    def write(self, data: Any, /) -> object:
        """Take a bytes-like object."""


def canonical_batch(table: pa.Table) -> pa.RecordBatch:
    """The table as one batch whose bytes depend on its values alone, copying only what is chunked, sliced or padded."""
    try:
        schema = _plain_schema(table.schema)
        columns = [_exact(column) for column in table.columns]
        batch = pa.record_batch(columns, schema=schema)
        batch.validate(full=True)
        for column in columns:
            _check_exact(column)
    except (NotCanonicalError, pa.ArrowException) as error:
        raise DataError(f"a table cannot be stored ({in_one_line(error)}): give plain columns without nulls") from error
    return batch


def write_batch(batch: pa.RecordBatch, sink: Sink) -> None:
    """Pour a canonical batch into a sink as an Arrow stream, without a copy in between."""
    options = pa.ipc.IpcWriteOptions(metadata_version=pa.ipc.MetadataVersion.V5, allow_64bit=True, compression=None)
    with pa.ipc.new_stream(pa.PythonFile(sink, mode="w"), batch.schema, options=options) as stream:
        stream.write_batch(batch)


def read_table(data: pa.Buffer, expected: pa.Schema | None = None) -> pa.Table:
    """The table in an Arrow stream, as views into its bytes; everything in it is checked before it is believed."""
    source = pa.BufferReader(data)
    try:
        first, second = _two_messages(source)
        schema = pa.ipc.read_schema(first)
        check_schema(schema, expected)
        _refuse_compression(second)
        batch = pa.ipc.read_record_batch(second, schema)
        batch.validate(full=True)
        for column in batch.columns:
            _check_exact(column)
    except NotCanonicalError as error:
        raise damaged(str(error)) from error
    except (pa.ArrowException, OSError, EOFError, ValueError, struct.error) as error:
        raise damaged(f"it is not valid Arrow ({in_one_line(error)})") from error
    if source.tell() != data.size or data.slice(data.size - len(_END_MARK)).to_pybytes() != _END_MARK:
        raise damaged("it does not end with its end mark")
    return pa.Table.from_batches([batch])


def _two_messages(source: pa.BufferReader) -> list[pa.ipc.Message]:
    messages = list(pa.ipc.MessageReader.open_stream(source))
    if [message.type for message in messages] != ["schema", "record batch"]:
        raise NotCanonicalError("it holds something else than one schema and one record batch")
    return messages


def check_schema(schema: pa.Schema, expected: pa.Schema | None) -> None:
    """Refuse columns other than the expected ones, or, without expectations, any column that is not plain."""
    if expected is not None and not schema.equals(expected):
        raise NotCanonicalError(f"it has the columns ({_columns(schema)}) where ({_columns(expected)}) are expected")
    if not schema.equals(_plain_schema(schema), check_metadata=True):
        raise NotCanonicalError("its schema carries metadata or a foreign byte order")


def _columns(schema: pa.Schema) -> str:
    return in_one_line(", ".join(f"{field.name}: {field.type}" for field in schema), limit=300)


def _plain_schema(schema: pa.Schema) -> pa.Schema:
    """The same columns without metadata; refuses whatever is not a number, a text, a list or a struct of those."""
    if not len(schema) or len(set(schema.names)) != len(schema):
        raise NotCanonicalError("its columns are missing or share a name")
    return pa.schema([_plain_field(field) for field in schema])


def _plain_field(field: pa.Field) -> pa.Field:
    return pa.field(field.name, _plain_type(field.type), field.nullable)


def _plain_type(kind: pa.DataType) -> pa.DataType:
    if kind in _WIDTHS or kind in _TEXTS:
        return kind
    if pa.types.is_list(kind):
        return pa.list_(_plain_field(kind.value_field))
    if pa.types.is_large_list(kind):
        return pa.large_list(_plain_field(kind.value_field))
    if pa.types.is_struct(kind) and kind.num_fields:
        return pa.struct([_plain_field(kind.field(i)) for i in range(kind.num_fields)])
    raise NotCanonicalError(f"it has a column of type {in_one_line(kind)}, which is not among the plain ones")


def _exact(column: pa.ChunkedArray) -> pa.Array:
    """One array whose buffers hold its values and nothing else.

    subtle: Arrow writes the buffers of a slice with whatever lies around it, so forgotten words could reach the file.
    """
    if column.num_chunks == 1:
        try:
            _check_exact(column.chunk(0))
        except NotCanonicalError:
            pass
        else:
            return column.chunk(0)
    # subtle: an empty chunk may lack the one offset that Arrow promises, and then it cannot be joined to another
    return pa.concat_arrays([*(chunk for chunk in column.chunks if len(chunk)), pa.nulls(0, column.type)])


def _check_exact(array: pa.Array) -> None:
    """Refuse nulls, offsets into larger buffers, gaps, and buffers that compiled code could not read in place."""
    if array.offset or array.null_count:
        raise NotCanonicalError("it has nulls or starts in the middle of a buffer")
    kind, buffers = array.type, array.buffers()
    if pa.types.is_struct(kind):
        children = [array.field(i) for i in range(kind.num_fields)]
        if any(len(child) != len(array) for child in children):
            raise NotCanonicalError("the parts of a struct differ in length")
        for child in children:
            _check_exact(child)
    elif kind in _WIDTHS:
        _exact_buffer(buffers[1], len(array) * _WIDTHS[kind])
    elif kind in _TEXTS:
        end = _end_of_offsets(buffers[1], _TEXTS[kind], len(array))
        _exact_buffer(buffers[2], end)
    else:
        end = _end_of_offsets(buffers[1], "<q" if pa.types.is_large_list(kind) else "<i", len(array))
        if len(array.values) != end:
            raise NotCanonicalError("a list column has items outside its lists")
        _check_exact(array.values)


def _exact_buffer(buffer: pa.Buffer | None, size: int) -> pa.Buffer:
    """A buffer of exactly that size, where compiled code can read it in place."""
    found = buffer or pa.py_buffer(b"")
    if found.size != size or (size and found.address % 8):
        raise NotCanonicalError("a column's buffer has the wrong size or place")
    return found


def _end_of_offsets(buffer: pa.Buffer | None, code: str, length: int) -> int:
    """Where the last of n texts or lists ends, given that the first begins at zero."""
    width = struct.calcsize(code)
    data = _exact_buffer(buffer, (length + 1) * width)
    first, end = (int(struct.unpack_from(code, data, i * width)[0]) for i in (0, length))
    if first != 0:
        raise NotCanonicalError("a column's first offset is not zero")
    return end


def _refuse_compression(message: pa.ipc.Message) -> None:
    """Refuse a compressed batch before Arrow unpacks it: a small file must not fill the memory.

    pyarrow does not tell whether a batch is compressed, so two flatbuffer tables are looked into (Arrow has verified
    them). Metadata of the message is refused too, because the oldest files announced compression there.
    """
    metadata = message.metadata
    root = struct.unpack_from("<I", metadata, 0)[0]
    header = _flatbuffer_field(metadata, root, _MESSAGE_HEADER)
    if not header or _flatbuffer_field(metadata, root, _MESSAGE_CUSTOM_METADATA):
        raise NotCanonicalError("its batch carries metadata")
    header += struct.unpack_from("<I", metadata, header)[0]
    if _flatbuffer_field(metadata, header, _BATCH_COMPRESSION):
        raise NotCanonicalError("its batch is compressed")


def _flatbuffer_field(data: pa.Buffer, table: int, number: int) -> int:
    """Where a field of a flatbuffer table lies, or 0 when it is absent."""
    vtable = table - struct.unpack_from("<i", data, table)[0]
    size = struct.unpack_from("<H", data, vtable)[0]
    entry = 4 + 2 * number
    offset = struct.unpack_from("<H", data, vtable + entry)[0] if entry + 2 <= size else 0
    return table + offset if offset else 0
