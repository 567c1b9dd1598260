"""Parquet and Arrow files: only the wanted columns, a batch of rows at a time."""

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from priori.data.arrays import is_bytes, is_string
from priori.data.batch import Batch
from priori.data.options import ReadOptions, Selection, select
from priori.data.streams import ByteStream, is_url, open_filesystem
from priori.errors import DataError

LARGEST_BATCH = 1 << 16  # rows


def read_parquet(source: str | ByteStream, options: ReadOptions, label: str | None) -> Iterator[Batch]:
    """Yield the documents of a Parquet file."""
    import pyarrow.parquet as pq

    name = source if isinstance(source, str) else source.name
    with _opened(source) as file:
        try:
            table = pq.ParquetFile(file)
            size = file.size()
            rows = table.metadata.num_rows
            selection = select(name, options, table.schema_arrow.names, label)
            uncompressed = sum(table.metadata.row_group(i).total_byte_size for i in range(table.num_row_groups))
            step = max(1, min(LARGEST_BATCH, options.batch_bytes * rows // max(1, uncompressed)))
            batches = table.iter_batches(step, columns=selection.columns, use_threads=False)
            yield from _batches(batches, selection, rows, size)
        except (pa.ArrowException, OSError) as error:
            raise DataError(f"{name} cannot be read as Parquet: {error}.") from error


def read_arrow(source: str | ByteStream, options: ReadOptions, label: str | None) -> Iterator[Batch]:
    """Yield the documents of an Arrow IPC (Feather) file or stream."""
    name = source if isinstance(source, str) else source.name
    with _opened(source) as file:
        try:
            size = file.size()
            is_file = file.read(6) == b"ARROW1"
            file.seek(0)
            reader = pa.ipc.open_file(file) if is_file else pa.ipc.open_stream(file)
            selection = select(name, options, reader.schema.names, label)
            if is_file:
                batches: Iterator[pa.RecordBatch] = (reader.get_batch(i) for i in range(reader.num_record_batches))
            else:
                batches = iter(reader)
            yield from _batches(_checked(batches, selection), selection, None, size)
        except (pa.ArrowException, OSError) as error:
            raise DataError(f"{name} cannot be read as an Arrow file: {error}.") from error


def _checked(batches: Iterator[pa.RecordBatch], selection: Selection) -> Iterator[pa.RecordBatch]:
    """Select the wanted columns; validated, because damaged Arrow data crash whoever trusts them."""
    for batch in batches:
        chosen = batch.select(selection.columns)
        chosen.validate(full=True)
        for start in range(0, chosen.num_rows, LARGEST_BATCH):
            yield chosen.slice(start, LARGEST_BATCH)


def _batches(batches: Iterator[pa.RecordBatch], selection: Selection, rows: int | None, size: int) -> Iterator[Batch]:
    row = 0
    for chunk in batches:
        columns = {name: _without_views(chunk.column(name)) for name in selection.columns}
        done = size if rows is None else size * (row + chunk.num_rows) // max(1, rows)
        batch = selection.batch(columns, row, done)
        row += chunk.num_rows
        if len(batch):
            yield batch


def _without_views(array: pa.Array) -> pa.Array:
    """String views, which Arrow cannot filter, as plain strings."""
    if is_string(array.type) and array.type != pa.string():
        return array.cast(pa.large_string())
    if is_bytes(array.type) and array.type != pa.binary():
        return array.cast(pa.large_binary())
    return array


def _opened(source: str | ByteStream) -> Any:
    """A file with random access; a stream is read into memory."""
    try:
        if isinstance(source, ByteStream):
            return pa.BufferReader(source.readall())
        if is_url(source):
            filesystem, path = open_filesystem(source)
            return filesystem.open_input_file(path)
        return pa.OSFile(source, "rb")
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"{source} cannot be opened: {error}. Check the path.") from error
