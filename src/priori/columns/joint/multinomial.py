"""Several columns of counts that share a total, such as those of words: one multinomial for each class.

θ_cj = (N_cj + pseudo) / Σ_j (N_cj + pseudo), as a discrete column reads its values.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy.special import xlogy

from priori.columns.base import Cells, ColumnReading, Floats, Int32s, Rows, never_learned, refuse_empty_class
from priori.columns.joint.column import JointFamily
from priori.columns.logistic import Logistic
from priori.columns.numbers import as_moments
from priori.columns.readings import TableReadings
from priori.errors import DataError, EstimateError
from priori.families.numerics.special import log_rising
from priori.statistics.by_class import ByClass
from priori.statistics.class_moments import ClassMoments


@dataclass(frozen=True)
class MultinomialColumns(JointFamily):
    """Counts that share a total, such as those of words: one multinomial for each class, as MultinomialNB has it."""

    name: ClassVar[str] = "multinomial"
    products: ClassVar[bool] = False

    def count(self, cells: Floats, rows: Rows) -> ClassMoments:
        """Exact sums by class, of numbers from 0."""
        if (cells < 0).any():
            raise DataError(
                f"{cells[cells < 0][0]:g} is no count; give numbers from 0, or read the columns as gaussian"
            )
        return super().count(cells, rows)

    def read(self, stats: ByClass, readings: TableReadings) -> "MultinomialReading":
        """Probabilities of the columns in each class."""
        return MultinomialReading(as_moments(stats), readings)


@dataclass(frozen=True, eq=False)
class MultinomialReading(ColumnReading):
    """p(counts | total, class), without the coefficient, which is the same for all classes."""

    stats: ClassMoments
    readings: TableReadings

    @cached_property
    def counts(self) -> Floats:
        """N_cj, (K, d)."""
        k, d = self.stats.classes, self.stats.dimensions
        return np.array([[self.stats.total(c, j) for j in range(d)] for c in range(k)]).reshape(k, d)

    @cached_property
    def probabilities(self) -> Floats:
        """θ_cj, (K, d)."""
        return self._probabilities(self.counts)

    def _probabilities(self, counts: Floats) -> Floats:
        estimate = self.readings.estimate
        pseudo = self.readings.pseudo_count
        if pseudo < 0:
            raise EstimateError("with alpha < 1 a column without counts has no mode; use alpha >= 1")
        if pseudo == 0:
            refuse_empty_class(counts.sum(axis=-1), estimate)
        imagined = counts + pseudo
        shares: Floats = imagined / imagined.sum(axis=-1, keepdims=True)
        return shares

    def log_prob(self, cells: Cells) -> Floats:
        """Σ x_j log θ_j; where columns are missing, of those that are there, given their total."""
        return _multinomial(cells, self.probabilities)

    def sample(self, group: Int32s, rng: np.random.Generator) -> npt.NDArray[Any]:
        """Counts with the mean total of the class."""
        totals = np.rint(self.counts.sum(axis=1) / np.maximum(self.stats.n, 1)).astype(np.int64)
        drawn = [rng.multinomial(totals[k], self.probabilities[k]) for k in group]
        return np.array(drawn, dtype=np.float64).reshape(len(group), -1)

    def without(self, cells: Cells, rows: Rows) -> Floats:
        """Row by row."""
        weight = rows.in_rows()
        whole = ~np.isnan(cells).any(axis=1) & (rows.group >= 0)
        scores = self.log_prob(cells)
        for at in np.flatnonzero(whole):
            counts = self.counts.copy()
            counts[rows.group[at]] -= weight[at] * cells[at]
            if (counts < 0).any():
                raise never_learned(int(at))
            scores[at] = _multinomial(cells[at : at + 1], self._probabilities(counts))[0]
        return scores

    @property
    def free_parameters(self) -> int:
        """K (d - 1)."""
        return self.stats.classes * (self.stats.dimensions - 1)

    def log_evidence(self) -> float:
        """Polya's urn, class by class, without coefficients."""
        alpha = self.readings.alpha
        if alpha <= 0:
            raise EstimateError("alpha=0 is no proper prior, so there is no evidence; use alpha > 0")
        apart = log_rising(alpha, self.counts).sum()
        return float(apart - log_rising(alpha * self.stats.dimensions, self.counts.sum(axis=1)).sum())

    def log_likelihood(self) -> float:
        """Σ N_cj log θ_cj."""
        return float(xlogy(self.counts, self.probabilities).sum())

    def linear(self) -> Logistic:
        """log θ, and nothing else."""
        with np.errstate(divide="ignore"):
            weights = np.log(self.probabilities)
        return Logistic(weights, np.zeros(self.stats.classes), np.zeros(self.stats.dimensions))

    def __str__(self) -> str:
        return f"a multinomial of {self.stats.dimensions} columns"


def _multinomial(rows: Floats, probabilities: Floats) -> Floats:
    there = ~np.isnan(rows)
    counts = np.where(there, rows, 0.0)
    if (probabilities > 0).all():
        scores = counts @ np.log(probabilities).T
    else:  # 0 log 0 is 0
        scores = xlogy(counts[:, None, :], probabilities[None]).sum(axis=2)
    if there.all():
        return np.asarray(scores)
    left = there.astype(np.float64) @ probabilities.T  # the mass of the columns that are there
    total = counts.sum(axis=1)[:, None]
    possible = (left > 0) | (total == 0)  # else the columns that are there have no counts in the class, but some here
    return np.where(possible, scores - xlogy(total, np.where(possible, left, 1.0)), -np.inf)
