"""Probability as the limit of relative frequency, N_A / N: several runs close in on it (lecture 000).

>>> import numpy as np
>>> from priori.plots import frequency_figure, save
>>> save(frequency_figure(0.3, np.random.default_rng(0)), "frequency.png")
"""

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from priori.errors import DataError
from priori.plots.style import BLUE, GRID, INK, ORANGE, SMALL, name_axes, new_figure, plain
from priori.plots.ticks import counted, logarithmic

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = npt.NDArray[np.float64]
_PLACES = 400  # where a run is drawn, evenly on the logarithmic scale


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
