"""The limit theorems of the lecture: relative frequencies close in on a probability, and sums become normal.

Probability is the limit of relative frequency, N_A / N: several runs close in on it (lecture 000).

>>> import numpy as np
>>> from priori.plots import frequency_figure, save
>>> save(frequency_figure(0.3, np.random.default_rng(0)), "frequency.png")

The central limit theorem: sums of independent draws, however skewed, become normal (lecture 003).

>>> from priori.plots import central_limit_figure
>>> save(central_limit_figure(np.random.default_rng(0), size=1_000), "central_limit.png")
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from priori.errors import DataError
from priori.plots.style import BLUE, GRID, INK, LINE, ORANGE, SMALL, counted, logarithmic, name_axes, new_figure, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = npt.NDArray[np.float64]
_PLACES = 400  # where a run is drawn, evenly on the logarithmic scale
_REACH = (-3.2, 4.2)  # standard deviations that are shown
_BINS = 74
_CURVE = 741  # points of a curve


def frequency_figure(probability: float, rng: np.random.Generator, *, trials: int = 10_000, runs: int = 8) -> "Figure":
    """A picture of its own of `relative_frequency`."""
    figure = new_figure(7.5, 4.5)
    relative_frequency(figure.subplots(), probability, rng, trials=trials, runs=runs)
    return figure


def relative_frequency(
    axes: "Axes", probability: float, rng: np.random.Generator, *, trials: int = 10_000, runs: int = 8
) -> None:
    """Draw how often an event has happened so far, in each of some runs, and p ± 2 √(p (1 - p) / n) around them."""
    if not 0 < probability < 1:
        raise DataError(f"probability={probability!r} leaves nothing to chance; give a number between 0 and 1")
    if trials < 2 or runs < 1:
        raise DataError(f"{runs} runs of {trials} trials show no convergence; give at least 1 run of 2 trials")
    n = np.unique(np.geomspace(1, trials, _PLACES).round().astype(np.int64))
    last = 0.0
    for _ in range(runs):
        shares = _shares(n, probability, rng)
        axes.plot(n, shares, color=BLUE, alpha=0.55, linewidth=1.0, label="a run", zorder=3)
        last = max(last, abs(float(shares[-1]) - probability))
    _funnel(axes, n, probability)
    made = f"{counted(runs, 'run')} of {trials:,} trials"
    note = f"{made}; at the end the farthest is {last:.2g} off p = {probability:g}"
    plain(axes, "Relative frequency becomes probability", note)
    logarithmic(axes, 1, trials)
    axes.set_ylim(-0.03, 1.03)
    name_axes(axes, "trials n", "share of trials in which the event happened")
    _legend(axes, probability)


def _shares(n: npt.NDArray[np.int64], probability: float, rng: np.random.Generator) -> Floats:
    """The relative frequency after each of the numbers n of trials, in one run."""
    # the trials between two places matter by their sum alone, which is binomial: a long run costs no more than a short
    happened = rng.binomial(np.diff(n, prepend=0), probability).cumsum()
    shares: Floats = happened / n
    return shares


def _funnel(axes: "Axes", n: npt.NDArray[np.int64], probability: float) -> None:
    half = 2 * np.sqrt(probability * (1 - probability) / n)
    axes.fill_between(n, probability - half, probability + half, color=GRID, zorder=1)
    for side in (probability - half, probability + half):
        axes.plot(n, side, color=ORANGE, linewidth=1.2, label="p ± 2 √(p (1 − p) / n)", zorder=2)
    axes.axhline(probability, color=INK, linewidth=1.0, label=f"p = {probability:g}", zorder=4)


def _legend(axes: "Axes", probability: float) -> None:
    """Each name once, at the right, on that side of the funnel where more room is."""
    handles = {str(line.get_label()): line for line in axes.lines}
    legend = axes.legend(
        list(handles.values()), list(handles), loc="upper right" if probability <= 0.5 else "lower right",
        fontsize=SMALL, frameon=False, labelcolor=INK,
    )  # fmt: skip
    for line in legend.get_lines():
        line.set(alpha=1.0, linewidth=1.4)


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
