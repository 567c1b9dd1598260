"""TextClassifier beside scikit-learn's CalibratedClassifierCV around MultinomialNB, on the same features.

The peers' CountVectorizer is given our analyzer, so that it counts the very words that ours counts; it is also faster
than its own pattern. They learn the rows in random order, since their inner folds are blocks of rows.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import MultinomialNB

from priori.data.folds import folds
from priori.decisions import Evaluation, Scorecard
from priori.estimators.text_classifier import TextClassifier
from priori.text import Analyzer

DEFAULT = "TextClassifier()"
ONE = "TextClassifier(alpha=1)"
RAW = "TextClassifier(calibrate=False)"
RAW_ONE = "TextClassifier(alpha=1, calibrate=False)"
OURS: Mapping[str, Mapping[str, Any]] = {
    DEFAULT: {},
    ONE: {"alpha": 1},
    RAW: {"calibrate": False},
    RAW_ONE: {"alpha": 1, "calibrate": False},
}
METHODS = ("sigmoid", "isotonic")
GRID = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
BEST = "best alpha"
PEERS = tuple(f"{method}, {alpha}" for method in METHODS for alpha in ("alpha 1", BEST))
INNER_FOLDS = 5
LEAST = np.finfo(np.float64).eps  # as in sklearn.metrics.log_loss: isotonic regression calls labels impossible

Split = tuple[np.ndarray, np.ndarray]  # places of the rows to learn, and of those to classify


@dataclass(frozen=True, eq=False)
class Predicted:
    """log p(y | x), columns in the order of the sorted labels, and the seconds of learning and classifying."""

    log_posterior: np.ndarray
    seconds: float
    searching: float = 0.0  # of the seconds, those that alpha took


@dataclass
class Tally:
    """Predictions of all splits, pooled."""

    card: Scorecard
    seconds: float = 0.0
    searching: float = 0.0

    def add(self, predicted: Predicted, truth: np.ndarray) -> None:
        """One more split."""
        logs = predicted.log_posterior
        self.card.add(np.exp(logs), truth.tolist(), logs)
        self.seconds += predicted.seconds
        self.searching += predicted.searching


@dataclass(frozen=True, eq=False)
class Scored:
    """Measures of pooled predictions."""

    evaluation: Evaluation
    seconds: float
    searching: float

    @property
    def excess(self) -> float:
        """The calibration error above what perfect calibration would show on as many rows."""
        return self.evaluation.ece - self.evaluation.ece_floor


def pooled_folds(texts: list[str], k: int) -> list[Split]:
    """Folds with the copies of a text in one."""
    fold = folds(len(texts), k, seed=0, groups=texts)
    return [(np.flatnonzero(fold != i), np.flatnonzero(fold == i)) for i in range(k)]


def scores(
    texts: list[str], labels: list[str], splits: Iterable[Split], grid: tuple[float, ...] = GRID
) -> dict[str, Scored]:
    """Ours, then the peers with their best alpha of the grid, in turns in each split."""
    rows, y = np.array(texts, dtype=object), np.array(labels)
    classes = np.unique(y)
    tallies = {name: Tally(Scorecard(classes.tolist())) for name in (*OURS, *PEERS)}
    shuffle = np.random.default_rng(0)
    for train, test in splits:
        order = shuffle.permutation(train)
        learned = rows[order].tolist(), y[order]
        said = {name: predicted_by_ours(settings, *learned, rows[test].tolist()) for name, settings in OURS.items()}
        said |= predicted_by_peers(grid, *learned, rows[test].tolist())
        for name, predicted in said.items():
            tallies[name].add(predicted, y[test])
    return {name: Scored(it.card.result(), it.seconds, it.searching) for name, it in tallies.items()}


def predicted_by_ours(settings: Mapping[str, Any], texts: list[str], y: np.ndarray, new: list[str]) -> Predicted:
    """On one thread."""
    model = TextClassifier(n_jobs=1, **settings)
    logs, seconds = timed(lambda: model.fit(texts, y).predict_log_proba(new))
    return Predicted(logs, seconds)


def predicted_by_peers(
    grid: tuple[float, ...], texts: list[str], y: np.ndarray, new: list[str]
) -> dict[str, Predicted]:
    """The words are counted once for all of them, and each is charged for it."""
    vectorizer = CountVectorizer(analyzer=Analyzer().features_of)
    (X, X_new), counting = timed(lambda: (vectorizer.fit_transform(texts), vectorizer.transform(new)))
    found = {}
    for name in PEERS:
        method, alpha = name.split(", ")
        model, searching = CalibratedClassifierCV(MultinomialNB(alpha=1), method=method, cv=INNER_FOLDS), 0.0
        if alpha == BEST:
            _, searching = timed(lambda model=model: _choose_alpha(model, grid, X, y))
        p, seconds = timed(lambda model=model: model.fit(X, y).predict_proba(X_new))
        found[name] = Predicted(np.log(np.maximum(p, LEAST)), counting + searching + seconds, searching)
    return found


def _choose_alpha(model: CalibratedClassifierCV, grid: tuple[float, ...], X: Any, y: np.ndarray) -> None:
    """That of the lowest log loss of the calibrated classifier over folds of what is learned."""
    alphas = {"estimator__alpha": grid}
    search = GridSearchCV(model, alphas, scoring="neg_log_loss", cv=INNER_FOLDS, refit=False).fit(X, y)
    model.set_params(**search.best_params_)


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """What it gives, and its seconds."""
    start = perf_counter()
    result = work()
    return result, perf_counter() - start
