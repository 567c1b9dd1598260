"""Predictions, and how they look as JSON lines."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click
import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from priori.decisions import Decisions

_OURS = frozenset({"label", "probability", "probabilities"})
_OF_DECISIONS = frozenset({"decision", "expected_loss"})


@dataclass(frozen=True)
class Predictions:
    """p(y | x) of a batch, (n, K), and its kept columns, as Arrow arrays."""

    posterior: npt.NDArray[np.float64]
    keep: Mapping[str, Any]
    decided: "Decisions | None" = None  # whose first actions are the classes

    def chosen(self) -> tuple[npt.NDArray[np.intp], list[float | None]]:
        """The place of each row's label, and its probability: the most probable, or the decided; -1 and None if none.

        >>> Predictions(np.array([[0.2, 0.8]]), {}).chosen()
        (array([1]), [0.8])
        """
        best = self.posterior.argmax(axis=1) if self.decided is None else self.decided.index
        best = np.where(best < self.posterior.shape[1], best, -1)
        shares = self.posterior[np.arange(len(best)), best].tolist()
        if self.decided is None:
            return best, shares
        return best, [None if k < 0 else share for k, share in zip(best.tolist(), shares, strict=True)]


@dataclass(frozen=True)
class Columns:
    """What a row shows: the kept columns under the names they get, and how many classes."""

    keep: tuple[str, ...]
    top: int | None
    decision: bool = False  # what is to be done
    loss: bool = False  # and what that is expected to cost

    def __post_init__(self) -> None:
        if len(set(self.names)) < len(self.names):
            raise click.UsageError(f"--keep names a column twice: {', '.join(self.names)}")

    @property
    def names(self) -> list[str]:
        """Of the kept columns; those that would hide one of ours are told apart."""
        ours = _OURS | _OF_DECISIONS if self.decision else _OURS
        return [f"source_{name}" if name in ours else name for name in self.keep]


def json_lines(part: Predictions, labels: Sequence[str], columns: Columns) -> bytes:
    """One JSON object for each row: kept columns, label, probability, what was decided, probabilities."""
    quoted = [json.dumps(label, ensure_ascii=False) for label in labels]
    posterior = part.posterior
    best, probabilities = part.chosen()
    if columns.top is None:
        order, shares = [range(len(labels))] * len(best), posterior
    else:
        places = np.argsort(-posterior, axis=1, kind="stable")[:, : columns.top]
        order, shares = places.tolist(), np.take_along_axis(posterior, places, axis=1)
    quoted.append("null")  # of the place -1
    lines = []
    for kept, label, probability, said, classes, row in zip(
        _kept_json(part, columns), best.tolist(), probabilities, _decided_json(part, columns), order, shares.tolist(),
        strict=True,
    ):  # fmt: skip
        inner = ", ".join([f"{quoted[k]}: {p!r}" for k, p in zip(classes, row, strict=True)])
        share = "null" if probability is None else repr(probability)
        lines.append(
            f'{{{kept}"label": {quoted[label]}, "probability": {share}, {said}"probabilities": {{{inner}}}}}\n'
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


def _decided_json(part: Predictions, columns: Columns) -> list[str]:
    """What stands between the probability and the probabilities."""
    if part.decided is None:
        return [""] * len(part.posterior)
    losses = part.decided.expected_loss.tolist()
    actions = [json.dumps(action, ensure_ascii=False) for action in part.decided.actions.tolist()]
    return [
        f'"decision": {action}, ' + (f'"expected_loss": {loss!r}, ' if columns.loss else "")
        for action, loss in zip(actions, losses, strict=True)
    ]


def _json(value: Any) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return "null"
    return json.dumps(value, ensure_ascii=False, default=str)
