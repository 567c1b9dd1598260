"""Sums of rows of counts: how often each of V outcomes came, in rows of any number of trials."""

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from priori.errors import DataError, MergeError
from priori.statistics.base import Sums, average, finite
from priori.statistics.event_counts import log_factorial, refuse_fractions
from priori.statistics.observations import as_numbers, as_weights

Floats = npt.NDArray[np.float64]


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
