"""Documents as a command reads them, with the fields that an analyzer knows of.

Some commands read them twice, once to find their words and once to number them, and keep what stands beside them:
labels to learn from, labels to compare with, further columns.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import click

from priori.cli.messages import listen, note
from priori.cli.options.common import read_options
from priori.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa

    from priori.data.batch import Batch
    from priori.data.options import ReadOptions
    from priori.model.classifier import Model

_MAIL = frozenset({"mbox", "maildir", "eml"})
_TEXT = "Name the one with the text: --text COLUMN; or add --table to find classes of rows by all columns."
_TRUTH = "Name the one with the labels to compare with: --truth COLUMN."
_LABEL = "label"  # the column that is compared with unless another is named


def new_batches(sources: Sequence[str], options: "ReadOptions") -> "tuple[Iterator[Batch], tuple[str, ...]]":
    """The batches of sources to train on, and the fields of their documents: --field, and for mail its headers."""
    from priori.data.files import locate, read

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
    from priori.data.files import read
    from priori.data.options import MAIL_HEADERS

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
    from priori.data.batch import Batch
    from priori.store import arrow_views

    return Batch(arrow_views.from_texts([text]), None, None, {}, {}, 0, None)


def row_of(batches: "Iterator[Batch]", row: int, source: str) -> "Batch":
    """The batch of one document: the row-th of all."""
    before = 0
    for batch in batches:
        if row < before + len(batch):
            return batch.row(row - before)
        before += len(batch)
    raise DataError(f"{source} has {before:,} documents, so there is no row {row}; --row counts from 0")


# --- labels to learn from and to compare with -------------------------------------------------------------------------


@dataclass(frozen=True)
class Asked:
    """Which labels are to be learned from, and which are to be compared with."""

    label: str | None  # the column to learn from
    truth: str | None  # the column to compare with
    named: bool  # LABEL=PATH was given: the user's own word, to be learned from

    @classmethod
    def of(cls, sources: Sequence[str], given: dict[str, Any]) -> Self:
        """What the command line says; its options are taken out of `given`."""
        asked = cls(given.pop("label"), given.pop("truth"), labels_are_given(sources))
        if asked.label is not None and asked.label == asked.truth:
            raise click.UsageError(
                f"the labels of {asked.label!r} are learned from, so they say nothing of what was found; give --truth "
                "another column, or leave it out"
            )
        for option, column in (("--label", asked.label), ("--truth", asked.truth)):
            if column is not None and column == given["text"] and not given["as_table"]:
                raise click.UsageError(f"{option} {column} is the column of the text; name one with labels")
        return asked

    @property
    def labelled(self) -> bool:
        """Whether labels are learned from."""
        return self.named or self.label is not None

    @property
    def where(self) -> str:
        """What is compared with, in words."""
        return "the labels of the source" if self.truth is None else f"the column {self.truth!r}"

    def options(self, given: dict[str, Any], keep: tuple[str, ...]) -> "ReadOptions":
        """How the sources are to be read."""
        beside = (self.truth,) if self.labelled and self.truth is not None and self.truth not in keep else ()
        options = read_options(given, (*keep, *beside))
        column = self.label if self.labelled else self.truth
        asked = ((options.text or "", _TEXT), *(((self.truth, _TRUTH),) if self.truth is not None else ()))
        options = replace(options, label_of_some=True, names_label=not self.labelled, asked=asked)
        if column is None and options.text == _LABEL:  # then it holds no labels
            return replace(options, label=None)
        return replace(options, label=column or _LABEL, label_required=column is not None)

    def truth_of(self, documents: "Documents") -> list[str | None] | None:
        """The labels to compare with, one for each document."""
        if not self.labelled:
            return documents.truth
        if self.truth is None:
            return None
        from priori.data.labels import to_texts

        return [label or None for label in to_texts(documents.kept()[self.truth])[0]]  # an empty cell is no label


def labels_are_given(sources: Sequence[str]) -> bool:
    """Whether one of them is LABEL=PATH; then the names of the others are no labels."""
    from priori.data.files import split_label

    return any(split_label(source)[0] is not None for source in sources)


# --- documents that are read twice ------------------------------------------------------------------------------------


class Documents:
    """A source that can be read again: what comes through a pipe is kept, files are opened anew."""

    def __init__(self, sources: Sequence[str], options: "ReadOptions", *, labelled: bool) -> None:
        """labelled: whether labels are for learning; otherwise they are kept beside the documents, as `truth`."""
        self.sources, self.options, self.labelled = sources, options, labelled
        first, self.fields = new_batches(sources, options)
        self._batches: Iterator[Batch] | list[Batch] | None = list(first) if _comes_once(sources) else first
        self.truth: list[str | None] = []
        self._kept: dict[str, list[Any]] = {}

    def __call__(self) -> "Iterator[Batch]":
        """All batches, from the first."""
        batches, self.truth, self._kept = self._batches, [], {}
        if not isinstance(batches, list):
            self._batches = None
        for batch in new_batches(self.sources, self.options)[0] if batches is None else batches:
            for name, column in batch.keep.items():
                self._kept.setdefault(name, []).append(column)
            if self.labelled:
                yield _with_labels(batch)
                continue
            self.truth += [None] * len(batch) if batch.label is None else batch.label.to_pylist()
            yield replace(batch, label=None)

    def kept(self) -> "dict[str, pa.ChunkedArray]":
        """The columns to keep, whole."""
        import pyarrow as pa

        columns = {}
        for name, parts in self._kept.items():
            kinds = list(dict.fromkeys(str(part.type) for part in parts))
            if len(kinds) > 1:
                raise DataError(
                    f"the column {name!r} is of different types in the sources ({', '.join(kinds)}); give it one type"
                )
            columns[name] = pa.chunked_array(parts)
        return columns


def _with_labels(batch: "Batch") -> "Batch":
    """A source without labels is one whose documents have none."""
    import pyarrow as pa

    return batch if batch.label is not None else replace(batch, label=pa.nulls(len(batch), pa.large_string()))


def _comes_once(sources: Sequence[str]) -> bool:
    """Whether something is standard input or a pipe."""
    from priori.data.files import split_label

    names = [split_label(source)[1] for source in sources]
    places = [Path(name).expanduser() for name in names]
    return "-" in names or any(place.exists() and not place.is_file() and not place.is_dir() for place in places)
