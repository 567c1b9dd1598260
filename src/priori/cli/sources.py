"""Documents that are read twice, once to find their words and once to number them, with what stands beside them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import click

from priori.cli.inputs import new_batches
from priori.cli.options import read_options
from priori.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa

    from priori.sources import Batch, ReadOptions


_TEXT = "Name the one with the text: --text COLUMN; or add --table to find classes of rows by all columns."
_TRUTH = "Name the one with the labels to compare with: --truth COLUMN."
_LABEL = "label"  # the column that is compared with unless another is named


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
        from priori.labels import to_texts

        return [label or None for label in to_texts(documents.kept()[self.truth])[0]]  # an empty cell is no label


def labels_are_given(sources: Sequence[str]) -> bool:
    """Whether one of them is LABEL=PATH; then the names of the others are no labels."""
    from priori.sources.locate import split_label

    return any(split_label(source)[0] is not None for source in sources)


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
    from priori.sources.locate import split_label

    names = [split_label(source)[1] for source in sources]
    places = [Path(name).expanduser() for name in names]
    return "-" in names or any(place.exists() and not place.is_file() and not place.is_dir() for place in places)
