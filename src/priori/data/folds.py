"""Rows dealt into folds of even size, each to be left out in turn; groups of rows are left out whole.

A group is a set of rows that belong together (of one author, one thread, one patient); a fold is such a group. The deal
depends on the seed and the places of the rows alone, through a hash of 64 bits (SplitMix64: Steele, Lea & Flood 2014),
so it is the same with any version of numpy, on any machine.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from priori.data.labels import to_texts
from priori.errors import DataError
from priori.validation import whole_number

Places = npt.NDArray[np.intp]
Hashes = npt.NDArray[np.uint64]
_GOLDEN = 0x9E3779B97F4A7C15  # 2^64 over the golden ratio, the step of SplitMix64


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


def folds(n: int, k: int = 10, seed: int = 0, groups: Any = None, labels: Any = None) -> Places:
    """The fold of each of n rows, from 0 to k - 1.

    Sizes differ by one row at most. Rows of one of the `groups` stay together (None: a row goes by itself), the largest
    group first, each to the fold that has least, so that sizes are about as even as groups allow. With `labels` each
    label is spread evenly too.

    >>> np.bincount(folds(11, 3)).tolist()
    [4, 4, 3]
    >>> folds(6, 2, groups=["ann", "ann", "bob", "bob", "cy", "cy"]).tolist()
    [1, 1, 0, 0, 0, 0]
    """
    n, k, seed = whole_number(n, "n", 0), whole_number(k, "folds", 2), whole_number(seed, "seed", 0)
    classes = None if labels is None else group_numbers(labels, n)
    if groups is None:
        _refuse_few(n, k, "rows")
        keys = shuffled(n, seed)
        order = np.argsort(keys, kind="stable") if classes is None else np.lexsort((keys, classes))
        dealt = np.empty(n, np.intp)
        dealt[order] = np.arange(n) % k
        return dealt
    group = group_numbers(groups, n)
    count = int(group.max(initial=-1)) + 1
    _refuse_few(count, k, "groups")
    sizes = np.bincount(group, minlength=count)
    order = np.lexsort((shuffled(count, seed), -sizes))
    by_group = _least_first(sizes, order, k) if classes is None else _evenly(members(group), classes, order, k)
    return by_group[group]


def labelled_folds(labels: Any, k: int = 10, seed: int = 0, groups: Any = None) -> Iterator[tuple[Places, Places]]:
    """(train, test) places for scikit-learn's `cv`: each labelled row is tested once, unlabelled ones always train.

    scikit-learn's own splitters and scorers cannot do with rows that have no label (None, NaN).

    >>> for train, test in labelled_folds(["a", None, "b", None, "a", "b"], 2):
    ...     print(train.tolist(), test.tolist())
    [0, 1, 2, 3] [4, 5]
    [1, 3, 4, 5] [0, 2]
    """
    known = to_texts(labels)[0]
    rows = np.array([row for row, label in enumerate(known) if label is not None], np.intp)
    _refuse_few(len(rows), whole_number(k, "folds", 2), "rows with a label")
    own = None if groups is None else group_numbers(groups, len(known))[rows]
    fold = folds(len(rows), k, seed, own, [known[row] for row in rows])
    for part in range(k):
        test = rows[fold == part]
        yield np.setdiff1d(np.arange(len(known)), test), test


def shuffled(n: int, seed: int) -> Hashes:
    """A number of 64 bits for each place: sorted by them, the places are in random order."""
    with np.errstate(over="ignore"):  # subtle: modulo 2^64, as it is meant
        start = _mixed(np.array([seed % 2**64], np.uint64) + np.uint64(_GOLDEN))
        return _mixed(start + np.arange(1, n + 1, dtype=np.uint64) * np.uint64(_GOLDEN))


def _mixed(z: Hashes) -> Hashes:
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(z ^ (z >> np.uint64(31)))


def _least_first(sizes: Places, order: Places, k: int) -> Places:
    """Each group to the fold that has the fewest rows, the first of them."""
    from heapq import heapreplace

    heap = [(0, fold) for fold in range(k)]
    dealt = np.empty(len(sizes), np.intp)
    for group in order.tolist():
        rows, fold = heap[0]
        dealt[group] = fold
        heapreplace(heap, (rows + int(sizes[group]), fold))
    return dealt


def _evenly(rows: list[Places], classes: Places, order: Places, k: int) -> Places:
    """Each group to the fold in which its labels are rarest: where Σ (rows of a label)² / all of it grows least."""
    total = np.bincount(classes)
    load, dealt = np.zeros((k, len(total))), np.empty(len(rows), np.intp)
    for group in order.tolist():
        found, times = np.unique(classes[rows[group]], return_counts=True)
        growth = (load[:, found] * (times / total[found])).sum(axis=1)
        best = np.lexsort((load.sum(axis=1), growth))[0]
        dealt[group] = best
        load[best, found] += times
    return dealt


def _refuse_few(size: int, k: int, what: str) -> None:
    if size < k:
        raise DataError(f"there are {size:,} {what} for {k:,} folds; give at most as many folds as {what}")
