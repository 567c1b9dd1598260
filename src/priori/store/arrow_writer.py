"""Writes tables with one spelling each: plain types, no nulls, one batch, exact buffers, no metadata, no compression.

A section is an Arrow IPC *stream* (schema, one record batch, end mark). The IPC file format would add a footer that
says everything a second time, and two statements can disagree.
"""

import struct
from typing import Any, Protocol

import pyarrow as pa

from priori.errors import DataError
from priori.store.arrow_views import arrow_schema, columns_of
from priori.store.damage import NotCanonicalError, in_one_line
from priori.store.table_types import Table

_WIDTHS: dict[Any, int] = {
    **{t: t.bit_width // 8 for t in (pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.float32(), pa.float64())},
    **{t: t.bit_width // 8 for t in (pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64())},
}
_TEXTS: dict[Any, str] = {pa.string(): "<i", pa.large_string(): "<q", pa.binary(): "<i", pa.large_binary(): "<q"}


class Sink(Protocol):
    """Where bytes go: a file, or a running checksum."""

    def write(self, data: Any, /) -> object:
        """Take a bytes-like object."""


def canonical_batch(table: Table | pa.Table) -> pa.RecordBatch:
    """The table as one batch whose bytes depend on its values alone, copying only what is chunked, sliced or padded."""
    try:
        table = table.to_arrow() if isinstance(table, Table) else table
        schema = arrow_schema(columns_of(table.schema))
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
