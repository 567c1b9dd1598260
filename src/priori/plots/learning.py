"""Learning curves: how good each learner or estimation technique is by the number of labels.

Learners learn from so many labelled rows, and a ring shows where one overtakes the other; techniques learn from so many
labels of each class, from none to all of them.
"""

import math
import textwrap
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from priori.plots.style import (
    CLASS_COLOURS,
    INK,
    LINE,
    QUIET,
    SMALL,
    counted,
    legend_below,
    name_axes,
    new_figure,
    plain,
    shown,
    two_measures,
)
from priori.select.learning_curves import about

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from priori.select.learning_curves import LearnerComparison, Measure
    from priori.select.method_curves import TechniqueCurve, TechniqueCurves

_LEARNER_MARKERS = "osD^vP"
_TECHNIQUE_MARKERS = "osDdvPX"  # none is a triangle that points up: that says that a curve goes on above
_TECHNIQUE_COLOURS = (*CLASS_COLOURS, INK)
_ERRORS_FROM = 3  # repeats: two say too little of how far others would lie apart
_NOTE, _NOTE_LINES = 92, 3  # letters of a line above a picture; lines, so that both titles are as high
_BARS_APART, _MARKS_APART = 0.015, 0.08  # so that several at one size do not hide each other; sizes are 1 apart

# --- learners ---------------------------------------------------------------------------------------------------------


def learning_figure(compared: "LearnerComparison", of: str = "") -> "Figure":
    """Accuracy and log loss beside each other; of: what the rows are, to stand above."""
    return two_measures(lambda axes, measure: learning_curves(axes, compared, measure), of, 5.2)


def learning_curves(axes: "Axes", compared: "LearnerComparison", measure: "Measure" = "accuracy") -> None:
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


def _mark_crossings(axes: "Axes", compared: "LearnerComparison", measure: "Measure") -> None:
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
    return _LEARNER_MARKERS * 10


# --- estimation techniques --------------------------------------------------------------------------------------------


def technique_figure(compared: "TechniqueCurves", of: str = "") -> "Figure":
    """Accuracy and log loss beside each other, and one legend for both; of: what the documents are, to stand above."""
    figure = new_figure(11.5, 5.6)
    if of:
        figure.suptitle(shown(of, 80), fontweight="bold", parse_math=False)
    left, right = figure.subplots(1, 2)
    _panel(left, compared, "accuracy")
    _panel(right, compared, "log_loss")
    named = dict(zip(*reversed(_named(left)), strict=True)) | dict(zip(*reversed(_named(right)), strict=True))
    figure.legend(
        list(named.values()), list(named), loc="outside lower left", ncols=4, fontsize=SMALL, frameon=False,
        labelcolor=INK, columnspacing=2.0, handlelength=2.6,
    )  # fmt: skip
    return figure


def technique_curves(axes: "Axes", compared: "TechniqueCurves", measure: "Measure" = "accuracy") -> None:
    """Draw the mean of each technique, with bars of two standard errors. Dashed ones learn from labels alone."""
    _panel(axes, compared, measure)
    legend_below(axes)


def _named(axes: "Axes") -> tuple[list[object], list[str]]:
    handles, names = axes.get_legend_handles_labels()
    return list(handles), names


def _panel(axes: "Axes", compared: "TechniqueCurves", measure: "Measure") -> None:
    accuracy = measure == "accuracy"
    if not accuracy:
        chance = math.log(len(compared.classes))
        axes.axhline(chance, color=QUIET, linestyle=":", linewidth=1.3, zorder=3, label="guessing")
    low, high = _reach(compared, measure)
    axes.set_ylim(low, high)
    for number, curve in enumerate(compared.curves):
        if np.isfinite(_means(curve, measure)).any():
            _draw(axes, compared, curve, measure, number)
    above = [] if accuracy else _mark_above(axes, compared, high)
    names = ["all" if size is None else f"{size:,}" for size in compared.sizes]
    axes.set_xticks(range(len(names)), names)
    axes.set_xlim(-0.3, len(names) - 0.7)
    note = _note(compared, measure, above)
    plain(axes, "Accuracy" if accuracy else "Log loss", note + "\n " * (_NOTE_LINES - len(note.splitlines())))
    name_axes(axes, "labels of each class", "share of documents put right" if accuracy else "−log p(y | x), nats")


def _means(curve: "TechniqueCurve", measure: "Measure") -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return (curve.accuracy if measure == "accuracy" else curve.log_loss).mean


def _reach(compared: "TechniqueCurves", measure: "Measure") -> tuple[float, float]:
    """The ends of the axis; a loss far above guessing leaves the picture."""
    values = np.concatenate([_means(curve, measure) for curve in compared.curves])
    values = values[np.isfinite(values)]
    if measure == "log_loss":
        chance = math.log(len(compared.classes))
        return 0.0, 1.05 * max(chance, min(float(values.max(initial=0.0)), 2 * chance))
    low, high = float(values.min()), float(values.max())
    margin = 0.05 * (high - low) or 0.02
    return low - margin, high + margin


def _draw(axes: "Axes", compared: "TechniqueCurves", curve: "TechniqueCurve", measure: "Measure", number: int) -> None:
    values = _means(curve, measure)
    error = (curve.accuracy if measure == "accuracy" else curve.log_loss).standard_error
    x = np.array([compared.sizes.index(size) for size in curve.sizes], np.float64)
    drawn = np.isfinite(values)
    colour = _TECHNIQUE_COLOURS[number % len(_TECHNIQUE_COLOURS)]
    axes.plot(
        x[drawn], values[drawn], color=colour, marker=_TECHNIQUE_MARKERS[number % len(_TECHNIQUE_MARKERS)],
        markersize=4.2, linewidth=1.7,
        linestyle=(0, (4, 2)) if curve.supervised else "-", label=shown(curve.name, 24), zorder=4,
    )  # fmt: skip
    if error is not None and compared.repeats >= _ERRORS_FROM:
        inside = drawn & (values <= axes.get_ylim()[1])
        aside = x[inside] + _BARS_APART * (number - (len(compared.curves) - 1) / 2)
        middle, wide = values[inside], 2 * error[inside]
        axes.vlines(aside, middle - wide, middle + wide, color=colour, alpha=0.5, linewidth=1.5, zorder=3)


def _mark_above(axes: "Axes", compared: "TechniqueCurves", high: float) -> list[str]:
    """A triangle at the upper edge for each curve that lies above it there; the names of such curves."""
    above: set[int] = set()
    for place, size in enumerate(compared.sizes):
        there = [number for number, curve in enumerate(compared.curves) if high < _loss_at(curve, size) < math.inf]
        for mark, number in enumerate(there):
            x = place + _MARKS_APART * (mark - (len(there) - 1) / 2)
            colour = _TECHNIQUE_COLOURS[number % len(_TECHNIQUE_COLOURS)]
            axes.plot([x], [0.985 * high], "^", color=colour, markersize=5.5, clip_on=False, zorder=5)
        above |= {*there}
    return [compared.curves[number].name for number in sorted(above)]


def _loss_at(curve: "TechniqueCurve", size: int | None) -> float:
    """The mean there; NaN where the technique cannot be had."""
    return float(curve.log_loss.mean[curve.sizes.index(size)]) if size in curve.sizes else math.nan


def _note(compared: "TechniqueCurves", measure: "Measure", above: list[str]) -> str:
    lines = [f"on {counted(compared.test_documents, 'document')} held out"]
    if compared.repeats > 1:
        bars = "; bars: ± 2 standard errors" if compared.repeats >= _ERRORS_FROM else ""
        lines[0] += f", means of {counted(compared.repeats, 'repeat')}{bars}"
    missing = [curve.name for curve in compared.curves if not np.isfinite(_means(curve, measure)).all()]
    if measure == "accuracy":
        lines.append("dashed: from labels alone, solid: from unlabelled documents too")
    if above:
        lines.append(f"▲ goes on above the picture: {_listed(above)}")
    if missing:
        lines.append(f"infinite somewhere, and not drawn there: {_listed(missing)}")
    return "\n".join(part for line in lines for part in textwrap.wrap(line, _NOTE))


def _listed(names: Iterable[str]) -> str:
    """Names apart, some of which have a comma."""
    return "; ".join(shown(name, 24) for name in names)
