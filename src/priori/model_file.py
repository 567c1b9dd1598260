"""A model as the sections of its file, and back."""

import math
import os
from typing import Any

from priori import store
from priori.classifier import Dropped, Model
from priori.corpus import sample_file
from priori.corpus.summary import Summary
from priori.fitted import Fitted
from priori.readings import Readings
from priori.statistics import counts_file
from priori.store import checks
from priori.store.columns import Column, Table, Texts
from priori.text import Analyzer

VOCABULARY = (Column("term", "large_string"),)
SCHEMAS = {**counts_file.TABLES, "sample": sample_file.SCHEMA, "vocabulary": VOCABULARY}
STATISTICS = ("analyzer", "statistics", "classes", "terms", "lengths", "vocabulary")


def statistics_sections(model: Model) -> dict[str, Any]:
    """The additive part: every byte-exact law is about these sections."""
    dropped = model.dropped
    sections: dict[str, Any] = {
        "analyzer": model.analyzer.to_json(),
        "statistics": {
            "unit_bits": model.counts.unit_bits,
            "dropped": None if dropped is None else {"terms": dropped.terms, "occurrences": dropped.occurrences},
        },
        **counts_file.counts_to_tables(model.counts),
    }
    if model.analyzer.vocabulary is not None:
        sections["vocabulary"] = Table(VOCABULARY, {"term": Texts.of(model.analyzer.vocabulary)})
    return sections


def digest(model: Model) -> str:
    """The identity of the statistics."""
    return store.table_digest(statistics_sections(model))


def save_model(model: Model, path: str | os.PathLike[str]) -> None:
    """Write the file: nothing in it depends on when, where or in what order the model was made."""
    sections = statistics_sections(model)
    statistics = dict(sections)
    sample = model.summary.sample
    if sample is not None:
        sections["sample"] = sample_file.sample_to_table(sample)
    reading = model.readings.to_json()
    if reading["calibrate"] is False:
        del reading["calibrate"]  # so that versions that know nothing of it can read what needs nothing of it
    sections["readings"] = {"reading": reading, "sample_bits": None if sample is None else sample.bits}
    if model.summary.hidden:
        sections["readings"]["hidden"] = True
    if model.fitted is not None:
        sections["readings"]["fitted"] = model.fitted.to_json(store.table_digest(statistics))
    if model.provenance is not None:
        sections["provenance"] = dict(model.provenance)
    store.write(path, sections)


def holds_table(path: str | os.PathLike[str]) -> bool:
    """Whether a file holds a model of a table, by the names of its sections alone; `table_file` reads it."""
    return "table" in store.names(path)


def load_model(path: str | os.PathLike[str]) -> Model:
    """Read and check a file. Nothing in it is ever run."""
    sections = store.read(path, SCHEMAS)
    with store.naming_file(path):
        return _model_of(sections)


def _model_of(sections: store.Sections) -> Model:
    vocabulary = None
    if "vocabulary" in sections:
        words = checks.expect_table(sections, "vocabulary", VOCABULARY)["term"]
        checks.strictly_sorted_texts("vocabulary", "term", words)
        vocabulary = tuple(words)
    analyzer = Analyzer.from_json(checks.expect_object(sections, "analyzer"), vocabulary)
    statistics = checks.expect_object(sections, "statistics")
    dropped = _dropped_of(statistics.get("dropped"))
    counts = counts_file.counts_from_tables(sections, statistics.get("unit_bits"), dropped is not None)
    readings = checks.expect_object(sections, "readings")
    sample = None
    if "sample" in sections:
        bits = readings.get("sample_bits")
        sample = sample_file.sample_from_table(sections, bits, len(counts.labels), counts.terms)
    reading = readings.get("reading")
    if not isinstance(reading, dict):
        raise checks.fault("readings", "the reading is missing")
    provenance = checks.expect_object(sections, "provenance") if "provenance" in sections else None
    fitted = readings.get("fitted")
    if fitted is not None:
        parts = {name: value for name, value in sections.digests.items() if name in STATISTICS}
        fitted = Fitted.from_json(fitted, store.combined_digest(parts))
    hidden = readings.get("hidden", False)
    if not isinstance(hidden, bool):
        raise checks.fault("readings", f"whether some documents had no label is {hidden!r}")
    summary = Summary(counts, sample, hidden=hidden)
    return Model(analyzer, summary, Readings.from_json(reading), dropped, provenance, stored=fitted)


def _dropped_of(value: object) -> Dropped | None:
    if value is None:
        return None
    if not isinstance(value, dict) or set(value) != {"terms", "occurrences"}:
        raise checks.fault("statistics", f"what was dropped is {value!r}")
    lost = value["occurrences"]
    if isinstance(lost, bool) or not isinstance(lost, int | float) or not 0 <= lost < math.inf:
        raise checks.fault("statistics", f"the number of dropped occurrences is {lost!r}")
    terms = checks.integer("statistics", "the number of dropped terms", value["terms"], 0, 2**62)
    return Dropped(terms, float(lost))
