"""Pictures of models and of what they are worth; matplotlib is loaded when the first one is drawn."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from priori.plots.central_limit import central_limit, central_limit_figure
from priori.plots.confusion import confusion
from priori.plots.demo import demo_figure
from priori.plots.explanation import Explained, explanation
from priori.plots.frequency import frequency_figure, relative_frequency
from priori.plots.graphical_model import graphical_model
from priori.plots.left_out import leave_one_out_curve
from priori.plots.plane import regression
from priori.plots.reliability import reliability
from priori.plots.roc import roc
from priori.plots.save import picture_format, save, svg
from priori.plots.selection import selection
from priori.plots.style import new_figure
from priori.plots.telling import telling_figure
from priori.plots.terms import top_terms

if TYPE_CHECKING:
    from priori.plots.boundary import decision_boundary
    from priori.plots.class_densities import densities
    from priori.plots.compared import comparison
    from priori.plots.estimation import estimate_figure
    from priori.plots.learning import learning_curves, learning_figure
    from priori.plots.techniques import technique_curves, technique_figure
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
    "comparison": "priori.plots.compared",
    "decision_boundary": "priori.plots.boundary",
    "densities": "priori.plots.class_densities",
    "estimate_figure": "priori.plots.estimation",
    "learning_curves": "priori.plots.learning",
    "learning_figure": "priori.plots.learning",
    "log_joint_traces": "priori.plots.traces",
    "size_traces": "priori.plots.traces",
    "technique_curves": "priori.plots.techniques",
    "technique_figure": "priori.plots.techniques",
    "trace_figure": "priori.plots.traces",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'priori.plots' has no attribute {name!r}")
