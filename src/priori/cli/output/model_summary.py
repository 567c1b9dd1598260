"""A model for people: drawn in characters as a graphical model, its analyzer in a line, its n-grams if it has those."""

import math
from typing import TYPE_CHECKING

from priori.cli.messages import note
from priori.cli.models import file_size
from priori.cli.output.terminal import facts, print_json, said_count, size_of

if TYPE_CHECKING:
    from priori.model.classifier import Model

_WIDTH = 62  # characters of the outer plates


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


def settings_of(model: "Model") -> str:
    """How the analyzer of a model sees texts, in a line."""
    analyzer = model.analyzer
    low, high = analyzer.ngrams
    said = [analyzer.features, f"{low}-grams" if low == high else f"{low}- to {high}-grams"]
    said += ["lower-cased"] if analyzer.lowercase else ["case kept"]
    said += ["accents folded"] if analyzer.fold_accents else []
    said += [f"at least {analyzer.min_length} letters"] if analyzer.min_length > 1 else []
    said += ["once per document"] if analyzer.binary else []
    said += [f"as {analyzer.compat}"] if analyzer.compat else []
    said += [f"fields {', '.join(analyzer.fields)}"] if analyzer.fields else []
    said += [f"words {analyzer.tokens}"] if analyzer.tokens != "text" else []
    said += [f"without {len(analyzer.stop_words):,} stop words"] if analyzer.stop_words is not None else []
    said += [f"{analyzer.stem} stems"] if analyzer.stem is not None else []
    said += [f"vocabulary of {len(analyzer.vocabulary):,}"] if analyzer.vocabulary is not None else []
    return ", ".join(said)


def inspect_language_model(model: "Model", path: str, as_json: bool) -> None:
    """N-grams by order, how they are read, and how much is surprising in what was learned."""
    from priori.estimators.language_model import LanguageModel
    from priori.model.file import digest

    counts, language = model.counts, LanguageModel.of_model(model)
    documents = float(counts.class_documents.sum() * counts.unit)
    ngrams, parameters = language.table.ngrams, language.parameters
    log_prob, tokens = language.learned()
    bits = -log_prob / tokens / math.log(2) if tokens else None
    if as_json:
        print_json({
            "model": path, "file_bytes": file_size(path), "digest": digest(model), "documents": documents,
            "tokens": tokens, "ngrams": list(ngrams), "vocabulary": len(language.vocabulary),
            "analyzer": model.analyzer.to_json(), "readings": model.readings.to_json(), "parameters": parameters,
            "notes": list(language.notes), "log_likelihood": log_prob if math.isfinite(log_prob) else None,
            "bits_per_token": bits if bits is None or math.isfinite(bits) else None,
            "provenance": None if model.provenance is None else dict(model.provenance),
        })  # fmt: skip
        return
    numbers = "" if parameters is None else f", by order {', '.join(f'{number:.4g}' for number in parameters)}"
    unknown = "share a slot" if model.readings.unknown == "prior" else "are passed over"
    facts([
        ("documents", said_count(documents)),
        ("tokens", f"{said_count(tokens)}, of {len(language.vocabulary):,} kinds"),
        ("n-grams", ", ".join(f"{count:,} {order}-grams" for order, count in enumerate(ngrams, 1))),
        ("file", size_of(file_size(path) or 0)),
        ("digest", digest(model)[:16]),
        ("analyzer", settings_of(model)),
        ("smoothing", f"{model.readings.smoothing}{numbers}; unknown words {unknown}"),
        ("log-likelihood", f"{log_prob:,.2f}" + ("" if bits is None else f", {bits:.4f} bits a token")),
        *((name, str(value)) for name, value in (model.provenance or {}).items()),
    ]).print()  # fmt: skip
    for line in language.notes:
        note(line)
