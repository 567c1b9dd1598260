"""The statistics of a whole table: the weight of each class, and the statistics of each factor of p(x | y)."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from priori.columns.base import Cells, Int32s, Rows
from priori.columns.specification import Part
from priori.data.batch import TableBatch
from priori.data.tables import LabelledBatch
from priori.errors import DataError, NegativeCountError
from priori.statistics.by_class import UNIT, UNIT_BITS, ByClass, Ints, placed_counts
from priori.statistics.term_counts import to_units

MOST = 2.0**62  # units of all rows: sums of integers of 64 bits stay exact


@dataclass(frozen=True)
class Labelled:
    """Some rows of a table with their labels and weights."""

    batch: TableBatch
    labels: tuple[str, ...]  # those that occur
    group: Int32s  # (n,): places in labels, -1 where a row has none
    weight: Ints | None = None  # in units

    @classmethod
    def of(cls, found: LabelledBatch) -> Self:
        """Rows as a file has them."""
        if found.labels is None:
            raise DataError("the table has no labels to learn from; name their column with --label (label=)")
        coded = found.labels.dictionary_encode()
        group = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int32)
        weight = None if found.weights is None else to_units(found.weights)
        return cls(found.table, tuple(coded.dictionary.to_pylist()), group, weight)

    def rows(self) -> Rows:
        """Their classes, in order."""
        labels, group = _sorted(self.labels, self.group)
        return Rows(labels, group, self.weight)


@dataclass(frozen=True, eq=False)
class TableStatistics:
    """Additive and exact: + and - neither round nor remember an order. Classes without rows are dropped.

    hidden: some rows had no label and count where the others have put them.
    """

    labels: tuple[str, ...]  # sorted by their bytes
    weight: Ints  # (K,), in units
    parts: tuple[ByClass, ...]
    rows: int = 0
    unlabelled: int = 0
    hidden: bool = False

    @classmethod
    def zero(cls, parts: Sequence[Part]) -> Self:
        """Of no rows."""
        return cls((), np.zeros(0, np.int64), tuple(part.family.zero((), len(part.columns)) for part in parts))

    @classmethod
    def of(cls, parts: Sequence[Part], cells: Sequence[Cells], rows: Rows, pool: Executor | None = None) -> Self:
        """Of a batch; columns are counted side by side where there is a pool."""

        def counted(part: Part, column: Cells) -> ByClass:
            try:
                return part.family.count(column, rows)
            except DataError as error:
                raise DataError(_named(part, error)) from error

        spread: Callable[..., Iterable[ByClass]] = map if pool is None else pool.map
        known, size = rows.group >= 0, len(rows.group)
        if rows.weight is None:
            weight = np.bincount(rows.group[known], minlength=rows.classes).astype(np.int64) << UNIT_BITS
        else:
            _refuse_overflow(float(rows.weight.sum(dtype=np.float64)))
            weight = np.zeros(rows.classes, np.int64)
            np.add.at(weight, rows.group[known], rows.weight[known])
        found = cls(rows.labels, weight, tuple(spread(counted, parts, cells)), size, size - int(known.sum()))
        return found.without_empty()

    @property
    def n(self) -> Any:
        """(K,): the weight of the rows of each class."""
        return self.weight * UNIT

    def __add__(self, other: Self) -> Self:
        return self._combined(other, 1)

    def __sub__(self, other: Self) -> Self:
        return self._combined(other, -1)

    def _combined(self, other: Self, sign: int) -> Self:
        labels = tuple(sorted({*self.labels, *other.labels}, key=str.encode))
        mine, theirs = self.among(labels), other.among(labels)
        if sign > 0:
            _refuse_overflow(float(mine.weight.sum(dtype=np.float64) + theirs.weight.sum(dtype=np.float64)))
        parts = zip(mine.parts, theirs.parts, strict=True)
        return type(self)(
            labels,
            mine.weight + sign * theirs.weight,
            tuple(a + b if sign > 0 else a - b for a, b in parts),
            self.rows + sign * other.rows,
            self.unlabelled + sign * other.unlabelled,
            self.hidden or other.hidden,
        ).without_empty()

    def among(self, labels: tuple[str, ...]) -> Self:
        """The same with further labels that have no rows."""
        if labels == self.labels:
            return self
        places = [labels.index(label) for label in self.labels]
        parts = tuple(part.placed(places, labels) for part in self.parts)
        return replace(self, labels=labels, weight=placed_counts(self.weight, places, len(labels)), parts=parts)

    def without_empty(self) -> Self:
        """Without the classes of which nothing is left; itself where there are none."""
        used = self.weight != 0
        if used.all():
            return self
        for part in self.parts:
            used = used | part.held()
        if used.all():
            return self
        kept = np.flatnonzero(used)
        labels = tuple(self.labels[k] for k in kept)
        parts = tuple(part.kept(kept, labels) for part in self.parts)
        return replace(self, labels=labels, weight=self.weight[kept], parts=parts)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TableStatistics):
            return NotImplemented
        same = self.labels == other.labels and np.array_equal(self.weight, other.weight)
        return same and all(a == b for a, b in zip(self.parts, other.parts, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def refuse_negative(self, parts: Sequence[Part]) -> None:
        """Refuse what no data can have: rows were forgotten that were never learned."""
        for label, weight in zip(self.labels, self.n.tolist(), strict=True):
            if weight < 0:
                raise NegativeCountError(
                    f"class {label!r} would have {weight:g} rows; more was forgotten than learned: forget only rows "
                    "that were learned, with the same label"
                )
        for part, stats in zip(parts, self.parts, strict=True):
            stats.refuse_negative(part.name)

    def refuse_hidden(self) -> None:
        """Refuse to leave out rows where some had no label: what each has taught those would stay."""
        if self.hidden:
            raise DataError(
                "the model has learned from rows without a label, so none can be left out: what it taught the others "
                "would stay; give rows that were not learned (held_out=True; priori calibrate --held-out; priori "
                "evaluate without --leave-one-out)"
            )


class RunningTotal:
    """A sum under way: each part gives way to its successor, so that the old and the new sum are never both held."""

    def __init__(self, zero: TableStatistics) -> None:
        self._rest = replace(zero, parts=())
        self._parts = list(zero.parts)

    def add(self, more: TableStatistics) -> None:
        """Add the statistics of a batch."""
        if more.labels != self._rest.labels:  # a class is new, or the batch lacks one
            total = self.result() + more
            self._rest, self._parts = replace(total, parts=()), list(total.parts)
            return
        self._rest = self._rest + replace(more, parts=())
        for at, part in enumerate(more.parts):
            self._parts[at] = self._parts[at] + part

    def result(self) -> TableStatistics:
        """The sum so far."""
        return replace(self._rest, parts=tuple(self._parts))


def _sorted(labels: tuple[str, ...], group: Int32s) -> tuple[tuple[str, ...], Int32s]:
    order = sorted(range(len(labels)), key=lambda k: labels[k].encode())
    if order == list(range(len(labels))):
        return labels, group
    place = np.zeros(len(labels) + 1, np.int32)
    place[order] = np.arange(len(labels), dtype=np.int32)
    place[-1] = -1  # subtle: group -1 looks this one up
    return tuple(labels[k] for k in order), place[group]


def _refuse_overflow(units: float) -> None:
    if units > MOST:
        raise DataError("the weights add up to more than 2^42, which counts cannot hold; divide them by their mean")


def _named(part: Part, error: DataError) -> str:
    text = str(error)
    return text if repr(part.columns[0]) in text else f"column {part.name!r}: {text}"
