"""Learning curves of estimation techniques: from no labels to all of them."""

import math
from typing import TYPE_CHECKING, Literal

import numpy as np

from priori.latent.label_curves import TechniqueCurve, TechniqueCurves
from priori.plots.style import CLASS_COLOURS, INK, QUIET, legend_below, name_axes, plain, shown, two_measures
from priori.plots.ticks import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Measure = Literal["accuracy", "log_loss"]
_MARKERS = "osD^vPX"
_COLOURS = (*CLASS_COLOURS, INK)


def technique_figure(compared: TechniqueCurves, of: str = "") -> "Figure":
    """Accuracy and log loss beside each other; of: what the documents are, to stand above."""
    return two_measures(lambda axes, measure: technique_curves(axes, compared, measure), of, 5.4)


def technique_curves(axes: "Axes", compared: TechniqueCurves, measure: Measure = "accuracy") -> None:
    """Draw the mean of each technique with a band of two standard errors. Dashed ones learn from labels alone."""
    accuracy = measure == "accuracy"
    band = "" if compared.repeats < 2 else f"; bands of ± 2 standard errors over {counted(compared.repeats, 'repeat')}"
    reach, missing = [], []
    for number, curve in enumerate(compared.curves):
        values = (curve.accuracy if accuracy else curve.log_loss).mean
        finite = np.isfinite(values)
        if not finite.all():
            missing.append(curve.name)
        if finite.any():
            _draw(axes, compared, curve, measure, number)
            reach += values[finite].tolist()
    if not accuracy:
        chance = math.log(len(compared.classes))
        axes.axhline(chance, color=QUIET, linestyle=":", linewidth=1.3, zorder=3, label="guessing")
        reach.append(chance)
    _reach(axes, compared, reach, accuracy)
    told = "dashed: from labels alone, solid: from unlabelled documents too"
    if missing:
        told = f"infinite somewhere, and not drawn there: {', '.join(missing)}"
    note = f"on {counted(compared.test_documents, 'document')} held out{band}\n{told}"
    plain(axes, "Accuracy" if accuracy else "Log loss", note)
    name_axes(axes, "labels of each class", "share of documents put right" if accuracy else "−log p(y | x), nats")
    legend_below(axes)


def _draw(axes: "Axes", compared: TechniqueCurves, curve: TechniqueCurve, measure: Measure, number: int) -> None:
    scores = curve.accuracy if measure == "accuracy" else curve.log_loss
    values, error = scores.mean, scores.standard_error
    x = np.array([compared.sizes.index(size) for size in curve.sizes], np.float64)
    drawn = np.isfinite(values)
    colour = _COLOURS[number % len(_COLOURS)]
    axes.plot(
        x[drawn], values[drawn], color=colour, marker=_MARKERS[number % len(_MARKERS)], markersize=3.8, linewidth=1.7,
        linestyle=(0, (4, 2)) if curve.supervised else "-", label=shown(curve.name, 24), zorder=4,
    )  # fmt: skip
    if error is not None:
        wide = 2 * np.where(np.isfinite(error), error, 0.0)[drawn]
        axes.fill_between(
            x[drawn], values[drawn] - wide, values[drawn] + wide, color=colour, alpha=0.12, linewidth=0, zorder=2
        )


def _reach(axes: "Axes", compared: TechniqueCurves, reach: list[float], accuracy: bool) -> None:
    low, high = min(reach), max(reach)
    if not accuracy:
        low, high = 0.0, min(high, 2 * math.log(len(compared.classes)))  # far above guessing leaves the picture
    margin = 0.05 * (high - low) or 0.02
    axes.set_ylim(low if not accuracy else low - margin, high + margin)
    names = ["all" if size is None else f"{size:,}" for size in compared.sizes]
    axes.set_xticks(range(len(names)), names)
    axes.set_xlim(-0.3, len(names) - 0.7)
