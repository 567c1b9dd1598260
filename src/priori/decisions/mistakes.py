"""The worst mistakes: documents put elsewhere, whose true label got the lowest probability; found in one pass."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
T = TypeVar("T")
MOST = 10


@dataclass(frozen=True)
class Mistake(Generic[T]):
    """A document, what it is and what it was taken for."""

    position: int  # among all documents that were evaluated, from 0
    truth: str
    predicted: str
    badness: tuple[float, float, int]  # what mistakes are ordered by: the lowest is the worst
    predicted_probability: float
    document: T

    @property
    def probability(self) -> float:
        """Of the truth; 0 where it is too small for a float."""
        return self.badness[0]

    @property
    def log_probability(self) -> float:
        """Of the truth; -inf where it was impossible."""
        return math.log(self.probability) if self.probability else self.badness[1]


def _badness(probability: float, log_probability: float, position: int) -> tuple[float, float, int]:
    # subtle: a logarithm orders only what has no probability left, so that no batch decides which of both is used
    return probability, log_probability if probability == 0 else 0.0, position


class Worst(Generic[T]):
    """Keeps the worst mistakes of what it is shown; they do not depend on the batches.

    Labels that the model never learned are not its mistakes, and are left out.

    >>> worst = Worst(["ham", "spam"], most=1)
    >>> worst.add(np.array([[0.9, 0.1], [0.7, 0.3]]), ["spam", "spam"], lambda row: f"document {row}")
    >>> [(mistake.document, mistake.predicted) for mistake in worst.result()]
    [('document 0', 'ham')]
    """

    def __init__(self, classes: Sequence[str], most: int = MOST) -> None:
        self._classes, self._most = tuple(classes), most
        self._codes = {label: code for code, label in enumerate(classes)}
        self._kept: list[Mistake[T]] = []
        self._seen = 0

    def add(
        self,
        probabilities: Floats,
        truth: Sequence[str | None],
        take: Callable[[int], T],
        log_probabilities: Floats | None = None,
    ) -> None:
        """Look at a batch (n, K); `take` gives the document of a row, and is asked for few of them."""
        codes = np.array([self._codes.get(label, -1) if label is not None else -1 for label in truth], dtype=np.intp)
        predicted = probabilities.argmax(axis=1)
        rows = np.flatnonzero((codes >= 0) & (codes != predicted))
        p_true = probabilities[rows, codes[rows]]
        if len(rows) > self._most:  # equals of the last one that may be kept stay, too
            few = p_true <= np.partition(p_true, self._most - 1)[self._most - 1]
            rows, p_true = rows[few], p_true[few]
        logs = np.full(len(rows), -np.inf) if log_probabilities is None else log_probabilities[rows, codes[rows]]
        places = (self._seen + rows).tolist()
        found = sorted(map(_badness, p_true.tolist(), logs.tolist(), places))[: self._most]
        if len(self._kept) == self._most:
            found = [badness for badness in found if badness < self._kept[-1].badness]
        taken = [
            Mistake(
                self._seen + row, self._classes[codes[row]], self._classes[predicted[row]], badness,
                float(probabilities[row, predicted[row]]), take(row),
            )
            for badness in found
            for row in (badness[2] - self._seen,)
        ]  # fmt: skip
        self._kept = sorted(self._kept + taken, key=lambda mistake: mistake.badness)[: self._most]
        self._seen += len(truth)

    def result(self) -> tuple[Mistake[T], ...]:
        """Worst first."""
        return tuple(self._kept)
