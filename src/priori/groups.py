"""Rows that belong together (of one author, one thread, one patient): left out together, and never parted by folds."""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from priori.errors import DataError

Places = npt.NDArray[np.intp]


def group_numbers(groups: Any, size: int) -> Places:
    """The group of each row as a number, in the order in which they first occur; a row of none is one by itself.

    >>> group_numbers(["ann", "bob", None, "ann", None], 5).tolist()
    [0, 1, 2, 0, 3]
    """
    if isinstance(groups, str | bytes) or not hasattr(groups, "__len__"):
        raise DataError(f"groups={groups!r} names no group for each row; give a list with one for each")
    if len(groups) != size:
        raise DataError(f"there are {len(groups):,} groups for {size:,} rows; give one for each row")
    array = groups if isinstance(groups, np.ndarray) else None
    if array is not None and array.ndim == 1 and array.dtype.kind in "iub":
        return _by_first(array)
    number: dict[Any, int] = {}
    alone = object()  # with its place it is equal to nothing else
    values = enumerate(_values(groups))
    keys = ((alone, at) if _missing(value) else value for at, value in values)
    try:
        found = [number.setdefault(key, len(number)) for key in keys]
    except TypeError as error:
        raise DataError(f"a group is no single value ({error}); give a name or a number for each row") from error
    return np.array(found, np.intp)


def members(group: Places) -> list[Places]:
    """The places of each group's rows, by its number."""
    order = np.argsort(group, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(group[order])) + 1) if len(group) else []


def _by_first(array: npt.NDArray[Any]) -> Places:
    _, first, which = np.unique(array, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.intp)
    rank[np.argsort(first)] = np.arange(len(first))
    return np.asarray(rank[which.ravel()])


def _values(groups: Any) -> list[Any]:
    named = next((name for name in ("to_pylist", "to_list", "tolist") if hasattr(groups, name)), None)
    return list(groups) if named is None else list(getattr(groups, named)())  # Arrow, polars and pandas, numpy


def _missing(value: Any) -> bool:
    nothing = value is None or type(value).__name__ in ("NAType", "NaTType")  # the latter are pandas'
    return nothing or (isinstance(value, float) and math.isnan(value))
