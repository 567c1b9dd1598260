"""A model of a table as the sections of its file, and back with every check. docs/format.md describes them."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from priori import store
from priori.columns.base import ColumnFamily
from priori.columns.joint import GaussianColumns
from priori.columns.parts import FAMILIES, Part, plain_settings, settings_of
from priori.columns.statistics import TableStatistics
from priori.columns.text import TextColumn, TextCounts
from priori.errors import DataError, ModelFileError
from priori.labels import from_texts
from priori.statistics import counts_file
from priori.statistics.by_class import ByClass
from priori.statistics.class_moments import ClassMoments
from priori.statistics.dyadics import Dyadics
from priori.statistics.tallies import Tallies
from priori.store import checks
from priori.store.columns import Column, Table, Texts
from priori.table_classifier import TableModel
from priori.table_readings import TableReadings
from priori.tables.schema import Schema

CLASSES = (Column("label", "large_string"), Column("weight", "int64"))
CELLS = (Column("part", "int32"), Column("class", "int32"), Column("weight", "int64"), Column("missing", "int64"))
VALUES = (Column("part", "int32"), Column("value", "large_string"), Column("class", "int32"), Column("count", "int64"))
SUMS = (
    Column("part", "int32"),
    Column("class", "int32"),
    Column("term", "int32"),
    Column("exponent", "int32"),
    Column("integer", "large_binary"),
)
TABLES = {"table_classes": CLASSES, "cells": CELLS, "values": VALUES, "sums": SUMS}
KINDS = ("naive_bayes", "gaussian_discriminant")
_MOST_BYTES = 1024  # of a sum's integer: 2^-2148 to 2^2110 need 540
_PARTS = 100_000
_BUCKETS = 0x7FF << 10  # of the finite numbers of each sign


def statistics_sections(model: TableModel) -> dict[str, Any]:
    """The additive part: every byte-exact law is about these sections."""
    stats = model.statistics
    cells, values, sums = _Rows(CELLS), _Rows(VALUES), _Rows(SUMS)
    sections: dict[str, Any] = {
        "table": {
            "kind": model.kind,
            "schema": model.schema.to_json(),
            "parts": [{**part.to_json(), "counts": part.family.statistics_kind()} for part in model.parts],
        },
        "table_classes": Table(CLASSES, {"label": Texts.of(stats.labels), "weight": stats.weight}),
    }
    texts: dict[str, Any] = {}
    for at, (part, found) in enumerate(zip(model.parts, stats.parts, strict=True)):
        for k in range(len(stats.labels)):
            cells.add(at, k, int(found.weight[k]), int(found.missing[k]))
        if isinstance(found, Tallies):
            _add_values(values, at, found)
        elif isinstance(found, ClassMoments):
            _add_sums(sums, at, found)
        elif isinstance(found, TextCounts):
            tables = counts_file.counts_to_tables(found.counts)
            texts |= {f"text{at}_{name}": table for name, table in tables.items()}
            texts[f"text{at}"] = {"unit_bits": found.counts.unit_bits}
        else:
            raise DataError(f"column {part.name!r} has statistics that no file can hold; leave it out")
    return {**sections, "cells": cells.table(), "values": values.table(), "sums": sums.table(), **texts}


def digest(model: TableModel) -> str:
    """The identity of the statistics."""
    return store.table_digest(statistics_sections(model))


def save_table_model(model: TableModel, path: str | os.PathLike[str]) -> None:
    """Write the file: nothing in it depends on when, where or in what order the model was made."""
    sections = statistics_sections(model)
    sections["readings"] = {
        "reading": model.readings.to_json(),
        "families": [plain_settings(part.family) for part in model.parts],
    }
    if model.provenance is not None:
        sections["provenance"] = dict(model.provenance)
    store.write(path, sections)


def load_table_model(path: str | os.PathLike[str]) -> TableModel:
    """Read and check a file. Nothing in it is ever run."""
    sections = store.read(path, TABLES)
    with store.naming_file(path):
        if "table" not in sections:
            raise ModelFileError("the file holds a model of texts, not of a table; load it with priori.load")
        return _model_of(sections)


def _model_of(sections: Mapping[str, Any]) -> TableModel:
    table = checks.expect_object(sections, "table")
    readings = checks.expect_object(sections, "readings")
    if table.get("kind") not in KINDS:
        raise checks.fault("table", f"a model of kind {table.get('kind')!r} is unknown to this version")
    schema = Schema.from_json(table.get("schema"))
    parts = _parts_of(table.get("parts"), readings.get("families"), schema)
    classes = checks.expect_table(sections, "table_classes", CLASSES)
    checks.strictly_sorted_texts("table_classes", "label", classes["label"])
    labels = tuple(classes["label"])
    statistics = TableStatistics(labels, _int64s(classes["weight"]), _statistics_of(sections, parts, labels))
    try:
        statistics.refuse_negative(parts)
    except DataError as error:
        raise checks.fault("cells", str(error)) from error
    if statistics.without_empty() is not statistics:
        raise checks.fault("table_classes", "a class has no rows")
    reading = readings.get("reading")
    if not isinstance(reading, dict):
        raise checks.fault("readings", "the reading is missing")
    provenance = checks.expect_object(sections, "provenance") if "provenance" in sections else None
    model = TableModel(schema, parts, statistics, TableReadings.from_json(reading), table["kind"], provenance)
    _refuse_other_use(model)
    return model


def _refuse_other_use(model: TableModel) -> None:
    """Refuse what no estimator could be made of."""
    try:
        from_texts(model.labels, model.readings.label_type)
    except DataError as error:
        raise checks.fault("readings", str(error)) from error
    joint = len(model.parts) == 1 and isinstance(model.parts[0].family, GaussianColumns)
    if model.kind == "gaussian_discriminant" and not joint:
        raise checks.fault("table", "it is called gaussian_discriminant, but its family is another")


def _parts_of(parts: object, families: object, schema: Schema) -> tuple[Part, ...]:
    if not isinstance(parts, list) or not isinstance(families, list) or len(parts) != len(families):
        raise checks.fault("table", "its parts and their families are not two lists of one length")
    if not 0 < len(parts) <= _PARTS:
        raise checks.fault("table", f"it has {len(parts)} parts")
    return tuple(_part_of(part, settings, schema) for part, settings in zip(parts, families, strict=True))


def _part_of(value: object, settings: object, schema: Schema) -> Part:
    fields = {"columns", "family", "calendar", "counts"}
    if not isinstance(value, dict) or set(value) != fields or not isinstance(settings, dict):
        raise checks.fault("table", "a part is described incompletely")
    columns, name, calendar = value["columns"], value["family"], value["calendar"]
    known = isinstance(columns, list) and columns and all(column in schema.names for column in columns)
    if not known or calendar not in (None, "year", "month", "weekday", "hour") or name not in FAMILIES:
        raise checks.fault("table", f"the part {value!r} is unknown to this version")
    try:
        family = settings_of(name, settings)
    except (DataError, ModelFileError, TypeError, KeyError, ValueError) as error:
        raise checks.fault("readings", f"the settings of {name!r} mean nothing ({error})") from error
    if value["counts"] != family.statistics_kind() or family.joint != (family.cells_are == "rows"):
        raise checks.fault("table", f"the part {columns} was counted as {value['counts']!r}")
    if len(columns) > 1 and not family.joint:
        raise checks.fault("table", f"{name!r} takes one column, not {len(columns)}")
    return Part(tuple(columns), family, calendar)


def _statistics_of(sections: Mapping[str, Any], parts: Sequence[Part], labels: tuple[str, ...]) -> tuple[ByClass, ...]:
    cells = checks.expect_table(sections, "cells", CELLS)
    k, size = len(labels), len(parts)
    expected = np.repeat(np.arange(size), k), np.tile(np.arange(k), size)
    if not (np.array_equal(cells["part"], expected[0]) and np.array_equal(cells["class"], expected[1])):
        raise checks.fault("cells", "its rows are not one for each part and class, in order")
    for name in ("weight", "missing"):
        checks.non_negative("cells", name, cells[name])
    weight, missing = (_int64s(cells[name]).reshape(size, k) for name in ("weight", "missing"))
    values, sums = _values_of(sections, parts, k), _sums_of(sections, parts, k)
    found: list[ByClass] = []
    for at, part in enumerate(parts):
        zero = part.family.zero(labels, len(part.columns))
        if isinstance(zero, Tallies):
            stats: ByClass = _tallies(values, at, zero, missing[at])
        elif isinstance(zero, ClassMoments):
            stats = _moments(sums, at, zero, weight[at], missing[at])
        else:
            stats = _text(sections, at, part.family, labels, missing[at])
        if not np.array_equal(stats.weight, weight[at]):
            raise checks.fault("cells", f"the weights of part {at} are not those of its counts")
        found.append(stats)
    return tuple(found)


# --- counts of values -------------------------------------------------------------------------------------------------


def _add_values(rows: "_Rows", part: int, stats: Tallies) -> None:
    places, classes = np.nonzero(stats.counts)
    for place, k in zip(places.tolist(), classes.tolist(), strict=True):
        rows.add(part, str(stats.keys[place]), k, int(stats.counts[place, k]))


def _values_of(sections: Mapping[str, Any], parts: Sequence[Part], classes: int) -> dict[int, list[tuple[str, int, int]]]:
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
    integers = zero.keys.dtype.kind == "i"
    keys = [_bucket(part, value) if integers else value for value, _, _ in rows]
    order = sorted(set(keys))
    place = {key: at for at, key in enumerate(order)}
    counts = np.zeros((len(order), zero.classes), np.int64)
    for key, (_, k, count) in zip(keys, rows, strict=True):
        if counts[place[key], k]:
            raise checks.fault("values", f"part {part} has {key!r} twice")
        counts[place[key], k] = count
    return Tallies(np.array(order, dtype=zero.keys.dtype), counts, missing)


def _bucket(part: int, text: str) -> int:
    try:
        bucket = int(text)
    except ValueError as error:
        raise checks.fault("values", f"a bucket of part {part} is no number") from error
    if not -_BUCKETS <= bucket < _BUCKETS or str(bucket) != text:
        raise checks.fault("values", f"part {part} has a bucket that holds no finite number, or is written otherwise")
    return bucket


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
    counts = counts_file.counts_from_tables(tables, bits, False)
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


def _int64s(values: Any) -> Any:
    return np.array(values, dtype=np.int64)
