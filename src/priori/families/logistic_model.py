"""p(class | x) as a softmax of linear scores."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import log_softmax

from priori.errors import DataError
from priori.families.dirichlet import named
from priori.families.pairs import line, rows_of
from priori.statistics.categories import Value, as_values
from priori.statistics.observations import as_weights
from priori.statistics.vectors import matrix

Floats = npt.NDArray[np.float64]
MISSING, UNKNOWN = -1, -2  # codes of labels


@dataclass(frozen=True, eq=False)
class LogisticModel:
    """p(class k | x) ∝ exp(w_kᵀx + w_k0); where there is one vector less than classes, the first class scores 0.

    >>> print(LogisticModel([[0.5, -2.0]], [1.0], ("no", "yes"), ("age", "dose")))
    p(yes) = σ(0.5·age - 2·dose + 1)
    """

    weights: Floats  # (K, d), or (K - 1, d)
    intercept: Floats | None  # (K,) or (K - 1,); None: no intercept
    classes: tuple[Value, ...]
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        weights = np.atleast_2d(np.array(self.weights, np.float64))
        intercept = None if self.intercept is None else np.atleast_1d(np.array(self.intercept, np.float64))
        classes = named(self.classes, len(self.classes))
        if len(weights) not in (len(classes), len(classes) - 1) or not np.isfinite(weights).all():
            raise DataError(
                f"weights of shape {weights.shape} do not fit {len(classes)} classes; give one row for each"
            )
        if intercept is not None and not (intercept.shape == weights.shape[:1] and np.isfinite(intercept).all()):
            raise DataError(
                f"there are {intercept.size} intercepts for {len(weights)} rows of weights; give one for each"
            )
        object.__setattr__(self, "weights", weights)
        object.__setattr__(self, "intercept", intercept)
        object.__setattr__(self, "classes", classes)

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def free_parameters(self) -> int:
        """(K - 1)(d + 1), or (K - 1) d without an intercept: only differences between classes matter."""
        return (len(self.classes) - 1) * (int(self.weights.shape[1]) + (self.intercept is not None))

    def log_odds(self, X: Any) -> Floats:
        """The linear score of each class, (n, K)."""
        scores = rows_of(X, self.weights.shape[1]) @ self.weights.T
        scores = scores if self.intercept is None else scores + self.intercept
        missing = len(self.classes) - len(self.weights)
        return np.column_stack([np.zeros((len(scores), missing)), scores])

    def probabilities(self, X: Any) -> Floats:
        """p(class | x), (n, K)."""
        table: Floats = np.exp(log_softmax(self.log_odds(X), axis=1))
        return table

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The most probable class of each row."""
        return chosen(self.log_odds(X), self.classes)

    def log_prob(self, X: Any, y: Any) -> Floats:
        """log p(label | x), minus the cross-entropy of each row; missing labels score 0, unknown ones -inf."""
        return picked(lambda inputs: log_softmax(self.log_odds(inputs), axis=1), X, y, self.classes)

    def score(self, X: Any, y: Any, weights: Any = None) -> float:
        """The log-likelihood of labels."""
        log_prob = self.log_prob(X, y)
        return float(as_weights(weights, len(log_prob)) @ log_prob)

    def sample(self, X: Any, rng: np.random.Generator) -> npt.NDArray[Any]:
        """A label for each row."""
        return drawn(self.probabilities(X), self.classes, rng)

    def __str__(self) -> str:
        constants = [None] * len(self.weights) if self.intercept is None else self.intercept.tolist()
        lines = [line(row, constant, self.names) for row, constant in zip(self.weights, constants, strict=True)]
        if len(self.classes) == 2 and len(lines) == 1:
            return f"p({self.classes[1]}) = σ({lines[0]})"
        scored = zip(self.classes[len(self.classes) - len(lines) :], lines, strict=True)
        return f"p = softmax({', '.join(f'{name}: {text}' for name, text in scored)})"


def codes_of(y: Any, classes: Sequence[Value]) -> npt.NDArray[np.intp]:
    """The place of each label among the classes; MISSING, or UNKNOWN."""
    places: dict[Any, int] = {name: place for place, name in enumerate(classes)}
    labels = as_values(y)
    codes = (MISSING if label is None else places.get(label, UNKNOWN) for label in labels)
    return np.fromiter(codes, np.intp, len(labels))


def picked(log_table: Any, X: Any, y: Any, classes: Sequence[Value]) -> Floats:
    """The log-probability of each row's own label, of those rows that have one."""
    inputs, codes = matrix(X), codes_of(y, classes)
    if len(inputs) != len(codes):
        raise DataError(f"there are {len(codes)} labels for {len(inputs)} rows; give one for each")
    scores = np.where(codes == UNKNOWN, -np.inf, 0.0)
    known = np.flatnonzero(codes >= 0)
    if len(known):
        scores[known] = log_table(inputs[known])[np.arange(len(known)), codes[known]]
    return scores


def drawn(probabilities: Floats, classes: Sequence[Value], rng: np.random.Generator) -> npt.NDArray[Any]:
    """A class for each row of probabilities."""
    reached = probabilities.cumsum(axis=1)
    at = (rng.random(len(reached))[:, None] * reached[:, -1:] >= reached).sum(axis=1)
    labels: npt.NDArray[Any] = np.array(classes)[np.minimum(at, len(classes) - 1)]
    return labels


def chosen(scores: Floats, classes: Sequence[Value]) -> npt.NDArray[Any]:
    """The class of the highest score in each row."""
    labels: npt.NDArray[Any] = np.array(classes)[scores.argmax(axis=1)]
    return labels
