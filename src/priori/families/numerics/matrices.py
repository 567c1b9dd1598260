"""Symmetric matrices, checked, factored and named where singular; and rows of which some numbers are missing."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpotrf

from priori.errors import DataError
from priori.formatting import SHOWN, listed
from priori.statistics.vector_moments import matrix

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]

# What rounding leaves of a column that is a combination of others, as a share of its variance and per column: the
# scatter is right to a few units of 1e-16 of it, and the factorization loses as many units as there are columns.
LEAST_SHARE = 100 * float(np.finfo(np.float64).eps)


def symmetric(values: Any, name: str, size: int) -> Floats:
    """A matrix of finite numbers, (size, size), equal to its transpose to rounding."""
    try:
        array = np.array(values, dtype=np.float64)  # a copy: a value does not change when its maker's array does
    except (TypeError, ValueError, OverflowError):
        array = np.array(np.nan)
    if array.shape != (size, size) or not np.isfinite(array).all() or (np.diag(array) < 0).any():
        raise DataError(
            f"{name} has shape {array.shape}, or an entry that cannot be; give {size} rows of {size} finite numbers, "
            "none below 0 on the diagonal"
        )
    sizes = np.sqrt(np.diag(array))
    if (np.abs(array - array.T) > 1e-8 * np.outer(sizes, sizes)).any():
        raise DataError(f"{name} is not symmetric; give a matrix that equals its transpose")
    array = (array + array.T) / 2
    array.setflags(write=False)
    return array


def factored(matrix: Floats, least: float = LEAST_SHARE) -> tuple[Floats, int | None]:
    """The lower triangle L with matrix = L Lᵀ, and the first column that is a combination of those before it, if any.

    The columns are scaled to unit variance first, so units of measurement do not matter; the square of a pivot is then
    1 - R², what the columns before leave of this one, and singular means that it is below `least` times their number.

    >>> factored(np.array([[4.0, 2.0], [2.0, 1.0]]))[1]
    1
    """
    variances = np.diag(matrix)
    if not (variances > 0).all():
        return np.zeros_like(matrix), int(np.argmin(variances))
    size = np.sqrt(variances)
    lower, failed = dpotrf(matrix / size / size[:, None], lower=1, clean=1)
    shares = np.diag(lower)[: failed - 1 if failed else None] ** 2
    small = np.flatnonzero(shares <= least * len(size))
    if len(small) or failed:
        return np.zeros_like(matrix), int(small[0]) if len(small) else failed - 1
    return size[:, None] * lower, None


def lower_of(matrix: Floats, name: str) -> Floats:
    """L with matrix = L Lᵀ, refused where there is none."""
    lower, dependent = factored(matrix)
    if dependent is not None:
        raise DataError(
            f"{name} is singular: column {dependent} is a combination of those before it; give a positive definite "
            "matrix, or leave the column out"
        )
    return lower


def log_determinant(lower: Floats) -> float:
    """log |L Lᵀ|."""
    return 2 * float(np.log(np.diag(lower)).sum())


def whitened(lower: Floats, rows: Floats) -> Floats:
    """L⁻¹ x of each row x: uncorrelated and of variance 1 if the rows have covariance L Lᵀ."""
    return np.asarray(solve_triangular(lower, rows.T, lower=True, check_finite=False)).T


def trace_of_solve(lower: Floats, matrix: Floats) -> float:
    """tr((L Lᵀ)⁻¹ matrix)."""
    return float(np.trace(whitened(lower, whitened(lower, matrix).T)))


def inverse(lower: Floats) -> Floats:
    """(L Lᵀ)⁻¹, where it is itself what is asked for."""
    half = whitened(lower, np.eye(len(lower)))
    return half @ half.T


def tabled(matrix: Floats) -> str:
    """A matrix by rows, cut where it is long.

    >>> tabled(np.array([[1.0, 0.5], [0.5, 2.0]]))
    '((1, 0.5), (0.5, 2))'
    """
    rows = [listed(row) for row in matrix[:SHOWN]]
    return f"({', '.join(rows)}{', …' if len(matrix) > SHOWN else ''})"


# --- rows of which some numbers may be missing ------------------------------------------------------------------------


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
