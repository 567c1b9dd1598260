"""Distributions over classes as they are given: arrays, {label: p}, or the rows that `priori classify` prints."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from priori.decisions.losses import places, plain_labels
from priori.errors import DataError

Floats = npt.NDArray[np.float64]

SUM_TOLERANCE = 1e-6  # how far probabilities may be from adding up to 1


def read_posterior(posterior: Any, labels: Iterable[Any] | None = None) -> tuple[Floats, tuple[Any, ...]]:
    """p(c | x), (n, K), and the labels of its columns: those given, those of the mappings, or 0..K-1.

    >>> read_posterior({"ham": 0.75, "spam": 0.25})
    (array([[0.75, 0.25]]), ('ham', 'spam'))
    """
    names = None if labels is None else plain_labels(labels)
    rows = [posterior] if isinstance(posterior, Mapping) else posterior
    if isinstance(rows, list | tuple) and rows and any(isinstance(row, Mapping) for row in rows):
        return _of_mappings(rows, names)
    checked = checked_posterior(rows)
    names = tuple(range(checked.shape[1])) if names is None else names
    if len(names) != checked.shape[1]:
        raise DataError(
            f"the posterior has {checked.shape[1]} columns and there are {len(names)} labels; give one for each"
        )
    return checked, names


def checked_posterior(posterior: Any) -> Floats:
    """(n, K), of which each row is a distribution; one row of K counts as a table of one."""
    table = _floats(posterior, "the posterior")
    table = table[None, :] if table.ndim == 1 else table
    if table.ndim != 2 or table.shape[1] == 0:
        raise DataError(
            f"the posterior is of shape {np.shape(posterior)}; give a row for each document and a column for each class"
        )
    wrong = ~_is_distribution(table)
    if wrong.any():
        row = int(wrong.argmax())
        raise DataError(
            f"row {row} of the posterior is no distribution; give those of all classes, from 0 and adding up to 1"
        )
    return table


def checked_prior(prior: Any, labels: tuple[Any, ...], what: str = "the class prior", positive: bool = False) -> Floats:
    """(K,), a distribution over the labels, given in their order or as {label: p}."""
    if isinstance(prior, Mapping):
        prior = _in_order(prior, labels, what)
    shares = _floats(prior, what)
    if shares.shape != (len(labels),):
        raise DataError(f"{what} is of shape {shares.shape} for {len(labels)} classes; give one number for each")
    if not _is_distribution(shares):
        raise DataError(f"{what} {shares.tolist()} is no distribution; give numbers from 0 that add up to 1")
    # subtle: below the smallest normal number its reciprocal is infinite
    if positive and not (shares >= np.finfo(np.float64).tiny).all():
        lost = labels[int(shares.argmin())]
        raise DataError(f"{what} gives class {lost!r} probability 0, so nothing can be divided by it; leave it out")
    return shares


def _of_mappings(rows: Iterable[Any], names: tuple[Any, ...] | None) -> tuple[Floats, tuple[Any, ...]]:
    table = []
    for number, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise DataError(f"row {number} of the posterior is {row!r}, but others are mappings; give {{label: p}}")
        inner = row.get("probabilities")
        shares = inner if isinstance(inner, Mapping) else row  # as `priori classify` prints them
        names = tuple(shares) if names is None else names
        table.append(_in_order(shares, names, f"row {number} of the posterior"))
    return checked_posterior(table), names or ()


def _in_order(shares: Mapping[Any, Any], labels: tuple[Any, ...], what: str) -> list[Any]:
    """The values of a mapping in the order of the labels, each of which it must name once."""
    if tuple(shares) == labels:
        return list(shares.values())
    found = dict(zip(places(labels, shares), shares.items(), strict=True))
    if -1 in found:
        raise DataError(f"{what} names {found[-1][0]!r}, which is no class; the classes are {list(labels)}")
    missing = [label for k, label in enumerate(labels) if k not in found]
    if missing or len(shares) > len(labels):
        lost = f"does not name class {missing[0]!r}" if missing else "names a class twice"
        raise DataError(f"{what} {lost}; give each class once")
    return [found[k][1] for k in range(len(labels))]


def _is_distribution(shares: Floats) -> npt.NDArray[np.bool_]:
    total = np.minimum(shares, 2.0).sum(axis=-1)  # nothing overflows, and 2 is as wrong as infinity
    fits: npt.NDArray[np.bool_] = (shares >= 0).all(axis=-1) & (np.abs(total - 1) <= SUM_TOLERANCE)  # not for NaN
    return fits


def _floats(values: Any, what: str) -> Floats:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"{what} is no table of numbers ({error}); give probabilities") from error
