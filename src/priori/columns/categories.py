"""Columns with few values: categories and booleans under a symmetric Dirichlet prior (lecture 002).

Of k values, seen or stated: ML N_cj / N_c, mean (N_cj + alpha) / (N_c + k alpha), which at alpha = 1 is Laplace's rule,
mode (N_cj + alpha - 1) / (N_c + k (alpha - 1)).
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy.special import xlogy

from priori import _core
from priori.columns.base import (
    Cells,
    Codes,
    ColumnFamily,
    ColumnReading,
    Floats,
    Int32s,
    Rows,
    never_learned,
    refuse_empty_class,
)
from priori.columns.em import HiddenCounts, indicators
from priori.columns.logistic import Logistic
from priori.columns.readings import TableReadings
from priori.errors import DataError, EstimateError
from priori.families.numerics.special import log_rising
from priori.statistics.by_class import UNIT, UNIT_BITS, ByClass, Keys, Tallies

_TRUTH = {"0": "false", "1": "true", "false": "false", "true": "true", "False": "false", "True": "true"}


@dataclass(frozen=True)
class Categorical(ColumnFamily):
    """One of k values; `values` names those that can be, so that they count although they were not seen."""

    name: ClassVar[str] = "categorical"
    cells_are: ClassVar[str] = "codes"

    values: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", tuple(str(value) for value in self.values))

    def statistics_kind(self) -> str:
        """Counts of values."""
        return "values"

    def zero(self, labels: tuple[str, ...], dimensions: int) -> Tallies:
        """The statistics of no rows."""
        return Tallies.zero(len(labels))

    def count(self, cells: Codes, rows: Rows) -> Tallies:
        """How often each value is in each class."""
        counts, missing = _core.tally_codes(cells.codes, len(cells.values), rows.group, rows.weight, rows.classes)
        shift = UNIT_BITS if rows.weight is None else 0
        table = counts.reshape(len(cells.values), rows.classes) << shift
        return Tallies.sorted(np.array(cells.values, dtype=object), table, missing << shift)

    def read(self, stats: ByClass, readings: TableReadings) -> "DiscreteReading":
        """Probabilities of the values in each class."""
        stats = as_tallies(stats)
        keys = np.union1d(stats.keys, np.array(self.values, dtype=object)) if self.values else stats.keys
        counts = np.zeros((len(keys), stats.classes))
        counts[np.searchsorted(keys, stats.keys)] = stats.counts * UNIT
        return DiscreteReading(keys, counts, readings, frozenset(self.values))


@dataclass(frozen=True)
class BernoulliColumn(Categorical):
    """Yes or no: two values, whether both were seen or not."""

    name: ClassVar[str] = "bernoulli"

    values: tuple[str, ...] = ("false", "true")

    def count(self, cells: Codes, rows: Rows) -> Tallies:
        """How often each of the two is in each class; 0 and 1 are read as no and yes."""
        return super().count(as_truth(cells), rows)

    def read(self, stats: ByClass, readings: TableReadings) -> "BernoulliReading":
        """The probability of a yes in each class."""
        found = super().read(stats, readings)
        return BernoulliReading(found.keys, found.counts, readings, found.stated)


@dataclass(frozen=True, eq=False)
class DiscreteReading(ColumnReading):
    """p(value | class): a table of logarithms, and what a value never seen says."""

    keys: Keys  # (V,)
    counts: Floats  # (V, K)
    readings: TableReadings
    stated: frozenset[str] = frozenset()  # the values that can be although they were not seen

    @cached_property
    def table(self) -> Floats:
        """log p(value | class), (V + 1, K): the last row is that of values never seen."""
        size = len(self.keys)
        counts = np.vstack([self.counts, np.zeros(self.counts.shape[1])])
        return self._log_shares(counts, self.counts.sum(axis=0), size, np.arange(size + 1)[:, None] == size)

    def _log_shares(self, counts: Floats, totals: Floats, values: Any, unseen: Any) -> Floats:
        """log p of values with these counts in classes of these totals; `unseen` are those without a value's slot."""
        pseudo, slot = self.readings.pseudo_count, self.readings.unknown == "prior"
        if pseudo < 0:
            raise EstimateError(
                "with alpha < 1 a value without counts has no mode; use alpha >= 1, or estimate='bayes'"
            )
        if pseudo == 0:
            refuse_empty_class(totals, self.readings.estimate)
        with np.errstate(divide="ignore"):
            scores = np.log(counts + pseudo) - np.log(totals + pseudo * (values + slot))
        return scores if slot else np.where(unseen, 0.0, scores)

    def places(self, values: tuple[str, ...]) -> npt.NDArray[np.intp]:
        """The row of the table of each value; the last for what was never seen."""
        known = {value: place for place, value in enumerate(self.keys.tolist())}
        return np.array([known.get(value, len(self.keys)) for value in values] or [0], np.intp)

    def log_prob(self, cells: Cells) -> Floats:
        """Look them up."""
        rows: Floats = self.table[self.places(cells.values)][cells.codes]
        rows[cells.codes < 0] = 0.0
        return rows

    def sample(self, group: Int32s, rng: np.random.Generator) -> npt.NDArray[Any]:
        """Draw values; a value never seen cannot be drawn."""
        if not len(self.keys):
            raise EstimateError("the column has no values, so none can be drawn; leave it out")
        shares = np.exp(self.table[:-1])
        edges = np.cumsum(shares / shares.sum(axis=0), axis=0)
        chance = rng.random(len(group))
        at = np.array([np.searchsorted(edges[:, k], u, "right") for k, u in zip(group, chance, strict=True)], np.intp)
        drawn: npt.NDArray[Any] = self.keys[np.minimum(at, len(self.keys) - 1)]
        return drawn

    def without(self, cells: Cells, rows: Rows) -> Floats:
        """All rows at once: a row's weight is gone from its value and its class, and a value that it alone had is one
        never seen."""
        places = self.places(cells.values)[cells.codes]
        scores = np.zeros((len(places), self.counts.shape[1]))
        there = np.flatnonzero((cells.codes >= 0) & (rows.group >= 0))
        at = places[there]
        other = there[at == len(self.keys)]
        if len(other):
            raise DataError(
                f"the value {cells.values[cells.codes[other[0]]]!r} was never learned, so its row cannot be left out; "
                "give the rows that were learned"
            )
        taken = np.where(np.arange(scores.shape[1]) == rows.group[there, None], rows.in_rows()[there, None], 0.0)
        counts, totals = self.counts[at] - taken, self.counts.sum(axis=0) - taken
        if (counts < 0).any():
            raise never_learned(int(there[np.flatnonzero((counts < 0).any(axis=1))[0]]))
        stated = np.array([key in self.stated for key in self.keys.tolist()], bool)
        last = ~counts.any(axis=1) & ~stated[at]
        values = len(self.keys) - last[:, None].astype(np.float64)
        scores[there] = self._log_shares(counts, totals, values, last[:, None])
        return scores

    def almost_without(self, cells: Cells, rows: Rows) -> Floats:
        """The same, but NaN for a value of which nothing is left: what was forgotten need not have been learned, if the
        sums allow it, and a row that was kept may have it."""
        gone = (self.places(cells.values)[cells.codes] == len(self.keys)) & (cells.codes >= 0)
        if not gone.any():
            return self.without(cells, rows)
        there = np.flatnonzero(~gone)
        scores = np.full((len(gone), self.counts.shape[1]), np.nan)
        scores[there] = self.without(Codes(cells.codes[there], cells.values), rows.taken(there))
        return scores

    @property
    def free_parameters(self) -> int:
        """K (k - 1)."""
        return int(self.counts.shape[1]) * max(len(self.keys) - 1, 0)

    def log_evidence(self) -> float:
        """Polya's urn, class by class."""
        alpha = self.readings.alpha
        if alpha <= 0:
            raise EstimateError("alpha=0 is no proper prior, so there is no evidence; use alpha > 0")
        values = len(self.keys) + (self.readings.unknown == "prior")
        apart = log_rising(alpha, self.counts).sum()
        return float(apart - log_rising(alpha * max(values, 1), self.counts.sum(axis=0)).sum())

    def log_likelihood(self) -> float:
        """Σ N_cj log p."""
        return float(xlogy(self.counts, np.exp(self.table[:-1])).sum())

    def __str__(self) -> str:
        return "a categorical column"


@dataclass(frozen=True, eq=False)
class BernoulliReading(DiscreteReading):
    """p(yes | class)."""

    def log_prob(self, cells: Cells) -> Floats:
        """Look them up."""
        return super().log_prob(as_truth(cells))

    def without(self, cells: Cells, rows: Rows) -> Floats:
        """Once for each value, class and weight."""
        return super().without(as_truth(cells), rows)

    def almost_without(self, cells: Cells, rows: Rows) -> Floats:
        """Both values are always known."""
        return self.without(cells, rows)

    def linear(self) -> Logistic:
        """Of a yes as 1 and a no as 0."""
        no, yes = self.table[0], self.table[1]
        return Logistic((yes - no)[:, None], no, np.zeros(1))


def as_tallies(stats: ByClass) -> Tallies:
    """The statistics, which are counts of values."""
    if not isinstance(stats, Tallies):
        raise DataError(f"{type(stats).__name__} are no counts of values; count the column as categorical")
    return stats


def as_truth(cells: Codes) -> Codes:
    """0 and 1, or false and true, as the latter."""
    other = next((value for value in cells.values if value not in _TRUTH), None)
    if other is not None:
        raise DataError(f"{other!r} is neither true nor false, neither 0 nor 1; read the column as categorical")
    if set(cells.values) <= {"false", "true"}:
        return cells
    place = np.array([_TRUTH[value] == "true" for value in cells.values], np.int32)
    codes = np.where(cells.codes < 0, -1, place[cells.codes]) if len(place) else cells.codes
    return Codes(codes.astype(np.int32), ("false", "true"))


def of_values(family: Categorical, cells: Codes, readings: TableReadings, pooled: Rows) -> HiddenCounts:
    """Categories and booleans: all values that rows of some weight have, or that are stated; others say nothing."""
    cells = as_truth(cells) if isinstance(family, BernoulliColumn) else cells
    learned = cells.codes[pooled.in_rows() > 0]
    used = {cells.values[code] for code in np.unique(learned) if code >= 0}
    keys = sorted(used | set(family.values))
    place = {key: at for at, key in enumerate(keys)}
    codes = np.array([*(place.get(value, -1) for value in cells.values), -1], np.int64)[cells.codes]
    unseen = int(readings.unknown == "prior")
    return HiddenCounts(indicators(codes, len(keys)), readings.pseudo_count, readings.estimate, unseen)
