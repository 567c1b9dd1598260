"""Rows drawn from p(y) p(x | y), as a table of the same columns that the model has learned."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from priori.table_classifier import TableModel
from priori.tables.calendar import EPOCH_WEEKDAY
from priori.tables.schema import Field

Arrays = Mapping[str, npt.NDArray[Any]]


def sample_table(model: TableModel, size: int, rng: np.random.Generator) -> tuple[npt.NDArray[np.intp], pa.Table]:
    """The place of each row's class among the labels, and a table of the columns that the model reads."""
    group, cells = model.sample(size, rng)
    by_column: dict[str, dict[str | None, npt.NDArray[Any]]] = {}
    for part, drawn in zip(model.parts, cells, strict=True):
        for j, column in enumerate(part.columns):
            by_column.setdefault(column, {})[part.calendar] = drawn[:, j] if drawn.ndim == 2 else drawn
    columns = {
        field.name: _column(field, by_column[field.name], rng)
        for field in model.schema.fields
        if field.name in by_column
    }
    return group, pa.table(columns)


def _column(field: Field, drawn: Mapping[str | None, npt.NDArray[Any]], rng: np.random.Generator) -> pa.Array:
    if None not in drawn:
        return _dates(field, drawn, rng)
    cells = drawn[None]
    if cells.dtype == object:
        return pa.array(cells == "true") if field.type == "boolean" else _of_texts(field, cells)
    if field.type == "integer":
        return pa.array(np.rint(cells).astype(np.int64))
    return pa.array(cells >= 0.5) if field.type == "boolean" else pa.array(cells)


def _of_texts(field: Field, cells: npt.NDArray[Any]) -> pa.Array:
    """Categories that were numbers are numbers again."""
    texts = pa.array(cells.tolist(), pa.string())
    kinds: dict[str, pa.DataType] = {"integer": pa.int64(), "real": pa.float64()}
    return texts.cast(kinds[field.type]) if field.type in kinds else texts


def _dates(field: Field, drawn: Mapping[str | None, npt.NDArray[Any]], rng: np.random.Generator) -> pa.Array:
    """A day of the drawn month and weekday in the drawn year, any of the first four; and the drawn hour."""
    year = np.rint(drawn["year"]).astype(np.int64)
    month = (year - 1970) * 12 + drawn["month"].astype(np.int64) - 1
    first = month.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
    weekday = drawn["weekday"].astype(np.int64) - 1
    day = first + (weekday - (first + EPOCH_WEEKDAY)) % 7 + 7 * rng.integers(0, 4, len(first))
    if field.type == "date":
        return pa.array(day.astype("datetime64[D]"))
    return pa.array((day * 24 + drawn["hour"].astype(np.int64)).astype("datetime64[h]").astype("datetime64[s]"))
