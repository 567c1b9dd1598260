"""The picture of the demonstration: calibration, confusion, telling words, and one message explained."""

from typing import TYPE_CHECKING

from priori.decisions import Evaluation
from priori.plots.confusion import confusion
from priori.plots.explanation import Explained, explanation
from priori.plots.reliability import reliability
from priori.plots.style import BLUE, CLASS_COLOURS, ORANGE, new_figure
from priori.plots.terms import Terms, top_terms

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def demo_figure(evaluation: Evaluation, terms: Terms, explained: Explained) -> "Figure":
    """Four panels that tell what a model does and how far to trust it."""
    figure = new_figure(11.5, 9.5)
    (upper_left, upper_right), (lower_left, lower_right) = figure.subplots(2, 2)
    reliability(upper_left, evaluation.reliability, evaluation.ece_floor)
    confusion(upper_right, evaluation)
    top_terms(lower_left, terms)
    colours = _colours(terms, explained)
    explanation(lower_right, explained.rows, explained.label, explained.against, text=explained.text, colours=colours)
    return figure


def _colours(terms: Terms, explained: Explained) -> tuple[str, str]:
    """The colours that the two classes have among the telling words, so that a colour means one class."""
    if len(terms) > len(CLASS_COLOURS) or not {explained.label, explained.against} <= set(terms):
        return BLUE, ORANGE
    of = dict(zip(terms, CLASS_COLOURS, strict=False))
    return of[explained.label], of[explained.against]
