"""Models as commands load and save them."""

import errno
import os
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


def refuse_bad_place(path: str) -> None:
    """Say before long work, not after it, that its result could not be written there."""
    from pathlib import Path

    place = Path(path)
    if place.is_dir():
        raise IsADirectoryError(errno.EISDIR, "is a folder; give the name of a file", path)
    folder = place.parent
    if not folder.is_dir():
        raise FileNotFoundError(errno.ENOENT, "cannot be written, its folder does not exist: create it first", path)
    if not os.access(place if place.exists() and not place.is_file() else folder, os.W_OK):
        raise PermissionError(errno.EACCES, "cannot be written: choose a folder you may write to", path)


def file_size(path: str) -> int | None:
    """Bytes on the disk; None for a pipe."""
    from pathlib import Path

    place = Path(path)
    return place.stat().st_size if place.is_file() else None
