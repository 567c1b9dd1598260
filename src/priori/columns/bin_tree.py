"""Fixed buckets of numbers, the bins they are merged into, and a tree over the bins by which classes divide them.

A bucket is a number's sign, exponent and first ten bits of the mantissa: 1024 an octave, at most 0.1 % wide, one for
each whole number up to 2048. It does not depend on data, so counts in buckets add and subtract. They are merged into
bins when they are read. `BinTree` averages over all ways to prune a tree of the bins.
"""

import math
from bisect import bisect_left
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import betaln, xlogy

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

STRENGTH = 2.0  # s: what a node's common share weighs in each class
_HALF = math.log(0.5)
_SHIFT = 42  # bits of a number below its bucket
_SIGN = np.uint64(1 << 63)


# --- buckets and bins -------------------------------------------------------------------------------------------------


def bucket_of(numbers: Floats) -> Ints:
    """The bucket of each number, in the order of the numbers; of NaN, whatever it is.

    >>> bucket_of(np.array([-1.0, 0.0, 1.0, 1.0005, 17.0])).tolist()
    [-1047553, 0, 1047552, 1047552, 1051712]
    """
    bits = (numbers + 0.0).view(np.uint64)  # -0 and 0 are one number
    size = ((bits & ~_SIGN) >> np.uint64(_SHIFT)).astype(np.int64)
    return np.where(bits >= _SIGN, -size - 1, size)


def edges_of(buckets: Ints) -> tuple[Floats, Floats]:
    """Where each bucket begins and ends, the one nearer to 0 first."""
    size = np.where(buckets < 0, -buckets - 1, buckets).astype(np.uint64)
    sign = np.where(buckets < 0, -1.0, 1.0)
    near, far = ((s << np.uint64(_SHIFT)).view(np.float64) for s in (size, size + np.uint64(1)))
    return sign * near, sign * np.minimum(far, np.finfo(np.float64).max)  # the last one ends where numbers do


def middle_of(buckets: Ints) -> Floats:
    """A number in the middle of each bucket; 0 for the one that it is in."""
    near, far = edges_of(buckets)
    return np.where(buckets == 0, 0.0, near + (far - near) / 2)


def quantile_bins(totals: Floats, most: int) -> npt.NDArray[np.intp]:
    """The bin of each bucket: at most `most` of about equal weight, by the middle of its rank; all are used.

    >>> quantile_bins(np.array([1.0, 1.0, 6.0, 1.0, 1.0]), 2).tolist()
    [0, 0, 1, 1, 1]
    """
    ranks = (np.cumsum(totals) - totals / 2) / totals.sum()
    bins = np.minimum((most * ranks).astype(np.intp), most - 1)
    return np.unique(bins, return_inverse=True)[1].reshape(-1).astype(np.intp)


def merged(counts: Floats, bins: npt.NDArray[np.intp]) -> Floats:
    """Counts of buckets (B, K) added up by bin."""
    total = np.zeros((int(bins[-1]) + 1 if len(bins) else 0, counts.shape[1]))
    np.add.at(total, bins, counts)
    return total


# --- a tree over bins -------------------------------------------------------------------------------------------------


class Node(NamedTuple):
    """Bins low to high, divided at cut."""

    low: int
    cut: int
    high: int


@dataclass(frozen=True, eq=False)
class BinTree:
    """Ratios p(bin | class) / p(bin), and the evidence that the classes differ at all.

    A binary tree over the bins, each node cut where the weight of all classes is halved. At a node the share p of the
    left is the same for every class, or each class c has its own: (l_c + s p) / (l_c + r_c + s), a Beta prior of weight
    s about p. The evidence E of the second against the first decides, with even odds before: the posterior weight w of
    "own" is ½ e^E / (½ + ½ e^E), where E counts the nodes below too. So all 2^nodes prunings are averaged exactly, and
    what is read is the ratio of each class, p(bin | c) / p(bin), which is 1 where a column says nothing. The recursion
    is that of context-tree weighting (Willems, Shtarkov & Tjalkens 1995).
    """

    counts: Floats  # (bins, K)
    nodes: tuple[Node, ...]  # parents before children
    left: Floats  # (nodes, K): weights left of the cut
    right: Floats
    share: Floats  # (nodes,): p
    rest: Floats  # (nodes,): 1 - p
    own: Floats  # (nodes,): w
    log_evidence: float  # of the whole against "the same in all classes"

    @classmethod
    def of(cls, counts: Floats) -> "BinTree":
        """From the counts of bins by class, which are multiples of 2^-20."""
        nodes = tuple(_nodes(counts.sum(axis=1)))
        units = np.rint(counts * 2.0**20).astype(np.int64)  # whose sums lose nothing beside large ones
        below = np.vstack([np.zeros((1, counts.shape[1]), np.int64), np.cumsum(units, axis=0)])
        low, cut, high = np.array(nodes, dtype=np.intp).reshape(-1, 3).T
        left, right = ((below[b] - below[a]) * 2.0**-20 for a, b in ((low, cut), (cut, high)))
        totals = left.sum(axis=1) + right.sum(axis=1)
        share, rest = left.sum(axis=1) / totals, right.sum(axis=1) / totals
        p, q = share[:, None], rest[:, None]
        gain = (
            betaln(left + STRENGTH * p, right + STRENGTH * q)
            - betaln(STRENGTH * p, STRENGTH * q)
            - xlogy(left, p)
            - xlogy(right, q)
        ).sum(axis=1)
        own, evidence = _weights(nodes, gain.tolist())
        return cls(counts, nodes, left, right, share, rest, own, evidence)

    def log_ratios(self) -> Floats:
        """log p(bin | class) / p(bin), (bins, K)."""
        return self._log_ratios(0.0)

    def log_ratios_without(self, weight: float) -> Floats:
        """The same with a row of this weight taken out of its class in its bin; nodes keep their cuts and weights.

        Where a class has no such row in a bin, nothing is taken.
        """
        return self._log_ratios(weight)

    def _log_ratios(self, weight: float) -> Floats:
        ratios = np.ones_like(self.counts)
        taken = np.where(self.counts >= weight, weight, 0.0)
        for places, nodes, is_left in reversed(self._levels()):  # from the leaves up: the bins of one depth together
            chance = np.where(is_left, self.share[nodes], self.rest[nodes])[:, None]
            side = np.where(is_left[:, None], self.left[nodes], self.right[nodes])
            total = self.left[nodes] + self.right[nodes] + STRENGTH
            own, gone = self.own[nodes][:, None], taken[places]
            factor = (side + STRENGTH * chance - gone) / ((total - gone) * chance)
            ratios[places] = (1 - own) + own * factor * ratios[places]
        log_ratios: Floats = np.log(ratios)
        return log_ratios

    def _levels(self) -> list[tuple[Any, Any, Any]]:
        """For each depth: the bins that a node of it divides, the node of each, and whether it is on its left."""
        depth: dict[tuple[int, int], int] = {(0, len(self.counts)): 0}
        levels: list[list[int]] = []
        for at, (low, cut, high) in enumerate(self.nodes):
            here = depth[low, high]
            depth[low, cut] = depth[cut, high] = here + 1
            if here == len(levels):
                levels.append([])
            levels[here].append(at)
        found = []
        for nodes in levels:
            spans = [self.nodes[at] for at in nodes]
            places = np.concatenate([np.arange(low, high) for low, _, high in spans])
            found.append(
                (
                    places,
                    np.repeat(nodes, [high - low for low, _, high in spans]),
                    places < np.repeat([cut for _, cut, _ in spans], [high - low for low, _, high in spans]),
                )
            )
        return found


def _nodes(totals: Floats) -> list[Node]:
    below = [0.0, *np.cumsum(totals).tolist()]
    nodes: list[Node] = []
    waiting = [(0, len(totals))]
    while waiting:
        low, high = waiting.pop()
        if high - low < 2:
            continue
        middle = (below[low] + below[high]) / 2
        cut = min(max(bisect_left(below, middle, low + 1, high), low + 1), high - 1)
        if cut > low + 1 and below[cut] + below[cut - 1] > 2 * middle:  # the boundary before is nearer
            cut -= 1
        nodes.append(Node(low, cut, high))
        waiting += [(low, cut), (cut, high)]
    return nodes


def _weights(nodes: tuple[Node, ...], gain: list[float]) -> tuple[Floats, float]:
    """w of each node, and the evidence at the root: from the leaves up."""
    evidence: dict[tuple[int, int], float] = {}
    own = np.zeros(len(nodes))
    for at in range(len(nodes) - 1, -1, -1):
        low, cut, high = nodes[at]
        own_way = gain[at] + evidence.get((low, cut), 0.0) + evidence.get((cut, high), 0.0) + _HALF
        total = max(own_way, _HALF) + math.log1p(math.exp(-abs(own_way - _HALF)))
        own[at] = math.exp(own_way - total)
        evidence[low, high] = total
    return own, evidence.get((nodes[0].low, nodes[0].high), 0.0) if nodes else 0.0
