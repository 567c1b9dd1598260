"""What stands on the page, before it is one: the same for a model of texts and a model of a table."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from priori.columns.words.term_ranking import rank
from priori.decisions.measures import Evaluation
from priori.decisions.mistakes import Mistake
from priori.errors import DataError, EstimateError
from priori.formatting import legible
from priori.model.classifier import Model
from priori.model.explanation import Explanation, explain, explain_row
from priori.model.file import digest as text_digest
from priori.model.table_classifier import TableModel
from priori.model.table_file import digest as table_digest
from priori.model.table_inspection import KINDS, ColumnSummary, inspect_table

if TYPE_CHECKING:
    from priori.data.batch import Batch, TableBatch
    from priori.report.sections import Matched

Curve: TypeAlias = tuple[Sequence[float], Sequence[float], float]  # alphas, their leave-one-out losses, the chosen one
Fact: TypeAlias = tuple[str, str]
_EXCERPT = 600  # characters of a text
_FIELD = 200  # characters of a field of a document, such as the subject of a mail
_TERMS = 8  # of each class
_CLASSES = 40  # whose terms are shown
_BLANK_LINES = re.compile(r"\n[ \t]*\n\s*\n")
_COLUMNS = 60  # shown
_CELLS = 24  # of a row
_CELL = 120  # characters of a cell
_FEW = 6  # classes whose means or most frequent values are shown


@dataclass(frozen=True)
class ToldMistake:
    """A mistake, its document as it can be shown, and why it was made; or why that cannot be said."""

    position: int
    truth: str
    predicted: str
    log_probability: float  # of the truth
    predicted_probability: float
    excerpt: str  # of a text
    cells: Sequence[Fact]  # of a row, or the fields of a document
    explanation: Explanation | None
    why_not: str | None = None


@dataclass(frozen=True)
class Columns:
    """What a model of a table knows of its columns: names of what is known, and a row for each column."""

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Report:
    """Everything on the page."""

    name: str  # of the model
    noun: str  # document or row
    facts: Sequence[Fact]
    evaluation: Evaluation
    mistakes: Sequence[ToldMistake]
    terms: Mapping[str, Sequence[tuple[str, float]]] | None = None  # by class, with how surely they speak for it
    columns: Columns | None = None
    curve: Curve | None = None
    matched: "Matched | None" = None  # where no label is a class of the model


# --- models of texts --------------------------------------------------------------------------------------------------


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
        ("digest", text_digest(model)[:16]),
        *provenance_facts(model.provenance),
    ]
    why = partial(explain, model)
    told = [_told(mistake, why, _excerpt(mistake.document), _fields(mistake.document)) for mistake in worst]
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


def _excerpt(document: "Batch") -> str:
    return _text(document.text[0].as_py(), _EXCERPT)


def _fields(document: "Batch") -> list[Fact]:
    return [(name, _text(column[0].as_py(), _FIELD)) for name, column in document.fields.items()]


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


# --- models of tables -------------------------------------------------------------------------------------------------


def table_report(
    model: TableModel,
    evaluation: Evaluation,
    worst: "Sequence[Mistake[TableBatch]]",
    *,
    name: str,
    sources: Sequence[str] = (),
    curve: Curve | None = None,
) -> Report:
    """What a model of a table is worth, what it knows of its columns, and why it was wrong where it was most wrong."""
    target = model.readings.target
    facts = [
        ("model", name),
        ("learned from", f"{counted(float(model.statistics.n.sum()), 'row')} of {counted(len(model.labels), 'class')}"),
        ("knows", counted(len(model.schema.names), "column")),
        ("read as", f"{KINDS.get(model.kind, model.kind)}, {model.readings.estimate}"),
        *([] if target is None else [("predicts", target)]),
        *evaluated(evaluation, sources, "row"),
        ("digest", table_digest(model)[:16]),
        *provenance_facts(model.provenance),
    ]
    why = partial(explain_row, model)
    told = [_told(mistake, why, "", _cells(mistake.document)) for mistake in worst]
    return Report(name, "row", facts, evaluation, told, columns=_columns(model), curve=curve)


def _columns(model: TableModel) -> Columns:
    found = inspect_table(model)
    few = len(found.classes) <= _FEW
    rows = [
        (
            each.column, each.family, "–" if each.power is None else f"{each.power:.2f}",
            f"{each.missing:.1%}" if each.missing else "none", _values(each),
            *(_said(value) for value in each.by_class if few),
        )
        for each in found.columns[:_COLUMNS]
    ]  # fmt: skip
    if len(found.columns) > _COLUMNS:
        rows.append((f"and {len(found.columns) - _COLUMNS:,} more", *("" for _ in rows[0][1:])))
    heads = ("column", "family", "power", "missing", "values")
    return Columns((*heads, *(each.label for each in found.classes if few)), rows)


def _values(column: ColumnSummary) -> str:
    if column.low is not None and column.high is not None:
        return f"{_said(column.low)} to {_said(column.high)}"
    return "" if column.values is None else f"{column.values:,}"


def _said(value: float | str | None) -> str:
    """The mean of numbers to four digits, or a value."""
    if value is None or isinstance(value, str):
        return value or "–"
    return f"{value:,.0f}" if 1e4 <= abs(value) < 1e9 else f"{value:.4g}"


def _written(value: object) -> str:
    if value is None:
        return "missing"
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _cells(row: "TableBatch") -> list[Fact]:
    """The cells of a row as they are written, in the order of its columns."""
    found: list[Fact] = []
    for name in row.schema.names[:_CELLS]:
        value = row.columns[name][0].as_py()
        text = _written(value)
        found.append((name, text if len(text) <= _CELL else f"{text[:_CELL]} …"))
    more = len(row.schema.names) - _CELLS
    return [*found, *([("more", counted(more, "column"))] if more > 0 else [])]


# --- models of both kinds ---------------------------------------------------------------------------------------------


def evaluated(evaluation: Evaluation, sources: Sequence[str], noun: str) -> list[Fact]:
    """What it was measured on."""
    skipped = f", and {evaluation.unlabelled:,} without a label, skipped" if evaluation.unlabelled else ""
    return [("measured on", f"{counted(evaluation.n, noun)}{skipped}"), ("from", ", ".join(sources))]


def provenance_facts(provenance: Mapping[str, Any] | None) -> list[Fact]:
    """What was stored of where a model comes from."""
    return [
        (f"training {name}", ", ".join(map(str, value)) if isinstance(value, list) else str(value))
        for name, value in (provenance or {}).items()
    ]


def counted(count: float, noun: str) -> str:
    """`1 document`, `2,000 documents`, `2 classes`."""
    many = f"{noun}es" if noun.endswith("s") else f"{noun}s"
    said = f"{count:,.0f}" if float(count).is_integer() else f"{count:,.6g}"
    return f"{said} {noun if count == 1 else many}"


def _told(
    mistake: "Mistake[Any]", why: Callable[[Any, str, str], Explanation], excerpt: str, cells: Sequence[Fact]
) -> ToldMistake:
    """A mistake with its explanation, or with why there is none."""
    said = (mistake.position, mistake.truth, mistake.predicted, mistake.log_probability, mistake.predicted_probability)
    try:
        explanation = why(mistake.document, mistake.predicted, mistake.truth)
    except (DataError, EstimateError) as error:  # a class that is impossible has no log-odds
        return ToldMistake(*said, excerpt, cells, None, str(error))
    return ToldMistake(*said, excerpt, cells, explanation)
