"""The report of a model of texts."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from priori.classifier import Model
from priori.decisions import Evaluation, Mistake
from priori.errors import DataError, EstimateError
from priori.explain import explain
from priori.model_file import digest
from priori.report.content import Curve, Report, ToldMistake, counted, evaluated, provenance_facts
from priori.select.terms import rank
from priori.text.legible import legible

if TYPE_CHECKING:
    from priori.sources import Batch

_BLANK_LINES = re.compile(r"\n[ \t]*\n\s*\n")
_EXCERPT = 600  # characters of a text
_FIELD = 200  # characters of a field of a document, such as the subject of a mail
_TERMS = 8  # of each class
_CLASSES = 40  # whose terms are shown


def text_report(
    model: Model,
    evaluation: Evaluation,
    worst: "Sequence[Mistake[Batch]]",
    *,
    name: str,
    sources: Sequence[str] = (),
    curve: Curve | None = None,
) -> Report:
    """What a model of texts is worth, what it goes by, and why it was wrong where it was most wrong."""
    counts, readings = model.counts, model.readings
    learned = float(counts.class_documents.sum() * counts.unit)
    facts = [
        ("model", name),
        ("learned from", f"{counted(learned, 'document')} of {counted(len(model.labels), 'class')}"),
        ("knows", counted(counts.terms, "term")),
        ("read as", f"{model.plain_readings.event}, {readings.estimate}"),
        *evaluated(evaluation, sources, "document"),
        ("digest", digest(model)[:16]),
        *provenance_facts(model.provenance),
    ]
    told = [_told(model, mistake) for mistake in worst]
    return Report(name, "document", facts, evaluation, told, terms=_terms(model), curve=curve)


def _terms(model: Model) -> dict[str, list[tuple[str, float]]]:
    """The terms that speak most surely for each class; of many classes for the largest."""
    documents = dict(zip(model.labels, model.counts.class_documents.tolist(), strict=True))
    largest = sorted(model.labels, key=lambda label: -documents[label])[:_CLASSES]
    found = {
        label: rank(model.counts, "log-odds", label, _TERMS, model.analyzer.marks)
        for label in model.labels
        if label in set(largest)
    }
    return {label: [(legible(term.term), term.score) for term in terms] for label, terms in found.items()}


def _told(model: Model, mistake: "Mistake[Batch]") -> ToldMistake:
    document = mistake.document
    said = (mistake.position, mistake.truth, mistake.predicted, mistake.log_probability, mistake.predicted_probability)
    fields = [(name, _text(column[0].as_py(), _FIELD)) for name, column in document.fields.items()]
    excerpt = _text(document.text[0].as_py(), _EXCERPT)
    try:
        explanation = explain(model, document, mistake.predicted, mistake.truth)
    except (DataError, EstimateError) as error:  # a class that is impossible has no log-odds
        return ToldMistake(*said, excerpt, fields, None, str(error))
    return ToldMistake(*said, excerpt, fields, explanation)


def _text(value: Any, limit: int) -> str:
    """A document as a person reads it: a text; words; or words and how often each occurs."""
    if value is None:
        return ""
    if isinstance(value, list):
        parts = (part if isinstance(part, str) else " × ".join(map(str, part)) for part in value[:limit])
        value = " ".join(parts) + (" …" if len(value) > limit else "")
    text = value[: 8 * limit].decode("utf-8", "replace") if isinstance(value, bytes) else str(value)[: 8 * limit]
    text = _BLANK_LINES.sub("\n\n", text.replace("\r\n", "\n")).strip()
    return text if len(text) <= limit else f"{text[:limit].rstrip()} …"
