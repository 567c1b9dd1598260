"""Some rows of a table, kept beside the sums for what needs rows: the tempers are fitted on them.

They are those whose hash is small enough, so that it never matters in which order, in which batches or on which machine
they came. Equal rows are one, with the weight of all.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import numpy.typing as npt

from priori.columns.base import Cells, Hashes, Rows, cells_equal, join, label_hashes, mix, take
from priori.errors import NegativeCountError
from priori.statistics.by_class import UNIT_BITS, Ints

LIMIT = 4096  # different rows at most


@dataclass(frozen=True, eq=False)
class RowSample:
    """Different rows whose hash begins with `bits` zeros, in the order of their hashes."""

    bits: int
    hashes: Hashes  # (m,), of label and cells
    labels: npt.NDArray[np.object_]  # (m,)
    weight: Ints  # (m,), in units
    cells: tuple[Cells, ...]  # of each part, m of them

    @classmethod
    def of(cls, cells: Sequence[Cells], rows: Rows, bits: int = 0) -> Self:
        """Of a batch: the rows that have a label and a weight, of at least so many bits: others would not be kept."""
        hashes = np.append(label_hashes(rows.labels), np.uint64(0))[rows.group]
        mix(hashes, cells)
        weight = np.full(len(hashes), 1 << UNIT_BITS, np.int64) if rows.weight is None else rows.weight
        kept = np.flatnonzero((rows.group >= 0) & (weight > 0) & below(hashes, bits))
        found, first, total = _distinct(hashes[kept], weight[kept])
        bits = _bits_for(found, bits)
        few = below(found, bits)
        places = kept[first[few]]
        labels = np.array(rows.labels, dtype=object)[rows.group[places]]
        return cls(bits, found[few], labels, total[few], tuple(take(column, places) for column in cells))

    def __len__(self) -> int:
        return len(self.hashes)

    def __add__(self, other: Self) -> Self:
        bits = max(self.bits, other.bits)
        mine, theirs = self.at_bits(bits), other.at_bits(bits)
        hashes, first, weight = _distinct(
            np.concatenate([mine.hashes, theirs.hashes]), np.concatenate([mine.weight, theirs.weight])
        )
        both = replace(
            mine,
            hashes=hashes,
            labels=np.concatenate([mine.labels, theirs.labels])[first],
            weight=weight,
            cells=tuple(take(join(pair), first) for pair in zip(mine.cells, theirs.cells, strict=True)),
        )
        return both.at_bits(_bits_for(hashes, bits))

    def __sub__(self, other: Self) -> Self:
        """Without the rows of the other, each of which must be here with at least its weight."""
        bits = max(self.bits, other.bits)
        mine, theirs = self.at_bits(bits), other.at_bits(bits)
        at = np.searchsorted(mine.hashes, theirs.hashes)
        there = at < len(mine)
        there[there] = mine.hashes[at[there]] == theirs.hashes[there]
        weight = mine.weight.copy()
        weight[at[there]] -= theirs.weight[there]
        if not there.all() or (weight < 0).any():
            raise NegativeCountError(
                "a row was forgotten that was never learned, or more often than it was; forget only rows that were "
                "learned, with the same cells, label and weight"
            )
        return replace(mine, weight=weight)._taken(np.flatnonzero(weight))

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
        same = self.bits == other.bits and np.array_equal(self.hashes, other.hashes)
        if not same or not np.array_equal(self.weight, other.weight) or self.labels.tolist() != other.labels.tolist():
            return False
        return all(cells_equal(a, b) for a, b in zip(self.cells, other.cells, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def rows(self, labels: tuple[str, ...]) -> Rows:
        """Their classes among these labels, and their weights."""
        place = {label: k for k, label in enumerate(labels)}
        return Rows(labels, np.array([place[label] for label in self.labels], np.int32), self.weight)

    def _taken(self, places: npt.NDArray[np.intp]) -> Self:
        return replace(
            self,
            hashes=self.hashes[places],
            labels=self.labels[places],
            weight=self.weight[places],
            cells=tuple(take(column, places) for column in self.cells),
        )


def _distinct(hashes: Hashes, weight: Ints) -> tuple[Hashes, npt.NDArray[np.intp], Ints]:
    """Each hash once, in order; where it is first, and the weight of all that have it."""
    found, first, which = np.unique(hashes, return_index=True, return_inverse=True)
    total = np.zeros(len(found), np.int64)
    np.add.at(total, which, weight)
    return found, first, total


def below(hashes: Hashes, bits: int) -> npt.NDArray[np.bool_]:
    """Which begin with so many zeros."""
    return np.ones(len(hashes), bool) if bits == 0 else hashes >> np.uint64(64 - bits) == 0


def _bits_for(hashes: Hashes, bits: int) -> int:
    """The fewest zeros from `bits` on that leave LIMIT different rows or fewer."""
    while bits < 64 and int(below(hashes, bits).sum()) > LIMIT:
        bits += 1
    return bits
