"""The ROC curve: how much of a class is found, against how much of the rest is taken for it."""

from typing import TYPE_CHECKING, Any

import numpy as np

from priori.decisions import Evaluation, Roc
from priori.plots.style import CLASS_COLOURS, LINE, QUIET, legend_below, name_axes, plain, shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST = 8  # classes with a colour and a name: those with most documents
_GREY_ONES = 40  # further classes that are drawn
_GREY: dict[str, Any] = {"color": LINE, "linewidth": 0.9, "alpha": 0.7, "zorder": 2}


def roc(axes: "Axes", evaluation: Evaluation, noun: str = "document", *, low: bool = False) -> None:
    """Draw the curve of the second of two classes, or of each class against the rest.

    low: on a logarithmic axis, for filters that may hardly ever take something for what it is not.
    """
    curves = evaluation.roc()
    ranking = evaluation.ranking
    if ranking is not None and len(ranking.classes) == 2:
        curves = {label: curve for label, curve in curves.items() if label == ranking.classes[1]}
    title = "At few false alarms" if low else "Ranking (ROC)"
    if not curves:
        plain(axes, title, "not measured")
        axes.text(0.5, 0.5, "no curve", transform=axes.transAxes, ha="center", va="center", color=QUIET)
        return
    plain(axes, title, _note(evaluation, curves, low, noun))
    start = _start(curves) if low else 0.0
    chance = np.geomspace(start, 1, 100) if low else np.array([0.0, 1.0])
    axes.plot(chance, chance, color=LINE, linewidth=1.2, zorder=1)
    by_support = sorted(curves, key=lambda label: (-int(curves[label].hits[-1]), label))
    for place, label in enumerate(by_support[: MOST + _GREY_ONES]):
        style = _GREY | ({"label": _others(len(curves) - MOST)} if place == MOST else {})
        if place < MOST:
            style = {
                "color": CLASS_COLOURS[place % len(CLASS_COLOURS)], "linewidth": 1.7, "zorder": 4,
                "linestyle": "-" if place < len(CLASS_COLOURS) else (0, (4, 2)),
                "label": f"{shown(label, 20)}  {curves[label].area:.4f}",
            }  # fmt: skip
        _draw(axes, curves[label], start, low, style)
    _ticks(axes, start)
    name_axes(axes, "share of the rest that is taken for the class", "share of the class that is found")
    legend_below(axes)


def _others(count: int) -> str:
    """What stands for the grey curves."""
    return f"{count:,} more" if count <= _GREY_ONES else f"{_GREY_ONES} of {count:,} more"


def _note(evaluation: Evaluation, curves: dict[str, Roc], low: bool, noun: str) -> str:
    """What is drawn, and its area."""
    if low:
        return f"the same curve{'s' if len(curves) > 1 else ''}, false alarms by powers of ten"
    if len(curves) == 1:
        ((label, curve),) = curves.items()
        return f"how well p({shown(label, 20)}) puts its {noun}s above the others; area {curve.area:.4f}, 1 is best"
    mean = "" if evaluation.auc is None else f"; mean area {evaluation.auc:.4f}"
    return f"each class against the rest, with its area{mean}"


def _draw(axes: "Axes", curve: Roc, start: float, low: bool, style: dict[str, Any]) -> None:
    x, y = curve.false_positive_rate, curve.true_positive_rate
    if low:  # subtle: by steps, for a threshold cannot part equals, and between powers of ten a line would not be one
        axes.step(np.maximum(x, start), y, where="post", **style)
    else:
        axes.plot(x, y, **style)


def _start(curves: dict[str, Roc]) -> float:
    """Half of the smallest rate that can be told from none: a round place at the left for none at all."""
    return 0.5 / max(int(curve.alarms[-1]) for curve in curves.values())


def _ticks(axes: "Axes", start: float) -> None:
    """Shares; on a logarithmic axis (one that does not begin at 0) by powers of ten, its left end being none at all."""
    fifths = np.linspace(0, 1, 6)
    shares = [f"{tick:.0%}" for tick in fifths]
    axes.set_ylim(-0.01, 1.01)
    axes.set_yticks(fifths, shares)
    if not start:
        axes.set_xlim(-0.01, 1.01)
        axes.set_xticks(fifths, shares)
        return
    axes.set_xscale("log")
    axes.set_xlim(start, 1)
    powers = [10.0**power for power in range(-12, 1) if 10.0**power > 2.5 * start]
    axes.set_xticks([start, *powers], ["none", *(f"{100 * power:g}%" for power in powers)])
    axes.set_xticks([], minor=True)
