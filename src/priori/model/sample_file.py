"""The kept rows of a table as sections of a model file, and back with every check."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from priori.columns.base import Cells, Codes, label_hashes, mix
from priori.columns.specification import Part
from priori.model.sample import LIMIT, RowSample, below
from priori.model.totals import MOST
from priori.store import checks
from priori.store.table_types import Column, Lists, Table, Texts

ROWS = (Column("hash", "uint64"), Column("class", "int32"), Column("weight", "int64"))
NUMBERS = (Column("part", "int32"), Column("cells", "large_list", Column("item", "float64")))
CODES = (
    Column("part", "int32"),
    Column("values", "large_list", Column("item", "large_string")),
    Column("codes", "large_list", Column("item", "int32")),
)
TABLES = {"sample_rows": ROWS, "sample_numbers": NUMBERS, "sample_codes": CODES}


def sample_sections(sample: RowSample, labels: tuple[str, ...]) -> dict[str, Any]:
    """Hash, class and weight of each row; the numbers of each part; the values of each, and the codes into them."""
    place = {label: k for k, label in enumerate(labels)}
    classes = np.array([place[label] for label in sample.labels], np.int32)
    numbers: list[tuple[int, Any]] = []
    codes: list[tuple[int, Codes]] = []
    for at, cells in enumerate(sample.cells):
        if isinstance(cells, np.ndarray):
            numbers.append((at, np.ascontiguousarray(cells, np.float64).ravel()))
        else:
            codes.append((at, cells if isinstance(cells, Codes) else _encoded(cells)))
    values = [value for _, cells in codes for value in cells.values]
    return {
        "sample_rows": Table(ROWS, {"hash": sample.hashes, "class": classes, "weight": sample.weight}),
        "sample_numbers": Table(
            NUMBERS, {"part": _parts(numbers), "cells": _lists([cells for _, cells in numbers], np.float64)}
        ),
        "sample_codes": Table(
            CODES,
            {
                "part": _parts(codes),
                "values": Lists(_bounds([len(cells.values) for _, cells in codes]), Texts.of(values)),
                "codes": _lists([cells.codes for _, cells in codes], np.int32),
            },
        ),
    }


def sample_of(sections: Mapping[str, Any], bits: object, parts: Sequence[Part], labels: tuple[str, ...]) -> RowSample:
    """The inverse; rows whose hash is not that of their cells are refused."""
    rows, numbers, codes = (checks.expect_table(sections, name, schema) for name, schema in TABLES.items())
    size = len(rows["hash"])
    checks.ids_below("sample_rows", "class", rows["class"], len(labels))
    checks.positive("sample_rows", "weight", rows["weight"])
    checks.strictly_increasing("sample_rows", "hash", rows["hash"])
    if rows["weight"].sum(dtype=np.float64) > MOST:
        raise checks.fault("sample_rows", "its rows weigh more than counts can hold")
    found: list[Cells] = [None] * len(parts)
    for name, table in (("sample_numbers", numbers), ("sample_codes", codes)):
        checks.ids_below(name, "part", table["part"], len(parts))
        checks.strictly_increasing(name, "part", table["part"])
    bounds, cells = numbers["cells"].offsets, np.array(numbers["cells"].items, dtype=np.float64)
    checks.offsets_within("sample_numbers", "cells", bounds, len(cells))
    for row, at in enumerate(numbers["part"].tolist()):
        found[at] = _numbers(cells[bounds[row] : bounds[row + 1]], parts[at], size)
    texts = list(codes["values"].items)
    checks.offsets_within("sample_codes", "values", codes["values"].offsets, len(texts))
    checks.offsets_within("sample_codes", "codes", codes["codes"].offsets, len(codes["codes"].items))
    for row, at in enumerate(codes["part"].tolist()):
        first, end = codes["values"].offsets[row : row + 2].tolist()
        start, stop = codes["codes"].offsets[row : row + 2].tolist()
        found[at] = _codes(codes["codes"].items[start:stop], tuple(texts[first:end]), parts[at], size)
    if any(column is None for column in found):
        raise checks.fault("sample_rows", "the cells of a part are missing")
    most = checks.integer("readings", "the threshold of the sample", bits, 0, 64)
    names = np.array(labels, dtype=object)[rows["class"]]
    sample = RowSample(most, np.array(rows["hash"]), names, np.array(rows["weight"]), tuple(found))
    _check_hashes(sample, labels, np.array(rows["class"]))
    return sample


def _check_hashes(sample: RowSample, labels: tuple[str, ...], classes: Any) -> None:
    hashes = label_hashes(labels)[classes]
    mix(hashes, sample.cells)
    if not np.array_equal(hashes, sample.hashes):
        raise checks.fault("sample_rows", "a hash is not that of its row")
    if len(sample) > LIMIT or not below(sample.hashes, sample.bits).all():
        raise checks.fault("sample_rows", f"there are more rows than {LIMIT}, or than its threshold lets through")


def _numbers(cells: Any, part: Part, size: int) -> Cells:
    width = len(part.columns) if part.family.cells_are == "rows" else 1
    checks.same_length("sample_numbers", part.name, len(cells), size * width)
    if part.family.cells_are not in ("rows", "numbers") or np.isinf(cells).any():
        raise checks.fault("sample_numbers", f"{part.name!r} holds what it cannot hold")
    return cells.reshape(size, width) if part.family.cells_are == "rows" else cells


def _codes(codes: Any, values: tuple[str, ...], part: Part, size: int) -> Cells:
    checks.same_length("sample_codes", part.name, len(codes), size)
    kind, ordered = part.family.cells_are, list(values) == sorted(set(values))
    within = not len(codes) or -1 <= codes.min() <= codes.max() < len(values)
    if kind not in ("codes", "texts") or not within or (kind == "codes" and not ordered):
        raise checks.fault("sample_codes", f"{part.name!r} holds what it cannot hold")
    cells = Codes(np.array(codes, dtype=np.int32), values)
    if part.family.cells_are == "codes":
        return cells
    return pa.array(values, pa.large_string()).take(pa.array(cells.codes, mask=cells.codes < 0))


def _encoded(texts: pa.Array) -> Codes:
    coded = texts.dictionary_encode()
    codes = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int32)
    return Codes(codes, tuple(coded.dictionary.to_pylist()))


def _parts(columns: Sequence[tuple[int, Any]]) -> Any:
    return np.array([at for at, _ in columns], np.int32)


def _bounds(sizes: Sequence[int]) -> Any:
    return np.cumsum([0, *sizes], dtype=np.int64)


def _lists(arrays: Sequence[Any], kind: Any) -> Lists:
    items = np.concatenate(arrays).astype(kind) if arrays else np.zeros(0, kind)
    return Lists(_bounds([len(array) for array in arrays]), items)
