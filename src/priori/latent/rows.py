"""A table whose classes are hidden, of all rows or of some: its cells, computed once, and what is known of the classes.

Responsibilities are numbers while EM runs; what a model keeps of them are weights in units of 2^-20, so that its
statistics add and subtract exactly as all others do.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from priori.columns.base import Cells, Int32s, Rows, join, mix, take
from priori.columns.specification import Part
from priori.columns.words.column import TextColumn
from priori.data.folds import group_numbers
from priori.errors import DataError
from priori.latent.rows_words import words_of
from priori.model.totals import Labelled, RunningTotal, TableStatistics
from priori.statistics.by_class import UNIT_BITS, Ints, in_rows

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class HiddenRows:
    """Rows that have a weight; `group` is the place of a row's class among `labels`, -1 where it is hidden."""

    parts: tuple[Part, ...]
    cells: tuple[Cells, ...]
    labels: tuple[str, ...]  # sorted by their bytes, as statistics have them
    group: Int32s  # (n,)
    weight: Ints  # (n,), in units
    words: tuple[csr_array | None, ...]  # of each part that is texts: how often each row has each word, (n, V)

    @classmethod
    def of(cls, data: Iterable[Labelled], parts: tuple[Part, ...]) -> Self:
        """Of batches, all of which are held at once."""
        found: list[Self] = []
        for batch in data:
            rows = batch.rows()
            size = len(rows.group)
            weight = np.full(size, 1 << UNIT_BITS, np.int64) if rows.weight is None else rows.weight
            cells = tuple(part.cells(batch.batch) for part in parts)
            found.append(cls(parts, cells, rows.labels, rows.group, weight, (None,) * len(parts))._with_weight())
        if not found:
            raise DataError("the table has no rows, so nothing can be learned; give some")
        first = found[0]
        labels = tuple(sorted({label for each in found for label in each.labels}, key=str.encode))
        groups = [each.among(labels).group for each in found]
        cells = tuple(join([each.cells[at] for each in found]) for at in range(len(parts)))
        weight = np.concatenate([each.weight for each in found])
        words = tuple(
            words_of(part.family, column) if isinstance(part.family, TextColumn) else None
            for part, column in zip(parts, cells, strict=True)
        )
        return replace(first, cells=cells, labels=labels, group=np.concatenate(groups), weight=weight, words=words)

    def __len__(self) -> int:
        return len(self.group)

    @property
    def known(self) -> npt.NDArray[np.bool_]:
        """(n,): which rows have a label."""
        return np.asarray(self.group >= 0)

    @property
    def evidence(self) -> tuple[Cells | csr_array, ...]:
        """What EM reads of each part: words where it is texts, else its cells."""
        pairs = zip(self.cells, self.words, strict=True)
        return tuple(cells if words is None else words for cells, words in pairs)

    @property
    def classes(self) -> int:
        """K."""
        return len(self.labels)

    def among(self, labels: tuple[str, ...]) -> Self:
        """The same with all of these labels, some of which may have no rows."""
        place = np.array([*(labels.index(label) for label in self.labels), -1], np.int32)
        return replace(self, labels=labels, group=place[self.group])

    def taken(self, places: Places) -> Self:
        """Only the rows at these places."""
        cells = tuple(take(column, places) for column in self.cells)
        words = tuple(None if each is None else each[places] for each in self.words)
        return replace(self, cells=cells, group=self.group[places], weight=self.weight[places], words=words)

    def holding_out(self, places: Places) -> Self:
        """The same where these rows have no label and no weight: EM says what they are, and learns nothing of them."""
        group, weight = self.group.copy(), self.weight.copy()
        group[places], weight[places] = -1, 0
        return replace(self, group=group, weight=weight)

    def alike(self) -> Places:
        """(n,): a number for each row, the same for those whose cells are all equal, whatever their labels are."""
        hashes = np.zeros(len(self), np.uint64)
        everyone = np.arange(len(self))
        mix(hashes, [take(column, everyone) for column in self.cells])
        return group_numbers(hashes, len(self))

    def counted(self, unlabelled_weight: float) -> Floats:
        """What each row counts in EM, (n,): a row without a label `unlabelled_weight` of its weight."""
        weight = in_rows(self.weight)
        return np.where(self.known, weight, unlabelled_weight * weight)

    def clamped(self, responsibilities: Floats) -> Floats:
        """The same responsibilities, but of labelled rows 1 for their class."""
        clamped = responsibilities.copy()
        known = np.flatnonzero(self.known)
        clamped[known] = 0.0
        clamped[known, self.group[known]] = 1.0
        return clamped

    def statistics(self, responsibilities: Floats, unlabelled_weight: float = 1.0) -> TableStatistics:
        """Fractional adds: K weighted counts of the same cells, exact in units."""
        units = in_units(responsibilities, self.counted(unlabelled_weight))
        total = RunningTotal(TableStatistics.zero(self.parts))
        for k in range(self.classes):
            some = np.flatnonzero(units[:, k])
            group = np.full(len(some), k, np.int32)
            cells = [take(column, some) for column in self.cells]
            total.add(TableStatistics.of(self.parts, cells, Rows(self.labels, group, units[some, k])))
        unlabelled = int((~self.known).sum())
        return replace(total.result(), rows=len(self), unlabelled=unlabelled, hidden=unlabelled_weight > 0 < unlabelled)

    def labelled(self) -> tuple[list[Cells], Rows]:
        """The cells and classes of the rows that have a label."""
        some = np.flatnonzero(self.known)
        return [take(column, some) for column in self.cells], Rows(self.labels, self.group[some], self.weight[some])

    def _with_weight(self) -> Self:
        """Without rows of weight zero."""
        there = np.flatnonzero(self.weight)
        return self if len(there) == len(self) else self.taken(there)


def in_units(responsibilities: Floats, weight: Floats) -> Ints:
    """Weights of each row in each class, (n, K), in units, that add up to the row's weight to within half a unit.

    All but the likeliest class are rounded down, so each is off by less than a unit, and the likeliest by less than K.

    >>> in_units(np.array([[0.3, 0.7], [1.0, 0.0]]), np.array([1.0, 2.0])).tolist()
    [[314572, 734004], [2097152, 0]]
    """
    whole = np.rint(weight * 2.0**UNIT_BITS).astype(np.int64)
    units = np.floor(responsibilities * whole[:, None]).astype(np.int64)
    best = responsibilities.argmax(axis=1)
    units[np.arange(len(units)), best] += whole - units.sum(axis=1)
    return units
