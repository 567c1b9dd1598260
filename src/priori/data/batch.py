"""What every source yields: documents with their labels, or rows of a table, as Arrow arrays of one length.

The columns of a table can be read as numbers, codes, texts and parts of dates.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import types

from priori.data.arrays import is_string, plain
from priori.data.calendar import DateParts, date_parts
from priori.data.conversion import Codes, codes_of, seconds
from priori.data.numeric_columns import Column
from priori.data.schema import NUMBERS, TEXTS, FieldType, Schema, type_of
from priori.errors import DataError

Floats = npt.NDArray[np.float64]
_SAID: dict[FieldType, str] = {"string": "text", "category": "categories", "date": "dates", "time": "times"}


@dataclass(frozen=True)
class Batch:
    """Some documents, in the order of their source; all arrays have the same length."""

    text: pa.Array  # any string or binary type (UTF-8, perhaps invalid); list<string> tokens; map<string, int64> counts
    label: pa.Array | None  # a string type, null where a document is unlabelled; None if the source has no labels
    weight: pa.Array | None  # float64, finite and not negative
    fields: dict[str, pa.Array]  # further text per document, whose features get the prefix "name:"
    keep: dict[str, pa.Array]  # columns passed through untouched
    bytes_read: int  # position in the raw input, all sources together
    bytes_total: int | None  # None where a source does not know its size
    source: str = ""  # what messages call the file or folder that it comes from
    untyped: bool = False  # the columns to keep are as they are written: the source has no types

    def __len__(self) -> int:
        return len(self.text)

    def row(self, place: int) -> Self:
        """One document as a batch of its own, without what stands beside it."""
        fields = {name: column.slice(place, 1) for name, column in self.fields.items()}
        return replace(self, text=self.text.slice(place, 1), label=None, weight=None, fields=fields, keep={})

    def rows(self, places: pa.Array) -> Self:
        """Only these documents, in this order."""
        return replace(
            self,
            text=_taken(self.text, places),
            label=None if self.label is None else _taken(self.label, places),
            weight=None if self.weight is None else _taken(self.weight, places),
            fields={name: _taken(column, places) for name, column in self.fields.items()},
            keep={name: _taken(column, places) for name, column in self.keep.items()},
        )


def _taken(column: pa.Array, places: pa.Array) -> pa.Array:
    views = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}  # which Arrow cannot take from
    return column.cast(views.get(column.type, column.type)).take(places)


@dataclass(frozen=True, eq=False)
class TableBatch:
    """Rows in the order of their source; all columns have the same length."""

    schema: Schema
    columns: Mapping[str, pa.Array]  # plain arrays, without chunks; of a type that the schema's accepts
    rows: int
    first_row: int = 0  # the place of the first row in its source, from 0; complaints count from 1
    source: str = "X"  # what complaints call it
    condition: str = ""  # what the rows of the source were chosen by, if they were

    @classmethod
    def empty(cls, schema: Schema) -> Self:
        """No rows: to find out whether they could be scored."""
        return cls(schema, {name: pa.nulls(0) for name in schema.names}, 0)

    def __len__(self) -> int:
        return self.rows

    def row(self, place: int) -> Self:
        """One row as a batch of its own."""
        columns = {name: cells.slice(place, 1) for name, cells in self.columns.items()}
        return replace(self, columns=columns, rows=1, first_row=self.first_row + place)

    def numbers(self, name: str) -> Floats:
        """The numbers of a column, NaN where missing, false and true as 0 and 1; not to be written to.

        A column of Arrow float64 without nulls is not copied. Text is refused, and so are infinite numbers.
        """
        cells = self._cells(name)
        found = type_of(name, cells.type)
        if found not in NUMBERS | {"null"}:
            raise self._not_numbers(name, cells, found)
        if types.is_duration(cells.type) or types.is_time(cells.type):
            return seconds(cells)
        return self._column(name, cells).numbers()

    def codes(self, name: str) -> tuple[Codes, tuple[str, ...]]:
        """(codes, values): which of the values each cell holds, -1 where it is missing; every value occurs."""
        cells = self._cells(name)
        if types.is_floating(cells.type):
            self.numbers(name)  # infinite ones are refused
        if types.is_boolean(cells.type) and self.schema[name].type != "boolean":
            cells = cells.cast(pa.int8())  # true stands for 1 where numbers are expected
        return codes_of(cells)

    def texts(self, name: str) -> pa.Array:
        """The cells as strings (numbers and dates as `codes` has them), null where missing."""
        cells = self._cells(name)
        if is_string(cells.type):
            return cells.cast(pa.large_string()) if types.is_string_view(cells.type) else cells
        codes, values = self.codes(name)
        indices = pa.array(codes, mask=codes < 0)
        return pa.array(values, pa.large_string()).take(indices)

    def dates(self, name: str) -> DateParts:
        """Year, month and weekday of dates; of times the hour, too."""
        cells, expected = self._cells(name), self.schema[name].type
        if type_of(name, cells.type) not in {"date", "time", "null"}:
            raise DataError(
                f"{self.source}: column {name!r} holds {cells.type}, dates were expected; convert it to dates first"
            )
        return date_parts(cells, has_time=expected == "time")

    def _cells(self, name: str) -> pa.Array:
        if name not in self.columns:
            self.schema[name]  # says which columns there are
        return self.columns[name]

    def _column(self, name: str, cells: pa.Array) -> Column:
        return Column(self.source, name, self.first_row, self.condition, cells)

    def _not_numbers(self, name: str, cells: pa.Array, found: FieldType) -> DataError:
        remedy = "convert it to numbers, or give the column a family for what it holds, such as categorical"
        example = ""
        if found in TEXTS:
            known = np.flatnonzero(codes_of(cells)[0] >= 0)
            if len(known):
                at = int(known[0])
                example = f" ({plain(cells)[at].as_py()!r} in row {self.first_row + at + 1}{self.condition})"
        return DataError(
            f"{self.source}: column {name!r} holds {_SAID[found]}{example}, numbers were expected; {remedy}"
        )
