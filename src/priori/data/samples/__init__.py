"""The bundled messages: the SMS Spam Collection (see ATTRIBUTION.md), one part in five held out."""

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from importlib import resources

import pyarrow as pa

from priori.data.batch import Batch
from priori.data.files import read
from priori.data.options import ReadOptions


def batches(held_out: bool) -> Iterator[Batch]:
    """The messages that are held out, or the others."""
    with resources.as_file(resources.files(__name__).joinpath("sms_spam.parquet")) as path:
        whole = list(read(str(path), ReadOptions()))
    for batch in whole:
        mask = pa.array([is_held_out(text) is held_out for text in batch.text.to_pylist()])
        yield replace(batch, text=batch.text.filter(mask), label=batch.label.filter(mask))  # type: ignore[union-attr]


def messages(held_out: bool) -> tuple[list[str], list[str]]:
    """Their texts and labels."""
    parts = list(batches(held_out))
    texts = [text for part in parts for text in part.text.to_pylist()]
    return texts, [label for part in parts for label in part.label.to_pylist()]  # type: ignore[union-attr]


def is_held_out(text: str) -> bool:
    """One text in five, by its content alone: equal messages stay on one side, and no seed is needed."""
    return hashlib.sha256(text.encode()).digest()[0] % 5 == 0
