"""The words that speak for each class."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from priori.plots.style import (
    BLUE,
    BODY,
    CLASS_COLOURS,
    INK,
    LINE,
    SMALL,
    TINY,
    name_axes,
    plain,
    room,
    shown,
)
from priori.text.legible import legible

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Terms = Mapping[str, Sequence[tuple[str, float]]]
_GAP = 1.6  # rows that the name of a class takes, with the space above it
_LINE = 50  # characters of the words written on one bar


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
