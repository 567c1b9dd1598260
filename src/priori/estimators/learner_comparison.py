"""Generative against discriminative: who learns faster, and who ends higher (lecture 002; Ng & Jordan 2002)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from priori.data.batch import TableBatch
from priori.data.frames import table_batches
from priori.data.labels import encoded
from priori.data.schema import NUMBERS, Schema
from priori.errors import DataError
from priori.estimators.base import TableEstimator
from priori.estimators.baselines import Encoder, Features, LaplaceTree, LeastSquares, log_posterior
from priori.estimators.gaussian_discriminant import GaussianDiscriminant
from priori.estimators.naive_bayes import NaiveBayes
from priori.select.learning_curves import LearnerComparison, LearningCurve, Scores
from priori.select.simulations import Kind, simulate
from priori.select.splits import Split, checked_sizes, geometric_sizes, held_out_rows, split

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]
Learners: TypeAlias = Mapping[str, Any] | Sequence[str]
Told: TypeAlias = Callable[[int, int], None]  # how many of how many fits are done

DEFAULT: dict[str, Any] = {
    "naive Bayes": NaiveBayes(n_jobs=1),
    "Gaussian": GaussianDiscriminant(n_jobs=1),
    "logistic": LogisticRegression(max_iter=1000),
    "least squares": LeastSquares(),
    "tree": LaplaceTree(random_state=0),
}


def compare_learners(
    X: Any,
    y: Any,
    learners: Learners | None = None,
    *,
    sizes: Sequence[int] | None = None,
    repeats: int = 5,
    seed: int = 0,
    test: float = 0.3,
    progress: Told | None = None,
) -> LearnerComparison:
    """Learning curves on nested random subsets of a table, measured on rows that are held out of each repeat.

    learners: names among naive Bayes, Gaussian, logistic, least squares and tree; or {name: estimator}, where ours get
    the table and others a matrix (holes filled by the mean, scaled, categories one-hot, learned on training rows).
    sizes: rows to learn from; by default two for each class, doubled until all are learned. test: share or number of
    rows held out. Rows without a label are left out. The same seed gives the same numbers.

    >>> from priori.select.simulations import simulate
    >>> drawn = simulate("gaussian", 300)
    >>> found = compare_learners(drawn.X, drawn.y, ["Gaussian", "logistic"], sizes=[10, 200], repeats=2)
    >>> low, high = found["Gaussian"].accuracy.mean.tolist()
    >>> low < high
    True
    """
    table, group, classes = _labelled(X, y)
    if len(classes) < 2:
        raise DataError(f"there is one class, {classes[0]!r}; give labels of two classes or more")
    held_out = held_out_rows(len(table), len(classes), test)
    learned = len(table) - held_out
    steps = geometric_sizes(len(classes), learned) if sizes is None else checked_sizes(sizes, len(classes), learned)
    splits = [split(group, held_out, np.random.default_rng([seed, repeat])) for repeat in range(_some(repeats))]
    return _compared(_Ground(table, group, classes, Features.of(table)), splits, steps, learners, progress)


def compare_simulated(
    kind: Kind,
    n: int = 2000,
    learners: Learners | None = None,
    *,
    sizes: Sequence[int] | None = None,
    repeats: int = 10,
    seed: int = 0,
    test: int = 2000,
    progress: Told | None = None,
) -> LearnerComparison:
    """The same on rows of a known truth (`priori.select.simulations`), beside the accuracy that nothing can beat.

    Each repeat draws n new rows to learn from and `test` rows to be measured on.
    """
    each = n + test
    if n < 4 or test < 1:
        raise DataError(f"n={n} rows to learn from and test={test} to measure on are too few; give at least 4 and 1")
    drawn = simulate(kind, each * _some(repeats), seed)
    table, group, classes = _labelled(drawn.X, drawn.y)
    steps = geometric_sizes(2, n) if sizes is None else checked_sizes(sizes, 2, n)
    rng = np.random.default_rng([seed, 2])
    splits = [split(group[start : start + each], test, rng).moved(start) for start in range(0, len(group), each)]
    found = _compared(_Ground(table, group, classes, Features.of(table)), splits, steps, learners, progress)
    return replace(found, optimum=(drawn.accuracy, drawn.standard_error))


def _some(repeats: int) -> int:
    if repeats < 1:
        raise DataError(f"repeats={repeats} measures nothing; give at least 1")
    return repeats


def _compared(
    ground: "_Ground", splits: Sequence[Split], steps: tuple[int, ...], learners: Learners | None, progress: Told | None
) -> LearnerComparison:
    """Every learner on the same subsets and the same held-out rows."""
    chosen, notes = _chosen(learners, ground.table.schema)
    scores = np.full((len(chosen), 3, len(splits), len(steps)), np.nan)
    done, fits = 0, len(chosen) * len(steps) * len(splits)
    with threadpool_limits(
        1
    ):  # subtle: on matrices this small, threads of BLAS wait for each other far longer than work
        for repeat, parts in enumerate(splits):
            for at, size in enumerate(steps):
                trial = _Trial(ground, Split(parts.train[:size], parts.test))
                for which, estimator in enumerate(chosen.values()):
                    scores[which, :, repeat, at] = trial.scores(estimator)
                    done += 1
                    if progress is not None:
                        progress(done, fits)
    curves = tuple(_curve(name, of, scores[which]) for which, (name, of) in enumerate(chosen.items()))
    held_out = len(splits[0].test)
    return LearnerComparison(steps, len(splits), held_out, ground.classes, curves, (*notes, *_remarks(curves, chosen)))


def _labelled(X: Any, y: Any) -> tuple[TableBatch, npt.NDArray[np.int32], tuple[str, ...]]:
    """The labelled rows as one batch, the class of each, and the classes in order."""
    batches = list(table_batches(X))
    schema, rows = batches[0].schema, sum(map(len, batches))
    labels, found, _ = encoded(y)
    if len(found) != rows:
        raise DataError(f"X has {rows:,} rows, y has {len(found):,}; give a label for each row")
    if not labels:
        raise DataError(f"none of the {rows:,} rows has a label, so nothing can be learned; give labels")
    there = np.flatnonzero(found >= 0)
    order = np.argsort(labels)
    place = np.empty(len(labels), np.int32)
    place[order] = np.arange(len(labels), dtype=np.int32)
    columns = {
        name: pa.chunked_array([batch.columns[name] for batch in batches]).take(there).combine_chunks()
        for name in schema.names
    }
    return TableBatch(schema, columns, len(there)), place[found[there]], tuple(labels[k] for k in order)


def _chosen(learners: Learners | None, schema: Schema) -> tuple[dict[str, Any], list[str]]:
    """The estimators by name, and what is left out."""
    if isinstance(learners, Mapping):
        if not learners:
            raise DataError("there are no learners to compare; name some")
        return dict(learners), []
    names = list(DEFAULT) if learners is None else list(learners)
    unknown = [name for name in names if name not in DEFAULT]
    if unknown or not names:
        raise DataError(f"there is no learner {', '.join(map(repr, unknown))}; there are {', '.join(DEFAULT)}")
    other = [field for field in schema.fields if field.type not in NUMBERS]
    if not other or "Gaussian" not in names:
        return {name: DEFAULT[name] for name in names}, []
    why = f"Gaussian is left out: column {other[0].name!r} holds {other[0].type} values, and it needs numbers"
    if learners is not None:
        raise DataError(f"{why}; leave the column or the learner out")
    return {name: DEFAULT[name] for name in names if name != "Gaussian"}, [why]


def _curve(name: str, estimator: Any, scores: Floats) -> LearningCurve:
    accuracy, log_loss, log_joint = (None if np.isnan(values).any() else Scores(values) for values in scores)
    if accuracy is None:
        raise DataError(f"{name} predicted nothing; give an estimator with predict")
    return LearningCurve(name, isinstance(estimator, TableEstimator), accuracy, log_loss, log_joint)


def _remarks(curves: Sequence[LearningCurve], chosen: Mapping[str, Any]) -> list[str]:
    said = [f"{curve.name} has no probabilities, so no log loss" for curve in curves if curve.log_loss is None]
    generative = [curve for curve in curves if curve.log_joint is not None]
    if len(generative) > 1 and any(getattr(chosen[curve.name], "columns", None) == "auto" for curve in generative):
        said.append(
            "joint likelihoods compare along a column, not across: naive Bayes gives numbers the probability of narrow "
            "bins, a Gaussian gives them a density"
        )
    return said


@dataclass(frozen=True, eq=False)
class _Ground:
    """All labelled rows, as tables and as numbers."""

    table: TableBatch
    group: npt.NDArray[np.int32]
    classes: tuple[str, ...]
    features: Features

    def rows(self, places: Places) -> pa.Table:
        return pa.table({name: column.take(pa.array(places)) for name, column in self.table.columns.items()})


class _Trial:
    """One training subset and its held-out rows, prepared once for all learners."""

    def __init__(self, ground: _Ground, parts: Split) -> None:
        self._train, self._test = ground.rows(parts.train), ground.rows(parts.test)
        train, test = ground.features.take(parts.train), ground.features.take(parts.test)
        encoder = Encoder(train)
        self._matrices = encoder.matrix(train), encoder.matrix(test)
        self._learned, self._true = ground.group[parts.train], ground.group[parts.test]
        self._classes = len(ground.classes)

    def scores(self, estimator: Any) -> tuple[float, float, float]:
        """Accuracy, log loss and log joint of the held-out rows; NaN for what the learner does not have."""
        ours = isinstance(estimator, TableEstimator)
        train, test = (self._train, self._test) if ours else self._matrices
        model = clone(estimator).fit(train, self._learned)
        joint = self._true_mean(model, model.log_joint(test)) if ours else np.nan
        logs = model.predict_log_proba(test) if ours else log_posterior(model, test)
        if logs is None:
            return float((model.predict(test) == self._true).mean()), np.nan, joint
        best = model.classes_[logs.argmax(axis=1)]
        return float((best == self._true).mean()), -self._true_mean(model, logs), joint

    def _true_mean(self, model: Any, logs: Floats) -> float:
        """The mean over the held-out rows of the entry of their own class."""
        full = np.full((len(logs), self._classes), -np.inf)
        full[:, model.classes_] = logs
        return float(full[np.arange(len(full)), self._true].mean())
