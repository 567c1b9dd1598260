"""Rows drawn from p(y) p(x | y), as a table that a model of the same columns reads."""

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from priori.errors import DataError
from priori.table_classifier import TableModel

if TYPE_CHECKING:
    import pyarrow as pa


def sampled_table(model: TableModel, size: int, rng: np.random.Generator, label: str = "label") -> "pa.Table":
    """`size` rows with their class in the column `label`, columns in the order of the schema.

    Of a date its year, month, weekday and hour are drawn, each in a column of its own.
    """
    import pyarrow as pa

    group, cells = model.sample(size, rng)
    place = {name: at for at, name in enumerate(model.schema.names)}
    order = {name: place[part.columns[0]] for part in model.parts for name in (part.name, *part.columns)}
    order |= place
    columns = {name: pa.array(_whole(cells[name])) for name in sorted(cells, key=order.__getitem__)}
    if label in columns:
        raise DataError(f"the table has a column {label!r} already; name another for the classes: --label COLUMN")
    return pa.table({**columns, label: pa.array(model.labels, pa.large_string()).take(pa.array(group))})


def _whole(cells: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Numbers as integers where all of them are."""
    if cells.dtype.kind == "f" and (np.abs(cells) < 2**53).all() and (cells == np.rint(cells)).all():
        return cells.astype(np.int64)
    return cells
