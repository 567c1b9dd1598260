"""N-grams of finished counts as nodes, with the shorter ones that each is made of, and what is summed over them.

A node is an n-gram of one group: of a class, or of a document that is left out of it. Lower orders of Kneser-Ney count
in how many ways an n-gram is continued to the left (docs/maths/language.md); that is derived here, and never stored.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from priori import _core
from priori.statistics import Counts
from priori.text import Grams

Floats = npt.NDArray[np.float64]
Int8s = npt.NDArray[np.int8]
Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

COUNTED = 4  # counts of counts: how many n-grams were seen once, twice, ..., four times


@dataclass(frozen=True, eq=False)
class Nodes:
    """N-grams by group. `prefix` lacks the last token, `suffix` the first; -1 for single tokens."""

    order: Int8s
    prefix: Int64s
    suffix: Int64s
    group: Int32s
    count: Floats  # how often each was seen
    begins: Flags  # with the mark at the beginning of a document, so that nothing can stand before it
    groups: int
    longest: int

    @property
    def predicted(self) -> Flags:
        """All but the mark at the beginning, which is history only."""
        return np.asarray(~(self.begins & (self.order == 1)))

    @property
    def whole(self) -> Flags:
        """The longest n-gram that ends at each token, each token once."""
        return _whole(self.order, self.begins, self.longest)

    def above(self, order: int) -> npt.NDArray[np.intp]:
        """The nodes of one order."""
        return np.flatnonzero(self.order == order)


@dataclass(frozen=True, eq=False)
class Tallied:
    """What smoothing reads: counts as each order sees them, and sums over what follows each history."""

    count: Floats  # (n,) as it counts: of Kneser-Ney's lower orders, in how many ways it goes on to the left
    total: Floats  # (n,) of what follows it
    types: Floats  # (n, 3) how many follow it that count 1, 2, and more
    root_total: Floats  # (G,) the same of the empty history
    root_types: Floats  # (G, 3)
    counts_of_counts: Floats  # (G, N, 4) n-grams of each order that count 1, 2, 3 and 4

    @classmethod
    def of(cls, nodes: Nodes, continuations: bool) -> Self:
        """`continuations`: lower orders count ways to go on to the left, as Kneser-Ney does."""
        size = len(nodes.order)
        count = nodes.count
        if continuations:
            ways = np.bincount(nodes.suffix[nodes.suffix >= 0], minlength=size).astype(np.float64)
            count = np.where((nodes.order == nodes.longest) | nodes.begins, count, ways)
        follows = np.flatnonzero(nodes.prefix >= 0)
        first = np.flatnonzero((nodes.order == 1) & nodes.predicted)
        kind = kind_of(count)
        predicted = np.flatnonzero(nodes.predicted)
        return cls(
            count,
            summed(nodes.prefix[follows], count[follows], size),
            sum_types(nodes.prefix[follows], kind[follows], np.ones(len(follows)), size),
            summed(nodes.group[first], count[first], nodes.groups),
            sum_types(nodes.group[first], kind[first], np.ones(len(first)), nodes.groups),
            counts_of_counts(nodes, count, predicted),
        )


def _whole(order: Int8s, begins: Flags, longest: int) -> Flags:
    """Those of the highest order, and those that begin with a document; the mark at the beginning alone is no token."""
    return np.asarray((order == longest) | (begins & (order > 1)))


def summed(place: npt.NDArray[Any], weight: Floats, size: int) -> Floats:
    """Sums of weights by place, (size,)."""
    return np.asarray(np.bincount(place, weight, size), np.float64)  # of nothing, bincount makes integers


def kind_of(count: Floats) -> Int64s:
    """0 for a count of 1, 1 for 2, 2 for more; -1 for none."""
    return np.minimum(count, 3).astype(np.int64) - 1


def sum_types(place: npt.NDArray[Any], kind: Int64s, weight: Floats, size: int) -> Floats:
    """Sums of weights by place and kind, (size, 3)."""
    kept = kind >= 0
    flat = np.bincount(place[kept].astype(np.int64) * 3 + kind[kept], weight[kept], 3 * size)
    return np.asarray(flat.reshape(size, 3))


def counts_of_counts(nodes: Nodes, count: Floats, chosen: npt.NDArray[np.intp]) -> Floats:
    """How many of the chosen nodes count 1, 2, 3 and 4, by group and order, (G, N, 4)."""
    small = chosen[(count[chosen] >= 1) & (count[chosen] <= COUNTED)]
    place = (nodes.group[small].astype(np.int64) * nodes.longest + nodes.order[small] - 1) * COUNTED
    flat = np.bincount(place + count[small].astype(np.int64) - 1, minlength=nodes.groups * nodes.longest * COUNTED)
    return flat.astype(np.float64).reshape(nodes.groups, nodes.longest, COUNTED)


@dataclass(frozen=True, eq=False)
class Terms:
    """How the terms of counts hang together, and which of them are the marks around documents (-1: none)."""

    order: Int8s
    prefix: Int32s
    suffix: Int32s
    last: Int32s  # the last token, as a term
    begin: int
    end: int

    @property
    def begins(self) -> Flags:
        """Which terms begin with the mark at the beginning."""
        found = np.zeros(len(self.order), bool)
        if self.begin < 0:
            return found
        found[self.begin] = True
        for order in range(2, int(self.order.max(initial=1)) + 1):
            here = np.flatnonzero(self.order == order)
            found[here] = found[self.prefix[here]]
        return found

    @property
    def whole(self) -> Flags:
        """The longest n-gram that ends at each token, each token once."""
        return _whole(self.order, self.begins, int(self.order.max(initial=1)))

    @property
    def tokens(self) -> int:
        """How many distinct tokens are predicted: single ones, without the mark at the beginning."""
        return int((self.order == 1).sum()) - (self.begin >= 0)


@dataclass(frozen=True, eq=False)
class Chained:
    """The pairs of counts as nodes, how their terms hang together, and the chain by which documents look them up."""

    nodes: Nodes
    terms: Terms
    chain: _core.Chain
    order: int  # of the longest n-grams that are counted, whether there are any or not

    @classmethod
    def of(cls, counts: Counts, grams: Grams) -> Self:
        """Link every n-gram to those it is made of."""
        counts.refuse_negative()
        chain = _core.Chain.of(counts.term_offsets, counts.term_bytes, *grams)
        begin, end = counts.find(grams.marks).tolist() or (-1, -1)
        terms = Terms(**chain.take_links(), begin=begin, end=end)
        pair_term = np.repeat(np.arange(counts.terms, dtype=np.int32), np.diff(counts.pair_offsets))
        nodes = Nodes(
            terms.order[pair_term],
            _core.related_pairs(counts.pair_offsets, counts.pair_class, terms.prefix),
            _core.related_pairs(counts.pair_offsets, counts.pair_class, terms.suffix),
            counts.pair_class,
            np.asarray(counts.pair_occurrences * counts.unit),
            terms.begins[pair_term],
            len(counts.labels),
            int(terms.order.max(initial=1)),
        )
        return cls(nodes, terms, chain, grams.order)
