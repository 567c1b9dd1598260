"""What decisions cost: the mean loss of those with the least expected loss, argmin over d of Σ_c L(d, c) p(c | x)."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from priori.decisions.losses import REJECT, least_loss, refuse_endless
from priori.errors import DataError

Floats = npt.NDArray[np.float64]


class Charges:
    """Counts decisions against the truth, batch by batch; neither batches nor order change a bit of the cost.

    The loss is a matrix (A, K): a row for each action, a column for each class in their order. It may come with the
    names of its `actions` and `labels`; without names the first K actions are the classes, and more of them reject.
    Of named ones only "reject" does, where no class is called so.
    """

    def __init__(self, loss: Any, classes: Sequence[str]) -> None:
        self._matrix = _matrix(loss, len(classes))
        labels = getattr(loss, "labels", None)
        if labels is not None and [str(label) for label in labels] != list(classes):
            raise DataError(
                f"the loss is of the labels {list(labels)}, the classes are {list(classes)}; order it alike"
            )
        actions = getattr(loss, "actions", None)
        if actions is None and len(self._matrix) < len(classes):
            raise DataError(
                f"the loss has {len(self._matrix)} actions for {len(classes)} classes and names none of them; give a "
                "row for each class, in their order, and then those that reject"
            )
        if actions is None:
            actions = [*classes, *[REJECT] * (len(self._matrix) - len(classes))]
            if REJECT in classes and len(actions) > len(classes):
                raise DataError(f"a class is called {REJECT!r}, which names the action to refuse; rename the class")
        self._actions = [str(name) for name in actions]
        self._rejects = np.array([name == REJECT and REJECT not in classes for name in self._actions])
        self._counts = np.zeros(self._matrix.shape, np.int64)  # of decisions d where the truth was c
        self._decided = np.zeros(len(self._matrix), np.int64)  # of decisions d, labels never learned included

    def add(self, probabilities: Floats, codes: npt.NDArray[np.int32]) -> None:
        """Decide on documents (n, K); codes are the places of their labels, beyond the classes if never learned."""
        decisions = least_loss(probabilities, self._matrix)
        self._decided += np.bincount(decisions, minlength=len(self._decided))
        known = codes < self._matrix.shape[1]
        np.add.at(self._counts, (decisions[known], codes[known]), 1)

    @property
    def cost(self) -> float | None:
        """Σ_dc n(d, c) L(d, c) / n over documents whose label was learned; None where there are none."""
        n = int(self._counts.sum())
        return math.fsum((self._counts * self._matrix).ravel()) / n if n else None

    @property
    def rejected(self) -> float:
        """Share of decisions to refuse an answer."""
        return int(self._decided[self._rejects].sum()) / int(self._decided.sum())

    @property
    def decisions(self) -> dict[str, int]:
        """How often each action was decided for."""
        found = dict.fromkeys(self._actions, 0)
        for name, count in zip(self._actions, self._decided.tolist(), strict=True):
            found[name] += count
        return found

    @property
    def note(self) -> str | None:
        """How many documents the cost leaves out."""
        left = int(self._decided.sum() - self._counts.sum())
        return f"without {left:,} of labels never learned, for which the loss has no column" if left else None


def _matrix(loss: Any, classes: int) -> Floats:
    given = getattr(loss, "matrix", loss)
    try:
        matrix: Floats = np.array(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"the loss is no matrix of numbers ({error}); give a row for each action") from error
    if matrix.ndim != 2 or matrix.shape[1] != classes or len(matrix) == 0:
        raise DataError(
            f"the loss is of shape {matrix.shape} for {classes} classes; give a row for each action and a column for "
            "each class"
        )
    refuse_endless(matrix)
    return matrix
