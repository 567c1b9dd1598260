"""The softmax of linear scores that some generative models are when read as p(class | x): lecture 002."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import log_softmax

from priori.errors import DataError, EstimateError
from priori.families.numerics.matrices import as_rows

Floats = npt.NDArray[np.float64]
SHRINK = 2.0**-800  # what is too large for a number, a square or a sum of products, is one in this measure


@dataclass(frozen=True, eq=False)
class Logistic:
    """p(k | x) ∝ exp(w_k · (x - origin) + b_k).

    The origin keeps digits: far from 0 the intercepts there would be large, and cancel.

    >>> Logistic(np.array([[0.0], [2.0]]), np.array([0.0, -2.0]), np.zeros(1)).posterior([[1.0]]).tolist()
    [[0.5, 0.5]]
    """

    weights: Floats  # (K, d)
    at_origin: Floats  # (K,): b
    origin: Floats  # (d,)

    def __post_init__(self) -> None:
        if not np.isfinite(self.weights).all():
            raise EstimateError(
                "a value has probability 0 in a class, so its weight is infinite; use estimate='map' with alpha > 1"
            )

    @property
    def intercepts(self) -> Floats:
        """Of scores w_k · x + intercept, (K,)."""
        return np.asarray(self.at_origin - self.weights @ self.origin)

    @property
    def coef_(self) -> Floats:
        """The weights as scikit-learn has them: one row for two classes."""
        return self.binary()[0][None] if len(self.weights) == 2 else self.weights

    @property
    def intercept_(self) -> Floats:
        """The intercepts as scikit-learn has them."""
        return np.array([self.binary()[1]]) if len(self.weights) == 2 else self.intercepts

    def log_posterior(self, X: Any) -> Floats:
        """log p(k | x), (n, K)."""
        rows = as_rows(X, len(self.origin))
        if not np.isfinite(rows).all():
            raise DataError(
                "a cell is missing or infinite, and no weight is for that; fill it in, or ask the generative model"
            )
        return np.asarray(log_softmax(self.scores(rows), axis=1))

    def scores(self, rows: Floats) -> Floats:
        """w_k · (x - origin) + b_k, (n, K); where that is too large for a number, less the greatest of its row."""
        with np.errstate(over="ignore", invalid="ignore"):
            scores = (rows - self.origin) @ self.weights.T + self.at_origin
            far = np.flatnonzero(~np.isfinite(scores).all(axis=1))
            if len(far):
                nearer = (rows[far] * SHRINK - self.origin * SHRINK) @ self.weights.T
                scores[far] = (nearer - nearer.max(axis=1, keepdims=True)) / SHRINK + self.at_origin
        return np.asarray(scores)

    def posterior(self, X: Any) -> Floats:
        """p(k | x), (n, K)."""
        return np.asarray(np.exp(self.log_posterior(X)))

    def binary(self) -> tuple[Floats, float]:
        """(w, b) with p(class 1 | x) = 1 / (1 + exp(-(w · x + b))), for two classes."""
        if len(self.weights) != 2:
            raise EstimateError(f"there are {len(self.weights)} classes, not two; use weights and intercepts")
        weights = self.weights[1] - self.weights[0]
        return weights, float(self.at_origin[1] - self.at_origin[0] - weights @ self.origin)

    def to_sklearn(self) -> Any:
        """A fitted LogisticRegression with classes 0..K-1 and the same posterior."""
        from sklearn.linear_model import LogisticRegression

        if len(self.weights) < 2:
            raise EstimateError("scikit-learn has no logistic regression of one class; give two or more")
        model = LogisticRegression()
        if len(self.weights) == 2:
            weights, intercept = self.binary()
            model.coef_, model.intercept_ = weights[None], np.array([intercept])
        else:
            model.coef_, model.intercept_ = self.weights.copy(), self.intercepts
        model.classes_, model.n_features_in_ = np.arange(len(self.weights)), self.weights.shape[1]
        return model
