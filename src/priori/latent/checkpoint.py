"""Long work stored while it goes on, in the format of model files: nothing in it is ever run, and all of it is checked.

A checkpoint belongs to some documents and settings; with others it is refused, for to go on from it would give a result
that is neither's.
"""

import hashlib
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from priori import store
from priori.errors import DataError, ModelFileError
from priori.latent.corpus import Corpus
from priori.store.table_types import Column, Table

FORMAT = 1
LEAST_SECONDS = 1.0  # between two checkpoints
LARGEST_PART = 0.1  # of the time, that may be spent on writing them
_KINDS = ("float64", "int64", "int32")


@dataclass(frozen=True, eq=False)
class Kept:
    """Where some work stands: plain values, and numbers in vectors."""

    values: dict[str, Any]
    arrays: Mapping[str, npt.NDArray[Any]] = field(default_factory=dict)

    def table(self, name: str, shape: tuple[int, ...], kind: str = "float64") -> npt.NDArray[Any] | None:
        """A vector in its shape, a copy; None where it is not there."""
        if name not in self.arrays:
            return None
        vector = self.arrays[name]
        if vector.dtype != kind or vector.size != np.prod(shape) or not np.isfinite(vector).all():
            raise ModelFileError(f"{name} has {vector.size} numbers of type {vector.dtype}, not {shape} of {kind}")
        return np.array(vector).reshape(shape)


class Run(Protocol):
    """Work that can be stored and taken up again."""

    corpus: Corpus

    def settings_told(self) -> dict[str, Any]:
        """All that the result depends on beside the documents."""

    def kept(self) -> Kept:
        """Where it stands."""

    def go_on(self, kept: Kept) -> None:
        """Go on from there."""


class Checkpoint:
    """A file beside the result. `save` writes it, `resume` goes on from it, `remove` takes it away."""

    def __init__(self, path: str | os.PathLike[str], run: Run) -> None:
        self.path = Path(path)
        self.run = run
        self._data = fingerprint(run.corpus)
        self._settings = {**run.settings_told(), "analyzer": run.corpus.analyzer.to_json()}
        self._next = time.monotonic() + LEAST_SECONDS

    def resume(self) -> bool:
        """Go on from the file; False if there is none. A DataError if it is damaged, foreign or of other work."""
        if not self.path.exists():
            return False
        try:
            self.run.go_on(self._read())
        except DataError:
            raise
        except (ModelFileError, KeyError, TypeError, ValueError, OverflowError) as error:
            said = _fact(error, self.path) if isinstance(error, ModelFileError) else "its values mean nothing"
            raise DataError(f"the checkpoint {self.path} cannot be used: {said}; start anew with --fresh") from error
        return True

    def _read(self) -> Kept:
        sections = store.read(self.path)
        head = sections.pop("checkpoint", None)
        settings = head.get("settings") if isinstance(head, dict) and head.get("format") == FORMAT else None
        if not isinstance(head, dict) or not isinstance(settings, dict):
            raise ModelFileError("it is no checkpoint of this version")
        other = _differences(settings, self._settings)
        if other:
            raise DataError(
                f"the checkpoint {self.path} is of other settings ({'; '.join(other)}); give those again, or start "
                "anew with --fresh"
            )
        if head["data"] != self._data:
            raise DataError(f"the checkpoint {self.path} is of other documents; start anew with --fresh")
        if not isinstance(head["values"], dict):
            raise ModelFileError("its values are none")
        return Kept(head["values"], {name: _vector(section) for name, section in sections.items()})

    @property
    def due(self) -> bool:
        """Whether enough time has passed since it was last written."""
        return time.monotonic() >= self._next

    def save(self) -> None:
        """Write it: the old one stays until the new one is whole."""
        started = time.monotonic()
        kept = self.run.kept()
        head: dict[str, Any] = {
            "format": FORMAT, "settings": self._settings, "data": self._data, "values": kept.values
        }  # fmt: skip
        vectors = {name: _section(vector) for name, vector in kept.arrays.items()}
        store.write(self.path, {"checkpoint": head, **vectors})
        cost = time.monotonic() - started
        self._next = time.monotonic() + max(LEAST_SECONDS, cost / LARGEST_PART)

    def remove(self) -> None:
        """Take the file away, if there is one."""
        self.path.unlink(missing_ok=True)


def fingerprint(corpus: Corpus) -> str:
    """SHA-256 of the documents as they are walked over: terms, counts, labels and weights."""
    digest = hashlib.sha256()
    for array in (
        corpus.term_offsets,
        corpus.term_bytes,
        corpus.offsets,
        corpus.term,
        corpus.count,
        corpus.cls,
        corpus.weight,
    ):
        digest.update(np.ascontiguousarray(array).view(np.uint8).data)
    return digest.hexdigest()


def _fact(error: ModelFileError, path: Path) -> str:
    """What is wrong, without the path and without the remedy after the last colon: that is for models."""
    said = str(error).removeprefix(f"{os.fspath(path)!r}: ")
    return said.rpartition(": ")[0] or said


def _differences(there: Mapping[str, Any], here: Mapping[str, Any]) -> list[str]:
    """What differs, in words; long values are only named."""
    said = []
    names = {*there, *here} if there.get("method") == here.get("method") else {"method"}  # which is all else
    for name in sorted(names):
        one, other = there.get(name), here.get(name)
        if one != other:
            texts = f"{name} {one} there, {other} here"
            said.append(texts if len(texts) < 80 else name)
    return said


def _section(vector: npt.NDArray[Any]) -> Table:
    return Table((Column("value", str(vector.dtype), nullable=False),), {"value": np.ascontiguousarray(vector)})


def _vector(section: object) -> npt.NDArray[Any]:
    if isinstance(section, Table) and len(section.schema) == 1 and section.schema[0].kind in _KINDS:
        values = section[section.schema[0].name]
        if isinstance(values, np.ndarray):
            return values
    raise ModelFileError("one of its sections holds no numbers")
