"""Labelled documents in memory, in an order that only their contents decide; copies of a text stay together."""

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from priori.data.batch import Batch
from priori.data.folds import group_numbers
from priori.errors import DataError
from priori.statistics.term_counts import UNIT_BITS, to_units
from priori.store import arrow_views

Floats = npt.NDArray[np.float64]
Int32s = npt.NDArray[np.int32]
Places = npt.NDArray[np.intp]

_WORDS = re.compile(r"\w+")
_SLICE = 1_024  # rows that one thread counts at a time


@dataclass(frozen=True, eq=False)
class Rows:
    """Documents by block: those of the same words in the same order, or of one group, which are never parted.

    Blocks follow a hash of their words, so the first rows are as good as drawn by lot, whatever the source's order.
    """

    batch: Batch
    labels: tuple[str, ...]
    cls: Int32s
    weight: Floats
    block: Int32s  # ascending from 0
    key: npt.NDArray[np.uint64]  # of the block
    unlabelled: int = 0  # rows that were left aside

    def __len__(self) -> int:
        return len(self.cls)

    @classmethod
    def of(cls, batches: Iterable[Batch], groups: Any = None, seed: int = 0) -> Self:
        """Read everything. groups: one for each row, or the name of a kept column."""
        whole = _joined(list(batches))
        if whole.label is None:
            raise DataError("the data has no labels to learn from; name their column with --label (label=)")
        texts = whole.label.to_pylist()
        # as they are counted, in whole units: what is taken away must be what was learned
        weight = np.ones(len(whole)) if whole.weight is None else _counted(arrow_views.numbers(whole.weight))
        if isinstance(groups, str):
            groups = _kept(whole, groups)
        group = None if groups is None else group_numbers(groups, len(whole))
        known = np.array([text is not None for text in texts], bool)
        rows = np.flatnonzero(known & (weight > 0))
        labels = tuple(sorted({texts[row] for row in rows}, key=str.encode))
        _refuse_few(labels, len(whole))
        place = {label: k for k, label in enumerate(labels)}
        classes = np.array([place[texts[row]] for row in rows], np.int32)
        whole = _taken(whole, rows)
        key, block = _blocks(_hashes(whole, seed), None if group is None else group[rows])
        order = np.lexsort((np.arange(len(rows)), block))
        return cls(
            _taken(whole, order),
            labels,
            classes[order],
            weight[rows][order],
            block[order].astype(np.int32),
            key[order],
            int((~known).sum()),
        )

    def rows(self, chosen: Places) -> Self:
        """Only these, in their order; blocks are numbered anew."""
        block = np.unique(self.block[chosen], return_inverse=True)[1].astype(np.int32)
        return replace(
            self,
            batch=_taken(self.batch, chosen),
            cls=self.cls[chosen],
            weight=self.weight[chosen],
            block=block,
            key=self.key[chosen],
        )

    def own_labels(self) -> Self:
        """With the labels that occur here alone, and the classes as places among those."""
        own, classes = np.unique(self.cls, return_inverse=True)
        labels = tuple(self.labels[place] for place in own.tolist())
        return replace(self, labels=labels, cls=classes.astype(np.int32))

    def first(self, most: int) -> Self:
        """The first blocks, with about so many rows: whole blocks, and one at least."""
        if len(self) <= most:
            return self
        return self.rows(np.flatnonzero(self.block < max(1, int(self.block[most]))))

    def split(self, share: float) -> tuple[Self, Self]:
        """The blocks whose hash lies in the first `share` of all hashes, and the rest."""
        bound = np.uint64(min(int(share * 2.0**64), 2**64 - 1))
        return self.rows(np.flatnonzero(self.key < bound)), self.rows(np.flatnonzero(self.key >= bound))

    def batches(self) -> Iterator[Batch]:
        """In slices for several threads."""
        for start in range(0, len(self), _SLICE):
            yield _taken(self.batch, np.arange(start, min(start + _SLICE, len(self))))

    def elsewhere(self, part: npt.NDArray[Any], learned: Self | None = None) -> npt.NDArray[np.bool_]:
        """Whether a row's class has documents outside of the row's part: without, no model could know it.

        learned: all that a model learns, where these rows are some whole parts of it.
        """
        count = int(part.max(initial=-1)) + 1
        own = np.zeros((count, len(self.labels)), np.int64)
        np.add.at(own, (part, self.cls), 1)
        total = np.bincount((self if learned is None else learned).cls, minlength=len(self.labels))
        return np.asarray(total[self.cls] > own[part, self.cls])


def _refuse_few(labels: tuple[str, ...], rows: int) -> None:
    if not rows:
        raise DataError("the data has no rows, so there is nothing to choose by; check the file and --where")
    if not labels:
        raise DataError(
            f"none of the {rows:,} rows has a label, so nothing can be learned; name the column with --label"
        )
    if len(labels) == 1:
        raise DataError(f"there is one class only, {labels[0]!r}, so every model is right; give documents of another")


def _counted(weight: Floats) -> Floats:
    return to_units(weight).astype(np.float64) * 0.5**UNIT_BITS


def _kept(whole: Batch, column: str) -> list[Any]:
    """The groups that a column names; a row without a value stands alone."""
    if column not in whole.keep:
        raise DataError(f"the groups are to be in column {column!r}, which is not kept; give one group for each row")
    return [None if value == "" else value for value in whole.keep[column].to_pylist()]


def _joined(batches: list[Batch]) -> Batch:
    if not batches:
        return Batch(pa.array([], pa.large_string()), pa.array([], pa.large_string()), None, {}, {}, 0, None)
    sizes = [len(batch) for batch in batches]
    label = [batch.label for batch in batches]
    weighted = any(batch.weight is not None for batch in batches)
    return replace(
        batches[0],
        text=_column([batch.text for batch in batches], sizes),
        label=None if all(column is None for column in label) else _column(label, sizes),
        weight=_column([_weights(batch) for batch in batches], sizes) if weighted else None,
        fields=_columns([batch.fields for batch in batches], sizes),
        keep=_columns([batch.keep for batch in batches], sizes),
    )


def _weights(batch: Batch) -> Any:
    """Of a source that has none, 1: as training counts it."""
    return pa.array(np.ones(len(batch))) if batch.weight is None else batch.weight


def _columns(parts: list[dict[str, Any]], sizes: list[int]) -> dict[str, Any]:
    names = dict.fromkeys(name for part in parts for name in part)
    return {name: _column([part.get(name) for part in parts], sizes) for name in names}


def _column(arrays: list[Any], sizes: list[int]) -> Any:
    """One array of several; null where a source does not have it. Sources may hold text in different ways."""
    kinds = list(dict.fromkeys(array.type for array in arrays if array is not None))
    kind = kinds[0] if len(kinds) == 1 else pa.large_string()
    try:
        filled = [
            pa.nulls(size, kind) if array is None else array.cast(kind)
            for array, size in zip(arrays, sizes, strict=True)
        ]
    except pa.ArrowException as error:
        raise DataError(f"the sources cannot be read as one ({error}); give them as files of one kind") from error
    return pa.chunked_array(filled, kind).combine_chunks()


def _taken(batch: Batch, rows: Places) -> Batch:
    at = pa.array(rows)
    return replace(
        batch,
        text=batch.text.take(at),
        label=None if batch.label is None else batch.label.take(at),
        weight=None if batch.weight is None else batch.weight.take(at),
        fields={name: column.take(at) for name, column in batch.fields.items()},
        keep={name: column.take(at) for name, column in batch.keep.items()},
    )


def _hashes(batch: Batch, seed: int) -> npt.NDArray[np.uint64]:
    """64 bits of each document's words, in lower case and in their order."""
    columns = [_words(column) for column in (batch.text, *batch.fields.values())]
    salt = (int(seed) % 2**64).to_bytes(8, "little")
    digests = [
        hashlib.blake2b("\0".join(parts).encode("utf-8", "replace"), digest_size=8, key=salt).digest()
        for parts in zip(*columns, strict=True)
    ]
    return np.frombuffer(b"".join(digests), "<u8").astype(np.uint64)


def _words(column: Any) -> list[str]:
    kind = column.type
    if not (pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_map(kind)):
        # subtle: through bytes, for a text may not be UTF-8
        raw = column.cast(pa.large_binary()).to_pylist()
        texts = ((text or b"").decode("utf-8", "replace") for text in raw)
        return [" ".join(_WORDS.findall(text.lower())) for text in texts]
    return [" ".join(map(str, words or ())) for words in column.to_pylist()]


def _blocks(key: npt.NDArray[np.uint64], group: Places | None) -> tuple[npt.NDArray[np.uint64], Places]:
    """The key of each row's block, and the block's place among them: copies of a text, or groups that were given."""
    if group is not None:  # its texts added up: whatever order they come in, and whatever the groups are called
        total = np.zeros(int(group.max(initial=-1)) + 1, np.uint64)
        np.add.at(total, group, key)
        key = total[group]
    return key, np.unique(key, return_inverse=True)[1]
