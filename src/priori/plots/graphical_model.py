"""Naive Bayes as a graphical model: the plates, the arrows, and the numbers of the model at hand.

A `Pen` draws them in the units of a picture of a given size.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from priori.plots.style import BODY, INK, LINE, PAPER, QUIET, SMALL, TITLE, shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Point = tuple[float, float]
Prior = float | str | None
SIZE = (10.0, 5.0)  # of the picture, in the units it is drawn in; figures of these proportions, in inches, fit best
_RADIUS = 0.36  # of a node
_OBSERVED = "#CFE4F2"
_GAMMA, _PI, _LABEL, _WORD, _THETA, _ALPHA = (0.7, 2.7), (2.25, 2.7), (4.1, 2.7), (6.1, 2.7), (8.35, 2.7), (8.35, 4.35)
_NOTES = {
    "bernoulli": "each term of the vocabulary is in a document or is not",
    "complement": "scored by the counts of all other classes: a discriminant, not a likelihood",
}


class Pen:
    """Draws on axes; letters and lines grow and shrink with the axes, so that nothing ever overlaps."""

    def __init__(self, axes: "Axes", size: Point) -> None:
        axes.set(xlim=(0, size[0]), ylim=(0, size[1]), aspect="equal")
        axes.set_axis_off()
        axes.figure.canvas.figure.draw_without_rendering()  # lays the axes out, so that their size is known
        extent, dpi = axes.get_window_extent(), axes.figure.dpi
        self._axes = axes
        self._scale = min(extent.width / dpi / size[0], extent.height / dpi / size[1])  # inches of one unit

    def write(
        self, x: float, y: float, text: str, *, size: float, colour: str = INK, weight: str = "normal",
        ha: str = "left", va: str = "baseline",
    ) -> None:  # fmt: skip
        """Write text of a size in points, where a unit is an inch."""
        self._axes.text(
            x, y, text, fontsize=size * self._scale, color=colour, fontweight=weight, ha=ha, va=va, zorder=4,
            linespacing=1.3, parse_math=False,
        )  # fmt: skip

    def line(self, start: Point, end: Point, colour: str) -> None:
        """A thin line."""
        xs, ys = zip(start, end, strict=True)
        self._axes.plot(xs, ys, color=colour, linewidth=0.8 * self._scale)

    def plate(self, low: Point, high: Point, caption: str, *, left: bool = False) -> None:
        """A rounded box: what is inside is repeated as often as the caption in its lower corner says."""
        from matplotlib.patches import FancyBboxPatch

        width, height = high[0] - low[0], high[1] - low[1]
        box = FancyBboxPatch(low, width, height, "round,pad=0,rounding_size=0.12")
        box.set(facecolor="none", edgecolor=LINE, linewidth=1.3 * self._scale)
        self._axes.add_patch(box)
        x, side = (low[0] + 0.1, "left") if left else (high[0] - 0.1, "right")
        self.write(x, low[1] + 0.08, caption, size=SMALL, colour=QUIET, ha=side, va="bottom")

    def node(self, centre: Point, letter: str, index: str, caption: str, *, observed: bool = False) -> None:
        """A random variable: shaded where it is seen in the data."""
        x, y = centre
        self._disc(centre, _RADIUS, _OBSERVED if observed else PAPER)
        self.write(x - 0.045 * len(index), y - 0.09, letter, size=17, ha="center")
        self.write(x + 0.12 - 0.045 * len(index) + 0.03 * (letter == "w"), y - 0.15, index, size=BODY)
        self.write(x, y - _RADIUS - 0.08, caption, size=SMALL, colour=QUIET, ha="center", va="top")

    def given(self, place: Point, text: str) -> None:
        """A number that is chosen and not random: a dot."""
        self._disc(place, 0.07, INK)
        self.write(place[0], place[1] + 0.16, text, size=BODY, ha="center", va="bottom")

    def arrow(self, start: Point, end: Point, *, rim: float) -> None:
        """From the rim of one thing to the rim of a node beside, above or below it."""
        from matplotlib.patches import FancyArrowPatch

        right, up = ((b > a) - (b < a) for a, b in zip(start, end, strict=True))
        gap = _RADIUS + 0.03
        first, last = (start[0] + right * rim, start[1] + up * rim), (end[0] - right * gap, end[1] - up * gap)
        arrow = FancyArrowPatch(first, last, arrowstyle="-|>", mutation_scale=13 * self._scale, shrinkA=0, shrinkB=0)
        arrow.set(color=INK, linewidth=1.3 * self._scale)
        self._axes.add_patch(arrow)

    def loop(self, centre: Point) -> None:
        """An arrow from a node to itself, above it: to the next one of the same kind."""
        from matplotlib.patches import FancyArrowPatch

        x, y, reach = centre[0], centre[1] + 0.3, 0.24
        arrow = FancyArrowPatch((x - reach, y), (x + reach, y), arrowstyle="-|>", mutation_scale=13 * self._scale)
        arrow.set(color=INK, linewidth=1.3 * self._scale, connectionstyle="arc3,rad=-1.5")
        self._axes.add_patch(arrow)

    def _disc(self, centre: Point, radius: float, colour: str) -> None:
        from matplotlib.patches import Circle

        self._axes.add_patch(
            Circle(centre, radius, facecolor=colour, edgecolor=INK, linewidth=1.3 * self._scale, zorder=3)
        )


def graphical_model(
    axes: "Axes",
    *,
    classes: Sequence[str],
    documents: int,
    words: int,
    vocabulary: int,
    event: str = "multinomial",
    alpha: Prior = 1.0,
    gamma: Prior = None,
    smoothing: str | None = None,
    order: int = 1,
) -> None:
    """Draw y → w in its plates, with the parameters and their priors.

    alpha and gamma are the priors of the words and of the classes: a number, or what to write of a prior that is
    not one number; None where there is none (maximum likelihood), and then none is drawn. `smoothing` and `order`:
    of language models, whose `words` and `vocabulary` are n-grams.
    """
    pen, bernoulli = Pen(axes, SIZE), event == "bernoulli"
    _title(pen, event, classes)
    if bernoulli:
        _bernoulli(pen, len(classes), documents, vocabulary)
    elif order > 1:
        _language(pen, len(classes), documents, vocabulary)
    else:
        _multinomial(pen, len(classes), documents, words, vocabulary)
    pen.node(_PI, "π", "", f"{len(classes):,} class\nprobabilities")
    pen.node(_LABEL, "y", "d", "label", observed=True)
    for start, end in ((_PI, _LABEL), (_LABEL, _WORD), (_THETA, _WORD)):
        pen.arrow(start, end, rim=_RADIUS)
    for prior, place, target, letter in (
        (gamma, _GAMMA, _PI, "γ"),
        (alpha, _ALPHA, _THETA, "α = β" if bernoulli else "α"),
    ):
        if prior is not None:
            number = isinstance(prior, float | int)
            pen.given(place, f"{letter} = {prior:g}" if number else f"{letter[0]}: {shown(str(prior), 30)}")
            pen.arrow(place, target, rim=0.07)
    _laws(pen, event, alpha, gamma, smoothing=smoothing, order=order)


def _title(pen: Pen, event: str, classes: Sequence[str]) -> None:
    """What model it is, and its classes by name as far as the line goes."""
    title = "A language model for each class" if event == "language" else f"{event.capitalize()} naive Bayes"
    pen.write(0.15, 4.72, title, size=TITLE + 2, weight="bold")
    names, line = [shown(label) for label in classes], ""
    while names and len(line) + len(names[0]) < 60:
        line += (" · " if line else "") + names.pop(0)
    pen.write(0.15, 4.46, line + (f" · {len(names):,} more" if names else ""), size=SMALL, colour=QUIET)
    pen.write(0.15, 4.22, _NOTES.get(event, ""), size=SMALL, colour=QUIET)


def _multinomial(pen: Pen, classes: int, documents: int, words: int, vocabulary: int) -> None:
    pen.plate((3.3, 1.2), (7.2, 3.9), f"d = 1 … {documents:,} documents")
    pen.plate((5.05, 1.6), (7.05, 3.7), f"n = 1 … its length\n{words:,} words in all")
    pen.plate((7.4, 1.2), (9.3, 3.9), f"c = 1 … {classes:,} classes")
    pen.node(_WORD, "w", "dn", "word", observed=True)
    pen.node(_THETA, "θ", "c", f"probabilities of\n{vocabulary:,} terms")


def _language(pen: Pen, classes: int, documents: int, vocabulary: int) -> None:
    pen.plate((3.3, 1.2), (7.2, 3.9), f"d = 1 … {documents:,} documents")
    pen.plate((5.05, 1.6), (7.05, 3.7), "n = 1 … its length + 1")
    pen.plate((7.4, 1.2), (9.3, 3.9), f"c = 1 … {classes:,} classes")
    pen.write(0.15, 4.22, "each word, and the end of a document, follows those before it", size=SMALL, colour=QUIET)
    pen.node(_WORD, "w", "dn", "word or end,\nafter those before", observed=True)
    pen.loop(_WORD)
    pen.node(_THETA, "θ", "c", f"next-word\nprobabilities,\n{vocabulary:,} n-grams")


def _bernoulli(pen: Pen, classes: int, documents: int, vocabulary: int) -> None:
    pen.plate((3.3, 1.2), (7.2, 3.9), f"d = 1 … {documents:,} documents", left=True)
    pen.plate((7.4, 1.2), (9.6, 3.9), f"c = 1 … {classes:,} classes")
    pen.plate((5.05, 1.52), (9.45, 3.7), f"j = 1 … {vocabulary:,} terms")
    pen.node(_WORD, "x", "dj", "is term j\nin it?", observed=True)
    pen.node(_THETA, "φ", "cj", "probability of\nterm j in class c")


def _laws(pen: Pen, event: str, alpha: Prior, gamma: Prior, *, smoothing: str | None, order: int) -> None:
    """The distribution of each variable, below the picture and roughly below its node."""
    name, family = ("φ", "Beta(α, β)") if event == "bernoulli" else ("θ", "Dirichlet(α)")
    observed = "w | h, y ~ Categorical(θ of class y after h)" if order > 1 else "w | y ~ Categorical(θ of class y)"
    estimated = f"{name} ~ {family}" if alpha is not None else f"{name} by maximum likelihood"
    laws = (
        "π ~ Dirichlet(γ)" if gamma is not None else "π by maximum likelihood",
        "y ~ Categorical(π)",
        "x | y ~ Bernoulli(φ of class y)" if event == "bernoulli" else observed,
        estimated if smoothing is None else f"{name} by {smoothing}",
    )
    pen.line((0.15, 0.8), (9.85, 0.8), LINE)
    for x, law in zip((1.45, 3.75, 6.2, 8.75), laws, strict=True):
        pen.write(x, 0.48, law, size=BODY, colour=INK, ha="center", va="center")
