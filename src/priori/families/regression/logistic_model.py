"""p(class | x) as a softmax of linear scores."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import log_softmax

from priori.errors import DataError
from priori.families.base import Conditional
from priori.families.dirichlet import named
from priori.families.regression.least_squares import line, rows_of
from priori.statistics.categories import Value, as_values
from priori.statistics.vector_moments import matrix

Floats = npt.NDArray[np.float64]
MISSING, UNKNOWN = -1, -2  # codes of labels


class Labelling(Conditional):
    """p(class | x), one of a few labels for each row."""

    classes: tuple[Value, ...]

    @abstractmethod
    def log_probabilities(self, X: Any) -> Floats:
        """log p(class | x), (n, K)."""

    def probabilities(self, X: Any) -> Floats:
        """p(class | x), (n, K)."""
        table: Floats = np.exp(self.log_probabilities(X))
        return table

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The most probable class of each row."""
        labels: npt.NDArray[Any] = np.array(self.classes)[self.log_probabilities(X).argmax(axis=1)]
        return labels

    def log_prob(self, X: Any, t: Any) -> Floats:
        """log p(label | x), minus the cross-entropy of each row; missing labels score 0, unknown ones -inf."""
        inputs, codes = matrix(X), codes_of(t, self.classes)
        if len(inputs) != len(codes):
            raise DataError(f"there are {len(codes)} labels for {len(inputs)} rows; give one for each")
        scores = np.where(codes == UNKNOWN, -np.inf, 0.0)
        known = np.flatnonzero(codes >= 0)
        if len(known):
            scores[known] = self.log_probabilities(inputs[known])[np.arange(len(known)), codes[known]]
        return scores

    def sample(self, X: Any, rng: np.random.Generator) -> npt.NDArray[Any]:
        """A label for each row."""
        reached = self.probabilities(X).cumsum(axis=1)
        at = (rng.random(len(reached))[:, None] * reached[:, -1:] >= reached).sum(axis=1)
        labels: npt.NDArray[Any] = np.array(self.classes)[np.minimum(at, len(self.classes) - 1)]
        return labels

    def freeze(self, X: Any) -> Any:
        """scipy's multinomials of one trial, one for each row: 1 at the place of the class."""
        from scipy.stats import multinomial

        table = self.probabilities(X)
        return multinomial(1, table / table.sum(axis=1, keepdims=True))  # scipy allows the sum ten roundings


@dataclass(frozen=True, eq=False)
class LogisticModel(Labelling):
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

    def log_probabilities(self, X: Any) -> Floats:
        """log p(class | x), (n, K)."""
        table: Floats = log_softmax(self.log_odds(X), axis=1)
        return table

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
