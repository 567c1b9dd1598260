"""How an analyzer sees texts, for people."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from priori.classifier import Model


def settings_of(model: "Model") -> str:
    """How texts are seen, in a line."""
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
