"""A model as the sections of its file, and back."""

import math
import os
from typing import Any

from priori import store
from priori.columns.words import encoded
from priori.columns.words.counter import Summary
from priori.columns.words.readings import Readings
from priori.model.classifier import Dropped, Model
from priori.model.fitting.parameters import Fitted
from priori.statistics import term_tables
from priori.statistics.word_forms import Forms
from priori.store import checks
from priori.store.table_types import Column, Table, Texts
from priori.text import Analyzer

VOCABULARY = (Column("term", "large_string"),)
STOP_WORDS = (Column("words", "large_string"),)
SCHEMAS = {
    **term_tables.TABLES,
    "sample": encoded.SCHEMA,
    "vocabulary": VOCABULARY,
    "stop_words": STOP_WORDS,
    "forms": term_tables.SCHEMA,
}
STATISTICS = ("analyzer", "statistics", "classes", "terms", "lengths", "vocabulary", "stop_words", "forms")


def statistics_sections(model: Model) -> dict[str, Any]:
    """The additive part: every byte-exact law is about these sections."""
    dropped = model.dropped
    sections: dict[str, Any] = {
        "analyzer": model.analyzer.to_json(),
        "statistics": {
            "unit_bits": model.counts.unit_bits,
            "dropped": None if dropped is None else {"terms": dropped.terms, "occurrences": dropped.occurrences},
        },
        **term_tables.counts_to_tables(model.counts),
    }
    if model.analyzer.vocabulary is not None:
        sections["vocabulary"] = Table(VOCABULARY, {"term": Texts.of(model.analyzer.vocabulary)})
    if model.analyzer.stop_words is not None:
        sections["stop_words"] = Table(STOP_WORDS, {"words": Texts.of(model.analyzer.stop_words)})
    if model.analyzer.stem is not None:
        forms = model.summary.forms or Forms.empty()
        sections["forms"] = term_tables.forms_to_table(forms)
        sections["statistics"]["forms_unit_bits"] = forms.counts.unit_bits
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
        sections["sample"] = encoded.sample_to_table(sample)
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
    vocabulary = _texts(sections, "vocabulary", VOCABULARY)
    stop_words = _texts(sections, "stop_words", STOP_WORDS)
    analyzer = Analyzer.from_json(checks.expect_object(sections, "analyzer"), vocabulary, stop_words)
    statistics = checks.expect_object(sections, "statistics")
    dropped = _dropped_of(statistics.get("dropped"))
    counts = term_tables.counts_from_tables(sections, statistics.get("unit_bits"), dropped is not None)
    readings = checks.expect_object(sections, "readings")
    sample = None
    if "sample" in sections:
        bits = readings.get("sample_bits")
        sample = encoded.sample_from_table(sections, bits, len(counts.labels), counts.terms)
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
    forms = None
    if analyzer.stem is not None:
        forms = term_tables.forms_from_table(sections, statistics.get("forms_unit_bits"))
    summary = Summary(counts, sample, hidden=hidden, forms=forms)
    return Model(analyzer, summary, Readings.from_json(reading), dropped, provenance, stored=fitted)


def _texts(sections: store.Sections, name: str, schema: tuple[Column, ...]) -> tuple[str, ...] | None:
    """A table of one column of sorted texts, where there is one."""
    if name not in sections:
        return None
    texts = checks.expect_table(sections, name, schema)[schema[0].name]
    checks.strictly_sorted_texts(name, schema[0].name, texts)
    return tuple(texts)


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
