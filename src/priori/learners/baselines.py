"""Discriminative learners beside ours: scikit-learn's logistic regression and tree, and least squares."""

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.linalg import lstsq
from scipy.special import log_softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

Floats = npt.NDArray[np.float64]


def log_posterior(model: Any, X: Floats) -> Floats | None:
    """log p(y | x) of a fitted classifier, -inf where it says 0; None where it has no probabilities.

    That of logistic regression is the log softmax of its scores, finite where a probability is too small for a float.
    """
    if isinstance(model, LogisticRegression) and (model.solver != "liblinear" or len(model.classes_) == 2):
        scores = model.decision_function(X)
        if scores.ndim == 1:  # of two classes it gives their difference
            scores = np.column_stack([np.zeros(len(scores)), scores])
        found: Floats = log_softmax(scores, axis=1)
        return found
    if not hasattr(model, "predict_proba"):
        return None
    with np.errstate(divide="ignore"):  # the logarithm of 0 is -inf, and meant
        return np.log(np.asarray(model.predict_proba(X), np.float64))


class LaplaceTree(DecisionTreeClassifier):  # type: ignore[misc]
    """A decision tree whose leaves say (n_c + 1) / (n + K), so that none is certain (Provost & Domingos 2003)."""

    def predict_proba(self, X: Any, check_input: bool = True) -> Floats:
        """p(y | x), of the leaf that a row falls into."""
        leaves = self.apply(X, check_input)
        n = self.tree_.n_node_samples[leaves][:, None]
        shares = self.tree_.value[leaves, 0, :]
        found: Floats = (n * shares + 1) / (n + len(self.classes_))
        return found


class LeastSquares(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Linear regression on one-hot targets, the shortest weights where they are not unique; it has no probabilities."""

    def fit(self, X: Floats, y: npt.NDArray[Any]) -> Self:
        """Solve least squares with an intercept."""
        self.classes_, places = np.unique(y, return_inverse=True)
        self.centre_ = X.mean(axis=0)
        targets = np.eye(len(self.classes_))[places]
        self.intercept_ = targets.mean(axis=0)
        # gelsy: by QR, several times as fast as by singular values, and as short where weights are not unique
        self.weights_ = lstsq(X - self.centre_, targets - self.intercept_, lapack_driver="gelsy")[0]
        return self

    def predict(self, X: Floats) -> npt.NDArray[Any]:
        """The class whose target is predicted largest."""
        best = ((X - self.centre_) @ self.weights_ + self.intercept_).argmax(axis=1)
        predicted: npt.NDArray[Any] = self.classes_[best]
        return predicted
