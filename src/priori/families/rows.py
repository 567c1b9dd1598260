"""Rows of numbers of which some may be missing: those that miss the same columns are gone over together."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from priori.errors import DataError
from priori.families.matrices import factored, log_determinant, whitened
from priori.statistics.vectors import matrix

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]


def as_rows(X: Any, width: int) -> Floats:
    """Rows of so many numbers."""
    rows = matrix(X).astype(np.float64, copy=False)
    if rows.shape[1] != width:
        raise DataError(f"the rows have {rows.shape[1]} columns, where the distribution has {width}; give as many")
    return rows


def patterns(rows: Floats) -> Iterator[tuple[Places, Places]]:
    """(columns that are there, rows in which just these are) for each set of columns; rows without any are left out."""
    missing = np.isnan(rows)
    if not missing.any():
        yield np.arange(rows.shape[1]), np.arange(len(rows))
        return
    kinds, which = np.unique(missing, axis=0, return_inverse=True)
    for place, kind in enumerate(kinds):
        if not kind.all():
            yield np.flatnonzero(~kind), np.flatnonzero(which == place)


def marginal_scores(
    X: Any, center: Floats, spread: Floats, log_density: Callable[[int, Floats], Floats | float]
) -> Floats:
    """log p of what is there of each row, for a distribution whose marginals have the parts of `center` and `spread`.

    `log_density(d, q)` has d columns and q = (x - center)ᵀ spread⁻¹ (x - center), without |spread|.
    """
    rows = as_rows(X, len(center))
    result = np.zeros(len(rows))
    for columns, at in patterns(rows):
        lower, _ = factored(spread[np.ix_(columns, columns)])
        away = rows[np.ix_(at, columns)] - center[columns]
        endless: npt.NDArray[np.bool_] = np.any(np.isinf(away), axis=1)
        with np.errstate(over="ignore"):  # farther than the square root of the largest number: the density is 0
            squared = (whitened(lower, np.where(endless[:, None], 0.0, away)) ** 2).sum(axis=1)
            scores = log_density(len(columns), squared) - 0.5 * log_determinant(lower)
        result[at] = np.where(endless, -np.inf, scores)
    return result


def drawn_rows(center: Floats, lower: Floats, size: int, rng: np.random.Generator) -> Floats:
    """Normal rows of covariance L Lᵀ, (size, d)."""
    return center + rng.standard_normal((size, len(center))) @ lower.T
