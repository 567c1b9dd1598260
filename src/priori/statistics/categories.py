"""How often each of some values was seen."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from priori.errors import DataError, MergeError, NegativeCountError
from priori.statistics.base import Statistics, average
from priori.statistics.observations import as_weights

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
