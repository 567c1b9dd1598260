"""How often each of some values was seen, in single observations or in rows of any number of trials."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from priori.errors import DataError, MergeError, NegativeCountError
from priori.statistics.base import Statistics, Sums, average, finite
from priori.statistics.observations import as_numbers, as_weights
from priori.statistics.sums import log_factorial, refuse_fractions

Floats = npt.NDArray[np.float64]
Value = str | int | float | bool


@dataclass(frozen=True, eq=False)
class Categories(Statistics):
    """N_j for each value j; values that are not in both add as zeros.

    >>> Categories.of(["red", "blue", "red", None])
    Categories(values=('blue', 'red'), counts=array([1., 2.]))
    """

    values: tuple[Value, ...]
    counts: Floats  # (V,)

    @classmethod
    def of(cls, X: Any, weights: Any = None, values: Sequence[Value] | None = None) -> Self:
        """Of a sequence of values, without those that are missing; `values` fixes which there are, and their order."""
        data, weight = present(X, as_weights(weights, len(X)))
        if not data:
            return cls(tuple(values or ()), np.zeros(len(values or ())))
        names = tuple(values) if values is not None else _sorted(set(data))
        places = {value: place for place, value in enumerate(names)}
        unknown = next((value for value in data if value not in places), None)
        if unknown is not None:
            raise DataError(f"{unknown!r} is none of the given values {list(names[:10])}; add it there or leave it out")
        at = np.fromiter((places[value] for value in data), np.intp, len(data))
        return cls(names, np.bincount(at, weight, len(names)).astype(np.float64))

    @property
    def n(self) -> float:  # type: ignore[override]
        """The weight of all observations."""
        return float(self.counts.sum())

    def of_values(self, values: tuple[Value, ...]) -> Floats:
        """The counts of these values, in this order; the statistics may hold no others."""
        places = {value: place for place, value in enumerate(values)}
        unknown = next(
            (v for v, count in zip(self.values, self.counts, strict=True) if v not in places and count), None
        )
        if unknown is not None:
            raise MergeError(f"the data have the value {unknown!r}, which the prior does not know; name it there")
        counts = np.zeros(len(values))
        for value, count in zip(self.values, self.counts, strict=True):
            if value in places:
                counts[places[value]] += count
        return counts

    def __add__(self, other: Self) -> Self:
        if type(other) is not type(self):
            raise MergeError(f"Categories and {type(other).__name__} do not add up; use one kind of statistics")
        # subtle: given values keep their order; only where the two differ is there none to keep
        values = self.values if set(other.values) <= set(self.values) else _sorted({*self.values, *other.values})
        return type(self)(values, self.of_values(values) + other.of_values(values))

    def __neg__(self) -> Self:
        return type(self)(self.values, -self.counts)

    def average(self) -> Floats:
        """The data's mean of the sufficient statistic: relative frequencies."""
        return average(self.n, *self.counts)

    def refuse_negative(self) -> None:
        """Refuse counts below zero."""
        for value, count in zip(self.values, self.counts, strict=True):
            if count < 0:
                raise NegativeCountError(
                    f"the value {value!r} has count {count:g}, so no estimate exists; more was taken away than was "
                    "there: subtract only data that were added"
                )


def present(X: Any, weights: Floats) -> tuple[list[Value], Floats]:
    """The values that are there as plain Python values, and their weights."""
    data = as_values(X)
    there = [value is not None for value in data]
    if all(there):
        return [value for value in data if value is not None], weights
    return [value for value in data if value is not None], weights[there]


def as_values(X: Any) -> list[Value | None]:
    """The values of any sequence as plain Python values; what is missing (NaN, null, NA) is None."""
    if type(X).__module__.partition(".")[0] == "pandas":
        X = X.to_numpy(dtype=object, na_value=None)
    named = next(
        (name for name in ("to_pylist", "to_list", "tolist") if hasattr(X, name)), None
    )  # Arrow, polars, numpy
    data = list(X) if named is None else getattr(X, named)()
    return [None if isinstance(value, float) and math.isnan(value) else value for value in data]


def _sorted(values: set[Value]) -> tuple[Value, ...]:
    try:
        return tuple(sorted(values))
    except TypeError as error:
        raise DataError(f"the values are of kinds that have no common order ({error}); make them all text") from error


@dataclass(frozen=True, eq=False)
class CountVectors(Sums):
    """n rows by weight, the counts of all of them, and Σw log(trials! / ∏ count_j!), which only the evidence needs.

    >>> CountVectors.of([[2, 0], [1, 1]])
    CountVectors(n=2.0, counts=array([3., 1.]), log_coefficients=0.693...)
    """

    n: float
    counts: Floats  # (V,)
    log_coefficients: float
    held: tuple[float, ...] = field(default=(), compare=False, repr=False)

    @classmethod
    def of(cls, X: Any, weights: Any = None) -> Self:
        """Of rows of whole numbers from 0, without those that are missing."""
        rows = count_rows(X)
        weight = as_weights(weights, len(rows))
        there = ~np.isnan(rows).any(axis=1)
        rows, weight = rows[there], weight[there]
        refuse_fractions(rows.ravel())
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows is refused by name
            counts, coefficients = weight @ rows, float(weight @ log_coefficient(rows))
        return cls(float(weight.sum()), finite(counts, "the sums"), finite(coefficients, "the sums"))

    def __add__(self, other: Self) -> Self:
        self._refuse_other(other)
        sizes = {len(self.counts), len(other.counts)} - {0}  # no rows at all have no width either
        if len(sizes) > 1:
            raise MergeError(
                f"rows of {len(self.counts)} and of {len(other.counts)} counts do not add up; "
                "give each row all outcomes"
            )
        counts = np.zeros(max(sizes, default=0))
        for part in (self.counts, other.counts):
            counts[: len(part)] += part
        return self._summed(other, [self.n + other.n, counts, self.log_coefficients + other.log_coefficients])

    def log_base(self) -> float:
        """h(x) is the multinomial coefficient."""
        return self.log_coefficients

    def average(self) -> Floats:
        """The data's mean of the sufficient statistic of one trial: relative frequencies."""
        return average(float(self.counts.sum()), *self.counts)


def count_rows(X: Any) -> Floats:
    """An array (n, V), rows of NaN for rows that are missing; partly missing rows are refused."""
    rows = as_numbers(X).astype(np.float64, copy=False)
    if rows.size == 0 and rows.ndim == 1:
        rows = rows.reshape(0, 0)
    if rows.ndim != 2:
        raise DataError(f"the data are of dimension {rows.ndim}, where 2 is wanted; give rows of counts")
    missing = np.isnan(rows)
    partly = np.flatnonzero(missing.any(axis=1) & ~missing.all(axis=1))
    if len(partly):
        raise DataError(f"row {partly[0]} lacks some of its counts; give all counts of a row, or leave the row out")
    return rows


def log_coefficient(rows: Floats) -> Floats:
    """log of trials! / ∏ count_j!, (n,)."""
    coefficient: Floats = log_factorial(rows.sum(axis=-1)) - log_factorial(rows).sum(axis=-1)
    return coefficient
