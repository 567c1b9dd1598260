"""Documents in plain text: one per line (fastText's with __label__ in front), or one per file, a folder per class."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa

from priori.data.arrays import as_strings, string_array
from priori.data.batch import Batch
from priori.data.formats.delimited import LINES, RowBlocks
from priori.data.options import ReadOptions, Selection, select
from priori.data.streams import HEAD_BYTES, ByteStream, open_text, refuse_binary
from priori.errors import DataError

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


# --- documents that come one by one, such as files and mails ----------------------------------------------------------


@dataclass(frozen=True)
class Document:
    """One document: its text, its other columns, and the position in the input behind it."""

    text: str | bytes
    columns: dict[str, str]
    size: int
    position: int


def gather(documents: Iterable[Document], selection: Selection, batch_bytes: int) -> Iterator[Batch]:
    """Put documents into batches of about this many bytes."""
    row = size = 0
    waiting: list[Document] = []
    for document in documents:
        waiting.append(document)
        size += document.size
        if size >= batch_bytes:
            yield from _filled(waiting, selection, row)
            row += len(waiting)
            waiting, size = [], 0
    yield from _filled(waiting, selection, row)


def _filled(documents: list[Document], selection: Selection, row: int) -> Iterator[Batch]:
    if not documents:
        return
    columns = {
        name: string_array([document.columns.get(name) for document in documents])
        for name in selection.columns
        if name != selection.text
    }
    assert selection.text is not None  # documents are what is gathered
    texts = [document.text for document in documents]
    as_bytes = isinstance(texts[0], bytes)
    columns[selection.text] = pa.array(texts, type=pa.large_binary()) if as_bytes else string_array(texts)  # type: ignore[arg-type]
    batch = selection.batch(columns, row, documents[-1].position)
    if len(batch):
        yield batch


# --- folders of documents ---------------------------------------------------------------------------------------------


def read_documents(name: str, files: Sequence[Path], options: ReadOptions, label: str | None) -> Iterator[Batch]:
    """Yield one document per file, all with the same label; the only other column is its path."""
    if options.label is not None and label is None and options.label_required:
        raise DataError(
            f"{name} has no subfolders, so its documents have no labels. "
            f"Make one subfolder per class, or give a label for all: LABEL={name}."
        )
    options = replace(options, text="text", label_required=False)
    selection = select(name, options, ["text", "path"], label)
    yield from gather(_documents(files, options.encoding), selection, options.batch_bytes)


def _documents(files: Sequence[Path], encoding: str) -> Iterator[Document]:
    position = 0
    for path in files:
        with open_text(str(path), encoding) as stream:
            text = stream.readall()
            position += stream.raw_position
        refuse_binary(str(path), text[:HEAD_BYTES])
        yield Document(text, {"path": str(path)}, len(text), position)
