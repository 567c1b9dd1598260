"""What a language model has learned."""

import math
from typing import TYPE_CHECKING

from priori.cli.analyzed import settings_of
from priori.cli.models import file_size
from priori.cli.show import print_json, said_count, size_of
from priori.cli.table import facts
from priori.cli.verbosity import note

if TYPE_CHECKING:
    from priori.classifier import Model


def inspect_language_model(model: "Model", path: str, as_json: bool) -> None:
    """N-grams by order, how they are read, and how much is surprising in what was learned."""
    from priori.language_models import LanguageModel
    from priori.model_file import digest

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
