"""Single-type naive Bayes of scikit-learn behind imputation and encoding: what one does without mixed columns.

    GaussianNB     numbers: median for the holes; categories: their codes
    CategoricalNB  numbers: median, then 5 or 10 bins of equal mass; categories: their codes
    BernoulliNB    the same, one-hot
    MultinomialNB  numbers: median, then scaled to [0, 1]; categories: one-hot

A hole in a category, or one that was not in the training rows, becomes the most frequent one. Imputers, encoders and
bins are fitted within each training fold.
"""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, MinMaxScaler, OneHotEncoder, OrdinalEncoder

from priori.decisions import Evaluation, Scorecard

FOLDS = 10


@dataclass(frozen=True, eq=False)
class Score:
    """Predictions out of fold: their measures, and which rows (in the order of the table) are right."""

    evaluation: Evaluation
    right: np.ndarray

    def behind(self, other: "Score") -> tuple[int, float]:
        """By how many rows another has more right, and the standard error of that, both having seen the same rows.

        Rows where both are right, or both wrong, say nothing: a lead that rests on k rows has an error of about √k.
        """
        gap = other.right.astype(int) - self.right.astype(int)
        return int(gap.sum()), float(np.sqrt(len(gap) * gap.var()))


def recipes(frame: pd.DataFrame) -> dict[str, Callable[[], Any]]:
    """The recipes for the columns of a table that `plain` made, by name."""
    return {
        "GaussianNB": lambda: make_pipeline(_columns(frame), GaussianNB()),
        **{
            f"CategoricalNB, {bins} bins": lambda bins=bins: make_pipeline(
                _columns(frame, _bins(bins, "ordinal")), CategoricalNB()
            )
            for bins in (5, 10)
        },
        **{
            f"BernoulliNB, {bins} bins": lambda bins=bins: make_pipeline(
                _columns(frame, _bins(bins, "onehot-dense"), OneHotEncoder(sparse_output=False)), BernoulliNB()
            )
            for bins in (5, 10)
        },
        "MultinomialNB": lambda: make_pipeline(
            _columns(frame, MinMaxScaler(clip=True), OneHotEncoder(sparse_output=False)), MultinomialNB()
        ),
    }


def plain(frame: pd.DataFrame) -> pd.DataFrame:
    """As scikit-learn's encoders take it: categories and booleans as objects, their holes as NaN."""
    as_objects = {name: frame[name].astype(object) for name in frame if frame[name].dtype != np.float64}
    return frame.assign(**{name: column.where(column.notna(), np.nan) for name, column in as_objects.items()})


def out_of_fold(make: Callable[[], Any], X: pd.DataFrame, y: np.ndarray, folds: int = FOLDS) -> Score:
    """Each row predicted by a model that has not seen it."""
    card = Scorecard([str(label) for label in np.unique(y)])
    right = np.zeros(len(y), bool)
    for train, test in StratifiedKFold(folds, shuffle=True, random_state=0).split(X, y):
        logs = make().fit(X.iloc[train], y[train]).predict_log_proba(X.iloc[test])
        card.add(np.exp(logs), [str(label) for label in y[test]], logs)
        right[test] = np.unique(y)[logs.argmax(axis=1)] == y[test]
    return Score(card.result(), right)


def recipe_scores(frame: pd.DataFrame, y: np.ndarray, folds: int = FOLDS) -> Iterator[tuple[str, Score]]:
    """Every recipe with its score."""
    X = plain(frame)
    for name, make in recipes(X).items():
        with warnings.catch_warnings():
            # KBinsDiscretizer says that it joins bins of no width, as it must where a column has few values
            warnings.filterwarnings("ignore", message="(Bins whose width|Feature .* is constant)")
            yield name, out_of_fold(make, X, y, folds)


def most_accurate(scores: dict[str, Score]) -> str:
    """The name of the most accurate; of several, the one of the lowest log loss."""
    return min(scores, key=lambda name: (-scores[name].evaluation.accuracy, scores[name].evaluation.log_loss))


def _columns(frame: pd.DataFrame, numbers: Any = "passthrough", categories: Any = "passthrough") -> ColumnTransformer:
    """Holes filled, then a step for the numbers and one for the codes of the categories."""
    real = [name for name in frame if frame[name].dtype == np.float64]
    other = [name for name in frame if name not in real]
    codes = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan)
    return ColumnTransformer(
        [
            ("numbers", make_pipeline(SimpleImputer(strategy="median"), numbers), real),
            ("categories", make_pipeline(codes, SimpleImputer(strategy="most_frequent"), categories), other),
        ]
    )


def _bins(bins: int, encode: str) -> KBinsDiscretizer:
    return KBinsDiscretizer(bins, encode=encode, strategy="quantile")
