"""Plain text with one document per line, and fastText's lines with __label__ in front."""

from collections.abc import Iterator
from dataclasses import replace

import pyarrow as pa

from priori.errors import DataError
from priori.sources.arrays import as_strings
from priori.sources.batch import Batch
from priori.sources.delimited import LINES, RowBlocks
from priori.sources.options import ReadOptions
from priori.sources.selection import select
from priori.sources.sniff import refuse_binary
from priori.sources.streams import ByteStream

LABEL_PREFIX = b"__label__"


def read_lines(stream: ByteStream, options: ReadOptions, label: str | None) -> Iterator[Batch]:
    """Yield one document per line that is not blank; all have the label of the source, if it has one."""
    if options.label is not None and label is None and options.label_required:
        raise DataError(
            f"{stream.name} is plain text without labels. Give one for the whole file: LABEL={stream.name}."
        )
    name = "value" if options.text is None else "text"
    options = replace(options, text=options.text and name, label_required=False)
    selection = replace(select(stream.name, options, [name], label), untyped=True)
    row = 0
    for array in _lines(stream, options.batch_bytes):
        yield selection.batch({name: array}, row, stream.raw_position)
        row += len(array)


def read_fasttext(stream: ByteStream, options: ReadOptions, label: str | None) -> Iterator[Batch]:
    """Yield one document per line, whose first word may be its label: __label__spam Free entry ..."""
    options = replace(options, text="text", label=None if options.label is None else "label")
    selection = select(stream.name, options, ["text", "label"], label)
    row = 0
    for array in _lines(stream, options.batch_bytes):
        labels: list[bytes | None] = []
        texts: list[bytes] = []
        for line in array.to_pylist():
            found, text = _take_label(stream.name, row + len(texts), line)
            labels.append(found)
            texts.append(text)
        columns = {
            "text": pa.array(texts, type=pa.large_binary()),
            "label": as_strings(pa.array(labels, type=pa.large_binary()), f"{stream.name}: a label"),
        }
        batch = selection.batch(columns, row, stream.raw_position)
        row += len(array)
        if len(batch):
            yield batch


def _take_label(name: str, row: int, line: bytes) -> tuple[bytes | None, bytes]:
    if not line.startswith(LABEL_PREFIX):
        return None, line
    word, _, text = line.partition(b" ")
    if text.lstrip().startswith(LABEL_PREFIX):
        raise DataError(
            f"{name}: document {row} has more than one label. Keep one per document: there is no multi-label."
        )
    return word.removeprefix(LABEL_PREFIX), text


def _lines(stream: ByteStream, block_bytes: int) -> Iterator[pa.Array]:
    refuse_binary(stream.name, stream.peek())
    if not stream.peek(1):
        raise DataError(f"{stream.name} is empty. Give a file with one document per line.")
    for (array,) in RowBlocks(stream, LINES, block_bytes).rows(1, [0]):
        yield array
