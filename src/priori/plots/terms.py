"""The words that are most informative of each class, and of all classes."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from priori.columns.words.term_ranking import Term
from priori.formatting import legible
from priori.plots.style import (
    BLUE,
    BODY,
    CLASS_COLOURS,
    INK,
    LINE,
    QUIET,
    SMALL,
    TINY,
    name_axes,
    new_figure,
    plain,
    room,
    shown,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Terms = Mapping[str, Sequence[tuple[str, float]]]
_GAP = 1.6  # rows that the name of a class takes, with the space above it
_LINE = 50  # characters of the words written on one bar
_MOST_CLASSES = 23  # with the panel of all classes that makes 24
_BAR, _WORD = 0.2, 22  # inches that a bar takes; characters of a term

# --- one panel for all classes ----------------------------------------------------------------------------------------


def top_terms(axes: "Axes", terms: Terms) -> None:
    """Draw a bar for each term, as long as its log-odds, class under class; of many classes a bar for each class."""
    rows = sum(len(words) + _GAP for words in terms.values())
    if not rows or (len(terms) <= len(CLASS_COLOURS) and room(axes)[1] / rows >= SMALL + 1):
        _draw_terms(axes, terms, rows)
    else:
        _draw_classes(axes, terms)
    axes.grid(False, axis="y")
    axes.tick_params(axis="y", length=0)
    axes.axvline(0, color=LINE, linewidth=0.8)
    name_axes(axes, "log-odds")


def _draw_terms(axes: "Axes", terms: Terms, rows: float) -> None:
    """A bar for each term under the name of its class."""
    plain(axes, "Telling words", "log-odds of a word for its class")
    y, places, names = 0.0, [], []
    for colour, (label, words) in zip(CLASS_COLOURS, terms.items(), strict=False):
        axes.text(
            0.012, y, shown(label, 40), transform=axes.get_yaxis_transform(), fontsize=BODY, fontweight="bold",
            color=colour, va="center", parse_math=False,
        )  # fmt: skip
        for word, log_odds in words:
            y += 1
            axes.barh(y, log_odds, height=0.72, color=colour, alpha=0.85)
            places.append(y)
            names.append(shown(legible(word)))
        y += _GAP
    axes.set_yticks(places, names, fontsize=SMALL, parse_math=False)
    axes.set_ylim(max(rows - 1, 1.0), -0.8)


def _draw_classes(axes: "Axes", terms: Terms) -> None:
    """A bar for each class, as long as the log-odds of its best word, and its words written on it."""
    height = room(axes)[1]
    few = list(terms.items())[: max(1, int(height / (TINY + 2)))]
    more = f" · {len(terms) - len(few):,} more classes" if len(few) < len(terms) else ""
    plain(axes, "Telling words", f"log-odds of the best word, and the best words of each class{more}")
    size = min(SMALL, height / (len(few) + 1) - 2)
    for y, (_, words) in enumerate(few):
        best = max((log_odds for _, log_odds in words), default=0.0)
        axes.barh(y, best, height=0.8, color=BLUE, alpha=0.25)
        axes.text(
            0.012, y, _line(words), transform=axes.get_yaxis_transform(), fontsize=size, color=INK, va="center",
            parse_math=False,
        )  # fmt: skip
    axes.set_yticks(range(len(few)), [shown(label) for label, _ in few], fontsize=size, parse_math=False)
    axes.set_ylim(len(few) - 0.4, -0.6)


def _line(words: Sequence[tuple[str, float]]) -> str:
    """As many words as fit a line, at least one."""
    line = shown(legible(words[0][0])) if words else ""
    for word, _ in words[1:]:
        if len(line) + len(word) + 3 > _LINE:
            break
        line += f" · {shown(legible(word))}"
    return line


# --- a panel for each class -------------------------------------------------------------------------------------------


def telling_figure(by_class: Mapping[str, Sequence[Term]], information: Sequence[Term]) -> "Figure":
    """Draw the strongest terms of each class by their log-odds, with z-scores, and the most telling of all classes.

    Two classes share one signed panel, more have a panel each. Last comes the information of presence and class.
    """
    labels = [label for label, terms in by_class.items() if terms]
    if len(by_class) == 2:
        rows = max(sum(map(len, by_class.values())), len(information), 4)
        figure = new_figure(11.0, 1.3 + _BAR * rows)
        left, right = figure.subplots(1, 2)
        _draw_signed(left, by_class)
        _draw_information(right, information, list(by_class))
        return figure
    few = labels[:_MOST_CLASSES]
    panels = len(few) + 1
    columns = min(4, panels, max(2, math.ceil(math.sqrt(panels))))
    rows = math.ceil(panels / columns)
    tallest = max([len(by_class[label]) for label in few] + [len(information), 4])
    figure = new_figure(3.4 * columns, rows * (0.95 + _BAR * tallest))
    axes = figure.subplots(rows, columns, squeeze=False).ravel()
    for panel, label in zip(axes, few, strict=False):
        _draw_class(panel, label, by_class[label])
    more = f"\n{len(labels) - len(few):,} more classes are not drawn" if len(labels) > len(few) else ""
    _draw_information(axes[len(few)], information, list(by_class) if len(by_class) == 1 else None, more)
    for panel in axes[panels:]:
        panel.set_axis_off()
    return figure


def _draw_signed(axes: "Axes", by_class: Mapping[str, Sequence[Term]]) -> None:
    """Bars to the right speak for the second class, to the left for the first."""
    first, second = by_class
    drawn = [(term, term.log_odds, 1) for term in by_class[second]]
    drawn += [(term, -term.log_odds, 0) for term in reversed(by_class[first])]
    plain(axes, "Log-odds", f"left for {shown(first, 24)}, right for {shown(second, 24)}; by z-score, beside the bar")
    _bars(axes, drawn, [CLASS_COLOURS[side] for _, _, side in drawn])
    axes.axvline(0, color=LINE, linewidth=0.8)
    name_axes(axes, "log-odds of a word")


def _draw_class(axes: "Axes", label: str, terms: Sequence[Term]) -> None:
    plain(axes, shown(label, 28))
    _bars(axes, [(term, term.log_odds, 1) for term in terms], [BLUE] * len(terms))
    name_axes(axes, "log-odds, in the order of z")


def _bars(axes: "Axes", drawn: Sequence[tuple[Term, float, int]], colours: Sequence[str]) -> None:
    """A bar for each term as long as its log-odds, with the z-score at its end."""
    for y, ((term, length, _), colour) in enumerate(zip(drawn, colours, strict=True)):
        axes.barh(y, length, height=0.72, color=colour, alpha=0.85)
        axes.annotate(
            f"{term.score:.1f}", (length, y), xytext=(3 if length >= 0 else -3, 0), textcoords="offset points",
            ha="left" if length >= 0 else "right", va="center", fontsize=SMALL - 1, color=QUIET, parse_math=False,
        )  # fmt: skip
    _name_bars(axes, [term for term, _, _ in drawn])
    axes.margins(x=0.14)


def _draw_information(axes: "Axes", terms: Sequence[Term], labels: Sequence[str] | None, more: str = "") -> None:
    """The terms of most mutual information, with the class that each speaks for."""
    plain(axes, "Mutual information", f"of presence and class, in nats{more}")
    for y, term in enumerate(terms):
        colour = QUIET if labels is None else CLASS_COLOURS[list(labels).index(term.label)]
        axes.barh(y, term.score, height=0.72, color=colour, alpha=0.85 if labels is not None else 0.35)
        if labels is None:
            axes.text(
                0.03, y, shown(term.label, 26), transform=axes.get_yaxis_transform(), fontsize=SMALL - 1.5, color=INK,
                va="center", parse_math=False,
            )  # fmt: skip
    _name_bars(axes, terms)
    name_axes(axes, "information")


def _name_bars(axes: "Axes", terms: Sequence[Term]) -> None:
    axes.set_yticks(
        range(len(terms)), [shown(legible(term.term), _WORD) for term in terms], fontsize=SMALL, parse_math=False
    )
    axes.set_ylim(max(len(terms), 1) - 0.4, -0.6)
    axes.grid(False, axis="y")
    axes.tick_params(axis="y", length=0)
