"""Cells of one type as another that a schema expects, where nothing is lost.

The same column is a date in a CSV whose types were read, and a string or a time in a frame: with the schema known, ISO
strings become dates and times, times at midnight dates, and the numbers 0 and 1 false and true. The first cell that
does not fit is refused.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import types

from priori.errors import DataError
from priori.tables.calendar import local_times, past_midnight, times_as_text
from priori.tables.schema import TEXTS, Field, Schema, misfit, type_of
from priori.tables.written import WrittenColumn


@dataclass(frozen=True)
class Place:
    """Where the rows of a batch come from, for complaints."""

    source: str = "X"
    first_row: int = 0  # from 0; complaints count from 1
    condition: str = ""


def fitted(schema: Schema, columns: Mapping[str, pa.Array], place: Place) -> dict[str, pa.Array]:
    """The columns of the schema, each of a type that its field accepts; `Schema.check` has passed their types."""
    return {field.name: _fitted(field, columns[field.name], place) for field in schema.fields}


def _fitted(field: Field, cells: pa.Array, place: Place) -> pa.Array:
    found = type_of(field.name, cells.type)
    if field.accepts(found):
        return cells
    if found in TEXTS:
        plain = cells.dictionary_decode() if types.is_dictionary(cells.type) else cells
        written = WrittenColumn(
            place.source, field.name, place.first_row, place.condition, plain.cast(pa.large_string()), may_choose=False
        )
        return written.as_type(field.type)
    if found == "time" and field.type == "date":
        local = local_times(cells)
        _refuse_first(
            past_midnight(local),
            lambda at: times_as_text(local.slice(at, 1))[0],
            "a date without a time of day",
            field,
            place,
        )
        return local.cast(pa.date32())
    if field.type == "boolean" and (types.is_integer(cells.type) or types.is_floating(cells.type)):
        numbers = np.asarray(cells.to_numpy(zero_copy_only=False), np.float64)
        missing = np.isnan(numbers)
        _refuse_first(~missing & (numbers != 0) & (numbers != 1), lambda at: f"{numbers[at]:g}", "0 or 1", field, place)
        return pa.array(numbers == 1, mask=missing)
    raise misfit(field, found, place.source)


def _refuse_first(
    wrong: npt.NDArray[np.bool_], said: Callable[[int], str | None], expected: str, field: Field, place: Place
) -> None:
    if wrong.any():
        at = int(wrong.argmax())
        raise DataError(
            f"{place.source}: column {field.name!r} has {said(at)} in row {place.first_row + at + 1}{place.condition}, "
            f"which is not {expected}; correct the cell, or leave it empty if it is missing"
        )
