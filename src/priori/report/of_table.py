"""The report of a model of a table."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from priori.decisions import Evaluation, Mistake
from priori.errors import DataError, EstimateError
from priori.report.content import Columns, Curve, Fact, Report, ToldMistake, counted, evaluated, provenance_facts
from priori.table_classifier import TableModel
from priori.table_explain import explain_row
from priori.table_file import digest
from priori.table_inspection import ColumnSummary, inspect_table

if TYPE_CHECKING:
    from priori.tables import TableBatch

_KINDS = {"naive_bayes": "naive Bayes", "gaussian_discriminant": "Gaussian discriminant"}
_COLUMNS = 60  # shown
_CELLS = 24  # of a row
_CELL = 120  # characters of a cell
_FEW = 6  # classes whose means or most frequent values are shown


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
        ("read as", f"{_KINDS.get(model.kind, model.kind)}, {model.readings.estimate}"),
        *([] if target is None else [("predicts", target)]),
        *evaluated(evaluation, sources, "row"),
        ("digest", digest(model)[:16]),
        *provenance_facts(model.provenance),
    ]
    told = [_told(model, mistake) for mistake in worst]
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


def _told(model: TableModel, mistake: "Mistake[TableBatch]") -> ToldMistake:
    said = (mistake.position, mistake.truth, mistake.predicted, mistake.log_probability, mistake.predicted_probability)
    cells = _cells(mistake.document)
    try:
        explanation = explain_row(model, mistake.document, mistake.predicted, mistake.truth)
    except (DataError, EstimateError) as error:  # a class that is impossible has no log-odds
        return ToldMistake(*said, "", cells, None, str(error))
    return ToldMistake(*said, "", cells, explanation)


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
