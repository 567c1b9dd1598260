"""Learned documents, encoded, and which of them are left out together."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from priori.columns.words.encoded import Sample
from priori.data.folds import group_numbers

Floats = npt.NDArray[np.float64]
Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Documents:
    """Rows of (term, count), with the class of each, how often it was learned, and its block.

    A block is left out as a whole: one document, copies of one text, all of an author's, a fold.
    """

    offsets: Int64s  # (n + 1,)
    term: Int32s  # ids of the reading's terms, ascending within a row
    count: Int32s
    cls: Int32s  # (n,); -1: never learned, so there is nothing to take away
    weight: Floats  # (n,) how often it was learned
    block: Int32s  # (n,)
    unknown: Int64s | None = None  # (n,) features without a place in the model; None: not known, and taken as 0
    counts: Floats | None = None  # (n,) what the loss of each counts, where that is not its weight
    of_counts: bool = False  # whether the terms are those of the counts, not of a reading with further words
    once: bool = False  # whether a feature counts once in a document, as a binary analyzer says

    def __len__(self) -> int:
        return len(self.cls)

    @classmethod
    def of_sample(cls, sample: Sample, unit: float, once: bool = False) -> Self:
        """The kept documents, copies of one text together."""
        new = np.ones(len(sample), bool)
        new[1:] = sample.hash[1:] != sample.hash[:-1]
        block = (np.cumsum(new) - 1).astype(np.int32)
        weight = sample.copies.astype(np.float64) * unit
        return cls(sample.offsets, sample.term, sample.count, sample.cls, weight, block, of_counts=True, once=once)

    @classmethod
    def of_encoded(cls, rows: Mapping[str, Any], classes: Int32s, weight: Floats | None = None) -> Self:
        """What `Model.encode` gives, each row a block of its own."""
        n = len(classes)
        return cls(
            rows["offsets"],
            rows["term"],
            rows["count"],
            classes,
            np.ones(n) if weight is None else weight,
            np.arange(n, dtype=np.int32),
            rows["unknown"],
            once=rows["once"],
        )

    def in_blocks(self, groups: Any) -> Self:
        """Rows of one group are left out together."""
        return replace(self, block=group_numbers(groups, len(self)).astype(np.int32))

    def texts_together(self) -> Self:
        """Rows of the same terms and counts are left out together, whatever their classes."""
        known: dict[bytes, int] = {}
        block = np.empty(len(self), np.int32)
        unknown = np.zeros(len(self), np.int64) if self.unknown is None else self.unknown
        for row, (start, end) in enumerate(zip(self.offsets[:-1], self.offsets[1:], strict=True)):
            key = self.term[start:end].tobytes() + self.count[start:end].tobytes() + unknown[row].tobytes()
            block[row] = known.setdefault(key, len(known))
        return replace(self, block=block)

    def rows(self, chosen: npt.NDArray[np.intp]) -> Self:
        """Only these rows, in this order."""
        sizes = np.diff(self.offsets)[chosen]
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        entries = np.repeat(self.offsets[:-1][chosen] - offsets[:-1], sizes) + np.arange(offsets[-1])
        return type(self)(
            offsets,
            self.term[entries],
            self.count[entries],
            self.cls[chosen],
            self.weight[chosen],
            self.block[chosen],
            None if self.unknown is None else self.unknown[chosen],
            None if self.counts is None else self.counts[chosen],
            self.of_counts,
            self.once,
        )

    def unlearned(self) -> Self:
        """Documents that were not learned: nothing is taken away for them, though they count as they did."""
        return replace(self, weight=np.zeros(len(self)), counts=self.weight)

    @property
    def loss_weight(self) -> Floats:
        """What the loss of each counts: a text that was learned twice counts twice."""
        return self.weight if self.counts is None else self.counts

    def block_by_block(self) -> Self:
        """With the rows of each block together."""
        order = np.argsort(self.block, kind="stable")
        return self if bool((order == np.arange(len(order))).all()) else self.rows(order)

    def rows_within(self, entries: int) -> int:
        """How many of the first rows have at most so many entries together."""
        return int(np.searchsorted(self.offsets, entries, side="right")) - 1

    def whole_blocks(self, most: int, *, within: bool = False) -> int:
        """How many rows the first whole blocks have, at most so many; one block more where that is less than half.

        `within`: never more.
        """
        blocks = np.sort(self.block)
        ends = np.append(np.flatnonzero(blocks[1:] != blocks[:-1]) + 1, len(self)) if len(self) else np.zeros(1, int)
        fitting = int(np.searchsorted(ends, most, side="right"))
        rows = int(ends[fitting - 1]) if fitting else 0
        return int(ends[fitting]) if not within and 2 * rows < most and fitting < len(ends) else rows

    def first(self, most: int) -> Self:
        """The first whole blocks that have about so many rows at most, block by block."""
        rows = self.block_by_block()
        return rows if len(rows) <= most else rows.rows(np.arange(rows.whole_blocks(most)))

    def of_places(self, place: Int64s) -> Self:
        """With other ids; terms without one (-1) are features that the model does not know."""
        new = place[self.term] if len(self.term) else self.term
        known = new >= 0
        kept = np.concatenate([[0], np.cumsum(known)])
        size = np.concatenate([[0], np.cumsum(np.where(known, 0, self.count))])
        unknown = np.diff(size[self.offsets]).astype(np.int64)
        return replace(
            self,
            offsets=kept[self.offsets].astype(np.int64),
            term=new[known].astype(np.int32),
            count=self.count[known],
            unknown=unknown if self.unknown is None else unknown + self.unknown,
            of_counts=False,
        )

    def in_folds(self, folds: int) -> Self:
        """So many blocks of about as many of the blocks each, dealt in turns; of fewer blocks, as they are."""
        blocks, block = np.unique(self.block, return_inverse=True)
        return self if len(blocks) <= folds else replace(self, block=(block % folds).astype(np.int32))

    def of_reading(self, seen: Int64s | None) -> Self:
        """With the ids of a reading in which the counts' terms have the places `seen`."""
        if not self.of_counts or seen is None:
            return self
        return replace(self, term=seen[self.term].astype(np.int32), of_counts=False)

    def __add__(self, other: Self) -> Self:
        """Both, of the same reading; the blocks stay apart."""
        unknown = None
        if self.unknown is not None and other.unknown is not None:
            unknown = np.concatenate([self.unknown, other.unknown])
        return type(self)(
            np.concatenate([self.offsets, other.offsets[1:] + self.offsets[-1]]),
            np.concatenate([self.term, other.term]),
            np.concatenate([self.count, other.count]),
            np.concatenate([self.cls, other.cls]),
            np.concatenate([self.weight, other.weight]),
            np.concatenate([self.block, other.block + (self.block.max(initial=-1) + 1)]).astype(np.int32),
            unknown,
            once=self.once,
        )
