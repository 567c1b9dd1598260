"""How sources are read, which of their columns play which role, and the batch that is made of these."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import pyarrow as pa

from priori.data.arrays import as_documents, as_field, as_strings, as_weights, empty_as_null, first_null
from priori.data.batch import Batch
from priori.errors import DataError

MAIL_HEADERS = ("subject", "from", "to", "reply-to")


@dataclass(frozen=True)
class ReadOptions:
    """Which columns play which role, and how the bytes of a source are to be understood."""

    text: str | None = "text"  # None: a table whose rows have no text; the columns to keep are all that is wanted
    label: str | None = "label"  # None: labels are not wanted, even where there are some
    weight: str | None = None
    fields: tuple[str, ...] = ()  # further columns with text, each with features of its own
    keep: tuple[str, ...] = ()  # columns to pass through; none, of a table without a text: all of them
    where: tuple[tuple[str, str], ...] = ()  # (column, value): only rows whose column has this text
    but_where: tuple[tuple[str, str], ...] = ()  # (column, value): rows that meet all of these are left out
    format: str | None = None  # one of FORMATS in streams.py; None: from the extension or the first bytes
    encoding: str = "utf-8"
    delimiter: str | None = None  # None: a comma for csv, a tab for tsv
    quote: str | None = None  # None: '"' for csv, no quoting for tsv; "" turns quoting off
    header: bool = True  # False: columns are named "0", "1", ...
    mail_headers: tuple[str, ...] = MAIL_HEADERS  # headers that become fields of a mail
    batch_bytes: int = 4 << 20  # about how many bytes of input make one batch
    asked: tuple[
        tuple[str, str], ...
    ] = ()  # (column, the option that named it): what a complaint names, or else its remedy
    label_required: bool = True  # False: the label column is used if it is there
    label_of_some: bool = False  # of several sources it is enough that one has labels; the others are unlabelled
    names_label: bool = True  # False: LABEL=PATH and columns give labels, the names of files and folders do not
    leave_out: tuple[str, ...] = ()  # columns that are not meant where all of a table without a text are kept
    may_lack: tuple[str, ...] = ()  # columns of a table of which JSON lines may have some only; others are then missing
    typed: bool = False  # of a table without a text: the numbers, strings, true and false of JSON stay what they are


@dataclass(frozen=True)
class Selection:
    """The columns wanted of one source; `name` is what messages call the source."""

    name: str
    text: str | None
    label: str | None
    constant_label: str | None
    weight: str | None
    fields: tuple[str, ...]
    keep: tuple[str, ...]
    where: tuple[tuple[str, str], ...]
    but_where: tuple[tuple[str, str], ...] = ()
    empty_label_is_null: bool = False
    untyped: bool = False  # everything is text, as it was written

    @property
    def columns(self) -> list[str]:
        """The names to read, each once."""
        conditions = (name for name, _ in (*self.where, *self.but_where))
        roles = (self.text, self.label, self.weight, *self.fields, *self.keep, *conditions)
        return list(dict.fromkeys(name for name in roles if name is not None))

    def batch(self, columns: Mapping[str, pa.Array], first_row: int, bytes_read: int) -> Batch:
        """Make a batch of the columns; rows that do not meet the conditions are left out."""
        columns = self._filtered(columns)
        text = self._documents(columns, first_row)
        weight = None if self.weight is None else as_weights(columns[self.weight], self._what(self.weight))
        fields = {name: as_field(columns[name], self._what(name)) for name in self.fields}
        keep = {name: columns[name] for name in self.keep}
        keep = {name: as_strings(a, self._what(name)) if a.type == pa.large_binary() else a for name, a in keep.items()}
        return Batch(
            text, self._labels(columns, len(text)), weight, fields, keep, bytes_read, None, self.name, self.untyped
        )

    def _documents(self, columns: Mapping[str, pa.Array], first_row: int) -> pa.Array:
        if self.text is None:
            return pa.nulls(len(next(iter(columns.values()))), pa.string())
        text = as_documents(columns[self.text], self._what(self.text))
        missing = first_null(text)
        if missing is not None:
            raise DataError(
                f"{self.name}: row {first_row + missing} has no text (column {self.text!r} is null). "
                "Every document needs one: drop the row or make the text empty."
            )
        return text

    def _labels(self, columns: Mapping[str, pa.Array], size: int) -> pa.Array | None:
        if self.constant_label is not None:
            return pa.repeat(pa.scalar(self.constant_label), size)
        if self.label is None:
            return None
        labels = as_strings(columns[self.label], self._what(self.label))
        return empty_as_null(labels) if self.empty_label_is_null else labels

    def _filtered(self, columns: Mapping[str, pa.Array]) -> Mapping[str, pa.Array]:
        if self.where:
            mask = self._meets(columns, self.where)
            columns = {name: array.filter(mask) for name, array in columns.items()}
        if self.but_where:
            import pyarrow.compute as pc

            mask = pc.invert(self._meets(columns, self.but_where))
            columns = {name: array.filter(mask) for name, array in columns.items()}
        return columns

    def _meets(self, columns: Mapping[str, pa.Array], conditions: tuple[tuple[str, str], ...]) -> pa.Array:
        """Which rows meet all conditions; a null meets none."""
        import pyarrow.compute as pc

        equal = [pc.equal(as_strings(columns[name], self._what(name)), value) for name, value in conditions]
        return reduce(pc.and_, (one.fill_null(False) for one in equal))

    def _what(self, column: str) -> str:
        return f"{self.name}: column {column!r}"


def select(
    name: str, options: ReadOptions, available: Sequence[str], source_label: str | None, hint: str = ""
) -> Selection:
    """Give every role its column, or say which column is missing and which are there."""
    label = None if source_label is not None else options.label
    if label is not None and not options.label_required and label not in available:
        label = None
    selection = Selection(
        name=name,
        text=options.text,
        label=label,
        constant_label=source_label if options.label is not None else None,
        weight=options.weight,
        fields=options.fields,
        keep=options.keep or (_all_but(options.leave_out, available) if options.text is None else ()),
        where=options.where,
        but_where=options.but_where,
    )
    counts = Counter(available)
    for column in selection.columns:
        if counts[column] > 1:
            raise DataError(f"{name} has {counts[column]} columns called {column!r}. Rename all but one.")
    missing = [column for column in (*selection.columns, *options.leave_out) if not counts[column]]
    if missing:
        lacking = f"column{'s' * (len(missing) > 1)} {', '.join(map(repr, missing))}"
        there = ", ".join(repr(other) for other in available[:20]) + (", ..." if len(available) > 20 else "")
        raise DataError(f"{name} has no {lacking}; its columns are {there}. {_remedy(options, missing[0])}{hint}")
    return selection


def _all_but(left_out: Sequence[str], available: Sequence[str]) -> tuple[str, ...]:
    return tuple(name for name in available if name not in left_out)


def _remedy(options: ReadOptions, column: str) -> str:
    if options.text is None:
        asked = dict(options.asked).get(column, "--column COLUMN")
        return f"Name one of them: {asked}." if asked.startswith("--") else asked
    if column == options.text:
        return dict(options.asked).get(column, "Name the one with the text: --text COLUMN.")
    if column == options.label:
        return dict(options.asked).get(column, "Name the one with the labels: --label COLUMN.")
    return dict(options.asked).get(column, "Name one that is there.")
