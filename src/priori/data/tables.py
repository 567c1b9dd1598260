"""The door for tables in files: typed columns in batches, with their labels and weights beside them.

Parquet and Arrow files have types, and JSON values are what they are; the types of CSV and TSV are read off the first
batch of rows, unless a schema says what they are. The columns of label, weight and conditions are not among them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice

import numpy as np
import pyarrow as pa

from priori.data.arrays import as_strings, is_string
from priori.data.batch import Batch, Floats, TableBatch
from priori.data.conversion import Place, fitted
from priori.data.files import Source, locate, read
from priori.data.options import ReadOptions
from priori.data.parsing import WrittenColumn, odd_one_out, type_of_cells, without_missing
from priori.data.schema import Field, FieldType, Schema, listed, refuse_missing
from priori.errors import DataError
from priori.log import logger

TABLE_FORMATS = frozenset({"csv", "tsv", "jsonl", "parquet", "arrow"})
HEAD_BYTES = 1 << 16  # enough for the names of columns
_LACKING = "Add what is missing; where a value is not known, leave the cell empty."

_TO_LEAVE_OUT = "Leave out one of them."


@dataclass(frozen=True, eq=False)
class LabelledBatch:
    """Rows of a table and what stands beside them."""

    table: TableBatch
    labels: pa.Array | None  # strings, null where a label is missing; None if labels are not wanted, or not there
    weights: Floats | None  # finite, not negative
    bytes_read: int  # position in the raw input, all sources together
    bytes_total: int | None
    keep: Mapping[str, pa.Array] = field(default_factory=dict)  # columns passed through, as they are written

    def __len__(self) -> int:
        return len(self.table)


def read_table(
    sources: Source | Sequence[Source],
    options: ReadOptions | None = None,
    schema: Schema | None = None,
    types: Mapping[str, FieldType | None] | None = None,
    otherwise: FieldType | None = None,
) -> tuple[Schema, Iterator[LabelledBatch]]:
    """The schema of tables in files, and their rows in batches.

    The options name label, weight, conditions and columns to leave out; none of these is among the columns.
    A given schema is what the columns must fit. `types` are those of single columns of a file without types, whatever
    its cells look like ("string" for a column of codes), and `otherwise` is that of all others; None: as they look.
    """
    options = options or ReadOptions()
    named = [sources] if isinstance(sources, Source) else list(sources)
    batches = _read(named, options, schema)
    first = next(batches, None)
    if first is None:
        said = ", ".join(str(source) for source in named)
        raise DataError(f"{said} has no rows{_condition(options)}; give a table with at least one row")
    found = schema or _schema(first, options, _Types(types or {}, otherwise))
    return found, (_typed(piece, found, options, schema is None) for piece in chain([first], batches))


def table_columns(sources: Source | Sequence[Source], options: ReadOptions | None = None) -> tuple[str, ...] | None:
    """The names of the columns besides label, weight and conditions; None if the sources are no table but texts.

    A table has a header and no column of the text's name; a single column of strings is a text of another name.
    Standard input and pipes cannot be looked at twice: None.
    """
    options = options or ReadOptions()
    pieces = locate([sources] if isinstance(sources, Source) else list(sources), options)
    if not pieces or any(piece.format not in TABLE_FORMATS or piece.size is None for piece in pieces):
        return None
    plain = replace(_table_options(options), label=None, weight=None, where=(), batch_bytes=HEAD_BYTES)
    first = next((batch for piece in pieces for batch in islice(read(piece.name, plain), 1)), None)
    if first is None:
        raise DataError(f"{', '.join(piece.name for piece in pieces)} has no rows; give at least one below the header")
    if options.text in first.keep:
        return None
    columns = {name: array for name, array in first.keep.items() if name not in _beside(options)}
    if len(columns) == 1:
        (cells,) = columns.values()
        if is_string(cells.type) and (not first.untyped or type_of_cells(cells) == "string"):
            return None
    return tuple(columns) or None


def _beside(options: ReadOptions) -> set[str]:
    roles = (options.label, options.weight, *(name for name, _ in options.where))
    return {name for name in roles if name is not None}


def _table_options(options: ReadOptions) -> ReadOptions:
    return replace(options, text=None, fields=(), keep=(), typed=True)


@dataclass(frozen=True)
class _Types:
    """The types that columns without one are said to have; None: as their cells look."""

    by_name: Mapping[str, FieldType | None]
    otherwise: FieldType | None

    def of(self, name: str) -> FieldType | None:
        return self.by_name.get(name, self.otherwise)


@dataclass(frozen=True)
class _Piece:
    """A batch as it was read, with the source it comes from and its first row's place there."""

    source: str
    first_row: int
    batch: Batch


def _read(sources: Sequence[Source], options: ReadOptions, schema: Schema | None) -> Iterator[_Piece]:
    kept, named = options.keep, {options.label: "--label COLUMN", options.weight: "--weight COLUMN"}
    asked = dict.fromkeys(schema.names, _LACKING) if schema else dict.fromkeys(options.leave_out, _TO_LEAVE_OUT)
    asked = dict.fromkeys(kept, "--keep COLUMN") | asked
    asked |= {name: "--where COLUMN=VALUE" for name, _ in options.where}
    asked |= {name: option for name, option in named.items() if name is not None}
    options = replace(_table_options(options), asked=tuple(asked.items()))
    if schema:
        everything = tuple(dict.fromkeys((*schema.names, *kept)))
        options = replace(options, keep=everything, leave_out=(), may_lack=schema.names)
    source, row = "", 0
    for batch in read(sources, options):
        if not batch.keep:
            raise DataError(f"{batch.source} is no table; give a CSV, TSV, JSONL, Parquet or Arrow file")
        source, row = batch.source, row if batch.source == source else 0
        yield _Piece(source, row, batch)
        row += len(batch)


def _schema(first: _Piece, options: ReadOptions, types: "_Types") -> Schema:
    """The types of the first batch."""
    columns = {name: array for name, array in first.batch.keep.items() if name not in _beside(options)}
    if not columns:
        raise DataError(f"{first.source} has no column besides those of {_said(options)}; give a table with some")
    for name in types.by_name:
        if name not in columns:
            raise DataError(
                f"{first.source} has no column {name!r} among those to learn from, which are "
                f"{listed(columns)}; name one of them"
            )
    if not first.batch.untyped:
        return _arrow_types(columns, first.source)
    fields = []
    for name, array in columns.items():
        found = types.of(name) or type_of_cells(array)
        if found == "string" and types.of(name) is None:
            _warn_of_odd_one(first, name, array)
        fields.append(Field(name, found))
    return Schema(tuple(fields))


def _warn_of_odd_one(first: _Piece, name: str, cells: pa.Array) -> None:
    """A column of numbers or dates with a few cells that are none is one of strings: its reader should know which."""
    odd = odd_one_out(cells)
    if odd is not None:
        logger.warning(
            "%s: column %r is taken as categories, because it has %r in row %d; correct the cell if these are %s, or "
            "leave it empty",
            first.source, name, cells[odd.place].as_py(), first.first_row + odd.place + 1, odd.others,
        )  # fmt: skip


def _arrow_types(columns: Mapping[str, pa.Array], source: str) -> Schema:
    try:
        return Schema.of(pa.schema([(name, array.type) for name, array in columns.items()]))
    except DataError as error:
        raise DataError(f"{source}: {error}") from None


def _typed(piece: _Piece, schema: Schema, options: ReadOptions, may_choose: bool) -> LabelledBatch:
    """The batch with its columns as the schema has them."""
    batch, condition = piece.batch, _condition(options)
    refuse_missing(schema.names, batch.keep, piece.source)  # a further file may lack what the first one has
    if batch.untyped:
        columns = {
            each.name: WrittenColumn(
                piece.source, each.name, piece.first_row, condition, batch.keep[each.name], may_choose
            ).as_type(each.type)
            for each in schema.fields
        }
    else:
        columns = {name: batch.keep[name] for name in schema.names}
        found = _arrow_types(columns, piece.source)
        schema.check(found, piece.source + f", from row {piece.first_row + 1} on" * (piece.first_row > 0))
        columns = fitted(schema, columns, Place(piece.source, piece.first_row, condition))
    return LabelledBatch(
        TableBatch(schema, columns, len(batch), piece.first_row, piece.source, condition),
        None if batch.label is None else _labels(batch.label, piece.source),
        None if batch.weight is None else np.asarray(batch.weight.to_numpy(zero_copy_only=False), np.float64),
        batch.bytes_read,
        batch.bytes_total,
        {name: batch.keep[name] for name in options.keep},
    )


def _labels(array: pa.Array, source: str) -> pa.Array:
    """Labels as they are written; null for those that say missing."""
    import pyarrow.compute as pc

    strings = as_strings(array, f"{source}: the label")
    return pc.if_else(without_missing(strings).is_valid(), strings, pa.scalar(None, strings.type))


def _condition(options: ReadOptions) -> str:
    return "".join(f" of those with {name}={value}" for name, value in options.where)


def _said(options: ReadOptions) -> str:
    return ", ".join(repr(name) for name in sorted(_beside(options)))
