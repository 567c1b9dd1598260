"""The picture of a selection: candidates by their loss, coloured by what is counted of the texts."""

from typing import TYPE_CHECKING

from priori.plots.selection import selection
from priori.plots.style import new_figure, shown
from priori.plots.ticks import counted
from priori.select.selection import Selection, alpha_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SAYS = {"leave-one-out": "each document left out in turn", "k-fold": "by folds", "holdout": "on held-out documents"}


def selection_figure(found: Selection, of: str = "") -> "Figure":
    """Losses with their standard errors, best first; of: what the documents are, to stand above."""
    figure = new_figure(9.5, 1.9 + 0.3 * min(len(found.candidates), 24))
    if of:
        figure.suptitle(shown(of, 80), fontweight="bold", parse_math=False)
    losses = [each.loss(found.criterion) for each in found.candidates]
    names = [
        f"{each.event} {each.estimate}" + ("" if each.alpha is None else f" α={alpha_text(each.alpha)}")
        for each in found.candidates
    ]
    selection(
        figure.subplots(),
        names,
        [loss.log_loss for loss in losses],
        [loss.standard_error for loss in losses],
        [each.features for each in found.candidates],
        note=f"{counted(found.best.loss(found.criterion).documents, 'document')}, {_SAYS[found.criterion]}",
    )
    return figure
