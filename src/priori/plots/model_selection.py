"""Models compared: by the loss of documents that are left out, or by how probable the data make each of them.

The leave-one-out curve shows the loss by alpha, the strength of the prior; a selection shows candidates by their loss,
with how far it can be trusted; a comparison, how probable each model is, and the numbers that say so.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from priori.errors import DataError
from priori.plots.style import (
    BLUE,
    BODY,
    CLASS_COLOURS,
    INK,
    LINE,
    ORANGE,
    PAPER,
    QUIET,
    SMALL,
    TINY,
    counted,
    legend_below,
    linear,
    name_axes,
    new_figure,
    number,
    plain,
    room,
    shown,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from priori.estimation.comparison import Comparison, Row
    from priori.select.selection_result import Selection

Floats = npt.NDArray[np.float64]
_HIGHEST = 6.0  # times the range from the best to the median loss; what lies above, and over 3 times the best, is named
_NAMED = 3  # alphas that a note names before it says how many they are
_MOST = 24  # candidates or models shown
_REACH = 8.0  # times as far from the best as the middle one: what lies beyond is only named
_SAYS = {"leave-one-out": "each document left out in turn", "k-fold": "by folds", "holdout": "on held-out documents"}
_COLUMNS = ("probability", "log evidence", "AIC", "BIC")
_WIDTH = 62.0  # points, of a column of numbers

# --- loss by alpha ----------------------------------------------------------------------------------------------------


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


# --- candidates by loss -----------------------------------------------------------------------------------------------


def selection_figure(found: "Selection", of: str = "") -> "Figure":
    """Losses with their standard errors, best first, coloured by what is counted of the texts.

    of: what the documents are, to stand above.
    """
    from priori.select.selection_result import alpha_text

    figure = new_figure(9.5, 1.9 + 0.3 * min(len(found.candidates), _MOST))
    if of:
        figure.suptitle(shown(of, 80), fontweight="bold", parse_math=False)
    losses = [each.loss(found.criterion) for each in found.candidates]
    names = [
        f"{each.event} {each.estimate}" + ("" if each.alpha is None else f" α={alpha_text(each.alpha)}")
        for each in found.candidates
    ]
    selection(
        figure.subplots(),
        names,
        [loss.log_loss for loss in losses],
        [loss.standard_error for loss in losses],
        [each.features for each in found.candidates],
        note=f"{counted(found.best.loss(found.criterion).documents, 'document')}, {_SAYS[found.criterion]}",
    )
    return figure


def selection(
    axes: "Axes",
    names: Sequence[str],
    values: Sequence[float],
    errors: Sequence[float] | None = None,
    groups: Sequence[str] | None = None,
    *,
    measure: str = "log loss, nats per document",
    note: str = "",
) -> None:
    """Draw a dot for each candidate at its loss, bars of one standard error, best first; colours are groups."""
    if not names or {len(names)} != {len(given) for given in (values, errors, groups) if given is not None}:
        raise DataError("candidates need a name and a value each, and as many errors and groups; give lists alike")
    if any(math.isnan(value) for value in values):
        raise DataError("a candidate's loss is not a number, so it has no rank; leave the candidate out")
    order = sorted(range(len(names)), key=lambda i: (values[i], names[i]))[:_MOST]
    more = f" · {len(names) - len(order):,} more" if len(order) < len(names) else ""
    spread = "" if errors is None else "\nbars are ± 1 standard error"
    plain(axes, "Candidates, best first", f"{note or 'lower is better'}{more}{spread}")
    kinds = list(dict.fromkeys(groups)) if groups is not None else [""]
    colours = {kind: CLASS_COLOURS[k % len(CLASS_COLOURS)] for k, kind in enumerate(kinds)}
    markers = {kind: "osD^v"[k // len(CLASS_COLOURS) % 5] for k, kind in enumerate(kinds)}
    low, high = _reach([values[i] for i in order], [0.0 if errors is None else errors[i] for i in order])
    size = min(BODY, max(TINY, 0.6 * room(axes)[1] / len(order)))
    named: set[str] = set()
    for y, i in enumerate(order):
        kind = groups[i] if groups is not None else ""
        name = shown(kind, 24) if kind and kind not in named else "_nolegend_"
        inside = values[i] <= high
        error = 0.0 if errors is None or not inside else errors[i]
        axes.errorbar(
            [values[i] if inside else high], [y], xerr=[error] if error else None, color=colours[kind], label=name,
            marker=markers[kind] if inside else ">", markersize=6.5, linewidth=1.6, capsize=3, zorder=3, clip_on=False,
        )  # fmt: skip
        named.add(kind)
        axes.annotate(
            "∞" if math.isinf(values[i]) else number(values[i], (high - low) or 1.0), xy=(1, y),
            xycoords=("axes fraction", "data"), xytext=(52, 0), textcoords="offset points", ha="right", va="center",
            fontsize=size, color=INK, annotation_clip=False, parse_math=False,
        )  # fmt: skip
    if math.isfinite(values[order[0]]):
        axes.axvline(values[order[0]], color=LINE, linewidth=0.9, linestyle=(0, (1, 2)), zorder=1)
    axes.set_yticks(range(len(order)), [shown(names[i], 34) for i in order], fontsize=size, parse_math=False)
    axes.set_ylim(max(len(order), 4) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    unit = linear(axes, low, high)
    name_axes(axes, f"{measure}{unit}")
    if len(kinds) > 1:
        legend_below(axes)


def _reach(values: Sequence[float], errors: Sequence[float]) -> tuple[float, float]:
    """An axis from the best to the worst, or as far as the good ones can still be told apart."""
    finite = [(value, error) for value, error in zip(values, errors, strict=True) if math.isfinite(value)]
    if not finite:
        return 0.0, 1.0
    best, middle = finite[0][0], finite[len(finite) // 2][0]
    bound = best + _REACH * (middle - best) if middle > best else math.inf
    inside = [(value, error) for value, error in finite if value <= bound]
    low, high = min(v - e for v, e in inside), max(v + e for v, e in inside)
    margin = 0.06 * (high - low) or 0.05 * abs(best) or 0.05
    return low - margin, high + margin


# --- models by probability --------------------------------------------------------------------------------------------


def comparison(axes: "Axes", compared: "Comparison") -> None:
    """Draw a bar for each model, as long as its posterior probability, best first, with its numbers beside it."""
    from priori.estimation.distribution import Absent

    rows = compared.rows[:_MOST]
    more = f" · {len(compared.rows) - len(rows):,} more" if len(rows) < len(compared.rows) else ""
    best = compared.best
    absent = isinstance(best.probability, Absent)
    title = "No model has evidence" if absent else f"Most probable: {shown(best.name, 30)}"
    models = f"{counted(len(compared.rows), 'model')} of {counted(best.estimate.n, 'observation')}{more}"
    plain(axes, title, f"{models}\n ")
    size = min(BODY, max(TINY, 0.6 * room(axes)[1] / len(rows)))
    for y, row in enumerate(rows):
        axes.barh(y, row.probability if not isinstance(row.probability, Absent) else 0.0, height=0.7, color=BLUE)
        _write(axes, _numbers(row), xy=(1, y), xycoords=("axes fraction", "data"), fontsize=size, va="center")
    above: dict[str, Any] = {"xy": (1, 1), "xycoords": "axes fraction", "fontsize": SMALL, "color": QUIET}
    _write(axes, _COLUMNS, lift=6.0, **above)
    axes.set_yticks(range(len(rows)), [shown(row.name, 24) for row in rows], fontsize=size, parse_math=False)
    axes.set(xlim=(0, 1), ylim=(max(len(rows), 4) - 0.4, -0.6))
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "25 %", "50 %", "75 %", "100 %"])
    axes.tick_params(axis="y", length=0)
    axes.grid(False, axis="y")
    name_axes(axes, "probability of the model, given the data")


def _numbers(row: "Row") -> list[str]:
    """What stands in the columns; a dash for what does not exist."""
    from priori.estimation.distribution import Absent

    of, given = row.estimate, row.probability
    share = "–" if isinstance(given, Absent) else f"{given:.1%}" if given >= 0.0005 or given == 0 else "< 0.1%"
    return [share, *("–" if isinstance(v, Absent) else number(v, 1.0) for v in (of.log_evidence, of.aic, of.bic))]


def _write(axes: "Axes", texts: Sequence[str], *, lift: float = 0.0, **style: Any) -> None:
    """Write texts in columns at the right of the axes, aligned at their right ends."""
    for column, text in enumerate(texts, start=1):
        axes.annotate(
            text, xytext=(_WIDTH * column, lift), textcoords="offset points", ha="right", annotation_clip=False,
            parse_math=False, **{"color": INK, **style},
        )  # fmt: skip
