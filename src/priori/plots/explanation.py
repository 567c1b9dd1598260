"""Why a document got its label: contributions to the log-odds, each beginning where the last one ended.

The picture of the demonstration shows them beside calibration, confusion and telling words.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from priori.decisions.measures import Evaluation
from priori.formatting import legible
from priori.plots.classification import confusion, reliability
from priori.plots.style import (
    BLUE,
    CLASS_COLOURS,
    INK,
    LINE,
    ORANGE,
    SMALL,
    name_axes,
    new_figure,
    plain,
    shown,
    signed,
)
from priori.plots.terms import Terms, top_terms

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Row = tuple[str, float, float]  # feature, how often it stands in the document, its part of the log-odds
MOST = 12  # bars; what remains is one bar more, so that all add up


@dataclass(frozen=True)
class Explained:
    """One document's evidence for a label against another."""

    rows: Sequence[Row]
    label: str
    against: str
    text: str = ""


def explanation(
    axes: "Axes",
    rows: Sequence[Row],
    label: str,
    against: str,
    *,
    text: str = "",
    colours: tuple[str, str] = (BLUE, ORANGE),
) -> None:
    """Draw the contributions, largest first, as steps from 0 to their sum: the log-odds of the label."""
    plain(axes, f"Why {shown(label, 16)}, not {shown(against, 16)}", f"“{shown(text, 54)}”" if text else "")
    axes.grid(False, axis="y")
    bars = _bars(rows)
    lengths = _lengths([value for _, value in bars])
    position, lowest, highest = 0.0, 0.0, 0.0
    for y, ((_, value), length) in enumerate(zip(bars, lengths, strict=True)):
        colour = colours[0] if value >= 0 else colours[1]
        axes.barh(y, length, left=position, height=0.7, color=colour, hatch="///" if math.isinf(value) else None)
        axes.plot([position + length] * 2, [y - 0.35, y + 1.35], color=LINE, linewidth=0.8, zorder=0)
        _write(axes, position, length, y, number=signed(value), colour=colour)
        position += length
        lowest, highest = min(lowest, position), max(highest, position)
    axes.barh(len(bars), position, height=0.7, color=INK)
    _write(axes, 0.0, position, len(bars), number=_total([v for _, v in bars]), colour=INK, weight="bold")
    axes.set_yticks(range(len(bars) + 1), [*(name for name, _ in bars), "sum"], fontsize=SMALL, parse_math=False)
    axes.get_yticklabels()[-1].set_fontweight("bold")
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(max(len(bars), 6) + 0.6, -0.6)  # few bars do not grow fat
    axes.axvline(0, color=LINE, linewidth=0.8)
    reach = (highest - lowest) or 1.0
    axes.set_xlim(lowest - 0.03 * reach * (lowest < 0), highest + 0.17 * reach)  # numbers stand at the right
    name_axes(axes, f"log-odds:  ← {shown(against, 20)} · {shown(label, 20)} →")


def _bars(rows: Sequence[Row]) -> list[tuple[str, float]]:
    """Named contributions, largest first; those beyond the most that are shown make one bar together."""
    ordered = sorted(rows, key=lambda row: -abs(row[2]))
    shown_rows, rest = (ordered, []) if len(ordered) <= MOST + 1 else (ordered[:MOST], ordered[MOST:])
    bars = [(_named(name) + (f" ×{count:g}" if count != 1 else ""), value) for name, count, value in shown_rows]
    return bars + ([(f"{len(rest):,} more", math.fsum(value for _, _, value in rest))] if rest else [])


def _named(feature: str) -> str:
    """A word; or a column and its value, each cut by itself, so that the sign between them stays."""
    column, sign, value = feature.partition(" = ")
    return f"{shown(column, 16)} = {shown(value, 16)}" if sign and column and value else shown(legible(feature))


def _lengths(values: list[float]) -> list[float]:
    """How long the bars are: their values; an infinite one is longer than the finite ones together."""
    beyond = 1.0 + sum(abs(value) for value in values if math.isfinite(value))
    return [value if math.isfinite(value) else math.copysign(beyond, value) for value in values]


def _total(values: list[float]) -> str:
    infinite = {value for value in values if math.isinf(value)}
    return "undefined (∞ − ∞)" if len(infinite) > 1 else signed(sum(infinite) or math.fsum(values))


def _write(
    axes: "Axes", left: float, length: float, y: float, *, number: str, colour: str, weight: str = "normal"
) -> None:
    """A number at the right end of its bar, where it never meets the names at the left."""
    axes.annotate(
        number, xy=(left + max(length, 0.0), y), xytext=(4, 0), textcoords="offset points",
        ha="left", va="center", fontsize=SMALL, color=colour, fontweight=weight,
    )  # fmt: skip


def demo_figure(evaluation: Evaluation, terms: Terms, explained: Explained) -> "Figure":
    """Four panels that tell what a model does and how far to trust it."""
    figure = new_figure(11.5, 9.5)
    (upper_left, upper_right), (lower_left, lower_right) = figure.subplots(2, 2)
    reliability(upper_left, evaluation.reliability, evaluation.ece_floor)
    confusion(upper_right, evaluation)
    top_terms(lower_left, terms)
    colours = _colours(terms, explained)
    explanation(lower_right, explained.rows, explained.label, explained.against, text=explained.text, colours=colours)
    return figure


def _colours(terms: Terms, explained: Explained) -> tuple[str, str]:
    """The colours that the two classes have among the telling words, so that a colour means one class."""
    if len(terms) > len(CLASS_COLOURS) or not {explained.label, explained.against} <= set(terms):
        return BLUE, ORANGE
    of = dict(zip(terms, CLASS_COLOURS, strict=False))
    return of[explained.label], of[explained.against]
