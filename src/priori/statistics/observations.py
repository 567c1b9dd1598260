"""Numbers as families take them: checked, with their weights, and without what is missing."""

from typing import Any

import numpy as np
import numpy.typing as npt

from priori.errors import DataError

Floats = npt.NDArray[np.float64]


def as_numbers(X: Any) -> npt.NDArray[Any]:
    """An array of numbers; what is missing (None, NaN, masked, null) is NaN. Floats and integers stay as they are."""
    try:
        if hasattr(X, "to_numpy") and not isinstance(X, np.ndarray):  # pandas, polars, Arrow
            X = _of_frame(X)
        if isinstance(X, np.ma.MaskedArray):
            X = np.ma.filled(X.astype(np.float64), np.nan)
        array = np.asarray(X)
        if array.dtype.kind not in "fiub":  # objects: None among numbers, decimals; anything else is refused here
            array = np.asarray(X, dtype=np.float64) if array.dtype.kind == "O" else _refused(array)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(f"the data are no numbers ({error}); give a sequence or an array of numbers") from error
    return array


def observations(X: Any, weights: Any = None) -> tuple[Floats, Floats]:
    """The values that are there, as float64, and their weights (1 where none are given).

    >>> observations([2.5, None, 4.0], [1, 1, 3])
    (array([2.5, 4. ]), array([1., 3.]))
    """
    values = one_column(X).astype(np.float64, copy=False)
    weight = as_weights(weights, len(values))
    there = ~np.isnan(values) & (weight > 0)
    if not there.all():
        values, weight = values[there], weight[there]
    if not np.isfinite(values).all():
        raise DataError("an observation is infinite, so no estimate is finite; leave it out or mark it missing (NaN)")
    return values, weight


def one_column(X: Any) -> npt.NDArray[Any]:
    """Numbers in one dimension."""
    values = as_numbers(X)
    if values.ndim != 1:
        raise DataError(f"the data have {values.ndim} dimensions, where one is wanted; give one column of numbers")
    return values


def as_weights(weights: Any, size: int) -> Floats:
    """One weight for each of `size` observations: 1, or what is given, finite and not negative."""
    if weights is None:
        return np.ones(size)
    array = as_numbers(weights).astype(np.float64, copy=False)
    if array.shape != (size,):
        raise DataError(f"there are {array.size} weights for {size} observations; give one for each")
    if not (np.isfinite(array).all() and (array >= 0).all()):
        raise DataError(
            "a weight is negative or not finite; give numbers from 0 (to take data away, subtract statistics)"
        )
    return array


def _of_frame(X: Any) -> Any:
    kind = type(X).__module__.partition(".")[0]
    if kind == "pandas":
        return X.to_numpy(dtype=np.float64, na_value=np.nan)
    return X.to_numpy(zero_copy_only=False) if kind == "pyarrow" and not hasattr(X, "chunks") else X.to_numpy()


def _refused(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    raise TypeError(f"they are of type {array.dtype}")
