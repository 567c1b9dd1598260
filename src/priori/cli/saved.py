"""What update, forget, merge and read say when they have written a model."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from priori.cli.models import file_size
from priori.cli.show import plural, print_json, print_line, size_of
from priori.cli.verbosity import note, quiet

if TYPE_CHECKING:
    from priori.classifier import Model


def save_and_tell(
    model: "Model", path: str, origins: "Sequence[Model]", as_json: bool, further: dict[str, Any]
) -> None:
    """Write a model that came from others, and say what it holds now."""
    if model.provenance is None and any(origin.provenance is not None for origin in origins):
        note("the provenance that was stored is not that of the new model, so it is left out")
    model.save(path)
    counts = model.counts
    documents = float(counts.class_documents.sum() * counts.unit)
    size = file_size(path)
    if as_json:
        whole = documents if counts.unit_bits else int(documents)
        found = {"documents": whole, "labels": list(model.labels), "terms": counts.terms, "file_bytes": size}
        print_json({"model": path, **further, **found})
    elif not quiet():
        print_line(
            f"{path}: {plural(documents, 'document')}, {plural(len(model.labels), 'class')}, "
            f"{plural(counts.terms, 'term')}" + ("" if size is None else f", {size_of(size)}")
        )
