"""What the tests of the sources share."""

from pathlib import Path
from typing import Any

from priori.data import Batch, ReadOptions, read


def strings(array: Any) -> list[str | None]:
    return [value.decode() if isinstance(value, bytes) else value for value in array.to_pylist()]


def rows(batches: Any) -> list[tuple[Any, Any]]:
    """(label, text) of every document."""
    found = []
    for batch in batches:
        labels = [None] * len(batch) if batch.label is None else strings(batch.label)
        found += list(zip(labels, strings(batch.text), strict=True))
    return found


def read_rows(source: Any, **options: Any) -> list[tuple[Any, Any]]:
    return rows(read(source, ReadOptions(**options)))


def read_batches(source: Any, **options: Any) -> list[Batch]:
    return list(read(source, ReadOptions(**options)))


def write(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path
