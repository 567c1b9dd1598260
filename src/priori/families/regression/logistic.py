"""Logistic regression: p(class | x) as a softmax of linear scores, with normal priors on their weights.

It has no additive statistics: the likelihood depends on every row, so data are given each time, and two batches do not
merge. The posterior is Laplace's: a normal around the mode. Bishop 2006, 4.3 to 4.5; docs/maths/regression.md.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from priori.errors import DataError, EstimateError
from priori.families.regression.laplace import LogisticPosterior
from priori.families.regression.least_squares import Intercept, known_intercept, least_squares, rows_of
from priori.families.regression.linear import normal_weights, one_row
from priori.families.regression.logistic_model import LogisticModel, codes_of
from priori.families.regression.softmax import DIRECT, Softmax, minimum, moved, settled
from priori.statistics import Categories, VectorMoments
from priori.statistics.categories import Value, as_values
from priori.statistics.observations import as_weights
from priori.statistics.vector_moments import matrix
from priori.validation import number

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LogisticRegression:
    """w ~ 𝒩(0, σ² I), scikit-learn's `LogisticRegression(C=σ²)`; σ² = inf is the flat prior, whose mode is ML.

    Two classes have one vector of weights, the log-odds of the second; more have one each. As only their differences
    matter to the data, those that are flat sum to 0, and ML stands beside MAP.

    >>> prior = LogisticRegression(weight_variance=4.0)
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["no", "yes", "no", "yes"]
    >>> print(prior.posterior(X, y).mode())
    p(yes) = σ(0.71304·x₀ - 1.0696)
    """

    name: ClassVar[str] = "logistic"

    weight_variance: float
    intercept: Intercept = "flat"
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.weight_variance != math.inf:
            variance = number(self.weight_variance, "weight_variance", 0, above=True)
            object.__setattr__(self, "weight_variance", variance)
        object.__setattr__(self, "intercept", known_intercept(self.intercept))
        object.__setattr__(self, "names", tuple(self.names))

    @classmethod
    def flat(cls, intercept: Intercept = "flat", names: Sequence[str] = ()) -> Self:
        """σ² = inf."""
        return cls(math.inf, intercept, tuple(names))

    @classmethod
    def unit(
        cls, X: Any, y: Any, weights: Any = None, *, intercept: Intercept = "flat", names: Sequence[str] = ()
    ) -> Self:
        """σ² as if at most one row had told of each weight: it tells x² / 4 where both classes are as probable."""
        labelled = np.array([label is not None for label in as_values(y)])
        table = matrix(X)
        weight = as_weights(weights, len(table)) * labelled
        moments = VectorMoments.joined((table, np.zeros((len(table), 1))), weight)
        if moments.n == 0:
            raise EstimateError("there is no label, so there is no scale for the weights; add rows with labels")
        return cls(4 / one_row(moments, intercept), intercept, tuple(names))

    @classmethod
    def maximum_likelihood(
        cls, X: Any, y: Any, weights: Any = None, *, intercept: Intercept = "flat", names: Sequence[str] = ()
    ) -> LogisticModel:
        """The parameters under which the labels are most probable; there are none where planes separate the classes."""
        return cls.flat(intercept, names).most_probable(X, y, weights)

    @property
    def proper(self) -> bool:
        """Where no coefficient is flat."""
        return self.weight_variance < math.inf and self.intercept != "flat"

    def most_probable(self, X: Any, y: Any, weights: Any = None) -> LogisticModel:
        """The mode alone: for thousands of coefficients, where the posterior's covariance is too large.

        What the posterior refuses (columns that nearly repeat each other) is refused here too up to 2,000 coefficients;
        beyond them the matrix that would tell is never made.
        """
        task, origin, classes = self._task(X, y, weights)
        theta = minimum(task, self._columns(task))
        if len(theta) <= DIRECT:
            settled(task, np.exp(task.log_probabilities(theta)), self._columns(task))
        return self._model(task, theta, origin, classes)

    def posterior(self, X: Any, y: Any, weights: Any = None) -> LogisticPosterior:
        """Laplace's approximation, a normal with the mode's place and curvature; rows without a label are left out."""
        task, origin, classes = self._task(X, y, weights)
        theta = minimum(task, self._columns(task))
        return LogisticPosterior.around(task, theta, self._model(task, theta, origin, classes), origin)

    def log_evidence(self, X: Any, y: Any, weights: Any = None) -> float:
        """log p(labels | inputs) by Laplace's approximation, a flat intercept integrated against the flat measure."""
        return self.posterior(X, y, weights).log_evidence()

    def _task(self, X: Any, y: Any, weights: Any) -> tuple[Softmax, Floats, tuple[Value, ...]]:
        table = matrix(X)
        weight = as_weights(weights, len(table))
        if len(y) != len(table):
            raise DataError(f"there are {len(y)} labels for {len(table)} rows; give one for each")
        classes = seen_classes(y, weight)
        codes = codes_of(y, classes)
        there = (codes >= 0) & (weight > 0)
        inputs = rows_of(table if there.all() else table[there], len(self.names) or table.shape[1])
        codes, weight = codes[there], weight[there]
        if np.abs(inputs).max(initial=0.0) > 1e150:
            raise DataError("the squares of the data exceed the largest floating-point number; scale the data down")
        if self.weight_variance == math.inf:  # columns that repeat each other are refused by name
            moments = VectorMoments.joined((inputs, np.zeros((len(inputs), 1))), weight)
            least_squares(moments, 0.0, self.intercept, self.names)
        origin = np.zeros(inputs.shape[1])
        if self.intercept == "flat":  # subtle: where the intercept is free, so is the origin, and the mean is the best
            origin = weight @ (inputs - inputs[0]) / weight.sum() + inputs[0]
            inputs = inputs - origin
        if self.intercept is None and not inputs.shape[1]:
            raise DataError("there are no columns and no intercept, so there is nothing to estimate; give some")
        if self.intercept is not None:
            inputs = np.column_stack([inputs, np.ones(len(inputs))])
        decay = np.full(inputs.shape[1], 1 / self.weight_variance)
        if self.intercept == "flat":
            decay[-1] = 0.0
        return Softmax(inputs, codes, weight, self._basis(len(classes)), decay), origin, classes

    def _basis(self, classes: int) -> Floats:
        """What of the classes' coefficients is free: the second's of two, orthonormal contrasts of more.

        Coefficients that all classes share change no probability, so they are left out: those of more classes sum to 0.
        """
        if classes == 2:
            return np.eye(classes)[:, 1:]
        from scipy.linalg import helmert

        contrasts: Floats = helmert(classes).T
        return contrasts

    def _columns(self, task: Softmax) -> list[str]:
        width = task.inputs.shape[1] - (self.intercept is not None)
        return list(self.names) or [str(place) for place in range(width)]

    def _model(self, task: Softmax, theta: Floats, origin: Floats, classes: tuple[Value, ...]) -> LogisticModel:
        table = task.table(theta)[int(not task.even) :]
        if self.intercept is None:
            return LogisticModel(table, None, classes, self.names)
        table = moved(table, origin, task.even and self.intercept == "flat")
        return LogisticModel(table[:, :-1], table[:, -1], classes, self.names)

    def __str__(self) -> str:
        return f"w ~ {normal_weights(self.weight_variance)}"


def seen_classes(y: Any, weight: Floats) -> tuple[Value, ...]:
    """The labels that carry weight, in order; an EstimateError for fewer than two."""
    counts = Categories.of(y, weight)
    classes = tuple(value for value, count in zip(counts.values, counts.counts, strict=True) if count > 0)
    if len(classes) < 2:
        raise EstimateError(
            f"the labels are all {classes[0]!r}, so no other class can be told from it; add rows of another"
            if classes
            else "there is no label, so there is no estimate; add rows with labels"
        )
    return classes
