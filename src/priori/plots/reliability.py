"""The reliability diagram: how often a model is right when it says it is so sure."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from priori.decisions import Reliability
from priori.plots.style import BLUE, INK, LINE, PAPER, SMALL, name_axes, plain
from priori.plots.ticks import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def reliability(axes: "Axes", bins: Reliability, ece_floor: float | None = None, noun: str = "document") -> None:
    """Draw bins of documents (or rows) against the diagonal of perfect calibration; areas are their numbers."""
    plain(axes, "Reliability", "how often it is right when it says it is so sure, with 95 % intervals")
    low, high = _wilson(bins.accuracy, bins.count)
    start = _start(bins)
    axes.plot([0, 1], [0, 1], color=LINE, linewidth=1.2, zorder=1)
    axes.vlines(bins.confidence, low, high, color=BLUE, alpha=0.45, linewidth=1.4, zorder=2)
    share = bins.count / bins.count.sum()
    axes.scatter(
        bins.confidence,
        bins.accuracy,
        s=np.clip(600 * share, 14, 400),
        color=BLUE,
        alpha=0.8,
        edgecolors=PAPER,
        linewidths=0.8,
        zorder=3,
        clip_on=False,
    )
    margin = 0.03 * (1 - start)
    axes.set(xlim=(start, 1 + margin), ylim=(start, 1 + margin))
    ticks = _ticks(start)
    axes.set_xticks(ticks, [f"{tick:.0%}" if start < 0.97 else f"{tick:.1%}" for tick in ticks])
    axes.set_yticks(ticks, [f"{tick:.0%}" if start < 0.97 else f"{tick:.1%}" for tick in ticks])
    name_axes(axes, "probability of the predicted class", "share that is right")
    _write_error(axes, bins, ece_floor, noun)


def _write_error(axes: "Axes", bins: Reliability, ece_floor: float | None, noun: str) -> None:
    """The calibration error and its floor, in the corner that sure and right models leave empty."""
    above = float(np.average(bins.accuracy - bins.confidence, weights=bins.count)) > 0
    place: dict[str, Any] = {"x": 0.97, "y": 0.05, "ha": "right", "va": "bottom"}
    if not above and bins.accuracy.min() < 0.5 * (1 + _start(bins)):  # points lie low at the right: write above them
        place = {"x": 0.04, "y": 0.95, "ha": "left", "va": "top"}
    lines = [f"calibration error {bins.ece:.2%}"]
    if ece_floor is not None:
        lines.append(f"perfect calibration would show {ece_floor:.2%}")
    lines.append(f"{counted(int(bins.count.sum()), noun)} in {counted(len(bins.count), 'bin')}")
    axes.text(
        s="\n".join(lines), transform=axes.transAxes, fontsize=SMALL, color=INK, linespacing=1.5, zorder=4,
        bbox={"facecolor": PAPER, "edgecolor": "none", "alpha": 0.85, "pad": 3}, **place,
    )  # fmt: skip


def _wilson(share: NDArray[np.float64], n: NDArray[np.int64], z: float = 1.96) -> tuple[NDArray[np.float64], ...]:
    """Wilson's 95 % interval of a share seen in n trials; good at 0 and 1 too."""
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return np.clip(middle - half, 0, 1), np.clip(middle + half, 0, 1)


def _start(bins: Reliability) -> float:
    """Where the axes begin: a round number below every point, so that sure models do not fill one corner only."""
    lowest = float(min(bins.confidence.min(), bins.accuracy.min()))
    for start in (0.95, 0.9, 0.8, 0.5):
        if lowest >= start + 0.2 * (1 - start):
            return start
    return 0.0


def _ticks(start: float) -> NDArray[np.float64]:
    return np.linspace(start, 1, 6)
