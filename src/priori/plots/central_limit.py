"""The central limit theorem: sums of independent draws, however skewed, become normal (lecture 003).

>>> import numpy as np
>>> from priori.plots import central_limit_figure, save
>>> save(central_limit_figure(np.random.default_rng(0), size=1_000), "central_limit.png")
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from priori.errors import DataError
from priori.plots.style import BLUE, INK, LINE, ORANGE, SMALL, name_axes, new_figure, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_REACH = (-3.2, 4.2)  # standard deviations that are shown
_BINS = 74
_CURVE = 741  # points of a curve


def central_limit_figure(
    rng: np.random.Generator, *, numbers: Sequence[int] = (1, 2, 5, 30), size: int = 20_000
) -> "Figure":
    """One panel for each number of draws in a sum."""
    if not numbers:
        raise DataError("there is no number of draws, so nothing to draw; give some, as (1, 2, 5, 30)")
    figure = new_figure(max(3.0 * len(numbers), 5.0), 3.7)
    panels = figure.subplots(1, len(numbers), sharey=True, squeeze=False)[0]
    for axes, number in zip(panels, numbers, strict=True):
        central_limit(axes, number, rng, size=size)
    name_axes(panels[0], "standard deviations from the mean", "density")
    figure.suptitle(
        "Sums of exponential draws become normal", x=0.01, ha="left", fontsize=13, fontweight="bold", color=INK
    )
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, fontsize=SMALL, frameon=False, labelcolor=INK)
    return figure


def central_limit(axes: "Axes", number: int, rng: np.random.Generator, *, size: int = 20_000) -> None:
    """Draw standardised sums of `number` draws of rate 1: simulated, exactly, and beside the standard normal.

    The sum is Gamma(n, 1), with mean n, variance n and skewness 2 / √n, which goes to 0.
    """
    from scipy.stats import gamma, norm

    if number < 1 or size < 1:
        raise DataError(f"{size} sums of {number} draws are none; give at least 1 of each")
    z = np.linspace(*_REACH, _CURVE)
    root = math.sqrt(number)
    sums = rng.standard_exponential((size, number)).sum(axis=1)
    edges = np.linspace(*_REACH, _BINS + 1)
    counts, _ = np.histogram((sums - number) / root, edges)
    width = edges[1] - edges[0]  # bars share the area of all sums, so that those out of sight do not lift the others
    axes.stairs(counts / (size * width), edges, fill=True, color=BLUE, alpha=0.3, label=f"{size:,} simulated sums")
    axes.plot(z, root * gamma(number).pdf(number + root * z), color=BLUE, linewidth=1.6, label="exact density (gamma)")
    axes.plot(z, norm.pdf(z), color=ORANGE, linewidth=1.6, linestyle=(0, (4, 2)), label="standard normal")
    drawn = "1 draw" if number == 1 else f"{number:,} draws"
    plain(axes, f"Sums of {drawn}" if number > 1 else drawn, f"skewness 2/√n = {2 / root:.2f}")
    axes.axvline(0, color=LINE, linewidth=0.8, zorder=0)
    axes.set(xlim=_REACH, ylim=(0, 1.08))
    axes.set_xticks(range(math.ceil(_REACH[0]), math.floor(_REACH[1]) + 1))
    name_axes(axes, "standard deviations from the mean")
