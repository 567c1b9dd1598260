"""The leave-one-out curve: the loss of documents that are not learned from, by the strength of the prior."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from priori.errors import DataError
from priori.plots.style import BLUE, BODY, INK, LINE, ORANGE, PAPER, legend_below, name_axes, plain
from priori.plots.ticks import linear

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = npt.NDArray[np.float64]
_HIGHEST = 6.0  # times the range from the best to the median loss; what lies above, and over 3 times the best, is named
_NAMED = 3  # alphas that a note names before it says how many they are


def leave_one_out_curve(
    axes: "Axes",
    alphas: Sequence[float],
    losses: Sequence[float],
    chosen: float,
    *,
    calibrated: Sequence[float] | None = None,
    noun: str = "document",
) -> None:
    """Draw loss against alpha on a logarithmic axis, with a ring at the chosen one; calibrated: a second curve."""
    if calibrated is None:
        curves = {f"each {noun} left out": (*_points(alphas, losses), BLUE)}
    else:
        curves = {"raw": (*_points(alphas, losses), ORANGE), "calibrated": (*_points(alphas, calibrated), BLUE)}
    x, y, colour = list(curves.values())[-1]
    low, high = _range(np.concatenate([loss for _, loss, _ in curves.values()])) if len(x) else (0.0, 1.0)
    above = sorted({float(a) for at, loss, _ in curves.values() for a in at[loss > high]})
    note = f"log loss of each {noun} under a model that has not learned from it"
    plain(axes, "Leave-one-out", f"{note}\n{_beyond(above)}" if above else note)
    for name, (at, loss, drawn) in curves.items():
        inside = loss <= high
        axes.plot(
            at[inside], loss[inside], color=drawn, linewidth=1.8, marker="o", markersize=3.2, label=name, zorder=3
        )
    if len(x):
        unit = linear(axes, low, high, side="y")
        _mark(axes, chosen, float(np.interp(math.log(chosen), np.log(x), y)), colour)
    else:
        unit = ""
        axes.text(0.5, 0.5, "every loss is infinite", transform=axes.transAxes, ha="center", color=INK)
    _powers(axes, min(*alphas, chosen), max(*alphas, chosen))
    name_axes(axes, "alpha, the smoothing", f"−log p(y | x), nats per {noun}{unit}")
    if len(curves) > 1:
        legend_below(axes)


def _points(alphas: Sequence[float], losses: Sequence[float]) -> tuple[Floats, Floats]:
    """By rising alpha, without infinite losses."""
    x, y = np.asarray(alphas, np.float64), np.asarray(losses, np.float64)
    if x.shape != y.shape or x.ndim != 1 or len(x) == 0:
        raise DataError(f"{x.size} alphas and {y.size} losses are no curve; give one loss for each alpha")
    if not (np.isfinite(x).all() and (x > 0).all()):
        raise DataError("an alpha of the curve is not over 0, so it has no place on a logarithmic axis; leave it out")
    order = np.argsort(x, kind="stable")
    order = order[np.isfinite(y[order])]
    return x[order], y[order]


def _range(losses: Floats) -> tuple[float, float]:
    """From the best loss to the worst, or so far that the valley can still be seen."""
    best, worst = float(losses.min()), float(losses.max())
    # subtle: near the best alpha a search looks often, so that the median alone may be almost the best
    usual = max(_HIGHEST * (float(np.median(losses)) - best), 2 * best)
    high = min(worst, best + usual) if usual > 0 else worst
    margin = 0.08 * (high - best) or 0.05 * abs(best) or 0.05
    return best - margin, high + margin


def _beyond(alphas: Sequence[float]) -> str:
    """What is said of losses that would flatten the valley."""
    named = ", ".join(f"{alpha:.3g}" for alpha in alphas[:_NAMED])
    return f"far above: alpha {named}" if len(alphas) <= _NAMED else f"far above: {len(alphas)} alphas, as {named}"


def _mark(axes: "Axes", chosen: float, loss: float, colour: str) -> None:
    """A ring, and a line down to its alpha."""
    axes.axvline(chosen, color=LINE, linewidth=0.9, linestyle=(0, (1, 2)), zorder=1)
    axes.plot(
        [chosen], [loss], "o", markersize=10, markerfacecolor="none", markeredgecolor=colour, markeredgewidth=1.8,
        zorder=4, label="_chosen", clip_on=False,
    )  # fmt: skip
    axes.annotate(
        f"alpha {chosen:.3g}\n{loss:.4f} nats", xy=(chosen, 0.96), xycoords=("data", "axes fraction"),
        xytext=(6 if _left_of_middle(axes, chosen) else -6, 0), textcoords="offset points", fontsize=BODY, color=INK,
        ha="left" if _left_of_middle(axes, chosen) else "right", va="top", zorder=5,
        bbox={"facecolor": PAPER, "edgecolor": "none", "alpha": 0.85, "pad": 2},
    )  # fmt: skip


def _left_of_middle(axes: "Axes", chosen: float) -> bool:
    xs = np.concatenate([np.asarray(line.get_xdata(), np.float64) for line in axes.lines])
    xs = xs[xs > 0]
    return chosen < math.sqrt(float(xs.min()) * float(xs.max()))


def _powers(axes: "Axes", low: float, high: float) -> None:
    """A logarithmic axis with powers of ten, or with its ends where there are none between them."""
    axes.set_xscale("log")
    axes.set_xlim(low / 1.2, high * 1.2)
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    powers = [10.0**power for power in range(first, last + 1, max(1, math.ceil((last - first) / 8)))]
    ticks = powers if len(powers) > 1 else sorted({low, high})
    axes.set_xticks(ticks, [f"{tick:.3g}" for tick in ticks])
    axes.set_xticks([], minor=True)
