"""One factor of p(x | y): a part of the table, its statistics, what they say, and what a missing cell says."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from scipy.special import betaln, xlogy

from priori.columns.base import Bools, Cells, Codes, ColumnReading, Floats, Int32s, Rows, never_learned
from priori.columns.bin_tree import bucket_of
from priori.columns.categories import Categorical, of_values
from priori.columns.em import HiddenCounts
from priori.columns.logistic import Logistic
from priori.columns.readings import TableReadings
from priori.columns.specification import Part
from priori.errors import DataError, EstimateError
from priori.statistics.by_class import UNIT_BITS, ByClass, Tallies, in_rows

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Factor:
    """p(cells of a part | y). Under missing="evidence" it is p(missing | y), or p(there | y) p(cells | y)."""

    part: Part
    stats: ByClass
    readings: TableReadings

    @cached_property
    def reading(self) -> ColumnReading:
        """What the statistics say of cells that are there."""
        return self._told(lambda: self.part.family.read(self.stats, self.readings))

    def log_prob(self, cells: Cells) -> Floats:
        """log p, (n, K)."""
        return self._with_missing(self._told(lambda: self.reading.log_prob(cells)), cells)

    def log_scores(self, cells: Cells) -> Floats:
        """The same but for what all classes have in common."""
        return self._with_missing(self._told(lambda: self.reading.log_scores(cells)), cells)

    def _with_missing(self, scores: Floats, cells: Cells) -> Floats:
        if not self._evident:
            return scores
        shares = self._log_shares(in_rows(self.stats.missing), self.stats.n)
        return scores + _chosen(self.part.family.missing(cells), shares)

    def without(self, cells: Cells, rows: Rows, *, almost: bool = False) -> Floats:
        """The same of each row as if it had never been learned; almost: as `ColumnReading.almost_without` has it."""
        if not almost:
            self._told(lambda: self._refuse_unlearned(cells, rows))
        call = self.reading.almost_without if almost else self.reading.without
        scores = self._told(lambda: call(cells, rows))
        if not self._evident:
            return scores
        gone = self.part.family.missing(cells)
        own = np.where(np.arange(rows.classes) == rows.group[:, None], rows.in_rows()[:, None], 0.0)
        lost = in_rows(self.stats.missing) - np.where(gone[:, None], own, 0.0)
        there = self.stats.n - np.where(gone[:, None], 0.0, own)
        return scores + _chosen(gone, self._log_shares(lost, there))

    def _refuse_unlearned(self, cells: Cells, rows: Rows) -> None:
        """Refuse rows of which counts show that they were not learned: of the class, and of the bucket."""
        gone, known = self.part.family.missing(cells), rows.group >= 0
        held = np.where(gone, self.stats.missing[rows.group], self.stats.weight[rows.group])
        if isinstance(self.stats, Tallies) and self.stats.keys.dtype.kind == "i" and len(self.stats.keys):
            keys = self.stats.keys
            buckets = bucket_of(np.where(gone, 0.0, cells))
            at = np.minimum(np.searchsorted(keys, buckets), len(keys) - 1)
            seen = keys[at] == buckets
            held = np.where(gone, held, np.where(seen, self.stats.counts[at, rows.group], 0))
        units = (1 << UNIT_BITS) if rows.weight is None else rows.weight
        other = np.flatnonzero(known & (held < units))
        if len(other):
            raise never_learned(int(other[0]))

    def sample(self, group: Int32s, rng: np.random.Generator) -> npt.NDArray[Any]:
        """A cell for each row, drawn from its class."""
        return self._told(lambda: self.reading.sample(group, rng))

    def sample_missing(self, group: Int32s, rng: np.random.Generator) -> Bools:
        """Whether the cell of each row is missing: drawn where that is evidence, never else."""
        if not self._evident:
            return np.zeros(len(group), bool)
        lost = np.exp(self._log_shares(in_rows(self.stats.missing), self.stats.n)[0])
        return np.asarray(rng.random(len(group)) < lost[group])

    def linear(self) -> Logistic:
        """log p(cells | y) as a linear function of them, of cells that are there."""
        linear = self._told(self.reading.linear)
        if not self._evident:
            return linear
        there = self._log_shares(in_rows(self.stats.missing), self.stats.n)[1]
        return replace(linear, at_origin=linear.at_origin + there)

    @property
    def free_parameters(self) -> int:
        """How many numbers were free to choose."""
        return self.reading.free_parameters + (self.stats.classes if self._evident else 0)

    def log_evidence(self) -> float:
        """log p(cells | classes), the parameters integrated out."""
        total = self._told(self.reading.log_evidence)
        if not self._evident:
            return total
        alpha, gone = self.readings.alpha, in_rows(self.stats.missing)
        if alpha <= 0:
            raise EstimateError(
                f"column {self.part.name!r}: alpha=0 is no proper prior of missing cells, so there is no evidence; use "
                "alpha > 0"
            )
        return total + float((betaln(gone + alpha, self.stats.n + alpha) - betaln(alpha, alpha)).sum())

    def log_likelihood(self) -> float:
        """log p(cells | classes) at the parameters of this reading."""
        total = self._told(self.reading.log_likelihood)
        if not self._evident:
            return total
        gone, there = in_rows(self.stats.missing), self.stats.n
        shares = self._log_shares(gone, there)
        return total + float((xlogy(gone, np.exp(shares[0])) + xlogy(there, np.exp(shares[1]))).sum())

    @property
    def _evident(self) -> bool:
        return self.readings.missing == "evidence"

    def _log_shares(self, gone: Floats, there: Floats) -> tuple[Floats, Floats]:
        """log p(missing | y) and log p(there | y), under the prior of discrete columns."""
        pseudo = self.readings.pseudo_count
        if pseudo < 0:
            raise EstimateError("with alpha < 1 the share of missing cells has no mode; use alpha >= 1")
        with np.errstate(divide="ignore", invalid="ignore"):
            total = np.log(gone + there + 2 * pseudo)
            return np.log(gone + pseudo) - total, np.log(there + pseudo) - total

    def _told(self, call: Callable[[], T]) -> T:
        """What is asked; a complaint names the part."""
        try:
            return call()
        except (DataError, EstimateError) as error:
            text = str(error)
            if repr(self.part.name) in text:
                raise
            raise type(error)(f"column {self.part.name!r}: {text}") from error


def _chosen(gone: Bools, shares: tuple[Floats, Floats]) -> Floats:
    return np.where(gone[:, None], *shares)


def missing_factor(part: Part, cells: Cells, readings: TableReadings, pooled: Rows) -> HiddenCounts:
    """p(missing | y), where that is evidence, under the prior of discrete columns."""
    flags = Codes(part.family.missing(cells).astype(np.int32), ("there", "missing"))
    return of_values(Categorical(flags.values), flags, replace(readings, unknown="ignore"), pooled)
