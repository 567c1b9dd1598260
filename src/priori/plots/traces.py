"""Traces of Gibbs chains: whether they go to the same place, and when."""

from typing import TYPE_CHECKING

import numpy as np

from priori.latent.gibbs_sampling.chains import GibbsResult
from priori.latent.gibbs_sampling.diagnostics import worst
from priori.plots.style import (
    CLASS_COLOURS,
    GRID,
    QUIET,
    SMALL,
    counted,
    legend_below,
    name_axes,
    new_figure,
    plain,
    shown,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def trace_figure(result: GibbsResult) -> "Figure":
    """The log joint of every chain from its start, and beside it the sizes of the classes after burn-in."""
    figure = new_figure(11.5, 4.8)
    left, right = figure.subplots(1, 2)
    log_joint_traces(left, result)
    size_traces(right, result)
    return figure


def log_joint_traces(axes: "Axes", result: GibbsResult) -> None:
    """Draw log p(labels, words) by sweep, a line for each chain; the burn-in is shaded."""
    chains, sweeps = result.log_joint.shape
    note = f"{counted(chains, 'chain')}, {counted(sweeps - 1, 'sweep')}; shaded: burn-in"
    if result.diagnoses:
        note += "\n" + _judged(result)
    plain(axes, "Log joint", note)
    axes.axvspan(0, result.burn_in, color=GRID, linewidth=0, zorder=0)
    for number, trace in enumerate(result.log_joint):
        axes.plot(np.arange(sweeps), trace, color=_colour(number), linewidth=1.1, label=f"chain {number + 1}")
    # subtle: the first sweeps lie far below all others, which would be one flat line with them
    later = result.log_joint[:, min(sweeps - 1, max(1, result.burn_in // 4)) :]
    low, high = float(later.min()), float(result.log_joint.max())
    margin = 0.06 * (high - low) or 1.0
    axes.set_ylim(low - margin, high + margin)
    axes.set_xlim(0, max(1, sweeps - 1))
    _whole_numbers(axes)
    name_axes(axes, "sweep", "log p(labels, words)")
    legend_below(axes)


def size_traces(axes: "Axes", result: GibbsResult) -> None:
    """Draw the documents of each class by sweep after burn-in; a colour for each chain, a line for each class."""
    movable = result.hidden.movable
    plain(
        axes,
        "Documents of each class",
        "a line for each class and chain, after burn-in"
        + ("\nclasses without a name by their rank in size, so that their order does not matter" if movable else ""),
    )
    chains, sweeps, _ = result.sizes.shape
    x = result.burn_in + 1 + np.arange(sweeps)
    for number in range(chains):
        axes.plot(x, result.sizes[number], color=_colour(number), linewidth=0.9, alpha=0.85)
    axes.set_ylim(bottom=0)
    _name_lines(axes, result)
    _whole_numbers(axes)
    name_axes(axes, "sweep", "documents")


def _name_lines(axes: "Axes", result: GibbsResult) -> None:
    """Write the names of classes that keep their places at the ends of their lines, where there is room."""
    fixed = [c for c in range(result.sizes.shape[2]) if not any(c in g for g in result.hidden.groups if len(g) > 1)]
    ends = sorted((float(result.sizes[:, -1, c].mean()), result.names[c]) for c in fixed)
    last = -np.inf
    for height, name in ends:
        if height - last < axes.get_ylim()[1] / 20:
            continue
        last = height
        axes.annotate(
            shown(name, 16), xy=(1, height), xycoords=("axes fraction", "data"), xytext=(3, 0),
            textcoords="offset points", fontsize=SMALL, color=QUIET, va="center", parse_math=False,
        )  # fmt: skip


def _whole_numbers(axes: "Axes") -> None:
    from matplotlib.ticker import MaxNLocator

    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(integer=True))


def _judged(result: GibbsResult) -> str:
    name, diagnosis = worst(result.diagnoses)
    verdict = "the chains agree" if result.agree else "the chains do not agree"
    least = min(each.ess for each in result.diagnoses.values())
    return f"{verdict}: largest R-hat {diagnosis.said} ({shown(name, 40)}); least ESS {least:,.0f}"


def _colour(number: int) -> str:
    return CLASS_COLOURS[number % len(CLASS_COLOURS)]
