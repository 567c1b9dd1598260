"""Learning curves: how good each learner is by the number of labelled rows, and where one overtakes the other."""

import math
from typing import TYPE_CHECKING

import numpy as np

from priori.plots.style import (
    CLASS_COLOURS,
    INK,
    LINE,
    QUIET,
    SMALL,
    legend_below,
    name_axes,
    plain,
    shown,
    two_measures,
)
from priori.plots.ticks import counted
from priori.select.crossings import Measure, about
from priori.select.learning_curves import LearnerComparison

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MARKERS = "osD^vP"


def learning_figure(compared: LearnerComparison, of: str = "") -> "Figure":
    """Accuracy and log loss beside each other; of: what the rows are, to stand above."""
    return two_measures(lambda axes, measure: learning_curves(axes, compared, measure), of, 5.2)


def learning_curves(axes: "Axes", compared: LearnerComparison, measure: Measure = "accuracy") -> None:
    """Draw the mean of each learner with a band of two standard errors, and a ring where curves cross for good.

    Solid lines are generative learners, dashed ones discriminative. The best accuracy that there can be is dotted.
    """
    accuracy = measure == "accuracy"
    band = "" if compared.repeats < 2 else f"; bands of ± 2 standard errors over {counted(compared.repeats, 'repeat')}"
    drawn = f"on {counted(compared.test_rows, 'row')} held out{band}"
    plain(axes, "Accuracy" if accuracy else "Log loss", f"{drawn}\nsolid: generative, dashed: discriminative")
    x = np.array(compared.sizes, np.float64)
    highest = 2 * math.log(len(compared.classes))  # twice what guessing has; what lies above it leaves the picture
    reach: list[float] = []
    for curve, colour, marker in zip(compared.curves, _colours(len(compared.curves)), _markers(), strict=False):
        scores = curve.of(measure)
        if scores is None:
            continue
        inside = np.minimum(scores.mean, 1e6)  # subtle: an infinite loss leaves the picture at its upper edge
        axes.plot(
            x, inside, color=colour, marker=marker, markersize=3.8, linewidth=1.7, label=shown(curve.name, 24),
            linestyle="-" if curve.generative else (0, (4, 2)), zorder=4,
        )  # fmt: skip
        error = scores.standard_error
        if error is not None:
            wide = 2 * np.where(np.isfinite(error), error, 0.0)
            axes.fill_between(x, inside - wide, inside + wide, color=colour, alpha=0.12, linewidth=0, zorder=2)
        reach += inside.tolist()
    if accuracy and compared.optimum is not None:
        axes.axhline(compared.optimum[0], color=INK, linestyle=":", linewidth=1.5, label="Bayes-optimal", zorder=3)
        reach.append(compared.optimum[0])
    _mark_crossings(axes, compared, measure)
    low, high = min(reach), max(reach) if accuracy else min(max(reach), highest)
    margin = 0.06 * (high - low) or 0.02
    axes.set_ylim(low - margin, high + margin)
    _sizes(axes, compared.sizes)
    name_axes(axes, "labelled rows", "share of rows put right" if accuracy else "−log p(y | x), nats per row")
    legend_below(axes)


def _mark_crossings(axes: "Axes", compared: LearnerComparison, measure: Measure) -> None:
    x = np.log(np.array(compared.sizes, np.float64))
    colours = dict(zip((curve.name for curve in compared.curves), _colours(len(compared.curves)), strict=True))
    there = [crossing for crossing in compared.crossings if crossing.measure == measure and crossing.size is not None]
    for number, crossing in enumerate(there):
        size = crossing.size or math.nan
        scores = compared[crossing.discriminative].of(measure)
        if scores is None:
            continue
        y = float(np.interp(math.log(size), x, np.minimum(scores.mean, 1e6)))
        axes.plot(
            [size], [y], "o", markersize=10, markerfacecolor="none", markeredgecolor=colours[crossing.generative],
            markeredgewidth=1.8, zorder=5,
            label=f"{shown(crossing.discriminative, 20)} overtakes {shown(crossing.generative, 20)}"
            + (" for good" if crossing.certain else ", perhaps"),
        )  # fmt: skip
        axes.axvline(size, color=LINE, linewidth=0.9, linestyle=(0, (1, 2)), zorder=1)
        axes.annotate(
            about(size), xy=(size, 0), xycoords=("data", "axes fraction"), xytext=(3, 4 + 11 * number),
            textcoords="offset points", fontsize=SMALL, color=QUIET,
        )  # fmt: skip


def _sizes(axes: "Axes", sizes: tuple[int, ...]) -> None:
    """A logarithmic axis with the sizes that were tried, as many as can be read beside each other."""
    axes.set_xscale("log")
    axes.set_xlim(sizes[0] / 1.15, sizes[-1] * 1.15)
    apart = math.log(sizes[-1] / sizes[0]) / 8
    told: list[int] = []
    for size in sizes:
        if not told or math.log(size / told[-1]) >= 0.99 * apart:
            told.append(size)
    if told[-1] != sizes[-1]:
        told = [*(size for size in told if math.log(sizes[-1] / size) >= 0.99 * apart), sizes[-1]]
    axes.set_xticks(told, [f"{size:,}" for size in told])
    axes.set_xticks([], minor=True)


def _colours(number: int) -> list[str]:
    return [CLASS_COLOURS[place % len(CLASS_COLOURS)] for place in range(number)]


def _markers() -> str:
    return _MARKERS * 10
