"""Predictions, and how they look as JSON lines."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import click
import numpy as np
import numpy.typing as npt

_OURS = frozenset({"label", "probability", "probabilities"})


@dataclass(frozen=True)
class Predictions:
    """p(y | x) of a batch, (n, K), and its kept columns, as Arrow arrays."""

    posterior: npt.NDArray[np.float64]
    keep: Mapping[str, Any]


@dataclass(frozen=True)
class Columns:
    """What a row shows: the kept columns under the names they get, and how many classes."""

    keep: tuple[str, ...]
    top: int | None

    def __post_init__(self) -> None:
        if len(set(self.names)) < len(self.names):
            raise click.UsageError(f"--keep names a column twice: {', '.join(self.names)}")

    @property
    def names(self) -> list[str]:
        """Of the kept columns; those that would hide one of ours are told apart."""
        return [f"source_{name}" if name in _OURS else name for name in self.keep]


def json_lines(part: Predictions, labels: Sequence[str], columns: Columns) -> bytes:
    """One JSON object for each row: kept columns, label, probability, probabilities."""
    quoted = [json.dumps(label, ensure_ascii=False) for label in labels]
    posterior = part.posterior
    best = posterior.argmax(axis=1)
    if columns.top is None:
        order, shares = [range(len(labels))] * len(best), posterior
    else:
        places = np.argsort(-posterior, axis=1, kind="stable")[:, : columns.top]
        order, shares = places.tolist(), np.take_along_axis(posterior, places, axis=1)
    highest = posterior[np.arange(len(best)), best]
    lines = []
    for kept, label, probability, classes, row in zip(
        _kept_json(part, columns), best.tolist(), highest.tolist(), order, shares.tolist(), strict=True
    ):
        inner = ", ".join([f"{quoted[k]}: {p!r}" for k, p in zip(classes, row, strict=True)])
        lines.append(
            f'{{{kept}"label": {quoted[label]}, "probability": {probability!r}, "probabilities": {{{inner}}}}}\n'
        )
    return "".join(lines).encode("utf-8", "replace")


def _kept_json(part: Predictions, columns: Columns) -> list[str]:
    """The beginning of each row's object."""
    rows = [""] * len(part.posterior)
    for name, shown in zip(columns.keep, columns.names, strict=True):
        key = json.dumps(shown, ensure_ascii=False)
        for i, value in enumerate(part.keep[name].to_pylist()):
            rows[i] += f"{key}: {_json(value)}, "
    return rows


def _json(value: Any) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return "null"
    return json.dumps(value, ensure_ascii=False, default=str)
