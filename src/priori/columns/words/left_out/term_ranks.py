"""Terms chosen anew without each block of documents, for ranks that a block changes in its own terms only.

A rank by presence and class depends, beside a term's own documents, on those of the classes alone. So the ranks of all
terms that a block does not have are the same for all blocks that take as many documents from each class: they are
sorted once, and what the block's own terms are worth without it is merged in. Which of the block's own terms are read,
how many terms there are and how many words each class has in them is all that its scores need. docs/maths/terms.md.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from priori.columns.words.left_out.grouped_rows import Documents
from priori.columns.words.term_selection import SCORES, PairTable, Ranking
from priori.statistics import Counts

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]

BY_PRESENCE: tuple[Ranking, ...] = ("mi", "chi2", "count")
_ROOM = 1 << 22  # pairs of own terms looked at together


@dataclass(frozen=True, eq=False)
class Chosen:
    """What the compiled scorer takes: which entries are out, and what the chosen terms are without each block."""

    out: npt.NDArray[np.uint8]  # (E,) the term of the entry is not chosen
    total: Floats  # (B, K) occurrences in the chosen terms
    places: Floats  # (B,) how many are chosen


def chosen_without(counts: Counts, rows: Documents, by: Ranking, sizes: Sequence[int]) -> list[Chosen]:
    """For each size, the terms of the highest rank without each block; `rows` are block by block, in counts' terms."""
    blocks = _Blocks(counts, rows)
    entries, classes = len(rows.term), len(counts.labels)
    found = [
        Chosen(np.zeros(entries, np.uint8), np.zeros((blocks.size, classes)), np.zeros(blocks.size)) for _ in sizes
    ]
    whole = PairTable.of(counts)
    needed = max(sizes) + int(blocks.entries.max(initial=0)) + 1
    for taken, members in blocks.alike(by):
        left = replace(whole, class_documents=whole.class_documents - taken)
        order = _Order.of(SCORES[by](left), needed)
        for some in blocks.chunks(members):
            own = _OwnTerms.of(blocks, left, some)
            rank = _Merged.of(own, order, SCORES[by](own.left))
            for chosen, parts in zip(found, rank.chosen(sizes, left), strict=True):
                chosen.out[own.entries], chosen.total[some], chosen.places[some] = parts
    return found


class _Blocks:
    """Which rows and entries each block has, and what it takes from the classes."""

    def __init__(self, counts: Counts, rows: Documents) -> None:
        self.counts, self.rows = counts, rows
        new = np.ones(len(rows), bool)
        new[1:] = rows.block[1:] != rows.block[:-1]
        first = np.flatnonzero(new)
        self.size = len(first)
        self.of_row = np.cumsum(new) - 1
        self.first_entry = np.append(rows.offsets[:-1][first], rows.offsets[-1])
        self.entries = np.diff(self.first_entry)
        self.row_of_entry = np.repeat(np.arange(len(rows)), np.diff(rows.offsets))
        self.pairs = np.diff(counts.pair_offsets)
        learned = rows.cls >= 0
        self.taken = np.zeros((self.size, len(counts.labels)))
        np.add.at(self.taken, (self.of_row[learned], rows.cls[learned]), rows.weight[learned])

    @cached_property
    def pair_of_entry(self) -> Places:
        """The pair of each entry's term and class, where it was learned; -1 elsewhere."""
        counts, rows, classes = self.counts, self.rows, np.int64(len(self.counts.labels))
        cls = rows.cls[self.row_of_entry]
        pair = np.full(len(rows.term), -1, np.intp)
        learned = (cls >= 0) & (rows.weight[self.row_of_entry] > 0)
        keys = counts.pair_term * classes + counts.pair_class
        pair[learned] = np.searchsorted(keys, rows.term[learned] * classes + cls[learned])
        return pair

    @cached_property
    def work(self) -> npt.NDArray[np.int64]:
        """Pairs of the terms of each block, (B,)."""
        before = np.concatenate([[0], np.cumsum(self.pairs[self.rows.term])])
        return np.asarray(np.diff(before[self.first_entry]))

    def alike(self, by: Ranking) -> Iterator[tuple[Floats, Places]]:
        """The blocks that leave the ranks of others' terms the same, and the documents that they take by class."""
        if by == "count":  # how often a term comes has nothing to do with the documents of others
            yield np.zeros(len(self.counts.labels)), np.arange(self.size)
            return
        kinds, kind = np.unique(self.taken, axis=0, return_inverse=True)
        order = np.argsort(kind.ravel(), kind="stable")
        ends = np.cumsum(np.bincount(kind.ravel(), minlength=len(kinds)))
        yield from zip(kinds, np.split(order, ends[:-1]), strict=True)

    def chunks(self, members: Places) -> Iterator[Places]:
        """As many of some blocks at a time as there is room for."""
        part = np.cumsum(self.work[members]) // _ROOM
        yield from np.split(members, np.flatnonzero(np.diff(part)) + 1)


@dataclass(frozen=True, eq=False)
class _Order:
    """Terms by falling score, ties by text: as many as can matter, and those that are equal to the last of them."""

    terms: int  # how many there are in all
    place: Places  # of each term; of those that are not here, after all
    falling: Floats  # the distinct scores, negated
    keys: npt.NDArray[np.int64]  # of each place: ascending, as scores fall and texts ascend

    @classmethod
    def of(cls, scores: Floats, needed: int) -> "_Order":
        here, negated = np.arange(len(scores)), -scores
        if needed < len(scores):
            here = np.flatnonzero(negated <= np.partition(negated, needed - 1)[needed - 1])
        order = here[np.argsort(negated[here], kind="stable")]
        place = np.full(len(scores), len(scores), np.intp)
        place[order] = np.arange(len(order))
        negated = negated[order]
        new = np.ones(len(order), bool)
        new[1:] = negated[1:] != negated[:-1]
        keys = (2 * np.cumsum(new) - 1) * len(scores) + order
        return cls(len(scores), place, negated[new], keys)

    def keys_of(self, scores: Floats, terms: Places) -> npt.NDArray[np.int64]:
        """Where terms with other scores would come: keys of the same kind."""
        at = np.searchsorted(self.falling, -scores)
        there = np.append(self.falling, np.nan)[at] == -scores
        return np.asarray((2 * at + there) * self.terms + terms)


@dataclass(frozen=True, eq=False)
class _OwnTerms:
    """The distinct terms of some blocks, with what is left of their pairs."""

    blocks: int
    block: Places  # (R,) of some, from 0
    term: Places  # (R,)
    entries: Places  # (E',) of the rows
    of_entry: Places  # (E',) which own term
    pair: Places  # of the counts, of each own term in turn
    left: PairTable
    gone: npt.NDArray[np.bool_]  # (R,) nothing is left of it

    @classmethod
    def of(cls, blocks: _Blocks, whole: PairTable, some: Places) -> "_OwnTerms":
        rows, counts = blocks.rows, blocks.counts
        first, sizes = blocks.first_entry[some], blocks.entries[some]
        entries = _ranges(first, sizes)
        keys = np.repeat(np.arange(len(some)), sizes) * np.int64(counts.terms) + rows.term[entries]
        found, of_entry = np.unique(keys, return_inverse=True)
        block, term = np.divmod(found, np.int64(max(1, counts.terms)))
        sizes = blocks.pairs[term]
        begin = np.cumsum(sizes) - sizes
        pair = _ranges(counts.pair_offsets[term], sizes)
        its_pair = blocks.pair_of_entry[entries]
        learned = np.flatnonzero(its_pair >= 0)
        its_entry = entries[learned]
        at = begin[of_entry[learned]] + its_pair[learned] - counts.pair_offsets[rows.term[its_entry]]
        weight = rows.weight[blocks.row_of_entry[its_entry]]
        occurrences = whole.occurrences[pair] - np.bincount(at, weight * rows.count[its_entry], len(pair))
        documents = whole.documents[pair] - np.bincount(at, weight, len(pair))
        left = replace(
            whole,
            terms=len(found),
            pair_term=np.repeat(np.arange(len(found)), sizes),
            pair_class=whole.pair_class[pair],
            occurrences=occurrences,
            documents=documents,
        )
        gone = left.by_term(occurrences) == 0
        return cls(len(some), block, term, entries, of_entry, pair, left, gone)

    def by_class(self, values: Floats) -> Floats:
        """Numbers by pair, summed by block and class, (B, K)."""
        classes = len(self.left.class_documents)
        keys = self.block[self.left.pair_term] * classes + self.left.pair_class
        sums = np.bincount(keys, values, self.blocks * classes).astype(np.float64, copy=False)
        return sums.reshape(self.blocks, classes)


@dataclass(frozen=True, eq=False)
class _Merged:
    """Where the own terms of each block come among those that it does not have."""

    own: _OwnTerms
    order: _Order
    place: Places  # (R,) in the order of all terms, as if the block had left it alone
    others: Places  # (R,) own terms of the block before that place
    before: Places  # (R,) terms before it without the block: of others, and of its own

    @classmethod
    def of(cls, own: _OwnTerms, order: _Order, scores: Floats) -> "_Merged":
        place = order.place[own.term]
        keys = order.keys_of(scores, own.term)
        keys[own.gone] = np.iinfo(np.int64).max
        ahead = np.searchsorted(order.keys, keys)
        # of the terms ahead, those that are the block's own are taken out: places and questions, sorted together
        span, own_terms = 2 * (order.terms + 1), len(own.block)
        events = np.concatenate([own.block * span + 2 * place + 1, own.block * span + 2 * ahead])
        sorted_events = np.argsort(events, kind="stable")
        seen = np.empty(2 * own_terms, np.intp)
        seen[sorted_events] = np.cumsum(sorted_events < own_terms)
        sizes = np.bincount(own.block, minlength=own.blocks)
        start = (np.cumsum(sizes) - sizes)[own.block]
        by_rank = np.lexsort((-scores, own.gone, own.block))  # stable, so that ties stay in the order of their texts
        mine = np.empty(own_terms, np.intp)
        mine[by_rank] = np.arange(own_terms)
        return cls(own, order, place, seen[:own_terms] - 1 - start, ahead - seen[own_terms:] + mine)

    def chosen(
        self, sizes: Sequence[int], whole: PairTable
    ) -> Iterator[tuple[npt.NDArray[np.bool_], Floats, npt.NDArray[np.int64]]]:
        """For each size: which entries are out; the words of each class in the chosen terms; and how many there are."""
        own, terms = self.own, self.order.terms
        kept = [~own.gone & (self.before < size) for size in sizes]
        ends = []  # of the places in the order of all terms that hold the others' chosen terms
        for size, own_kept in zip(sizes, kept, strict=True):
            wanted = size - np.bincount(own.block[own_kept], minlength=own.blocks)
            within = self.place - self.others < wanted[own.block]
            ends.append(np.minimum(wanted + np.bincount(own.block[within], minlength=own.blocks), terms))
        sums = self._sums(np.array(ends), whole)
        for own_kept, end, total in zip(kept, ends, sums, strict=True):
            within = self.place < end[own.block]
            places = end - np.bincount(own.block[within], minlength=own.blocks)
            places = places + np.bincount(own.block[own_kept], minlength=own.blocks)
            of_pair = own.left.pair_term
            without = np.where(within[of_pair], whole.occurrences[own.pair], 0.0)
            with_own = np.where(own_kept[of_pair], own.left.occurrences, 0.0)
            yield ~own_kept[own.of_entry], total - own.by_class(without) + own.by_class(with_own), places

    def _sums(self, ends: npt.NDArray[np.int64], whole: PairTable) -> Floats:
        """Occurrences by class in the first so many terms, for each number of them."""
        classes = len(whole.class_documents)
        distinct, which = np.unique(ends, return_inverse=True)
        step = np.searchsorted(distinct, self.order.place, side="right")  # the first number that has the term
        keys = step[whole.pair_term] * classes + whole.pair_class
        steps = np.bincount(keys, whole.occurrences, (len(distinct) + 1) * classes).reshape(-1, classes)
        return np.asarray(np.cumsum(steps[:-1], axis=0)[which.reshape(ends.shape)])


def _ranges(first: npt.NDArray[np.int64], sizes: npt.NDArray[np.int64]) -> Places:
    """first[0], first[0] + 1, ...: so many from each."""
    before = np.cumsum(sizes) - sizes
    return np.repeat(first - before, sizes) + np.arange(int(sizes.sum()))
