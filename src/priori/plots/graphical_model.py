"""Naive Bayes as a graphical model: the plates, the arrows, and the numbers of the model at hand."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from priori.plots.pen import RADIUS, Pen
from priori.plots.style import BODY, INK, LINE, QUIET, SMALL, TITLE, shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Prior = float | str | None
SIZE = (10.0, 5.0)  # of the picture, in the units it is drawn in; figures of these proportions, in inches, fit best
_GAMMA, _PI, _LABEL, _WORD, _THETA, _ALPHA = (0.7, 2.7), (2.25, 2.7), (4.1, 2.7), (6.1, 2.7), (8.35, 2.7), (8.35, 4.35)
_NOTES = {
    "bernoulli": "each term of the vocabulary is in a document or is not",
    "complement": "scored by the counts of all other classes: a discriminant, not a likelihood",
}


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
        pen.arrow(start, end, rim=RADIUS)
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
