"""Pairs (x, t) of inputs and targets: checked, counted and printed."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from priori.errors import DataError
from priori.families.say import SHOWN, said
from priori.statistics import VectorMoments
from priori.statistics.observations import as_numbers, as_weights
from priori.statistics.vectors import matrix

Floats = npt.NDArray[np.float64]
_BELOW = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def pair_moments(X: Any, t: Any, weights: Any = None) -> VectorMoments:
    """The moments of the columns of X with t as the last one, without those rows that have no target."""
    inputs, targets = matrix(X), column(t)
    missing = np.isnan(targets)
    if missing.any():
        weights = np.where(missing, 0.0, as_weights(weights, len(targets)))
    return VectorMoments.joined((inputs, targets[:, None]), weights)


def column(t: Any) -> Floats:
    """Targets in one row."""
    targets = as_numbers(t).astype(np.float64, copy=False)
    if targets.ndim != 1:
        raise DataError(f"the targets have {targets.ndim} dimensions, where one is wanted; give one for each row")
    return targets


def rows_of(X: Any, width: int) -> Floats:
    """The inputs of a model with `width` columns, all there."""
    inputs = matrix(X).astype(np.float64, copy=False)
    if inputs.shape[1] != width:
        raise DataError(f"the rows have {inputs.shape[1]} columns, the model {width}; give the columns it learned from")
    if not np.isfinite(inputs).all():
        row = int(np.flatnonzero(~np.isfinite(inputs).all(axis=1))[0])
        raise DataError(f"row {row} has an input that is missing or infinite; leave the row out, or fill it in")
    return inputs


def pairs_of(X: Any, t: Any, width: int) -> tuple[Floats, Floats, npt.NDArray[np.bool_]]:
    """Inputs and targets of the pairs that have one, and where those are."""
    inputs, targets = matrix(X), column(t)
    if len(inputs) != len(targets):
        raise DataError(f"there are {len(targets)} targets for {len(inputs)} rows; give one for each")
    there = ~np.isnan(targets)
    return rows_of(inputs if there.all() else inputs[there], width), targets[there], there


def column_names(X: Any) -> tuple[str, ...]:
    """The names that a table (pandas, Polars, Arrow) gives its columns; none where it counts them, or is no table.

    >>> import pyarrow as pa
    >>> column_names(pa.table({"age": [31], "dose": [0.5]})), column_names([[31, 0.5]])
    (('age', 'dose'), ())
    """
    arrow = hasattr(X, "column_names")  # its columns are the cells
    names: Any = X.column_names if arrow else getattr(X, "columns", ())
    plain = isinstance(names, Iterable) and all(isinstance(name, str) for name in names)
    return tuple(names) if plain else ()


def placed(place: int) -> str:
    """A column that has no name: x₀, x₁, ..."""
    return f"x{place}".translate(_BELOW)


def line(weights: Floats, intercept: float | None, names: Sequence[str]) -> str:
    """A sum of weighted columns as mathematics.

    >>> line(np.array([0.5, -2.0]), 1.0, ("age", "dose"))
    '0.5·age - 2·dose + 1'
    """
    named = names or [placed(place) for place in range(len(weights))]
    terms = [f"{said(w)}·{name}" for w, name in zip(weights, named, strict=True)]
    terms = terms[:SHOWN] + (["…"] if len(terms) > SHOWN else [])
    terms += [said(intercept)] if intercept is not None else []
    return " + ".join(terms).replace("+ -", "- ") or "0"
