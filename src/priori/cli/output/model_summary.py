"""A model as a graphical model, drawn in characters."""

from typing import TYPE_CHECKING

from priori.cli.show import said_count

if TYPE_CHECKING:
    from priori.classifier import Model

_WIDTH = 62


def graph_text(model: "Model") -> str:
    """Plates, variables and what they are distributed as, from the class probabilities down to the words."""
    readings, counts = model.plain_readings, model.counts
    documents = said_count(float(counts.class_documents.sum() * counts.unit))
    bernoulli = readings.event == "bernoulli"
    if bernoulli:
        inner, leaf = f"j = 1 … {counts.terms:,} terms", "x   is term j in it? observed"
        parameter = f"   φ   probability of each term in class c{_word_prior(model, 'Beta(α, α)')}"
    elif readings.event == "language":
        order, token = model.analyzer.ngrams[1], "word" if model.analyzer.features == "words" else "character"
        inner = "n = 1 … its length" + (", and its end" if order > 1 else "")
        leaf = f"w   {token}{_history(order)}, observed"
        parameter = f"   θ   {counts.terms:,} n-grams of class c, by {readings.smoothing}"
    else:
        inner, leaf = "n = 1 … its length", f"w   word, one of {counts.terms:,} terms, observed"
        parameter = f"   θ   term probabilities of class c{_word_prior(model, 'Dirichlet(α)')}"
    words = ["   │", *_plate(inner, ["▼", leaf], 1, "▲", _WIDTH - 5)]
    lines = [
        f"      π   class probabilities, {_class_prior(model)}",
        "      │",
        *_plate(f"d = 1 … {documents} documents", ["   ▼", "   y   label, observed", *words], 4, "▲", _WIDTH),
        "      │",
        *_plate(f"c = 1 … {len(model.labels):,} classes", [parameter], 4, "─", _WIDTH),
    ]
    if readings.event == "complement":
        lines.append("  scored by the counts of all other classes: a discriminant, not a likelihood")
    return "\n".join(lines)


def _history(order: int) -> str:
    return "" if order == 1 else " after the one before it" if order == 2 else f" after the {order - 1} before it"


def _plate(name: str, lines: list[str], joint: int, bottom: str, width: int) -> list[str]:
    """A box with its name in the upper edge; arrows go through both edges at the same place."""
    inside = width - 4
    edge = "─" * joint + "┴"
    upper = f"┌{edge}{'─' * (width - 4 - len(edge) - len(name))} {name} ┐"
    lower = f"└{'─' * joint}{bottom}{'─' * (width - 3 - joint)}┘"
    return [f" {line}" for line in (upper, *(f"│ {line:{inside}} │" for line in lines), lower)]


def _class_prior(model: "Model") -> str:
    prior = model.readings.class_prior
    if prior == "ml":
        return "by maximum likelihood"
    if isinstance(prior, str):
        return "all equal"
    return f"~ Dirichlet({prior:g})" if isinstance(prior, int | float) else "given"


def _word_prior(model: "Model", family: str) -> str:
    readings = model.plain_readings
    if readings.estimate == "ml":
        return ""
    own = readings.prior.terms or readings.prior.classes
    return f" ~ {family}" if own else f" ~ {family.replace('α', f'{readings.prior.alpha:.3g}')}"
