"""Models as commands load and save them."""

from typing import TYPE_CHECKING

from priori.errors import DataError

if TYPE_CHECKING:
    from priori.classifier import Model


def load_texts(path: str) -> "Model":
    """A model file, checked, that must be one of texts."""
    from priori.classifier import Model
    from priori.model_file import holds_table

    if holds_table(path):
        raise DataError(f"{path} is a model of a table, which has no terms; see priori inspect {path}")
    return Model.load(path)


def file_size(path: str) -> int | None:
    """Bytes on the disk; None for a pipe."""
    from pathlib import Path

    place = Path(path)
    return place.stat().st_size if place.is_file() else None
