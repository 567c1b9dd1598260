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
from scipy.special import logsumexp, xlogy

from priori import _core
from priori.columns.base import Cells, ColumnFamily, ColumnReading, Floats, Int32s, Rows, whole_number
from priori.columns.bin_tree import BinTree
from priori.columns.buckets import bucket_of, edges_of, merged, middle_of, quantile_bins
from priori.columns.discrete import as_tallies
from priori.columns.normal import NormalPrior, Spread, log_density
from priori.errors import EstimateError
from priori.families.special import log_rising
from priori.statistics.by_class import UNIT, UNIT_BITS, ByClass
from priori.statistics.tallies import Tallies
from priori.table_readings import TableReadings

LEAVES = 256  # bins of the tree
_FAR = 2.0**500  # whose square is still a number
_LEAST = 1e-3  # share of an average below which a reading is left out


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
        return Tallies.sorted(buckets, counts.reshape(len(buckets), rows.classes) << shift, missing << shift)

    def read(self, stats: ByClass, readings: TableReadings) -> "BinnedReading":
        """What the bins say of the classes."""
        tallies = as_tallies(stats)
        if self.bins == "auto":
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
        return self.stats.counts * UNIT

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

    def _measured(self, numbers: Floats) -> Floats:
        """Numbers in units; those that are further away than any density tells apart are taken nearer."""
        with np.errstate(over="ignore"):
            return np.clip(numbers / self._unit, -_FAR, _FAR)

    @cached_property
    def _spread(self) -> tuple[Spread, Spread]:
        """Weight, mean and scatter of the buckets' middles, in units: of each class, and of all."""
        x = self._measured(middle_of(self.stats.keys.astype(np.int64)))
        return _spread_of(x, self.counts), _spread_of(x, self.totals[:, None])

    def log_prob(self, cells: Cells) -> Floats:
        """log p(bucket | class): that of the bucket in all classes, and the ratio of the class."""
        gone = np.isnan(cells)
        numbers = np.where(gone, 0.0, cells)
        scores = self.log_ratio(numbers) + self.log_share(numbers)[:, None]
        scores[gone] = 0.0
        return scores

    def log_share(self, numbers: Floats) -> Floats:
        """log p(bucket) in all classes together: as counted, and one observation imagined by Student's t."""
        n = float(self.totals.sum())
        buckets = bucket_of(numbers)
        at = np.searchsorted(self.stats.keys, buckets)
        found = at < len(self.stats.keys)
        found[found] = self.stats.keys[at[found]] == buckets[found]
        seen = np.zeros(len(numbers))
        seen[found] = self.totals[at[found]]
        pooled = self._spread[1]
        if n == 0 or pooled.scatter.item() == 0:
            imagined = np.full(len(numbers), np.log(2.0**-22))  # of all buckets that there are, alike
        else:
            near, far = edges_of(buckets)
            prior = NormalPrior(pooled.mean, 1.0, 0.5, pooled.scatter / n / 2)
            width = np.maximum(np.abs(far - near), np.finfo(np.float64).tiny)
            density = log_density(self._measured(numbers)[:, None], pooled, prior, "bayes")[:, 0]
            imagined = density + np.log(width) - math.log(self._unit)
        with np.errstate(divide="ignore"):
            return np.asarray(np.logaddexp(np.log(seen), imagined) - np.log(n + 1))

    def log_ratio(self, numbers: Floats) -> Floats:
        """log p(bucket | class) / p(bucket), (n, K)."""
        return self._of_bins(self._bin_ratios(), numbers)

    def _of_bins(self, table: Floats, numbers: Floats) -> Floats:
        """Rows of a table by bin: that of the bucket, or of the nearest one below that was seen."""
        if not len(table):
            return np.zeros((len(numbers), self.stats.classes))
        at = np.searchsorted(self.stats.keys, bucket_of(numbers), side="right") - 1
        return table[self.bins[np.clip(at, 0, len(self.bins) - 1)]]

    def _bin_ratios(self) -> Floats:
        counts = merged(self.counts, self.bins)
        if not len(counts):
            return counts
        estimate, alpha = self.readings.estimate, self.readings.alpha
        pseudo = {"ml": 0.0, "unbiased": 0.0, "map": alpha - 1}.get(estimate, alpha)
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


@dataclass(frozen=True, eq=False)
class AdaptiveReading(BinnedReading):
    """The ratio of each class averaged over trees of bins and Student's t; the estimate is bayes whatever is asked."""

    @cached_property
    def bins(self) -> npt.NDArray[np.intp]:
        """The bin of each bucket, of which the tree has LEAVES at most."""
        return quantile_bins(self.totals, LEAVES) if len(self.totals) else np.zeros(0, np.intp)

    @cached_property
    def tree(self) -> BinTree:
        """The tree of the bins."""
        return BinTree.of(merged(self.counts, self.bins))

    @cached_property
    def _prior(self) -> NormalPrior:
        pooled = self._spread[1]
        return NormalPrior(pooled.mean, 1.0, 0.5, pooled.scatter / pooled.n / 2)

    @cached_property
    def _log_class(self) -> Floats:
        """log of the share of each class among the numbers, (K,); classes without numbers have none."""
        n = self.stats.n
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(n) - np.log(n.sum() or 1.0))

    @cached_property
    def shares(self) -> tuple[float, float]:
        """What the trees and Student's t weigh: how well each tells the classes of the rows."""
        classes, pooled = self._spread
        known = np.flatnonzero(classes.n > 1)  # without its only number a class cannot be told
        n = classes.n[known]
        if len(n) < 2 or pooled.scatter.item() == 0:
            return 1.0, 0.0
        x = middle_of(self.stats.keys.astype(np.int64))
        told = 0.0
        for k in known:
            here = self.counts[:, k] > 0
            scores = self._student_without(x[here], np.full(int(here.sum()), k), np.ones(int(here.sum())))
            told += float(self.counts[here, k] @ (scores[:, k] - logsumexp(scores, axis=1)))
        nothing = float((n * np.log(n / classes.n.sum())).sum())
        # as many degrees of freedom as means and variances beyond those of one class cost ½ log n each
        student = told - nothing - (len(n) - 1) * np.log(n.sum())
        weight = 1 / (1 + np.exp(np.clip(student - self.tree.log_evidence, -700, 700)))
        return (
            (float(weight), float(1 - weight))
            if _LEAST < weight < 1 - _LEAST
            else (float(weight > 0.5), float(weight <= 0.5))
        )

    def log_ratio(self, numbers: Floats) -> Floats:
        """log p(bucket | class) / p(bucket), (n, K)."""
        tree, student = self.shares
        found = []
        if tree:
            found.append((tree, self._of_bins(self.tree.log_ratios(), numbers) + self._log_class))
        if student:
            found.append((student, self._student(numbers)))
        return self._averaged(found)

    def almost_without(self, cells: Cells, rows: Rows) -> Floats:
        """Each row taken out of its class; edges, trees and what is averaged stay as all rows have made them."""
        gone = np.isnan(cells)
        numbers = np.where(gone, 0.0, cells)
        weight = np.ones(len(cells)) if rows.weight is None else _power_of_two(rows.weight * UNIT)
        tree, student = self.shares
        found = []
        if tree:
            full = self._of_bins(self.tree.log_ratios(), numbers)
            own = np.arange(self.stats.classes) == rows.group[:, None]
            for w in np.unique(weight):
                left = self._of_bins(self.tree.log_ratios_without(float(w)), numbers)
                full = np.where(own & (weight == w)[:, None], left, full)
            found.append((tree, full + self._log_class))
        if student:
            found.append((student, self._student_without(numbers, rows.group, weight)))
        scores = self._averaged(found)
        scores[gone] = 0.0
        return scores

    def _student(self, numbers: Floats) -> Floats:
        """log p(x, class) under Student's t."""
        return log_density(self._measured(numbers)[:, None], self._spread[0], self._prior, "bayes") + self._log_class

    def _student_without(self, numbers: Floats, group: Any, weight: Floats) -> Floats:
        own = np.arange(self.stats.classes) == np.asarray(group)[:, None]
        weight = np.minimum(weight, self._spread[0].n[group])
        numbers = self._measured(numbers)
        left = self._spread[0].without(numbers[:, None], np.where(own, weight[:, None], 0.0))
        with np.errstate(divide="ignore"):
            log_class = np.log(left.n) - np.log(left.n.sum(axis=1, keepdims=True))
        return log_density(numbers[:, None], left, self._prior, "bayes") + log_class

    def _averaged(self, found: list[tuple[float, Floats]]) -> Floats:
        """The average of p(class | x), divided by p(class); a class without numbers has the ratio 1."""
        if not np.isfinite(self._log_class).any():
            return np.zeros_like(found[0][1])
        parts = [np.log(share) + joint - logsumexp(joint, axis=1, keepdims=True) for share, joint in found]
        mixed = parts[0] if len(parts) == 1 else np.logaddexp(*parts)
        with np.errstate(invalid="ignore"):
            ratio = mixed - self._log_class
        return np.where(np.isfinite(self._log_class), ratio, 0.0)

    def log_evidence(self) -> float:
        """That of the trees alone: of the classes against one distribution, and of that as it was counted."""
        n = self.totals.sum()
        return float(self.tree.log_evidence + (xlogy(self.totals, self.totals / n).sum() if n else 0.0))


def _power_of_two(weight: Floats) -> Floats:
    """The nearest, so that few weights differ; 0 stays."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.exp2(np.rint(np.log2(weight))))


def _spread_of(x: Floats, counts: Floats) -> Spread:
    n = counts.sum(axis=0)
    safe = np.where(n > 0, n, 1.0)
    mean = (x @ counts) / safe
    centred = x[:, None] - mean
    return Spread(n, mean, (counts * centred * centred).sum(axis=0))
