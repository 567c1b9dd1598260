"""Candidate models by their loss, best first, with how far the numbers can be trusted."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from priori.errors import DataError
from priori.plots.style import BODY, CLASS_COLOURS, INK, LINE, TINY, legend_below, name_axes, plain, room, shown
from priori.plots.ticks import linear, number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST = 24  # candidates shown
_REACH = 8.0  # times as far from the best as the middle one: what lies beyond is only named


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
