"""Folders of documents: every file is one, and its class is the name of the subfolder."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from priori.errors import DataError
from priori.sources.batch import Batch
from priori.sources.gather import Document, gather
from priori.sources.options import ReadOptions
from priori.sources.selection import select
from priori.sources.sniff import HEAD_BYTES, refuse_binary
from priori.sources.streams import open_text


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
