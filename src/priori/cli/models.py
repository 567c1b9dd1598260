"""Models as commands load and save them."""

from typing import TYPE_CHECKING

from priori.errors import DataError

if TYPE_CHECKING:
    from priori.classifier import Model


def load_texts(path: str) -> "Model":
    """A model file, checked, that must be one of texts."""
    from priori.classifier import Model

    if is_of_table(path):
        raise DataError(f"{path} is a model of a table, which has no terms; see priori inspect {path}")
    return Model.load(path)


def is_of_table(path: str) -> bool:
    """Whether a file is a model of a table, or else of texts; what is stored on the way to one is refused."""
    from priori import store
    from priori.model_file import holds_table

    if "checkpoint" in store.names(path):
        raise DataError(
            f"{path} is no model yet but a checkpoint of priori cluster; the command that was stopped goes on from it"
        )
    return holds_table(path)


def file_size(path: str) -> int | None:
    """Bytes on the disk; None for a pipe."""
    from pathlib import Path

    place = Path(path)
    return place.stat().st_size if place.is_file() else None
