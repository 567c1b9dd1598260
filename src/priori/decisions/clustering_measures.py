"""Classes found beside classes known: which is which, and how well they agree."""

import numpy as np
import numpy.typing as npt

from priori.errors import DataError

Floats = npt.NDArray[np.float64]
Int64s = npt.NDArray[np.int64]
Places = npt.NDArray[np.intp]


def contingency(truth: npt.ArrayLike, found: npt.ArrayLike) -> Int64s:
    """(classes known, classes found): documents of each pair, both in the order of their names."""
    known, row = np.unique(np.asarray(truth), return_inverse=True)
    guessed, column = np.unique(np.asarray(found), return_inverse=True)
    if row.shape != column.shape or row.ndim != 1 or not len(row):
        raise DataError(f"{row.size} known and {column.size} found classes cannot be compared; give one of each a row")
    cells = np.bincount(row * len(guessed) + column, minlength=len(known) * len(guessed))
    return cells.reshape(len(known), len(guessed))


def partners(table: Int64s) -> tuple[Places, Places]:
    """Rows and columns, pair by pair, so that the sum of their cells is largest (Hungarian method)."""
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(table, maximize=True)
    return rows, columns


def matched_accuracy(truth: npt.ArrayLike, found: npt.ArrayLike) -> float:
    """The share put right when each class found is given another known class, so that the share is largest.

    Where there are more classes of one kind, some have no partner and count as wrong.
    """
    table = contingency(truth, found)
    rows, columns = partners(table)
    return float(table[rows, columns].sum() / table.sum())


def normalized_mutual_information(truth: npt.ArrayLike, found: npt.ArrayLike) -> float:
    """I(truth; found) over the mean of both entropies: 1 for the same partition, near 0 for unrelated ones.

    Two partitions into one class each are the same partition.
    """
    table = contingency(truth, found)
    shares = table / table.sum()
    by_row, by_column = shares.sum(axis=1), shares.sum(axis=0)
    mean = (_entropy(by_row) + _entropy(by_column)) / 2
    if mean == 0:
        return 1.0
    seen = shares > 0
    information = (shares[seen] * np.log(shares[seen] / np.outer(by_row, by_column)[seen])).sum()
    return float(np.clip(information / mean, 0.0, 1.0))  # subtle: rounding may leave [0, 1] by an ulp


def _entropy(shares: Floats) -> float:
    return float(-(shares * np.log(shares)).sum()) if len(shares) > 1 else 0.0
