"""Sources as a command reads them: with the fields that an analyzer knows of."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from priori.cli.verbosity import listen, note

if TYPE_CHECKING:
    from priori.classifier import Model
    from priori.sources import Batch, ReadOptions

_MAIL = frozenset({"mbox", "maildir", "eml"})


def new_batches(sources: Sequence[str], options: "ReadOptions") -> "tuple[Iterator[Batch], tuple[str, ...]]":
    """The batches of sources to train on, and the fields of their documents: --field, and for mail its headers."""
    from priori.sources import read
    from priori.sources.locate import locate

    listen()
    mail = any(piece.format in _MAIL for piece in locate(sources, options))
    batches = read(sources, options)
    first = next(batches, None)  # stdin shows what it is only when it is read
    if first is None:
        return iter(()), options.fields
    mail = mail or not set(first.fields) <= set(options.fields)
    columns = tuple(name.lower() if mail else name for name in options.fields)
    fields = tuple(dict.fromkeys((*options.mail_headers, *columns))) if mail else columns
    return chain([first], batches), fields


def batches_for(model: "Model", sources: Sequence[str], options: "ReadOptions") -> "Iterator[Batch]":
    """The batches of sources for a model, with the fields that it was trained with."""
    from priori.sources import read
    from priori.sources.options import MAIL_HEADERS

    listen()
    fields = model.analyzer.fields
    headers = frozenset(MAIL_HEADERS) if frozenset(MAIL_HEADERS) <= frozenset(fields) else frozenset()
    columns = options.fields or tuple(name for name in fields if name not in headers)
    batches = read(sources, replace(options, fields=columns, mail_headers=fields))
    return _noting_missing(fields, batches)


def _noting_missing(fields: tuple[str, ...], batches: "Iterator[Batch]") -> "Iterator[Batch]":
    said = False
    for batch in batches:
        missing = [name for name in fields if name not in batch.fields]
        if missing and not said:
            note(f"the model also learned from {', '.join(missing)}, which this source does not have (see --field)")
            said = True
        yield batch


def text_of(text: str) -> str:
    """A text of the command line; - reads standard input. What is not UTF-8 becomes a mark, as a word's end."""
    raw = sys.stdin.buffer.read() if text == "-" else text.encode("utf-8", "surrogateescape")
    return raw.decode("utf-8", "replace")


def document_of(text: str) -> "Batch":
    """One text as a batch."""
    from priori.sources import Batch
    from priori.store import views

    return Batch(views.from_texts([text]), None, None, {}, {}, 0, None)


def row_of(batches: "Iterator[Batch]", row: int, source: str) -> "Batch":
    """The batch of one document: the row-th of all."""
    from priori.errors import DataError

    before = 0
    for batch in batches:
        if row < before + len(batch):
            return batch.row(row - before)
        before += len(batch)
    raise DataError(f"{source} has {before:,} documents, so there is no row {row}; --row counts from 0")
