"""The statistics of the parts of a table as sections of a model file, and back with every check."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from priori.columns.base import ColumnFamily
from priori.columns.specification import Part
from priori.columns.words.column import TextColumn, TextCounts
from priori.errors import DataError
from priori.statistics import term_tables
from priori.statistics.by_class import ByClass, Tallies
from priori.statistics.class_moments import ClassMoments
from priori.statistics.exact_sums import Dyadics
from priori.store import checks
from priori.store.table_types import Column, Table, Texts

CELLS = (Column("part", "int32"), Column("class", "int32"), Column("weight", "int64"), Column("missing", "int64"))
VALUES = (Column("part", "int32"), Column("value", "large_string"), Column("class", "int32"), Column("count", "int64"))
BUCKETS = (Column("part", "int32"), Column("bucket", "int32"), Column("class", "int32"), Column("count", "int64"))
SUMS = (
    Column("part", "int32"),
    Column("class", "int32"),
    Column("term", "int32"),
    Column("exponent", "int32"),
    Column("integer", "large_binary"),
)
TABLES = {"cells": CELLS, "values": VALUES, "buckets": BUCKETS, "sums": SUMS}
_MOST_BYTES = 1024  # of a sum's integer: 2^-2148 to 2^2110 need 540


def statistics_tables(parts: Sequence[Part], statistics: Sequence[ByClass]) -> dict[str, Any]:
    """The weights of all parts, counts of values and buckets, sums, and the counts of texts."""
    cells, values, sums = _Rows(CELLS), _Rows(VALUES), _Rows(SUMS)
    texts: dict[str, Any] = {}
    buckets: list[tuple[Any, ...]] = []
    for at, (part, found) in enumerate(zip(parts, statistics, strict=True)):
        for k in range(found.classes):
            cells.add(at, k, int(found.weight[k]), int(found.missing[k]))
        if isinstance(found, Tallies) and found.keys.dtype.kind == "i":
            buckets.append(_bucket_rows(at, found))
        elif isinstance(found, Tallies):
            _add_values(values, at, found)
        elif isinstance(found, ClassMoments):
            _add_sums(sums, at, found)
        elif isinstance(found, TextCounts):
            tables = term_tables.counts_to_tables(found.counts)
            texts |= {f"text{at}_{name}": table for name, table in tables.items()}
            texts[f"text{at}"] = {"unit_bits": found.counts.unit_bits}
        else:
            raise DataError(f"column {part.name!r} has statistics that no file can hold; leave it out")
    return {
        "cells": cells.table(),
        "values": values.table(),
        "buckets": _bucket_table(buckets),
        "sums": sums.table(),
        **texts,
    }


def statistics_of(sections: Mapping[str, Any], parts: Sequence[Part], labels: tuple[str, ...]) -> tuple[ByClass, ...]:
    """The inverse: the statistics of each part."""
    cells = checks.expect_table(sections, "cells", CELLS)
    k, size = len(labels), len(parts)
    expected = np.repeat(np.arange(size), k), np.tile(np.arange(k), size)
    if not (np.array_equal(cells["part"], expected[0]) and np.array_equal(cells["class"], expected[1])):
        raise checks.fault("cells", "its rows are not one for each part and class, in order")
    for name in ("weight", "missing"):
        checks.non_negative("cells", name, cells[name])
    weight, missing = (np.array(cells[name], np.int64).reshape(size, k) for name in ("weight", "missing"))
    values, sums = _values_of(sections, parts, k), _sums_of(sections, parts, k)
    buckets = _buckets_of(sections, parts, k)
    found: list[ByClass] = []
    for at, part in enumerate(parts):
        zero = part.family.zero(labels, len(part.columns))
        if isinstance(zero, Tallies) and zero.keys.dtype.kind == "i":
            stats: ByClass = _bucket_tallies(buckets, at, zero, missing[at])
        elif isinstance(zero, Tallies):
            stats = _tallies(values, at, zero, missing[at])
        elif isinstance(zero, ClassMoments):
            stats = _moments(sums, at, zero, weight[at], missing[at])
        else:
            stats = _text(sections, at, part.family, labels, missing[at])
        if not np.array_equal(stats.weight, weight[at]):
            raise checks.fault("cells", f"the weights of part {at} are not those of its counts")
        found.append(stats)
    return tuple(found)


# --- counts of buckets ------------------------------------------------------------------------------------------------


def _bucket_rows(part: int, stats: Tallies) -> tuple[Any, ...]:
    places, classes = np.nonzero(stats.counts)
    return np.full(len(places), part), stats.keys[places], classes, stats.counts[places, classes]


def _bucket_table(rows: list[tuple[Any, ...]]) -> Table:
    columns = zip(*rows, strict=True) if rows else ([], [], [], [])
    arrays = (np.concatenate([np.zeros(0), *column]) for column in columns)
    return Table(BUCKETS, {c.name: a.astype(c.kind) for c, a in zip(BUCKETS, arrays, strict=True)})


def _buckets_of(sections: Mapping[str, Any], parts: Sequence[Part], classes: int) -> Table:
    table = checks.expect_table(sections, "buckets", BUCKETS)
    checks.ids_below("buckets", "part", table["part"], len(parts))
    checks.ids_below("buckets", "class", table["class"], classes)
    checks.positive("buckets", "count", table["count"])
    order = np.lexsort((table["class"], table["bucket"], table["part"]))
    keys = np.column_stack([table["part"], table["bucket"], table["class"]])
    if not np.array_equal(order, np.arange(len(keys))) or (len(keys) > 1 and (keys[1:] == keys[:-1]).all(axis=1).any()):
        raise checks.fault("buckets", "its rows are not in order")
    return table


def _bucket_tallies(table: Table, part: int, zero: Tallies, missing: Any) -> Tallies:
    first, end = np.searchsorted(table["part"], [part, part + 1])
    keys, place = np.unique(table["bucket"][first:end], return_inverse=True)
    counts = np.zeros((len(keys), zero.classes), np.int64)
    counts[place.ravel(), table["class"][first:end]] = table["count"][first:end]
    return Tallies(keys.astype(np.int32), counts, missing)


# --- counts of values -------------------------------------------------------------------------------------------------


def _add_values(rows: "_Rows", part: int, stats: Tallies) -> None:
    places, classes = np.nonzero(stats.counts)
    for place, k in zip(places.tolist(), classes.tolist(), strict=True):
        rows.add(part, str(stats.keys[place]), k, int(stats.counts[place, k]))


def _values_of(
    sections: Mapping[str, Any], parts: Sequence[Part], classes: int
) -> dict[int, list[tuple[str, int, int]]]:
    table = checks.expect_table(sections, "values", VALUES)
    checks.ids_below("values", "part", table["part"], len(parts))
    checks.ids_below("values", "class", table["class"], classes)
    checks.positive("values", "count", table["count"])
    found: dict[int, list[tuple[str, int, int]]] = {}
    columns = (table["part"].tolist(), list(table["value"]), table["class"].tolist(), table["count"].tolist())
    for part, value, k, count in zip(*columns, strict=True):
        found.setdefault(part, []).append((value, k, count))
    return found


def _tallies(values: dict[int, list[tuple[str, int, int]]], part: int, zero: Tallies, missing: Any) -> Tallies:
    rows = values.pop(part, [])
    keys = [value for value, _, _ in rows]
    order = sorted(set(keys))
    place = {key: at for at, key in enumerate(order)}
    counts = np.zeros((len(order), zero.classes), np.int64)
    for key, (_, k, count) in zip(keys, rows, strict=True):
        if counts[place[key], k]:
            raise checks.fault("values", f"part {part} has {key!r} twice")
        counts[place[key], k] = count
    return Tallies(np.array(order, dtype=zero.keys.dtype), counts, missing)


# --- sums of numbers --------------------------------------------------------------------------------------------------


def _add_sums(rows: "_Rows", part: int, stats: ClassMoments) -> None:
    """Integer times a power of two, the integer odd: one way to write each sum."""
    for first, sums in ((0, stats.sums), (stats.dimensions, stats.products)):
        for k in range(stats.classes):
            for term, integer in enumerate(sums.integers[k].tolist()):
                if integer:
                    zeros = (integer & -integer).bit_length() - 1
                    odd = integer >> zeros
                    data = odd.to_bytes(odd.bit_length() // 8 + 1, "little", signed=True)
                    rows.add(part, k, first + term, sums.exponent + zeros, data)


def _sums_of(
    sections: Mapping[str, Any], parts: Sequence[Part], classes: int
) -> dict[int, list[tuple[int, int, int, bytes]]]:
    table = checks.expect_table(sections, "sums", SUMS)
    checks.ids_below("sums", "part", table["part"], len(parts))
    checks.ids_below("sums", "class", table["class"], classes)
    checks.non_negative("sums", "term", table["term"])
    if len(table["exponent"]) and not (table["exponent"].min() >= -2200 and table["exponent"].max() <= 2200):
        raise checks.fault("sums", "an exponent is beyond those of numbers")
    offsets, data = table["integer"].offsets.tolist(), table["integer"].data.tobytes()
    found: dict[int, list[tuple[int, int, int, bytes]]] = {}
    columns = (table[name].tolist() for name in ("part", "class", "term", "exponent"))
    for at, (part, k, term, exponent) in enumerate(zip(*columns, strict=True)):
        found.setdefault(part, []).append((k, term, exponent, data[offsets[at] : offsets[at + 1]]))
    return found


def _moments(
    sums: dict[int, list[tuple[int, int, int, bytes]]], part: int, zero: ClassMoments, weight: Any, missing: Any
) -> ClassMoments:
    d, pairs = zero.dimensions, zero.products.integers.shape[1]
    rows = sums.pop(part, [])
    exponents = [
        min((exponent for _, term, exponent, _ in rows if (term < d) == first), default=0) for first in (True, False)
    ]
    for k, term, exponent, data in rows:
        integer = int.from_bytes(data, "little", signed=True)
        if not 0 < len(data) <= _MOST_BYTES or not integer & 1 or term >= d + pairs:
            raise checks.fault("sums", f"a sum of part {part} is not as sums are written")
        target, place = (zero.sums, term) if term < d else (zero.products, term - d)
        if target.integers[k, place]:
            raise checks.fault("sums", f"part {part} has a sum twice")
        target.integers[k, place] = integer << (exponent - exponents[0 if term < d else 1])
    return ClassMoments(
        weight, missing, Dyadics(zero.sums.integers, exponents[0]), Dyadics(zero.products.integers, exponents[1])
    )


# --- texts ------------------------------------------------------------------------------------------------------------


def _text(
    sections: Mapping[str, Any], at: int, family: ColumnFamily, labels: tuple[str, ...], missing: Any
) -> TextCounts:
    if not isinstance(family, TextColumn):
        raise checks.fault("table", f"part {at} has no statistics")
    prefix = f"text{at}_"
    tables = {name.removeprefix(prefix): table for name, table in sections.items() if name.startswith(prefix)}
    bits = checks.expect_object(sections, f"text{at}").get("unit_bits")
    counts = term_tables.counts_from_tables(tables, bits, False)
    if not set(counts.labels) <= set(labels):
        raise checks.fault(f"{prefix}classes", "a label is none of the table's")
    return TextCounts(labels, counts, missing)


class _Rows:
    """The rows of a section, gathered one by one."""

    def __init__(self, schema: tuple[Column, ...]) -> None:
        self.schema = schema
        self.columns: list[list[Any]] = [[] for _ in schema]

    def add(self, *values: Any) -> None:
        for column, value in zip(self.columns, values, strict=True):
            column.append(value)

    def table(self) -> Table:
        return Table(
            self.schema,
            {field.name: _column(field.kind, values) for field, values in zip(self.schema, self.columns, strict=True)},
        )


def _column(kind: str, values: list[Any]) -> Any:
    if kind == "large_string":
        return Texts.of(values)
    if kind == "large_binary":
        offsets = np.cumsum([0, *map(len, values)], dtype=np.int64)
        return Texts(offsets, np.frombuffer(b"".join(values), np.uint8))
    return np.array(values, dtype=kind)
