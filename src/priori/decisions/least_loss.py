"""The action of least expected loss, argmin over d of Σ_c L(d, c) p(c | x): the same in whatever batch a row comes."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def least_loss(posterior: Floats, matrix: Floats, allowed: npt.NDArray[np.bool_] | None = None) -> npt.NDArray[np.intp]:
    """The place of that action for each row (n, K), of those allowed (n, A); the first of equals.

    >>> least_loss(np.array([[0.6, 0.4], [0.5, 0.5]]), np.array([[0.0, 1.0], [1.0, 0.0]])).tolist()
    [0, 0]
    """
    rows = np.ascontiguousarray(posterior, np.float64)
    # subtle: compared by what is gained over the worst action, a sum of numbers >= 0 in which nothing cancels:
    # with 0/1 loss it is p(d | x) to the last bit, so that the most probable class wins, and ties are ties
    gains = matrix.max(axis=0) - matrix
    gained = np.stack([_summed(rows, gain) for gain in gains], axis=1)
    most: npt.NDArray[np.intp] = (gained if allowed is None else np.where(allowed, gained, -1.0)).argmax(axis=1)
    return most


def _summed(rows: Floats, gain: Floats) -> Floats:
    """Σ_c p(c | x) gain_c of each row (n,)."""
    some = np.flatnonzero(gain)  # with 0/1 loss one, so that many classes take no longer than a look at each
    # subtle: summed row by row, for a product of matrices rounds by the size of the batch
    total: Floats = (np.take(rows, some, axis=1) * gain[some]).sum(axis=1)
    return total
