"""Rows drawn from p(y) p(x | y), as a table of the same columns that the model has learned."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from priori.table_classifier import TableModel
from priori.tables.calendar import EPOCH_WEEKDAY
from priori.tables.schema import NUMBERS, Field

Arrays = Mapping[str | None, npt.NDArray[Any]]  # of a column, or of each part of its dates
_TRUTH = {"false": "0", "true": "1"}  # as a bernoulli column of numbers was counted


def sample_table(
    model: TableModel, size: int, rng: np.random.Generator, label: str | None = None
) -> tuple[npt.NDArray[np.intp], pa.Table]:
    """The place of each row's class among the labels, and a table of the columns that the model reads."""
    group, cells = model.sample(size, rng, label)
    by_column: dict[str, dict[str | None, npt.NDArray[Any]]] = {}
    lost: dict[str, npt.NDArray[np.bool_]] = {}
    for factor, drawn in zip(model.factors, cells, strict=True):
        gone = factor.sample_missing(group.astype(np.int32), rng)
        for j, column in enumerate(factor.part.columns):
            by_column.setdefault(column, {})[factor.part.calendar] = drawn[:, j] if drawn.ndim == 2 else drawn
            lost.setdefault(column, gone)  # a date is missing where its year is
    columns = {
        field.name: _column(field, by_column[field.name], lost[field.name], rng)
        for field in model.schema.fields
        if field.name in by_column
    }
    return group, pa.table(columns)


def _column(field: Field, drawn: Arrays, lost: npt.NDArray[np.bool_], rng: np.random.Generator) -> pa.Array:
    cells = drawn[None] if None in drawn else _dates(field, drawn, rng)
    if cells.dtype == object:
        cells = _of_texts(field, cells)
    elif field.type == "integer":
        cells = np.rint(cells).astype(np.int64)
    elif field.type == "boolean":
        cells = cells >= 0.5
    found = pa.array(cells, pa.string() if cells.dtype == object else None, mask=lost)
    return found.dictionary_encode() if field.type == "category" else found


def _of_texts(field: Field, cells: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Categories that were numbers, truth values, dates or times are such again."""
    if field.type == "boolean":
        return np.asarray(cells == "true")
    if field.type in NUMBERS:
        cells = np.array([_TRUTH.get(text, text) for text in cells.tolist()], dtype=object)
        return cells.astype(np.int64 if field.type == "integer" else np.float64)
    if field.type == "time":  # in the coarsest unit that holds them all
        return np.array(cells.tolist(), "datetime64" if len(cells) else "datetime64[s]")
    return cells.astype("datetime64[D]") if field.type == "date" else cells


def _dates(field: Field, drawn: Arrays, rng: np.random.Generator) -> npt.NDArray[Any]:
    """A day of the drawn month and weekday in the drawn year, any of the first four; and the drawn hour."""
    year = np.rint(drawn["year"]).astype(np.int64)
    month = (year - 1970) * 12 + drawn["month"].astype(np.int64) - 1
    first = month.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
    weekday = drawn["weekday"].astype(np.int64) - 1
    day = first + (weekday - (first + EPOCH_WEEKDAY)) % 7 + 7 * rng.integers(0, 4, len(first))
    if field.type == "date":
        return day.astype("datetime64[D]")
    return (day * 24 + drawn["hour"].astype(np.int64)).astype("datetime64[h]").astype("datetime64[s]")
