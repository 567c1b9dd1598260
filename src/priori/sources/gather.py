"""Documents that come one by one (files, mails) gathered into batches."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pyarrow as pa

from priori.sources.arrays import string_array
from priori.sources.batch import Batch
from priori.sources.selection import Selection


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
