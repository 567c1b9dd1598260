"""Cells of any kind: some of them taken, several lots joined, and a hash of each."""

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from priori import _core
from priori.columns.base import Cells, Codes

Hashes = npt.NDArray[np.uint64]


def take(cells: Cells, places: npt.NDArray[np.intp]) -> Cells:
    """The cells at these places, in a copy of their own; equal cells are the same bytes, however they came."""
    if isinstance(cells, Codes):
        return _used(Codes(cells.codes[places], cells.values))
    if isinstance(cells, pa.Array):
        return cells.take(pa.array(places)).cast(pa.large_string())
    numbers = cells[places] + 0.0  # -0 and 0 are one number
    numbers[np.isnan(numbers)] = np.nan  # and one NaN is as good as another
    return numbers


def join(lots: Sequence[Cells]) -> Cells:
    """One lot after the other."""
    first = lots[0]
    if isinstance(first, Codes):
        values = tuple(sorted({value for lot in lots for value in lot.values}))
        place = {value: at for at, value in enumerate(values)}
        codes = [np.array([*(place[value] for value in lot.values), -1], np.int32)[lot.codes] for lot in lots]
        return Codes(np.concatenate(codes), values)
    if isinstance(first, pa.Array):
        return pa.concat_arrays(lots)
    return np.concatenate(lots)


def mix(hashes: Hashes, columns: Iterable[Cells]) -> None:
    """Mix a hash of each cell into that of its row; it depends on what the cells hold, and on nothing else."""
    parts: list[Any] = []
    for cells in columns:
        if isinstance(cells, Codes):
            parts.append((cells.codes, text_hashes(cells.values)))
        elif isinstance(cells, pa.Array):
            coded = cells.dictionary_encode()
            codes = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int32)
            parts.append((codes, text_hashes(coded.dictionary.to_pylist())))
        else:
            parts += [np.ascontiguousarray(each, np.float64) for each in (cells.T if cells.ndim == 2 else [cells])]
    _core.mix_cells(hashes, parts)


def text_hashes(texts: Iterable[str], kind: bytes = b"cell") -> Hashes:
    """64 bits of each text's BLAKE2."""
    digests = b"".join(hashlib.blake2b(text.encode(), digest_size=8, person=kind).digest() for text in texts)
    return np.frombuffer(digests, "<u8").astype(np.uint64)


def label_hashes(labels: Iterable[str]) -> Hashes:
    """The same of labels, but of another kind: a row's hash begins so, and a cell of the same text must not undo it."""
    return text_hashes(labels, b"label")


def _used(cells: Codes) -> Codes:
    """Without values that do not occur, and the others in order: equal cells, equal codes."""
    used = sorted({int(code) for code in np.unique(cells.codes) if code >= 0}, key=lambda code: cells.values[code])
    place = np.full(len(cells.values) + 1, -1, np.int32)
    place[used] = np.arange(len(used), dtype=np.int32)
    return Codes(place[cells.codes], tuple(cells.values[code] for code in used))


def cells_equal(a: Any, b: Any) -> bool:
    """Whether two lots hold the same."""
    if isinstance(a, Codes):
        return a.values == b.values and np.array_equal(a.codes, b.codes)
    return a.equals(b) if isinstance(a, pa.Array) else np.array_equal(a, b, equal_nan=True)
