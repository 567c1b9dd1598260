"""Binned numbers whose bins are found: averages over trees of bins and Student's t. docs/maths/tables.md."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import expit, xlogy

from priori.columns.base import Cells, Floats, Rows
from priori.columns.bin_tree import BinTree, merged, middle_of, quantile_bins
from priori.columns.bins import BinnedReading
from priori.columns.normal import NormalPrior, log_density
from priori.families.numerics.special import log_sums

LEAVES = 256  # bins of the tree
_LEAST = 1e-3  # share of an average below which a reading is left out


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
    def bin_ratios(self) -> Floats:
        """log p(bin | class) / p(bin), (bins, K), averaged over the prunings of the tree."""
        return self.tree.log_ratios()

    @cached_property
    def _prior(self) -> NormalPrior:
        return NormalPrior.of(None, self.spread[1])

    @cached_property
    def _log_class(self) -> Floats:
        """log of the share of each class among the numbers, (K,); classes without numbers have none."""
        n = self.stats.n
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(n) - np.log(n.sum() or 1.0))

    @cached_property
    def shares(self) -> tuple[float, float]:
        """What the trees and Student's t weigh: how well each tells the classes of the rows."""
        classes, pooled = self.spread
        known = np.flatnonzero(classes.n > 1)  # without its only number a class cannot be told
        n = classes.n[known]
        if len(n) < 2 or pooled.scatter.item() == 0:
            return 1.0, 0.0
        counts = self.tree.counts  # of bins, of which there are not too many
        middles = self.measured(middle_of(self.stats.keys.astype(np.int64)))
        x = merged(middles[:, None] * self.totals[:, None], self.bins)[:, 0]
        x /= counts.sum(axis=1)
        told = 0.0
        for k in known:
            here = counts[:, k] > 0
            scores = self._student_without(x[here], np.full(int(here.sum()), k), np.ones(int(here.sum())))
            told += float(counts[here, k] @ (scores[:, k] - log_sums(scores)[:, 0]))
        nothing = float((n * np.log(n / classes.n.sum())).sum())
        # as many degrees of freedom as means and variances beyond those of one class cost ½ log n each
        student = told - nothing - (len(n) - 1) * np.log(n.sum())
        weight = float(expit(self.tree.log_evidence - student))
        if not _LEAST < weight < 1 - _LEAST:
            weight = round(weight)
        return weight, 1.0 - weight

    def log_ratio(self, numbers: Floats) -> Floats:
        """log p(bucket | class) / p(bucket), (n, K)."""
        return np.asarray(self._log_average(numbers) - self._log_mass)

    @cached_property
    def _log_mass(self) -> Floats:
        """log Σ p(bucket) r(bucket) over the buckets that were seen, (K,): what makes p(bucket | class) sum to 1."""
        if not len(self.totals):
            return np.zeros(self.stats.classes)
        ratios = self._log_average(middle_of(self.stats.keys.astype(np.int64)))
        return log_sums((ratios + np.log(self.totals / self.totals.sum())[:, None]).T)[:, 0]

    def _log_average(self, numbers: Floats) -> Floats:
        tree, student = self.shares
        if not student:
            return self.of_bins(self._tree_table, numbers)
        found = [(student, self._student(numbers))]
        if tree:
            found.append((tree, self.of_bins(self.bin_ratios, numbers) + self._log_class))
        return self._averaged(found)

    @cached_property
    def _tree_table(self) -> Floats:
        """What the trees alone say of each bin."""
        return self._averaged([(1.0, self.bin_ratios + self._log_class)])

    def almost_without(self, cells: Cells, rows: Rows) -> Floats:
        """Each row taken out of its class; edges, trees and what is averaged stay as all rows have made them."""
        gone = np.isnan(cells)
        numbers = np.where(gone, 0.0, cells)
        weight = np.ones(len(cells)) if rows.weight is None else _power_of_two(rows.in_rows())
        tree, student = self.shares
        found = []
        if tree:
            full = self.of_bins(self.bin_ratios, numbers)
            own = np.arange(self.stats.classes) == rows.group[:, None]
            for w in np.unique(weight):
                left = self.of_bins(self.tree.log_ratios_without(float(w)), numbers)
                full = np.where(own & (weight == w)[:, None], left, full)
            found.append((tree, full + self._log_class))
        if student:
            found.append((student, self._student_without(self._within(numbers), rows.group, weight)))
        scores = np.asarray(self._averaged(found) - self._log_mass)
        scores[gone] = 0.0
        return scores

    def _student(self, numbers: Floats) -> Floats:
        """log p(x, class) under Student's t."""
        return log_density(self._within(numbers)[:, None], self.spread[0], self._prior, "bayes") + self._log_class

    def _within(self, numbers: Floats) -> Floats:
        """In units, and no further out than any number that was seen: beyond it the sizes of classes would decide."""
        least, most = middle_of(self.stats.keys[[0, -1]].astype(np.int64)) if len(self.totals) else (0.0, 0.0)
        return self.measured(np.clip(numbers, least, most))

    def _student_without(self, numbers: Floats, group: Any, weight: Floats) -> Floats:
        own = np.arange(self.stats.classes) == np.asarray(group)[:, None]
        weight = np.minimum(weight, self.spread[0].n[group])
        left = self.spread[0].without(numbers[:, None], np.where(own, weight[:, None], 0.0))
        with np.errstate(divide="ignore"):
            log_class = np.log(left.n) - np.log(left.n.sum(axis=1, keepdims=True))
        return np.asarray(log_density(numbers[:, None], left, self._prior, "bayes") + log_class)

    def _averaged(self, found: list[tuple[float, Floats]]) -> Floats:
        """The average of p(class | x), divided by p(class); a class without numbers has the ratio 1."""
        if not np.isfinite(self._log_class).any():
            return np.zeros_like(found[0][1])
        parts = [np.log(share) + joint - log_sums(joint) for share, joint in found]
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
