"""Some rows of a table, kept beside the sums for what needs rows: the tempers are fitted on them.

They are those whose hash is small enough, so that it never matters in which order, in which batches or on which machine
they came.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import numpy.typing as npt

from priori.columns.base import Cells, Rows
from priori.columns.cells import Hashes, cells_equal, join, mix, take, text_hashes
from priori.statistics.by_class import UNIT_BITS, Ints

LIMIT = 4096  # rows at most


@dataclass(frozen=True, eq=False)
class RowSample:
    """Rows whose hash begins with `bits` zeros, in the order of hash, label and weight."""

    bits: int
    hashes: Hashes  # (m,)
    labels: npt.NDArray[np.object_]  # (m,)
    weight: Ints  # (m,), in units
    cells: tuple[Cells, ...]  # of each part, m of them

    @classmethod
    def of(cls, cells: Sequence[Cells], rows: Rows) -> Self:
        """Of a batch: the rows that have a label and a weight."""
        hashes = np.append(text_hashes(rows.labels), np.uint64(0))[rows.group]
        mix(hashes, cells)
        weight = np.full(len(hashes), 1 << UNIT_BITS, np.int64) if rows.weight is None else rows.weight
        there = (rows.group >= 0) & (weight > 0)
        bits = _bits_for(hashes[there], 0)
        kept = np.flatnonzero(there & _below(hashes, bits))
        labels = np.array(rows.labels, dtype=object)[rows.group[kept]]
        found = cls(bits, hashes[kept], labels, weight[kept], tuple(take(column, kept) for column in cells))
        return found.in_order()

    def __len__(self) -> int:
        return len(self.hashes)

    def __add__(self, other: Self) -> Self:
        bits = max(self.bits, other.bits)
        mine, theirs = self.at_bits(bits), other.at_bits(bits)
        both = replace(
            mine,
            hashes=np.concatenate([mine.hashes, theirs.hashes]),
            labels=np.concatenate([mine.labels, theirs.labels]),
            weight=np.concatenate([mine.weight, theirs.weight]),
            cells=tuple(join(pair) for pair in zip(mine.cells, theirs.cells, strict=True)),
        )
        return both.at_bits(_bits_for(both.hashes, bits)).in_order()

    def __sub__(self, other: Self) -> Self:
        """Without the rows of the other; one that is not there is not missed: the sums say what may be forgotten."""
        bits = max(self.bits, other.bits)
        mine, theirs = self.at_bits(bits), other.at_bits(bits)
        gone: dict[tuple[int, str, int], int] = {}
        for key in theirs._keys():
            gone[key] = gone.get(key, 0) + 1
        kept = np.ones(len(mine), bool)
        for at, key in enumerate(mine._keys()):
            if gone.get(key, 0):
                gone[key] -= 1
                kept[at] = False
        return mine._taken(np.flatnonzero(kept))

    def at_bits(self, bits: int) -> Self:
        """Only those whose hash begins with so many zeros."""
        if bits == self.bits:
            return self
        return replace(self._taken(np.flatnonzero(_below(self.hashes, bits))), bits=bits)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RowSample):
            return NotImplemented
        same = self.bits == other.bits and self._keys() == other._keys()
        return same and all(cells_equal(a, b) for a, b in zip(self.cells, other.cells, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def rows(self, labels: tuple[str, ...]) -> Rows:
        """Their classes among these labels, and their weights."""
        place = {label: k for k, label in enumerate(labels)}
        group = np.array([place.get(label, -1) for label in self.labels], np.int32)
        return Rows(labels, group, None if (self.weight == 1 << UNIT_BITS).all() else self.weight)

    def _keys(self) -> list[tuple[int, str, int]]:
        return list(zip(self.hashes.tolist(), self.labels.tolist(), self.weight.tolist(), strict=True))

    def in_order(self) -> Self:
        """Sorted by hash, label and weight; itself where it is."""
        keys = self._keys()
        order = sorted(range(len(keys)), key=keys.__getitem__)
        return self if order == list(range(len(keys))) else self._taken(np.array(order, np.intp))

    def _taken(self, places: npt.NDArray[np.intp]) -> Self:
        return replace(
            self,
            hashes=self.hashes[places],
            labels=self.labels[places],
            weight=self.weight[places],
            cells=tuple(take(column, places) for column in self.cells),
        )


def _below(hashes: Hashes, bits: int) -> npt.NDArray[np.bool_]:
    return np.ones(len(hashes), bool) if bits == 0 else hashes >> np.uint64(64 - bits) == 0


def _bits_for(hashes: Hashes, bits: int) -> int:
    """The fewest zeros from `bits` on that leave LIMIT rows or fewer (identical rows are kept or lost together)."""
    while bits < 64 and int(_below(hashes, bits).sum()) > LIMIT:
        bits += 1
    return bits
