"""What a model says of some columns alone: cells of all others are missing, and so contribute nothing."""

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any

import numpy as np
import numpy.typing as npt

from priori.data.batch import TableBatch
from priori.data.frames import table_batches
from priori.data.schema import NUMBERS, Schema
from priori.errors import DataError

Floats = npt.NDArray[np.float64]
_DRAWN = 2_000  # rows from the model, to know where its numbers lie


def alone(model: Any, columns: Sequence[str]) -> Any:
    """The model of these columns alone: where it has others, plain naive Bayes, in which missing cells say nothing.

    Its powers were fitted for all columns together, and a hole may be evidence: neither is about some columns alone.
    """
    schema = schema_of(model)
    if schema is None or set(schema.names) <= set(columns):
        return model
    settings = {name: value for name, value in (("temper", 1.0), ("missing", "ignore")) if hasattr(model, name)}
    return copy(model).set_params(**settings)


def asked(model: Any, cells: Mapping[str, Floats]) -> Any:
    """The rows as the model takes them: a table of all its columns for ours, a matrix for any other estimator."""
    schema = schema_of(model)
    if schema is None:
        return np.column_stack(list(cells.values()))
    rows = len(next(iter(cells.values())))
    if not hasattr(model, "feature_names_in_"):  # it takes columns by place
        return np.column_stack([cells.get(name, np.full(rows, np.nan)) for name in schema.names])
    return {name: cells.get(name, [None] * rows) for name in schema.names}


def refuse_other_types(model: Any, columns: Sequence[str]) -> None:
    """Columns that hold no numbers have no place on an axis."""
    schema = schema_of(model)
    for name in () if schema is None else columns:
        if schema is not None and schema[name].type not in NUMBERS:
            raise DataError(f"column {name!r} holds {schema[name].type} values; a picture needs columns of numbers")


def schema_of(model: Any) -> Schema | None:
    """The columns of one of our estimators; None for any other."""
    inside = getattr(model, "model_", None)
    found = getattr(inside, "schema", None)
    return found if isinstance(found, Schema) else None


def is_whole(model: Any, column: str) -> bool:
    """Whether a column holds whole numbers."""
    schema = schema_of(model)
    return schema is not None and schema[column].type in ("integer", "boolean")


def numbers_of(X: Any, columns: Sequence[str]) -> list[Floats]:
    """Columns of a table by name; of an array by place, where names are x0, x1, ..."""
    batches = list(table_batches(X))
    if isinstance(X, np.ndarray) and X.shape[1] == len(columns):
        batches = [TableBatch(b.schema, b.columns, len(b)) for b in table_batches(X, names=list(columns))]
    return [np.concatenate([batch.numbers(name) for batch in batches]) for name in columns]


def drawn_from(model: Any, columns: Sequence[str]) -> list[Floats]:
    """Numbers that the model itself draws."""
    if not hasattr(model, "sample"):
        raise DataError(f"{type(model).__name__} cannot draw rows, so it is not known where to look; give X and y")
    table, _ = model.sample(_DRAWN, random_state=0)
    return numbers_of(table, columns)


def reach_of(values: Floats, whole: bool, points: int) -> Floats:
    """Places over the range of values with a margin; whole numbers for whole numbers."""
    there = values[~np.isnan(values)]
    if not len(there):
        raise DataError("a column holds no numbers at all, so there is nothing to draw; choose another column")
    low, high = float(there.min()), float(there.max())
    if whole:
        low, high = np.floor(low), np.ceil(high)
        step = max(1.0, np.ceil((high - low) / points))
        return np.arange(low, max(high, low + 1) + step, step)
    margin = 0.05 * (high - low) or 0.5
    return np.linspace(low - margin, high + margin, points)
