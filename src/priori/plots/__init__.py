"""Pictures of models and of what they are worth; matplotlib is loaded when the first one is drawn."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from priori.plots.classification import confusion, reliability, roc
from priori.plots.data_panels import regression
from priori.plots.explanation import Explained, demo_figure, explanation
from priori.plots.graphical_model import graphical_model
from priori.plots.limit_theorems import central_limit, central_limit_figure, frequency_figure, relative_frequency
from priori.plots.model_selection import comparison, leave_one_out_curve, selection
from priori.plots.save import picture_format, save, svg
from priori.plots.style import new_figure
from priori.plots.terms import telling_figure, top_terms

if TYPE_CHECKING:
    from priori.plots.boundary import decision_boundary
    from priori.plots.class_densities import densities
    from priori.plots.estimate import estimate_figure
    from priori.plots.learning import learning_curves, learning_figure, technique_curves, technique_figure
    from priori.plots.traces import log_joint_traces, size_traces, trace_figure

__all__ = [
    "Explained",
    "central_limit",
    "central_limit_figure",
    "comparison",
    "confusion",
    "decision_boundary",
    "demo_figure",
    "densities",
    "estimate_figure",
    "explanation",
    "frequency_figure",
    "graphical_model",
    "learning_curves",
    "learning_figure",
    "leave_one_out_curve",
    "log_joint_traces",
    "new_figure",
    "picture_format",
    "regression",
    "relative_frequency",
    "reliability",
    "roc",
    "save",
    "selection",
    "size_traces",
    "svg",
    "technique_curves",
    "technique_figure",
    "telling_figure",
    "top_terms",
    "trace_figure",
]

# Loaded when first touched: pictures of estimates need the families, which need scipy.
_HOMES = {
    "decision_boundary": "priori.plots.boundary",
    "densities": "priori.plots.class_densities",
    "estimate_figure": "priori.plots.estimate",
    "learning_curves": "priori.plots.learning",
    "learning_figure": "priori.plots.learning",
    "log_joint_traces": "priori.plots.traces",
    "size_traces": "priori.plots.traces",
    "technique_curves": "priori.plots.learning",
    "technique_figure": "priori.plots.learning",
    "trace_figure": "priori.plots.traces",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'priori.plots' has no attribute {name!r}")
