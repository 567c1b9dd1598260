"""A model of a table as the sections of its file, and back with every check. docs/format.md describes them."""

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from priori import store
from priori.columns.file import TABLES as STATISTICS_TABLES
from priori.columns.file import statistics_of, statistics_tables
from priori.columns.joint.column import GaussianColumns
from priori.columns.readings import TableReadings
from priori.columns.registry import FAMILIES, plain_settings, settings_of
from priori.columns.specification import Part
from priori.data.labels import from_texts
from priori.data.schema import Schema
from priori.errors import DataError, ModelFileError
from priori.model.fitting.powers import Tempers, left_out_rows
from priori.model.sample import RowSample
from priori.model.sample_file import TABLES as SAMPLE_TABLES
from priori.model.sample_file import sample_of, sample_sections
from priori.model.table_classifier import TableModel
from priori.model.totals import TableStatistics
from priori.store import checks
from priori.store.table_types import Column, Table, Texts

CLASSES = (Column("label", "large_string"), Column("weight", "int64"))
TABLES = {"table_classes": CLASSES, **STATISTICS_TABLES, **SAMPLE_TABLES}
KINDS = ("naive_bayes", "gaussian_discriminant")
_PARTS = 100_000


def statistics_sections(model: TableModel) -> dict[str, Any]:
    """The additive part: every byte-exact law is about these sections."""
    stats = model.statistics
    return {
        "table": {
            "kind": model.kind,
            "schema": model.schema.to_json(),
            "parts": [{**part.to_json(), "counts": part.family.statistics_kind()} for part in model.parts],
        },
        "table_classes": Table(CLASSES, {"label": Texts.of(stats.labels), "weight": stats.weight}),
        **statistics_tables(model.parts, stats.parts),
    }


def digest(model: TableModel) -> str:
    """The identity of the statistics."""
    return store.table_digest(statistics_sections(model))


def save_table_model(model: TableModel, path: str | os.PathLike[str]) -> None:
    """Write the file: nothing in it depends on when, where or in what order the model was made."""
    sections = statistics_sections(model)
    kept = model.kept
    if kept is not None:
        sections |= sample_sections(kept, model.labels)
    # subtle: powers that were fitted on rows that are gone are held even where the reading gives one: it may change
    fitted = model.stored if model.fitted is None and kept is None else model.fitted
    sections["readings"] = {
        "reading": model.readings.to_json(),
        "families": [plain_settings(part.family) for part in model.parts],
        "sample_bits": None if kept is None else kept.bits,
        "tempers": None if fitted is None else list(fitted.powers),
    }
    if fitted is not None and fitted != _on_kept(fitted.powers, model.statistics, kept):
        sections["readings"]["tempers_fitted"] = fitted.to_json()
    if model.statistics.hidden:
        sections["readings"]["hidden"] = True
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
    hidden = readings.get("hidden", False)
    if not isinstance(hidden, bool):
        raise checks.fault("readings", f"whether some rows had no label is {hidden!r}")
    weight = np.array(classes["weight"], np.int64)
    statistics = TableStatistics(labels, weight, statistics_of(sections, parts, labels), hidden=hidden)
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
    kept = sample_of(sections, readings.get("sample_bits"), parts, labels) if "sample_rows" in sections else None
    powers = _powers(readings.get("tempers"), len(parts))
    stored = None if powers is None else _on_kept(powers, statistics, kept)
    if stored is not None and "tempers_fitted" in readings:
        stored = stored.told(readings["tempers_fitted"])
    reads = TableReadings.from_json(reading)
    model = TableModel(schema, parts, statistics, reads, table["kind"], provenance, kept, stored)
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


def _powers(value: object, size: int) -> tuple[float, ...] | None:
    if value is None:
        return None
    numbers = isinstance(value, list) and all(type(each) in (int, float) and 0 <= each < 1e6 for each in value)
    if not numbers or len(value) != size:  # type: ignore[arg-type]
        raise checks.fault("readings", "the tempers are not a number from 0 for each part")
    return tuple(float(each) for each in value)  # type: ignore[attr-defined]


def _on_kept(powers: tuple[float, ...], statistics: TableStatistics, kept: RowSample | None) -> Tempers:
    """Powers that were fitted on the kept rows: what a file need not say."""
    return Tempers.of(np.array(powers), 0 if kept is None else len(left_out_rows(kept, statistics)))


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
