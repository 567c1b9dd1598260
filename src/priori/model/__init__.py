"""p(y | x) from columns of any kind: learned, forgotten, merged, left out, evaluated, stored."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from priori.model.classifier import Model
    from priori.model.evaluation import Kept, evaluate, evaluate_table, kept_of
    from priori.model.explanation import Contribution, Explanation, explain, explain_row
    from priori.model.learning import Progress, count
    from priori.model.sampling import sample_table, sample_texts
    from priori.model.table_classifier import TableModel
    from priori.model.totals import TableStatistics

__all__ = [
    "Contribution",
    "Explanation",
    "Kept",
    "Model",
    "Progress",
    "TableModel",
    "TableStatistics",
    "count",
    "evaluate",
    "evaluate_table",
    "explain",
    "explain_row",
    "kept_of",
    "sample_table",
    "sample_texts",
]

# Loaded when first touched: a message needs few of them.
_HOMES = {
    "Contribution": "explanation",
    "Explanation": "explanation",
    "Kept": "evaluation",
    "Model": "classifier",
    "Progress": "learning",
    "TableModel": "table_classifier",
    "TableStatistics": "totals",
    "count": "learning",
    "evaluate": "evaluation",
    "evaluate_table": "evaluation",
    "explain": "explanation",
    "explain_row": "explanation",
    "kept_of": "evaluation",
    "sample_table": "sampling",
    "sample_texts": "sampling",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"priori.model.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'priori.model' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(_HOMES)
