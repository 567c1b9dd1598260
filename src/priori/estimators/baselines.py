"""Discriminative learners to compare with, and tables as the matrices that they take.

The learners are scikit-learn's logistic regression and tree, and least squares. A matrix has imputed and scaled
numbers, one-hot categories and hashed words; its means, scales and categories are learned from the training rows alone.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.linalg import lstsq
from scipy.special import log_softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from priori.columns.specification import names_text
from priori.data.batch import TableBatch
from priori.data.schema import NUMBERS, Field

Floats = npt.NDArray[np.float64]
CATEGORIES = 100  # of a column that are told apart, the most frequent ones
WORDS = 512  # hashed, of a column of texts


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


@dataclass(frozen=True, eq=False)
class Features:
    """The cells of a table as numbers; what they mean is still to be learned."""

    numbers: Floats  # (n, a), NaN where missing
    codes: npt.NDArray[np.int64]  # (n, b), categories, -1 where missing: a category of its own
    words: Floats  # (n, c), counts of hashed words, of length 1

    @classmethod
    def of(cls, table: TableBatch) -> "Features":
        """Every column by its type, as naive Bayes takes it: dates by year, month, weekday and hour."""
        found = [piece for field in table.schema.fields for piece in _pieces(field, table)]

        def stacked(kind: str, dtype: Any) -> npt.NDArray[Any]:
            columns = [values.reshape(len(table), -1) for name, values in found if name == kind]
            return np.hstack(columns).astype(dtype) if columns else np.zeros((len(table), 0), dtype)

        return cls(stacked("numbers", np.float64), stacked("codes", np.int64), stacked("words", np.float64))

    def take(self, rows: npt.NDArray[np.intp]) -> "Features":
        """Some rows."""
        return Features(self.numbers[rows], self.codes[rows], self.words[rows])


class Encoder:
    """Learned from training rows: the mean of each column for its holes, its scale, and the categories there are."""

    def __init__(self, train: Features) -> None:
        from sklearn.impute import SimpleImputer
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import OneHotEncoder, StandardScaler

        self._numbers = make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler())
        self._codes = OneHotEncoder(max_categories=CATEGORIES, handle_unknown="ignore", sparse_output=False)
        if train.numbers.shape[1]:
            self._numbers.fit(train.numbers)
        if train.codes.shape[1]:
            self._codes.fit(train.codes)

    def matrix(self, features: Features) -> Floats:
        """The rows as numbers; categories that were not in training have no column, so that all theirs are 0."""
        parts = [features.words]
        if features.numbers.shape[1]:
            parts.append(self._numbers.transform(features.numbers))
        if features.codes.shape[1]:
            parts.append(self._codes.transform(features.codes))
        return np.hstack(parts)


def _pieces(field: Field, table: TableBatch) -> Iterator[tuple[str, npt.NDArray[Any]]]:
    if field.type in NUMBERS:
        yield "numbers", table.numbers(field.name)
    elif field.type in ("date", "time"):
        dates = table.dates(field.name)
        yield "numbers", dates.year
        yield from (("codes", part) for part in (dates.month, dates.weekday, dates.hour) if part is not None)
    elif field.type == "string" and names_text(field.name):
        yield "words", _hashed(table.texts(field.name).to_pylist())
    elif field.type != "null":
        yield "codes", table.codes(field.name)[0]


def _hashed(texts: list[str | None]) -> Floats:
    from sklearn.feature_extraction.text import HashingVectorizer

    words = HashingVectorizer(n_features=WORDS, alternate_sign=False)
    found: Floats = words.transform([text or "" for text in texts]).toarray()
    return found
