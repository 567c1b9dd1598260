"""Some rows of a table, kept beside the sums for what needs rows: the tempers are fitted on them.

They are those whose hash is small enough, so that it never matters in which order, in which batches or on which machine
they came. Equal rows are one, whose weight is theirs together.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import numpy.typing as npt

from priori.columns.base import Cells, Rows
from priori.columns.cells import Hashes, cells_equal, join, mix, take, text_hashes
from priori.statistics.by_class import UNIT_BITS, Ints

LIMIT = 4096  # rows at most, equal ones counted once


@dataclass(frozen=True, eq=False)
class RowSample:
    """Rows whose hash begins with `bits` zeros, in the order of their hashes."""

    bits: int
    hashes: Hashes  # (m,)
    labels: npt.NDArray[np.object_]  # (m,)
    weight: Ints  # (m,), in units
    cells: tuple[Cells, ...]  # of each part, m of them

    @classmethod
    def of(cls, cells: Sequence[Cells], rows: Rows, bits: int = 0) -> Self:
        """Of a batch: the rows that have a label and a weight, of at least so many bits: others would not be kept."""
        hashes = np.append(text_hashes(rows.labels), np.uint64(0))[rows.group]
        mix(hashes, cells)
        weight = np.full(len(hashes), 1 << UNIT_BITS, np.int64) if rows.weight is None else rows.weight
        kept = np.flatnonzero((rows.group >= 0) & (weight > 0) & below(hashes, bits))
        bits = _bits_for(hashes[kept], bits)
        kept = kept[below(hashes[kept], bits)]
        different, first, which = np.unique(hashes[kept], return_index=True, return_inverse=True)
        together = np.zeros(len(different), np.int64)
        np.add.at(together, which, weight[kept])
        labels = np.array(rows.labels, dtype=object)[rows.group[kept[first]]]
        return cls(bits, different, labels, together, tuple(take(column, kept[first]) for column in cells))

    def __len__(self) -> int:
        return len(self.hashes)

    def __add__(self, other: Self) -> Self:
        bits = max(self.bits, other.bits)
        mine, theirs = self.at_bits(bits), other.at_bits(bits)
        hashes = np.concatenate([mine.hashes, theirs.hashes])
        hashes, first, which = np.unique(hashes, return_index=True, return_inverse=True)
        weight = np.zeros(len(hashes), np.int64)
        np.add.at(weight, which, np.concatenate([mine.weight, theirs.weight]))
        both = replace(
            mine,
            hashes=hashes,
            labels=np.concatenate([mine.labels, theirs.labels])[first],
            weight=weight,
            cells=tuple(take(join(pair), first) for pair in zip(mine.cells, theirs.cells, strict=True)),
        )
        return both.at_bits(_bits_for(hashes, bits))

    def __sub__(self, other: Self) -> Self:
        """Without the rows of the other; one that is not there is not missed: the sums say what may be forgotten."""
        bits = max(self.bits, other.bits)
        mine, theirs = self.at_bits(bits), other.at_bits(bits)
        _, here, there = np.intersect1d(mine.hashes, theirs.hashes, assume_unique=True, return_indices=True)
        weight = mine.weight.copy()
        weight[here] -= theirs.weight[there]
        return replace(mine, weight=weight)._taken(np.flatnonzero(weight > 0))

    def none(self) -> Self:
        """No rows, of the same columns and the same threshold."""
        return self._taken(np.zeros(0, np.intp))

    def of_labels(self, labels: tuple[str, ...]) -> Self:
        """Only the rows of these classes."""
        known = np.array([label in labels for label in self.labels], bool)
        return self if known.all() else self._taken(np.flatnonzero(known))

    def at_bits(self, bits: int) -> Self:
        """Only those whose hash begins with so many zeros."""
        if bits == self.bits:
            return self
        return replace(self._taken(np.flatnonzero(below(self.hashes, bits))), bits=bits)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RowSample):
            return NotImplemented
        pairs = ((self.hashes, other.hashes), (self.labels, other.labels), (self.weight, other.weight))
        same = self.bits == other.bits and all(np.array_equal(a, b) for a, b in pairs)
        return same and all(cells_equal(a, b) for a, b in zip(self.cells, other.cells, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def rows(self, labels: tuple[str, ...]) -> Rows:
        """Their classes among these labels, and their weights."""
        place = {label: k for k, label in enumerate(labels)}
        group = np.array([place.get(label, -1) for label in self.labels], np.int32)
        return Rows(labels, group, None if (self.weight == 1 << UNIT_BITS).all() else self.weight)

    def _taken(self, places: npt.NDArray[np.intp]) -> Self:
        return replace(
            self,
            hashes=self.hashes[places],
            labels=self.labels[places],
            weight=self.weight[places],
            cells=tuple(take(column, places) for column in self.cells),
        )


def below(hashes: Hashes, bits: int) -> npt.NDArray[np.bool_]:
    """Which begin with so many zeros."""
    return np.ones(len(hashes), bool) if bits == 0 else hashes >> np.uint64(64 - bits) == 0


def _bits_for(hashes: Hashes, bits: int) -> int:
    """The fewest zeros from `bits` on that leave LIMIT different rows or fewer."""
    enough = bits
    while enough < 64 and int(below(hashes, enough).sum()) > LIMIT:
        enough += 1
    while enough > bits and len(np.unique(hashes[below(hashes, enough - 1)])) <= LIMIT:  # of few that are looked at
        enough -= 1
    return enough
