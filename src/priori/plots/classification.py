"""Pictures of an evaluation: the confusion matrix, the reliability diagram and the ROC curve."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from priori.decisions.curves import Reliability, Roc
from priori.decisions.measures import Evaluation
from priori.plots.style import (
    BLUE,
    BODY,
    CLASS_COLOURS,
    INK,
    LINE,
    PAPER,
    QUIET,
    SMALL,
    TINY,
    TITLE,
    counted,
    legend_below,
    name_axes,
    plain,
    room,
    shown,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FEW = 4  # labels that leave room for shares beside the counts, and for names below
_MOST_LABELS = 24  # labels shown; of more, those with most errors, and none without
_COLOURED = 8  # classes whose curve has a colour and a name: those with most documents
_GREY_ONES = 40  # further classes whose curve is drawn
_GREY: dict[str, Any] = {"color": LINE, "linewidth": 0.9, "alpha": 0.7, "zorder": 2}

# --- confusion matrix -------------------------------------------------------------------------------------------------


def confusion(axes: "Axes", evaluation: Evaluation, noun: str = "document") -> None:
    """Draw what was true against what was predicted; of many labels those that are most often mistaken.

    Counts stand on the share of their true label.
    """
    from matplotlib.colors import LinearSegmentedColormap

    chosen = _most_mistaken(evaluation.confusion)
    counts = evaluation.confusion[np.ix_(chosen, chosen)]
    support = evaluation.confusion.sum(axis=1)[chosen]
    shares = counts / np.maximum(support, 1)[:, None]
    of = _which_labels(evaluation.confusion, len(chosen))
    plain(axes, "Confusion", f"accuracy {evaluation.accuracy:.2%} of {counted(evaluation.n, noun)}{of}")
    axes.grid(False)
    for spine in axes.spines.values():
        spine.set_visible(False)
    blues = LinearSegmentedColormap.from_list("priori", [PAPER, "#CFE4F2", BLUE, "#003F66"])
    axes.pcolormesh(shares, cmap=blues, vmin=0, vmax=1.25, edgecolors="#DDE2E6", linewidth=0.8)
    axes.set(xlim=(0, len(chosen)), ylim=(len(chosen), 0))
    _write_counts(axes, counts, shares)
    _name_labels(axes, [evaluation.labels[label] for label in chosen])


def _most_mistaken(counts: NDArray[np.int64]) -> NDArray[np.intp]:
    """The labels to show, in their order."""
    if len(counts) <= _MOST_LABELS:
        return np.arange(len(counts))
    errors = _errors(counts)
    if not errors.any():
        return np.sort(np.argsort(-counts.sum(axis=1), kind="stable")[:_MOST_LABELS])
    return np.sort(np.argsort(-errors, kind="stable")[: min(_MOST_LABELS, int((errors > 0).sum()))])


def _errors(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """How often each label was missed or falsely predicted."""
    return np.asarray(counts.sum(axis=0) + counts.sum(axis=1) - 2 * np.diag(counts))


def _which_labels(counts: NDArray[np.int64], shown: int) -> str:
    """Which labels are shown where not all are."""
    if len(counts) <= _MOST_LABELS:
        return ""
    wrong = int((_errors(counts) > 0).sum())
    which = "most frequent labels"
    if wrong:
        which = "labels with most errors" if wrong > _MOST_LABELS else "labels with errors"
    return f"\nthe {shown} of {len(counts):,} {which}"


def _write_counts(axes: "Axes", counts: NDArray[np.int64], shares: NDArray[np.float64]) -> None:
    """The count in each cell that is not 0; with few labels its share of the true label too."""
    few = len(counts) <= _FEW
    widest = len(f"{counts.max():,}")
    width, height = (points / len(counts) for points in room(axes))
    size = TITLE + 2 if few else min(BODY, max(TINY, min(0.8 * height, width / (0.68 * widest))))
    for row, column in zip(*np.nonzero(counts), strict=True):
        colour = PAPER if shares[row, column] > 0.55 else INK
        place: dict[str, Any] = {"ha": "center", "va": "center", "color": colour}
        x, y = column + 0.5, row + 0.5
        axes.text(x, y - 0.06 * few, f"{counts[row, column]:,}", fontsize=size, **place)
        if few:
            axes.text(x, y + 0.14, f"{shares[row, column]:.1%}", fontsize=SMALL, **place)


def _name_labels(axes: "Axes", labels: list[str]) -> None:
    """Few labels stand at both sides; many are numbered below, so that they leave room for the counts."""
    middles = np.arange(len(labels)) + 0.5
    if len(labels) <= _FEW and max(map(len, labels)) <= 48 // len(labels):
        rows = columns = [shown(label) for label in labels]
    else:
        rows = [f"{shown(label)}  {number}" for number, label in enumerate(labels, start=1)]
        columns = [str(number) for number in range(1, len(labels) + 1)]
    size = min(BODY, max(TINY, 0.75 * room(axes)[1] / len(labels)))
    axes.set_yticks(middles, rows, fontsize=size, parse_math=False)
    axes.set_xticks(middles, columns, fontsize=size, parse_math=False)
    axes.tick_params(length=0)
    name_axes(axes, "predicted", "true")


# --- reliability diagram ----------------------------------------------------------------------------------------------


def reliability(axes: "Axes", bins: Reliability, ece_floor: float | None = None, noun: str = "document") -> None:
    """Draw how often a model is right when it says it is so sure, against the diagonal of perfect calibration.

    A dot is a bin of documents (or rows); its area is their number.
    """
    plain(axes, "Reliability", "how often it is right when it says it is so sure, with 95 % intervals")
    low, high = _wilson(bins.accuracy, bins.count)
    start = _lowest_tick(bins)
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
    ticks = np.linspace(start, 1, 6)
    axes.set_xticks(ticks, [f"{tick:.0%}" if start < 0.97 else f"{tick:.1%}" for tick in ticks])
    axes.set_yticks(ticks, [f"{tick:.0%}" if start < 0.97 else f"{tick:.1%}" for tick in ticks])
    name_axes(axes, "probability of the predicted class", "share that is right")
    _write_error(axes, bins, ece_floor, noun)


def _write_error(axes: "Axes", bins: Reliability, ece_floor: float | None, noun: str) -> None:
    """The calibration error and its floor, in the corner that sure and right models leave empty."""
    above = float(np.average(bins.accuracy - bins.confidence, weights=bins.count)) > 0
    place: dict[str, Any] = {"x": 0.97, "y": 0.05, "ha": "right", "va": "bottom"}
    if not above and bins.accuracy.min() < 0.5 * (1 + _lowest_tick(bins)):  # points lie low at the right: write above
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


def _lowest_tick(bins: Reliability) -> float:
    """Where the axes begin: a round number below every point, so that sure models do not fill one corner only."""
    lowest = float(min(bins.confidence.min(), bins.accuracy.min()))
    for start in (0.95, 0.9, 0.8, 0.5):
        if lowest >= start + 0.2 * (1 - start):
            return start
    return 0.0


# --- ROC curve --------------------------------------------------------------------------------------------------------


def roc(axes: "Axes", evaluation: Evaluation, noun: str = "document", *, low: bool = False) -> None:
    """Draw how much of a class is found against how much of the rest is taken for it, by falling thresholds.

    Of two classes the second has a curve, of more each against the rest.
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
    plain(axes, title, _curves_note(evaluation, curves, low, noun))
    start = _left_end(curves) if low else 0.0
    chance = np.geomspace(start, 1, 100) if low else np.array([0.0, 1.0])
    axes.plot(chance, chance, color=LINE, linewidth=1.2, zorder=1)
    by_support = sorted(curves, key=lambda label: (-int(curves[label].hits[-1]), label))
    for place, label in enumerate(by_support[: _COLOURED + _GREY_ONES]):
        style = _GREY | ({"label": _others(len(curves) - _COLOURED)} if place == _COLOURED else {})
        if place < _COLOURED:
            style = {
                "color": CLASS_COLOURS[place % len(CLASS_COLOURS)], "linewidth": 1.7, "zorder": 4,
                "linestyle": "-" if place < len(CLASS_COLOURS) else (0, (4, 2)),
                "label": f"{shown(label, 20)}  {curves[label].area:.4f}",
            }  # fmt: skip
        _draw_curve(axes, curves[label], start, low, style)
    _rate_ticks(axes, start)
    name_axes(axes, "share of the rest that is taken for the class", "share of the class that is found")
    legend_below(axes)


def _others(count: int) -> str:
    """What stands for the grey curves."""
    return f"{count:,} more" if count <= _GREY_ONES else f"{_GREY_ONES} of {count:,} more"


def _curves_note(evaluation: Evaluation, curves: dict[str, Roc], low: bool, noun: str) -> str:
    """What is drawn, and its area."""
    if low:
        return f"the same curve{'s' if len(curves) > 1 else ''}, false alarms by powers of ten"
    if len(curves) == 1:
        ((label, curve),) = curves.items()
        return f"how well p({shown(label, 20)}) puts its {noun}s above the others; area {curve.area:.4f}, 1 is best"
    mean = "" if evaluation.auc is None else f"; mean area {evaluation.auc:.4f}"
    return f"each class against the rest, with its area{mean}"


def _draw_curve(axes: "Axes", curve: Roc, start: float, low: bool, style: dict[str, Any]) -> None:
    x, y = curve.false_positive_rate, curve.true_positive_rate
    if low:  # subtle: by steps, for a threshold cannot part equals, and between powers of ten a line would not be one
        axes.step(np.maximum(x, start), y, where="post", **style)
    else:
        axes.plot(x, y, **style)


def _left_end(curves: dict[str, Roc]) -> float:
    """Half of the smallest rate that can be told from none: a round place at the left for none at all."""
    return 0.5 / max(int(curve.alarms[-1]) for curve in curves.values())


def _rate_ticks(axes: "Axes", start: float) -> None:
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
