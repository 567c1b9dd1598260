"""A model at a glance, for notebooks."""

from html import escape
from typing import Any

_STYLE = "border-collapse:collapse;font-size:90%"
_CELL = "padding:2px 10px;text-align:right;border-bottom:1px solid #ddd"


def model_card(estimator: Any) -> str:
    """The settings, and documents and words by class once fitted."""
    settings = ", ".join(
        f"{name}={value!r}" for name, value in estimator.get_params().items() if value != _default(estimator, name)
    )
    title = f"<b>{type(estimator).__name__}</b>({escape(settings)})"
    if not hasattr(estimator, "model_"):
        return f"<div>{title}<br>not fitted yet</div>"
    counts = estimator.model_.counts
    rows = "".join(
        f'<tr><td style="{_CELL};text-align:left">{escape(label)}</td>'
        f'<td style="{_CELL}">{documents * counts.unit:,g}</td><td style="{_CELL}">{words * counts.unit:,g}</td></tr>'
        for label, documents, words in zip(
            counts.labels, counts.class_documents.tolist(), counts.class_occurrences.tolist(), strict=True
        )
    )
    head = "".join(f'<th style="{_CELL}">{name}</th>' for name in ("class", "documents", "features"))
    return f'<div>{title}<table style="{_STYLE}"><tr>{head}</tr>{rows}</table>{counts.terms:,} distinct terms</div>'


def _default(estimator: Any, name: str) -> Any:
    return getattr(type(estimator)(), name)
