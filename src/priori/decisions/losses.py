"""What decisions cost: L(action, truth). The best action is argmin over d of Σ_c L(d, c) p(c | x) (lecture 000).

Actions are the labels, and whatever else can be done: to refuse an answer, to put a message aside. Chow 1970 (reject).
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from priori.errors import DataError

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]

REJECT = "reject"
_LARGEST = 1e300  # differences and sums of costs stay finite


@dataclass(frozen=True, eq=False)
class Loss:
    """L(action, truth), a row for each action and a column for each label; a negative cost is a gain.

    >>> loss = Loss.of({"spam": {"ham": 10}}, ["ham", "spam"]).with_reject(0.5)
    >>> loss.actions, loss.matrix.tolist()
    (('ham', 'spam', 'reject'), [[0.0, 1.0], [10.0, 0.0], [0.5, 0.5]])
    """

    actions: tuple[Any, ...]
    labels: tuple[Any, ...]
    matrix: Floats  # (A, K)

    def __post_init__(self) -> None:
        actions, labels = plain_labels(self.actions), plain_labels(self.labels)
        object.__setattr__(self, "actions", actions)
        object.__setattr__(self, "labels", labels)
        object.__setattr__(self, "matrix", _checked(self.matrix, len(actions), len(labels)))
        for names, what in ((actions, "actions"), (labels, "classes")):
            if not names or len(set(names)) < len(names):
                raise DataError(f"the {what} are {list(names)}; give one or more, and none twice")

    @classmethod
    def of(cls, loss: Any, labels: Iterable[Any]) -> Self:
        """From nothing, a matrix, a mapping or a Loss.

        None: 0 if right, 1 if wrong; then the best action is the most probable class (MAP).
        A matrix: a row for each decision and a column for each truth, both in the order of the labels.
        {decision: {truth: cost}}: what is not named costs 0 if right and 1 if wrong; a negative cost is a gain. A
        decision that is no label is a further action, which needs a cost for every label; {"reject": cost} is one that
        costs the same for all, 0 or more.
        Labels are named as they are (0 and 0.0 are one number), or by their text.

        >>> Loss.of({"aside": {"ham": 2, "spam": 0.1}}, ["ham", "spam"]).matrix.tolist()
        [[0.0, 1.0], [1.0, 0.0], [2.0, 0.1]]
        """
        names = plain_labels(labels)
        if isinstance(loss, Loss):
            if loss.labels != names:
                raise DataError(
                    f"the loss is about the classes {list(loss.labels)} and the posterior about {list(names)}; "
                    "give both in one order"
                )
            return cls(loss.actions, loss.labels, loss.matrix)
        if loss is None:
            return cls(names, names, _zero_one(len(names)))
        if isinstance(loss, Mapping):
            return cls._of_mapping(loss, names)
        return cls(names, names, loss)

    @classmethod
    def _of_mapping(cls, given: Mapping[Any, Any], labels: tuple[Any, ...]) -> Self:
        matrix, named = _zero_one(len(labels)), np.zeros((len(labels), len(labels)), dtype=bool)
        actions, rows = list(labels), [*matrix]
        reject: float | None = None
        for (decision, truths), d in zip(given.items(), places(labels, given), strict=True):
            if decision == REJECT and not isinstance(truths, Mapping):
                reject = _number(truths, f"the cost of {REJECT!r}")
                continue
            if not isinstance(truths, Mapping):
                raise DataError(f"the cost of {decision!r} is {truths!r}; give {{decision: {{truth: cost}}}}")
            row, said = (rows[d], named[d]) if d >= 0 else (np.zeros(len(labels)), np.zeros(len(labels), dtype=bool))
            for (truth, value), c in zip(truths.items(), places(labels, truths), strict=True):
                if c < 0:
                    raise DataError(f"the costs name {truth!r}, which is no class; the classes are {list(labels)}")
                if said[c]:  # as a number, and as its text
                    raise DataError(f"the cost of {decision!r} where it is {truth!r} is given twice; give it once")
                row[c], said[c] = _number(value, f"the cost of {decision!r} where it is {truth!r}"), True
            if d < 0:
                if not said.all():
                    raise DataError(
                        f"the costs name {decision!r}, which is no class; the classes are {list(labels)}, and a "
                        f"further action needs a cost for each: give that for {labels[int(said.argmin())]!r}"
                    )
                actions.append(decision)
                rows.append(row)
        loss = cls(tuple(actions), labels, np.array(rows))
        return loss if reject is None else loss.with_reject(reject)

    @classmethod
    def from_toml(cls, path: str | os.PathLike[str], labels: Iterable[Any]) -> Self:
        """A table for each decision, of truth = cost, as the mapping of `of`; and `reject = COST` above them."""
        import tomllib
        from pathlib import Path

        try:
            return cls.of(tomllib.loads(Path(path).read_text(encoding="utf-8")), labels)
        except OSError as error:
            raise DataError(f"the loss file {path} cannot be read: {error.strerror}; check the path") from error
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise DataError(f"the loss file {path} cannot be read: {error}") from error
        except DataError as error:
            raise DataError(f"the loss file {path}: {error}") from error

    def with_reject(self, cost: float) -> Self:
        """One more action, "reject", that costs the same whatever is true.

        With 0/1 loss it is taken where max_c p(c | x) < 1 - cost (Chow's rule).
        """
        if REJECT in self.labels:
            raise DataError(f"a class is called {REJECT!r}, which names the action to refuse; rename the class")
        if REJECT in self.actions:
            raise DataError(f"the loss has the action {REJECT!r} already; give its cost once")
        number = _number(cost, f"the cost of {REJECT!r}")
        if number < 0:
            raise DataError(f"the cost of {REJECT!r} is {number:g}, so refusing would be a gain; give a number from 0")
        row = np.full((1, len(self.labels)), number)
        return type(self)((*self.actions, REJECT), self.labels, np.concatenate([self.matrix, row]))

    @property
    def rejects(self) -> npt.NDArray[np.bool_]:
        """Which of the actions is "reject": (A,), nowhere where that is a class."""
        return np.array([action == REJECT and REJECT not in self.labels for action in self.actions])

    def expected(self, posterior: Floats) -> Floats:
        """Σ_c L(d, c) p(c | x) of each row and action: (n, A)."""
        losses: Floats = posterior @ self.matrix.T
        return losses

    def best(self, posterior: Floats, allowed: npt.NDArray[np.bool_] | None = None) -> Places:
        """The place of the action of least expected loss for each row, of those allowed (n, A); the first of equals.

        >>> Loss.of(None, "ab").with_reject(0.3).best(np.array([[0.6, 0.4], [0.2, 0.8]])).tolist()
        [2, 1]
        """
        return least_loss(posterior, self.matrix, allowed)


def least_loss(posterior: Floats, matrix: Floats, allowed: npt.NDArray[np.bool_] | None = None) -> Places:
    """The place of the action of least expected loss for each row (n, K), of those allowed (n, A); the first of equals.

    It is the same in whatever batch a row comes.

    >>> least_loss(np.array([[0.6, 0.4], [0.5, 0.5]]), np.array([[0.0, 1.0], [1.0, 0.0]])).tolist()
    [0, 0]
    """
    rows = np.ascontiguousarray(posterior, np.float64)
    # subtle: compared by what is gained over the worst action, a sum of numbers >= 0 in which nothing cancels:
    # with 0/1 loss it is p(d | x) to the last bit, so that the most probable class wins, and ties are ties
    gains = matrix.max(axis=0) - matrix
    gained = np.stack([_summed(rows, gain) for gain in gains], axis=1)
    most: Places = (gained if allowed is None else np.where(allowed, gained, -1.0)).argmax(axis=1)
    return most


def _summed(rows: Floats, gain: Floats) -> Floats:
    """Σ_c p(c | x) gain_c of each row (n,)."""
    some = np.flatnonzero(gain)  # with 0/1 loss one, so that many classes take no longer than a look at each
    # subtle: summed row by row, for a product of matrices rounds by the size of the batch
    total: Floats = (np.take(rows, some, axis=1) * gain[some]).sum(axis=1)
    return total


def plain_labels(labels: Iterable[Any]) -> tuple[Any, ...]:
    """Labels as Python has them, whatever they came in."""
    if isinstance(labels, np.ndarray):
        labels = labels.tolist()
    return tuple(label.item() if isinstance(label, np.generic) else label for label in labels)


def places(labels: Sequence[Any], names: Iterable[Any]) -> list[int]:
    """Where each name stands among the labels, as it is or by its text; -1 where it is none of them."""
    known: dict[Any, int] = {str(label): k for k, label in enumerate(labels)}
    known |= {label: k for k, label in enumerate(labels)}
    return [known.get(name, known.get(str(name), -1)) for name in names]


def _zero_one(size: int) -> Floats:
    return 1.0 - np.eye(size)


def _number(value: Any, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise DataError(f"{what} is {value!r}, no number; give numbers")
    try:
        return float(value)
    except OverflowError:
        raise DataError(f"{what} is too large; give numbers up to {_LARGEST:g}") from None


def _checked(costs: Any, actions: int, labels: int) -> Floats:
    try:
        matrix = np.array(costs, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"the costs are no matrix of numbers ({error}); give {actions} x {labels}") from error
    if matrix.shape != (actions, labels):
        raise DataError(
            f"the costs are of shape {matrix.shape} for {labels} classes; give a row for each decision and a "
            "column for each truth"
        )
    refuse_endless(matrix)
    matrix.flags.writeable = False
    return matrix


def refuse_endless(matrix: Floats) -> None:
    """Refuse costs that are no numbers, or so large that their sums are none."""
    if not np.isfinite(matrix).all():
        raise DataError("a cost is not finite; give numbers")
    largest = float(np.abs(matrix).max(initial=0.0))
    if largest > _LARGEST:
        raise DataError(f"a cost of {largest:g} is too large; give numbers up to {_LARGEST:g}")
