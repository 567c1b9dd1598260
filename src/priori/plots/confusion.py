"""The confusion matrix: what was true against what was predicted."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from priori.decisions import Evaluation
from priori.plots.style import BLUE, BODY, INK, PAPER, SMALL, TINY, TITLE, name_axes, plain, room, shown
from priori.plots.ticks import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FEW = 4  # labels that leave room for shares beside the counts, and for names below
MOST = 24  # labels shown; of more, those with most errors, and none without


def confusion(axes: "Axes", evaluation: Evaluation, noun: str = "document") -> None:
    """Draw counts on the share of their true label; of many labels those that are most often mistaken."""
    from matplotlib.colors import LinearSegmentedColormap

    chosen = _most_mistaken(evaluation.confusion)
    counts = evaluation.confusion[np.ix_(chosen, chosen)]
    support = evaluation.confusion.sum(axis=1)[chosen]
    shares = counts / np.maximum(support, 1)[:, None]
    of = _said(evaluation.confusion, len(chosen))
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
    if len(counts) <= MOST:
        return np.arange(len(counts))
    errors = _errors(counts)
    if not errors.any():
        return np.sort(np.argsort(-counts.sum(axis=1), kind="stable")[:MOST])
    return np.sort(np.argsort(-errors, kind="stable")[: min(MOST, int((errors > 0).sum()))])


def _errors(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """How often each label was missed or falsely predicted."""
    return np.asarray(counts.sum(axis=0) + counts.sum(axis=1) - 2 * np.diag(counts))


def _said(counts: NDArray[np.int64], shown: int) -> str:
    """Which labels are shown where not all are."""
    if len(counts) <= MOST:
        return ""
    wrong = int((_errors(counts) > 0).sum())
    which = "labels with most errors" if wrong > MOST else "labels with errors" if wrong else "most frequent labels"
    return f"\nthe {shown} of {len(counts):,} {which}"


def _write_counts(axes: "Axes", counts: NDArray[np.int64], shares: NDArray[np.float64]) -> None:
    """The count in each cell that is not 0; with few labels its share of the true label too."""
    few = len(counts) <= FEW
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
    if len(labels) <= FEW and max(map(len, labels)) <= 48 // len(labels):
        rows = columns = [shown(label) for label in labels]
    else:
        rows = [f"{shown(label)}  {number}" for number, label in enumerate(labels, start=1)]
        columns = [str(number) for number in range(1, len(labels) + 1)]
    size = min(BODY, max(TINY, 0.75 * room(axes)[1] / len(labels)))
    axes.set_yticks(middles, rows, fontsize=size, parse_math=False)
    axes.set_xticks(middles, columns, fontsize=size, parse_math=False)
    axes.tick_params(length=0)
    name_axes(axes, "predicted", "true")
