"""Classifiers of tables as scikit-learn has them: NaiveBayes and GaussianDiscriminant, with learn, forget, + and -."""

import os
import warnings
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import Tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_feature_names, check_array, check_is_fitted

from priori.columns.gaussian_settings import NiwPrior
from priori.columns.joint import GaussianColumns
from priori.columns.logistic import Logistic
from priori.columns.parts import Columns, Part, parts_of
from priori.columns.statistics import Labelled
from priori.decide.costs import cost_matrix, least_cost
from priori.decide.evaluation import Evaluation, Scorecard
from priori.errors import DataError
from priori.explain import Explanation
from priori.frames import frame_like
from priori.labels import encoded, from_texts, to_texts
from priori.readings import ClassPrior
from priori.statistics.counts import to_units
from priori.table_classifier import TableModel
from priori.table_explain import explain_row
from priori.table_readings import TableEstimate, TableReadings
from priori.tables.batch import TableBatch
from priori.tables.frames import table_batches

Floats = npt.NDArray[np.float64]


class TableEstimator(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """What both estimators share: one model, replaced when it learns and forgets."""

    model_: TableModel
    classes_: npt.NDArray[Any]
    n_features_in_: int
    given_classes_: tuple[str, ...]  # named to partial_fit, perhaps not yet seen
    _seen: tuple[Any, ...]  # the parameters of the reading that model_ has
    _kind: str

    estimate: TableEstimate
    class_prior: ClassPrior
    cost: Any
    n_jobs: int | None

    @abstractmethod
    def _readings(self, label_type: Any) -> TableReadings: ...

    @abstractmethod
    def _parts(self, batch: TableBatch) -> tuple[Part, ...]: ...

    @abstractmethod
    def _settings(self) -> tuple[Any, ...]:
        """The parameters that may change without fitting again."""

    # --- learning ----------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from a table and labels, from nothing. A label of None means unlabelled: the row is skipped."""
        if hasattr(self, "model_"):
            del self.model_
        return self._first(X, y, sample_weight)

    def _first(self, X: Any, y: Any, sample_weight: Any) -> Self:
        data, kind = self._labelled(X, y, sample_weight)
        first = next(data)
        parts = self._parts(first.batch)
        model = TableModel.train(
            _chained(first, data), first.batch.schema, parts, self._readings(kind), kind=self._kind, jobs=self.n_jobs
        )
        self.n_features_in_ = len(first.batch.schema.fields)
        _check_feature_names(self, X if hasattr(X, "columns") else np.empty((0, 0)), reset=True)
        if isinstance(X, Mapping) or (isinstance(X, list | tuple) and X and isinstance(X[0], Mapping)):
            self.feature_names_in_ = np.array(first.batch.schema.names, dtype=object)
        self.given_classes_ = ()
        self._take(model)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn more; the same as `learn`, and as `fit` the first time. `classes` may name classes still to come."""
        given = () if classes is None else tuple(text for text in to_texts(classes)[0] if text is not None)
        if hasattr(self, "model_"):
            self.learn(X, y, sample_weight)
        else:
            self._first(X, y, sample_weight)
        if given:
            self.given_classes_ = tuple(sorted({*self.given_classes_, *given}))
            self._take(self.model_)
        return self

    def learn(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Add rows to what was learned; new classes and new categories are welcome."""
        model = self._current()
        self._take(model.learn(self._changing(X, y, sample_weight), self.n_jobs))
        return self

    def forget(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Take rows back out, exactly: as if they had never been learned."""
        model = self._current()
        self._take(model.forget(self._changing(X, y, sample_weight), self.n_jobs))
        return self

    def __add__(self, other: Self) -> Self:
        both = self._with(self._current() + other._current())
        both.given_classes_ = tuple(sorted({*self.given_classes_, *other.given_classes_}))
        both._take(both.model_)
        return both

    def __sub__(self, other: Self) -> Self:
        return self._with(self._current() - other._current())

    # --- predicting --------------------------------------------------------------------------------------------------

    def predict_proba(self, X: Any) -> Floats:
        """p(y | x), one row per row, columns in the order of `classes_`."""
        return np.exp(self.predict_log_proba(X))

    def predict_log_proba(self, X: Any) -> Floats:
        """log p(y | x): finite where p is too small for a float; -inf only where a class is impossible."""
        model = self._current()
        return self._placed([model.log_posterior(batch) for batch in self._batches(X)])

    def log_joint(self, X: Any) -> Floats:
        """log p(x, y), not normalised over y."""
        model = self._current()
        return self._placed([model.log_joint(batch) for batch in self._batches(X)])

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The most probable class of each row, or the one of least expected cost where costs are given."""
        posterior = self.predict_log_proba(X)  # first, since it is what finds out that nothing was fitted
        if self.cost is None:
            best = posterior.argmax(axis=1)
        else:
            best = least_cost(np.exp(posterior), cost_matrix(self.cost, [str(label) for label in self.classes_]))
        predicted: npt.NDArray[Any] = self.classes_[best]
        return predicted

    def classify(self, X: Any) -> Any:
        """Label, probability and the probability of each class, as a frame of the same kind as X (else pyarrow's)."""
        posterior, best = self.predict_proba(X), self.predict(X)
        columns: dict[str, Any] = {
            "label": best,
            "probability": posterior[np.arange(len(best)), np.searchsorted(self.classes_, best)],
            **{f"p({label})": posterior[:, index] for index, label in enumerate(self.classes_)},
        }
        return frame_like(X, columns)

    def explain(self, X: Any, label: Any = None, against: Any = None) -> Explanation:
        """What each column of a single row says for `label` against `against`: log-odds that add up exactly."""
        batches = list(self._batches([X] if isinstance(X, dict) else X))
        rows = sum(len(batch) for batch in batches)
        if rows != 1:
            raise DataError(f"one row can be explained at a time, and there are {rows:,}; give a table of one row")
        names = [None if name is None else str(name) for name in (label, against)]
        return explain_row(self._current(), batches[0], *names)

    def evaluate(self, X: Any, y: Any) -> Evaluation:
        """Accuracy, log loss, Brier score and calibration on labelled rows."""
        logs = self.predict_log_proba(X)
        card = Scorecard([str(label) for label in self.classes_])
        card.add(np.exp(logs), to_texts(y)[0], logs)
        return card.result()

    def leave_one_out(self, X: Any, y: Any, sample_weight: Any = None) -> Floats:
        """log p(y | x) of learned rows, each as if it had never been learned: what n refits would give."""
        model = self._current()
        return self._placed([model.leave_one_out(data) for data in self._changing(X, y, sample_weight)])

    def log_evidence(self) -> float:
        """log p(table, labels) with all parameters integrated out, to compare models of the same columns."""
        return self._current().log_evidence()

    def sample(self, size: int, random_state: Any = None, like: Any = None) -> tuple[Any, npt.NDArray[Any]]:
        """Draw synthetic rows from p(y) p(x | y): a table (pyarrow's, or of the kind of `like`) and labels."""
        model = self._current()
        seed = random_state if isinstance(random_state, np.random.Generator) else np.random.default_rng(random_state)
        group, cells = model.sample(size, seed)
        labels = from_texts(model.labels, model.readings.label_type)
        return frame_like(like, cells), labels[group]

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """The factors of p(x | y): columns, and the parts of dates."""
        return np.array([part.name for part in self._current().parts], dtype=object)

    # --- files and views ---------------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write one self-contained, checked file; `priori.load` reads it."""
        self._current().save(path)

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        settings: str = super().__repr__(N_CHAR_MAX)
        if not hasattr(self, "model_"):
            return settings
        model = self.model_
        rows = float(model.statistics.n.sum())
        return f"<{settings}: {len(model.labels)} classes, {rows:,g} rows, {len(model.schema.fields)} columns>"

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags

    # --- inside ------------------------------------------------------------------------------------------------------

    def _current(self) -> TableModel:
        """The model read as the parameters now say: set_params needs no fitting again where it can be avoided."""
        if not hasattr(self, "model_"):
            check_is_fitted(self, "model_")
        now = self._settings()
        if self._seen != now:
            empty = TableBatch(self.model_.schema, {}, 0)
            self.model_ = self.model_.read_as(self._readings(self.model_.readings.label_type), self._parts(empty))
            self._seen = deepcopy(now)  # a dict that is changed in place must not equal itself
        return self.model_

    def _take(self, model: TableModel) -> None:
        self.model_ = model
        self._seen = deepcopy(self._settings())
        texts = tuple(sorted({*model.labels, *self.given_classes_}))
        self.classes_ = np.sort(from_texts(texts, model.readings.label_type))

    def _with(self, model: TableModel) -> Self:
        other: Self = clone(self)
        other.given_classes_ = self.given_classes_
        other.n_features_in_ = self.n_features_in_
        if hasattr(self, "feature_names_in_"):
            other.feature_names_in_ = self.feature_names_in_
        other._take(model)
        return other

    def _placed(self, parts: list[Floats]) -> Floats:
        """The columns in the order of `classes_`, -inf for classes that are still to come."""
        labels = from_texts(self.model_.labels, self.model_.readings.label_type)
        full = np.full((sum(map(len, parts)), len(self.classes_)), -np.inf)
        full[:, np.searchsorted(self.classes_, labels)] = np.concatenate(parts)
        return full

    def _batches(self, X: Any) -> Iterator[TableBatch]:
        model = self._current()
        _check_feature_names(self, X if hasattr(X, "columns") else np.empty((0, 0)), reset=False) if hasattr(
            X, "columns"
        ) else None
        return table_batches(_as_table(X), model.schema, estimator=type(self).__name__)

    def _changing(self, X: Any, y: Any, sample_weight: Any) -> Iterator[Labelled]:
        model = self._current()
        data, kind = self._labelled(X, y, sample_weight, model)
        if kind != model.readings.label_type and any(label is not None for label in to_texts(y)[0]):
            raise DataError(f"the labels are of type {kind}, but {model.readings.label_type} was learned; convert them")
        return data

    def _labelled(
        self, X: Any, y: Any, sample_weight: Any, model: TableModel | None = None
    ) -> tuple[Iterator[Labelled], Any]:
        if y is None:
            raise DataError(
                "requires y to be passed, but the target y is None: learning needs a label for each row (None among "
                "them means unlabelled)"
            )
        _refuse_targets(y)
        labels, group, kind = encoded(y)
        weights = None if sample_weight is None else to_units(np.asarray(sample_weight, np.float64))
        table = _as_table(X)
        schema = None if model is None else model.schema
        return _with_labels(table_batches(table, schema, estimator=type(self).__name__), labels, group, weights), kind


class NaiveBayes(TableEstimator):
    """p(y) times a family for each column: text, categories, counts, reals, booleans and dates, with holes.

    columns: "auto" (by the types alone, see `priori.columns.parts`), a family for all columns, or {column: family},
    where None leaves a column out and a tuple of columns has a joint family.

    >>> table = {"age": [25, 61, 34, 70], "job": ["clerk", None, "nurse", "clerk"]}
    >>> model = NaiveBayes().fit(table, ["no", "yes", "no", "yes"])
    >>> model.predict({"age": [66], "job": ["pilot"]}).tolist()
    ['yes']
    """

    _kind = "naive_bayes"

    def __init__(
        self,
        *,
        columns: Columns = "auto",
        estimate: TableEstimate = "bayes",
        alpha: float = 1.0,
        class_prior: ClassPrior = "ml",
        unknown: str = "ignore",
        missing: str = "ignore",
        cost: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.columns = columns
        self.estimate = estimate
        self.alpha = alpha
        self.class_prior = class_prior
        self.unknown = unknown
        self.missing = missing
        self.cost = cost
        self.n_jobs = n_jobs

    def to_logistic(self) -> Logistic:
        """The logistic regression that gives the same posterior, where one does: poisson, exponential, bernoulli and
        multinomial columns under ml or map (lecture 002)."""
        return self._current().to_logistic()

    def _readings(self, label_type: Any) -> TableReadings:
        return TableReadings(
            self.estimate, self.alpha, self.class_prior, self.unknown, self.missing, label_type  # type: ignore[arg-type]
        )

    def _parts(self, batch: TableBatch) -> tuple[Part, ...]:
        return parts_of(batch.schema, self.columns)

    def _settings(self) -> tuple[Any, ...]:
        return (self.columns, self.estimate, self.alpha, self.class_prior, self.unknown, self.missing)


class GaussianDiscriminant(TableEstimator):
    """Gaussian discriminant analysis: one multivariate normal for each class, from sums that add and subtract exactly.

    covariance: "shared" (the lecture's, whose boundary is a line), "full" (one for each class), "diagonal", "shrunk".
    estimate: "mean" of the posterior under a weak prior (so that fewer rows than columns do no harm), "ml", "unbiased",
    "map", or "bayes" with all parameters integrated out.

    >>> model = GaussianDiscriminant(estimate="ml").fit([[1.0], [2.0], [4.0], [6.0]], [0, 0, 1, 1])
    >>> model.to_logistic().binary()
    (array([5.6]), -18.2...)
    """

    _kind = "gaussian_discriminant"

    def __init__(
        self,
        *,
        covariance: str = "shared",
        shrinkage: float | str | None = None,
        estimate: TableEstimate = "mean",
        prior: NiwPrior | None = None,
        class_prior: ClassPrior = "ml",
        missing: str = "ignore",
        cost: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.covariance = covariance
        self.shrinkage = shrinkage
        self.estimate = estimate
        self.prior = prior
        self.class_prior = class_prior
        self.missing = missing
        self.cost = cost
        self.n_jobs = n_jobs

    @property
    def means_(self) -> Floats:
        """The means of the classes, (K, d)."""
        return self._gaussians().means

    @property
    def covariances_(self) -> Floats:
        """The covariance of each class, or the shared one."""
        return self._gaussians().covariances

    def to_logistic(self) -> Logistic:
        """The logistic regression that gives the same posterior: w = Σ⁻¹ (μ_1 - μ_0) for two classes (lecture 002)."""
        return self._current().to_logistic()

    def _gaussians(self) -> Any:
        return self._current().columns[0].gaussians  # type: ignore[attr-defined]

    def _readings(self, label_type: Any) -> TableReadings:
        return TableReadings(
            self.estimate, class_prior=self.class_prior, missing=self.missing, label_type=label_type  # type: ignore[arg-type]
        )

    def _parts(self, batch: TableBatch) -> tuple[Part, ...]:
        family = GaussianColumns(self.covariance, self.shrinkage, self.prior or NiwPrior())
        return parts_of(batch.schema, family)

    def _settings(self) -> tuple[Any, ...]:
        return (self.covariance, self.shrinkage, self.estimate, self.prior, self.class_prior, self.missing)


def table_estimator(model: TableModel) -> TableEstimator:
    """The estimator that a loaded model belongs to."""
    readings = model.readings
    if model.kind == "gaussian_discriminant":
        family = model.parts[0].family
        if not isinstance(family, GaussianColumns):
            raise DataError(f"the model is called gaussian_discriminant, but its family is {family}; restore a copy")
        found: TableEstimator = GaussianDiscriminant(
            covariance=family.covariance,
            shrinkage=family.shrinkage,
            estimate=readings.estimate,
            prior=family.prior,
            class_prior=readings.class_prior,
            missing=readings.missing,
        )
    else:
        found = NaiveBayes(
            columns=_columns(model),
            estimate=readings.estimate,
            alpha=readings.alpha,
            class_prior=readings.class_prior,
            unknown=readings.unknown,
            missing=readings.missing,
        )
    found.given_classes_ = ()
    found.n_features_in_ = len(model.schema.fields)
    names = np.array(model.schema.names, dtype=object)
    if list(names) != [f"x{j}" for j in range(len(names))]:  # as arrays without names have them
        found.feature_names_in_ = names
    found._take(model)
    return found


def _columns(model: TableModel) -> Columns:
    """What to say to NaiveBayes for the same parts."""
    if parts_of(model.schema, "auto") == model.parts:
        return "auto"
    said: dict[Any, Any] = dict.fromkeys(model.schema.names)
    for part in model.parts:
        if part.calendar in (None, "year"):
            said[part.columns[0] if len(part.columns) == 1 else part.columns] = part.family
    joined = {column for key in said if isinstance(key, tuple) for column in key}
    return {key: family for key, family in said.items() if key not in joined}


def _chained(first: Labelled, rest: Iterator[Labelled]) -> Iterator[Labelled]:
    yield first
    yield from rest


def _with_labels(
    batches: Iterator[TableBatch], labels: tuple[str, ...], group: npt.NDArray[np.int32], weights: Any
) -> Iterator[Labelled]:
    at = 0
    for batch in batches:
        rows = slice(at, at + len(batch))
        at += len(batch)
        if at > len(group):
            break
        yield Labelled(batch, labels, group[rows], None if weights is None else weights[rows])
    if at != len(group) or (weights is not None and len(weights) != len(group)):
        rest = sum(len(batch) for batch in batches)
        raise DataError(
            f"X has {at + rest:,} rows, y has {len(group):,}"
            + ("" if weights is None else f", sample_weight has {len(weights):,}")
            + "; give a label and a weight for each row"
        )


def _as_table(X: Any) -> Any:
    """Arrays and lists of rows as scikit-learn checks them; frames as they are."""
    if isinstance(X, np.ndarray) or hasattr(X, "tocsr") or (
        isinstance(X, list | tuple) and not (X and isinstance(X[0], dict))
    ):
        return check_array(X, dtype=None, ensure_all_finite=False, ensure_min_samples=1)
    return X


def _refuse_targets(y: Any) -> None:
    """Refuse targets that are no classes, such as real numbers and several labels a row."""
    values = np.asarray(y) if not hasattr(y, "to_pylist") else None
    if values is not None and values.dtype.kind in "fc" and values.ndim == 1:
        there = values[~np.isnan(values)]
        check_classification_targets(there)
    if values is not None and values.ndim == 2 and values.shape[1] == 1:
        from sklearn.exceptions import DataConversionWarning

        warnings.warn(
            "A column-vector y was passed when a 1d array was expected. Please change the shape of y to (n_samples,), "
            "for example using ravel().",
            DataConversionWarning,
            stacklevel=4,
        )
