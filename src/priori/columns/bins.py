"""Numbers in bins: no assumption on their distribution but what the counts say (lecture 002, discretised inputs).

Counts are kept in fixed buckets, and merged into bins of about equal weight when they are read. With a given number of
bins, p(bin | class) is smoothed as categories are. With bins="auto" it is p(bin) times a ratio for each class, averaged
over all prunings of a tree of bins (`bin_tree`) and Student's t, each weighted by how well it tells the classes.
docs/maths/tables.md.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from scipy.special import xlogy

from priori import _core
from priori.columns.base import Cells, ColumnFamily, ColumnReading, Floats, Int32s, Rows
from priori.columns.bin_tree import bucket_of, edges_of, merged, middle_of, quantile_bins
from priori.columns.categories import as_tallies
from priori.columns.em import HiddenCounts, indicators
from priori.columns.normal import NormalPrior, Spread, log_density
from priori.columns.readings import TableReadings
from priori.errors import EstimateError
from priori.families.numerics.special import log_rising
from priori.statistics.by_class import UNIT_BITS, ByClass, Tallies, in_rows
from priori.validation import whole_number

_FAR = 2.0**500  # whose square is still a number


@dataclass(frozen=True)
class BinnedColumn(ColumnFamily):
    """Numbers in bins: as many as given, or by an average over trees of bins and Student's t."""

    name: ClassVar[str] = "binned"
    cells_are: ClassVar[str] = "numbers"

    bins: int | Literal["auto"] = "auto"

    def __post_init__(self) -> None:
        if self.bins != "auto":
            object.__setattr__(self, "bins", whole_number(self.bins, "bins", 2))

    def zero(self, labels: tuple[str, ...], dimensions: int) -> Tallies:
        """The statistics of no rows."""
        return Tallies.zero(len(labels), np.int32)

    def count(self, cells: Floats, rows: Rows) -> Tallies:
        """How many numbers of each bucket are in each class."""
        numbers = np.ascontiguousarray(cells, np.float64)
        buckets, counts, missing = _core.bucket_counts(numbers, rows.group, rows.weight, rows.classes)
        shift = UNIT_BITS if rows.weight is None else 0
        return Tallies(buckets, counts.reshape(len(buckets), rows.classes) << shift, missing << shift)

    def read(self, stats: ByClass, readings: TableReadings) -> "BinnedReading":
        """What the bins say of the classes."""
        tallies = as_tallies(stats)
        if self.bins == "auto":
            from priori.columns.adaptive_bins import AdaptiveReading  # which is a binned reading itself

            return AdaptiveReading(self, tallies, readings)
        return BinnedReading(self, tallies, readings)


@dataclass(frozen=True, eq=False)
class BinnedReading(ColumnReading):
    """p(bucket | class) = p(bin | class) times the bucket's share of its bin, which is the same in all classes."""

    family: BinnedColumn
    stats: Tallies
    readings: TableReadings

    @cached_property
    def counts(self) -> Floats:
        """Of buckets by class, (B, K)."""
        return in_rows(self.stats.counts)

    @cached_property
    def totals(self) -> Floats:
        """Of buckets, (B,)."""
        total: Floats = self.counts.sum(axis=1)
        return total

    @cached_property
    def bins(self) -> npt.NDArray[np.intp]:
        """The bin of each bucket."""
        return quantile_bins(self.totals, int(self.family.bins))

    @cached_property
    def _unit(self) -> float:
        """A power of two as large as the numbers: measured in it, squares are neither too large nor too small."""
        largest = float(np.abs(middle_of(self.stats.keys.astype(np.int64))).max(initial=0.0))
        return math.ldexp(1.0, math.frexp(largest)[1] - 1) if largest else 1.0

    def measured(self, numbers: Floats) -> Floats:
        """Numbers in units; those that are further away than any density tells apart are taken nearer."""
        with np.errstate(over="ignore"):
            return np.clip(numbers / self._unit, -_FAR, _FAR)

    @cached_property
    def spread(self) -> tuple[Spread, Spread]:
        """Weight, mean and scatter of the buckets' middles, in units: of each class, and of all."""
        x = self.measured(middle_of(self.stats.keys.astype(np.int64)))
        return spread_of(x, self.counts), spread_of(x, self.totals[:, None])

    def log_prob(self, cells: Cells) -> Floats:
        """log p(bucket | class): that of the bucket in all classes, and the ratio of the class."""
        gone = np.isnan(cells)
        numbers = np.where(gone, 0.0, cells)
        scores = self.log_ratio(numbers) + self.log_share(numbers)[:, None]
        scores[gone] = 0.0
        return scores

    def log_scores(self, cells: Cells) -> Floats:
        """The ratio of each class alone."""
        gone = np.isnan(cells)
        scores = self.log_ratio(np.where(gone, 0.0, cells))
        scores[gone] = 0.0
        return scores

    def log_share(self, numbers: Floats) -> Floats:
        """log p(bucket) in all classes together: half as it was counted, half spread evenly over its bin, and one
        observation imagined by Student's t for what is beyond."""
        n = float(self.totals.sum())
        buckets = bucket_of(numbers)
        at = np.searchsorted(self.stats.keys, buckets)
        found = at < len(self.stats.keys)
        found[found] = self.stats.keys[at[found]] == buckets[found]
        seen = self._spread_over_bins(buckets) / 2
        seen[found] += self.totals[at[found]] / 2
        pooled = self.spread[1]
        if n == 0 or pooled.scatter.item() == 0:
            imagined = np.full(len(numbers), np.log(2.0**-22))  # of all buckets that there are, alike
        else:
            near, far = edges_of(buckets)
            prior = NormalPrior(pooled.mean, 1.0, 0.5, pooled.scatter / n / 2)
            width = np.maximum(np.abs(far - near), np.finfo(np.float64).tiny)
            density = log_density(self.measured(middle_of(buckets))[:, None], pooled, prior, "bayes")[:, 0]
            imagined = density + np.log(width) - math.log(self._unit)
        with np.errstate(divide="ignore"):
            return np.asarray(np.logaddexp(np.log(seen), imagined) - np.log(n + 1))

    def _spread_over_bins(self, buckets: npt.NDArray[np.int64]) -> Floats:
        """The weight of each bucket, if that of its bin were spread evenly up to where the next one begins."""
        if not len(self.totals):
            return np.zeros(len(buckets))
        keys = self.stats.keys.astype(np.int64)
        low = np.append(np.minimum(*edges_of(self._bin_starts.astype(np.int64))), np.maximum(*edges_of(keys[-1:])))
        weight = merged(self.totals[:, None], self.bins)[:, 0]
        at = np.searchsorted(self._bin_starts, buckets, side="right") - 1
        inside = (at >= 0) & (buckets <= keys[-1])
        near, far = edges_of(buckets)
        with np.errstate(over="ignore", invalid="ignore"):  # the widest bin may be wider than the largest number
            share = np.abs(far - near) / np.diff(low)[np.maximum(at, 0)]
        return np.where(inside & np.isfinite(share), share, 0.0) * weight[np.maximum(at, 0)]

    def log_ratio(self, numbers: Floats) -> Floats:
        """log p(bucket | class) / p(bucket), (n, K)."""
        return self.of_bins(self.bin_ratios, numbers)

    def of_bins(self, table: Floats, numbers: Floats) -> Floats:
        """Rows of a table by bin: that of the bucket, or of the nearest one below that was seen."""
        if not len(table):
            return np.zeros((len(numbers), self.stats.classes))
        at = np.searchsorted(self._bin_starts, bucket_of(numbers), side="right") - 1
        return table[np.maximum(at, 0)]

    @cached_property
    def _bin_starts(self) -> npt.NDArray[Any]:
        """The first bucket of each bin."""
        first: npt.NDArray[Any] = self.stats.keys[np.flatnonzero(np.diff(self.bins, prepend=-1))]
        return first

    @cached_property
    def bin_ratios(self) -> Floats:
        """log p(bin | class) / p(bin), (bins, K)."""
        counts = merged(self.counts, self.bins)
        if not len(counts):
            return counts
        pseudo = self.readings.pseudo_count
        if pseudo < 0:
            raise EstimateError("with alpha < 1 a bin without counts has no mode; use alpha >= 1, or estimate='bayes'")
        below = counts.sum(axis=0) + pseudo * len(counts)
        if not (below > 0).all():
            raise EstimateError("a class has no number in this column, so estimate='ml' does not exist; use 'bayes'")
        pooled = counts.sum(axis=1) / counts.sum()
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(counts + pseudo) - np.log(below) - np.log(pooled)[:, None])

    def sample(self, group: Int32s, rng: np.random.Generator) -> npt.NDArray[Any]:
        """A bucket of the class, and a number within it; whole numbers where all buckets hold one."""
        if not len(self.totals):
            raise EstimateError("the column has no numbers, so none can be drawn; leave it out")
        buckets = self.stats.keys.astype(np.int64)
        chances = np.exp(self.log_ratio(middle_of(buckets))) * self.totals[:, None]
        edges = np.cumsum(chances / chances.sum(axis=0), axis=0)
        chance = rng.random(len(group))
        at = np.array([np.searchsorted(edges[:, k], u, "right") for k, u in zip(group, chance, strict=True)], np.intp)
        chosen = buckets[np.minimum(at, len(buckets) - 1)]
        near, far = edges_of(chosen)
        within = near + (far - near) * rng.random(len(group))
        ends = edges_of(buckets)[0]
        whole = bool(((ends == np.rint(ends)) & (np.abs(ends) < 2048)).all())
        return np.where(whole | (chosen == 0), near, within)

    def without(self, cells: Cells, rows: Rows) -> Floats:
        """Once for each bucket, class and weight: the counts without the row are read anew."""
        weight = np.full(len(cells), 1 << UNIT_BITS, np.int64) if rows.weight is None else rows.weight
        there = np.flatnonzero(~np.isnan(cells) & (rows.group >= 0))
        buckets = bucket_of(cells[there])
        keys = np.column_stack([buckets, rows.group[there], weight[there]])
        alike, first, which = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        scores = np.zeros((len(cells), self.stats.classes))
        for at, (_, k, w) in enumerate(alike.tolist()):
            same = there[which.ravel() == at]
            one = cells[there[first[at]], None]
            taken = self.family.count(one, Rows(rows.labels, np.array([k], np.int32), np.array([w], np.int64)))
            left = type(self)(self.family, self.stats - taken, self.readings)
            scores[same] = left.log_prob(cells[same])
        return scores

    @property
    def free_parameters(self) -> int:
        """K (bins - 1)."""
        return self.stats.classes * max(len(merged(self.counts, self.bins)) - 1, 0)

    def log_evidence(self) -> float:
        """Polya's urn over the bins, class by class, and the share of each bucket in its bin as counted."""
        alpha, counts = self.readings.alpha, merged(self.counts, self.bins)
        if alpha <= 0:
            raise EstimateError("alpha=0 is no proper prior, so there is no evidence; use alpha > 0")
        urns = log_rising(alpha, counts).sum() - log_rising(alpha * max(len(counts), 1), counts.sum(axis=0)).sum()
        inside = xlogy(self.totals, self.totals / counts.sum(axis=1)[self.bins]).sum() if len(counts) else 0.0
        return float(urns + inside)

    def log_likelihood(self) -> float:
        """Σ N_cb log p(bucket | class)."""
        scores = self.log_prob(middle_of(self.stats.keys.astype(np.int64)))
        return float((self.counts * scores)[self.counts > 0].sum())

    def __str__(self) -> str:
        return "a binned column"


def spread_of(x: Floats, counts: Floats) -> Spread:
    """Weight, mean and scatter of numbers by class, each so often."""
    n = counts.sum(axis=0)
    safe = np.where(n > 0, n, 1.0)
    mean = (x @ counts) / safe
    centred = x[:, None] - mean
    return Spread(n, mean, (counts * centred * centred).sum(axis=0))


def of_bins(family: BinnedColumn, cells: Cells, readings: TableReadings, pooled: Rows) -> HiddenCounts:
    """A given number of bins of about equal weight, whose edges all rows have in common."""
    tallies = family.count(cells, pooled)
    reading = family.read(tallies, readings)
    gone = np.isnan(cells)
    numbers = np.where(gone, 0.0, cells)
    bins = quantile_bins(reading.totals, int(family.bins)) if len(tallies.keys) else np.zeros(0, np.intp)
    at = np.searchsorted(tallies.keys, bucket_of(numbers))
    codes = np.where(gone, -1, np.append(bins, -1)[np.where(gone, len(bins), at)])
    size = int(bins.max(initial=-1)) + 1
    weight = np.bincount(bins, reading.totals, size)
    common = np.zeros((len(cells), 1))
    if size:  # p(bucket | class) is p(bucket) p(bin | class) / p(bin)
        common = np.where(gone, 0.0, reading.log_share(numbers) - np.log(weight / weight.sum())[codes])[:, None]
    return HiddenCounts(indicators(codes, size), readings.pseudo_count, readings.estimate, 0, common)
