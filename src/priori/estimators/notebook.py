"""A model at a glance, for notebooks."""

from collections.abc import Sequence
from html import escape
from typing import Any

_STYLE = "border-collapse:collapse;font-size:90%"
_CELL = "padding:2px 10px;text-align:right;border-bottom:1px solid #ddd"


_MOST_ROWS = 30  # of a table on a card: it is to be seen at a glance


def model_card(estimator: Any) -> str:
    """The settings, and documents and words by class once fitted."""
    title = _title(estimator)
    if not hasattr(estimator, "model_"):
        return f"<div>{title}<br>not fitted yet</div>"
    counts = estimator.model_.counts
    documents, words = counts.class_documents.tolist(), counts.class_occurrences.tolist()
    rows = [
        (label, f"{n * counts.unit:,g}", f"{m * counts.unit:,g}")
        for label, n, m in zip(counts.labels, documents, words, strict=True)
    ]
    return f"<div>{title}{_table(('class', 'documents', 'features'), rows)}{counts.terms:,} distinct terms</div>"


def table_card(estimator: Any) -> str:
    """The settings, rows by class with their shares, and the columns with their families, once fitted."""
    title = _title(estimator)
    if not hasattr(estimator, "model_"):
        return f"<div>{title}<br>not fitted yet</div>"
    model = estimator.model_
    n = model.statistics.n.tolist()
    classes = [(label, f"{rows:,g}", f"{rows / sum(n):.1%}") for label, rows in zip(model.labels, n, strict=True)]
    parts = zip(model.parts, model.statistics.parts, strict=True)
    columns = [(part.name, str(part.family), f"{float(stats.n.sum()):,g}") for part, stats in parts]
    tables = _table(("class", "rows", "share"), classes) + _table(("column", "family", "cells"), columns)
    return f"<div>{title}{tables}{sum(n):,g} rows</div>"


def _title(estimator: Any) -> str:
    settings = ", ".join(
        f"{name}={value!r}"
        for name, value in estimator.get_params().items()
        if repr(value) != _default(estimator, name)
    )
    return f"<b>{type(estimator).__name__}</b>({escape(settings)})"


def _table(names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """An HTML table, the first column to the left; of a long one its beginning."""
    more = len(rows) - _MOST_ROWS
    shown = [*rows[:_MOST_ROWS], *([(f"and {more:,} more", *("",) * (len(names) - 1))] if more > 0 else [])]
    head = "".join(f'<th style="{_CELL}">{escape(name)}</th>' for name in names)
    body = "".join(
        f'<tr><td style="{_CELL};text-align:left">{escape(first)}</td>'
        + "".join(f'<td style="{_CELL}">{escape(cell)}</td>' for cell in rest)
        + "</tr>"
        for first, *rest in shown
    )
    return f'<table style="{_STYLE}"><tr>{head}</tr>{body}</table>'


def _default(estimator: Any, name: str) -> str:
    return repr(getattr(type(estimator)(), name))
