"""The base class of the estimators of tables: one immutable model, replaced when it learns or forgets.

The parameters of an estimator say how the model is read. When one changes, the same statistics are read anew.
"""

import warnings
from abc import abstractmethod
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from priori.columns.readings import ClassPrior, TableReadings
from priori.columns.specification import Part, read_columns
from priori.data.batch import TableBatch
from priori.data.frames import frame_like, frame_of
from priori.data.labels import from_texts, to_texts
from priori.data.schema import Schema
from priori.decisions.losses import Loss
from priori.decisions.measures import Evaluation, Scorecard
from priori.errors import DataError
from priori.estimators.inputs import Targets, batches_of, heading, is_unnamed, names_as, split_label
from priori.estimators.model_verbs import Deciding, Estimating, given
from priori.estimators.unlabelled import RowsWithoutLabels, Unlabelled
from priori.latent.semi_supervised import learn_rows
from priori.model.explanation import Explanation, explain_row
from priori.model.sampling import sample_table
from priori.model.table_classifier import TableModel
from priori.model.table_inspection import nearly_unique
from priori.model.totals import Labelled
from priori.validation import whole_number

Floats = npt.NDArray[np.float64]


class TableEstimator(RowsWithoutLabels, Estimating, Deciding, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier of the rows of a table. X: a frame of any library, a dict of columns, a list of dicts or of rows, an
    array. y: a label for each row (None or NaN: unlabelled), or the name of a column of X."""

    model_: TableModel
    classes_: npt.NDArray[Any]
    n_features_in_: int
    given_classes_: tuple[str, ...]  # named to partial_fit, perhaps not yet seen
    _seen: tuple[Any, ...]  # the parameters of the reading that model_ has
    _kind: str

    class_prior: ClassPrior
    cost: Any
    n_jobs: int | None

    @abstractmethod
    def _readings(self, label_type: Any) -> TableReadings: ...

    @abstractmethod
    def _parts(self, schema: Schema) -> tuple[Part, ...]: ...

    @abstractmethod
    def _settings(self) -> tuple[Any, ...]:
        """The parameters that may change without fitting again."""

    def _keeps_sample(self) -> bool:
        """Whether some rows are kept, to fit the temper on."""
        return False

    def _chosen_by_rule(self, column: str) -> bool:
        """Whether the family of a column was chosen for its type, and not by the user."""
        return False

    # --- learning ----------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from a table and labels, from nothing: what was learned before is gone.

        Rows without a label are learned from too, by EM, or skipped, as `unlabelled` has it. Without any labels (y of
        None only, or no y) `n_classes` classes are found, called "1", "2", ..., the largest first.
        """
        self._fit(X, y, sample_weight, self.unlabelled)
        return self

    def _fit(self, X: Any, y: Any, sample_weight: Any, unlabelled: Unlabelled) -> None:
        asked = self._asked(unlabelled)
        target = y if isinstance(y, str) else None
        X, y = split_label(X, y)
        batches = partial(batches_of, X, None, type(self).__name__, by_place=False, least_rows=1)
        if y is None and asked.findable:
            held = list(batches())
            batches, y = partial(iter, held), [None] * sum(map(len, held))
        targets = Targets(y, sample_weight)
        targets.refuse_empty(may_be_hidden=asked.findable)
        data = targets.beside(batches())
        first = next(data)  # there is one, and its schema decides which family each column has
        parts = self._parts(first.batch.schema)
        schema = first.batch.schema if is_unnamed(X) else first.batch.schema.only(read_columns(parts))
        readings = replace(self._readings("str" if targets.hidden.all() else targets.kind), target=target)
        model, hidden = learn_rows(
            chain([first], data), schema, parts, readings, asked if targets.hidden.any() else None,
            kind=self._kind, keep_sample=self._keeps_sample(), jobs=self.n_jobs,
        )  # fmt: skip
        advice = [
            found.said(found.as_parameter) for found in nearly_unique(model) if self._chosen_by_rule(found.column)
        ]
        advice += [each for each in (asked.unused(targets.hidden), hidden and hidden.advice) if each]
        for said in advice:
            warnings.warn(said, UserWarning, stacklevel=3)
        validate_data(self, heading(X, schema.names), reset=True, skip_check_array=True)
        self.given_classes_ = ()
        self.hidden_ = hidden
        self._take(model)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn more: `fit` the first time, then `learn`. `classes` may name classes that are still to come."""
        if hasattr(self, "model_"):
            self.learn(X, y, sample_weight)
        else:
            self._fit(X, y, sample_weight, "skip")  # what is learned must not depend on the parts that rows come in
        if classes is not None:
            named, kind = to_texts(classes)
            self._refuse_kind(kind, "classes")
            self.given_classes_ = tuple(sorted({*self.given_classes_, *(text for text in named if text is not None)}))
            self._take(self.model_)
        return self

    def learn(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Add rows to what was learned; new classes and new categories are welcome."""
        self._take(self._current().learn(self._labelled(X, y, sample_weight), self.n_jobs))
        self._warn_if_stale()
        return self

    def forget(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Take learned rows back out, exactly: as if they had never been there."""
        self._take(self._current().forget(self._labelled(X, y, sample_weight), self.n_jobs))
        self._warn_if_stale()
        return self

    def __add__(self, other: Self) -> Self:
        if not isinstance(other, TableEstimator):
            return NotImplemented
        both = self._with(self._current() + other._current())
        both.given_classes_ = tuple(sorted({*self.given_classes_, *other.given_classes_}))
        both._take(both.model_)
        both._warn_if_stale()
        return both

    def __sub__(self, other: Self) -> Self:
        if not isinstance(other, TableEstimator):
            return NotImplemented
        less = self._with(self._current() - other._current())
        less._warn_if_stale()
        return less

    # --- predicting --------------------------------------------------------------------------------------------------

    def predict_proba(self, X: Any) -> Floats:
        """p(y | x), one row for each of X, columns in the order of `classes_`."""
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
        return self._decided(self.predict_log_proba(X))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of rows that are predicted right."""
        X, y = split_label(X, y)
        return float(super().score(X, y, sample_weight))

    def classify(self, X: Any) -> Any:
        """Label, probability and the probability of each class, as a frame of the same kind as X (else pyarrow's)."""
        logs = self.predict_log_proba(X)
        posterior, best = np.exp(logs), self._decided(logs)
        columns: dict[str, Any] = {
            "label": best,
            "probability": posterior[np.arange(len(best)), np.searchsorted(self.classes_, best)],
            **{f"p({label})": posterior[:, index] for index, label in enumerate(self.classes_)},
        }
        return frame_like(X, columns)

    def explain(self, X: Any, label: Any = None, against: Any = None) -> Explanation:
        """What each column of a single row says for `label` against `against`: log-odds that add up exactly."""
        one = isinstance(X, dict) and not any(isinstance(cell, list | tuple | np.ndarray) for cell in X.values())
        batches = list(self._batches([X] if one else X))
        rows = sum(len(batch) for batch in batches)
        if rows != 1:
            raise DataError(f"one row can be explained at a time, and there are {rows:,}; give a table of one row")
        names = [None if name is None else str(name) for name in (label, against)]
        return explain_row(self._current(), batches[0], *names)

    def evaluate(self, X: Any = None, y: Any = None) -> Evaluation:
        """Accuracy, log loss, Brier score and calibration on labelled rows; without any on the kept, each left out."""
        if not given(X, y):
            return self._kept_evaluation()
        X, y = split_label(X, y)
        logs, truth = self.predict_log_proba(X), to_texts(y)[0]
        if len(logs) != len(truth):
            raise DataError(f"X has {len(logs):,} rows and y has {len(truth):,} labels; give one label for each row")
        card = Scorecard([str(label) for label in self.classes_])
        card.add(np.exp(logs), truth, logs)
        return card.result()

    def leave_one_out(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None) -> Floats:
        """log p(y | x) of learned rows, each as if it had never been learned: what n refits would give.

        `groups` names a group for each row (an author, a thread; None: the row alone), which is left out as a whole;
        "rows" groups those whose cells are all equal. A class of which nothing is left has probability 0 (log -inf), as
        in a refit that knows its name only.
        """
        model, data = self._current(), self._labelled(X, y, sample_weight)
        if groups is not None:
            return self._placed([model.leave_one_out(list(data), groups)])
        return self._placed([model.leave_one_out(each) for each in data])

    def k_fold(
        self, X: Any, y: Any, sample_weight: Any = None, *, folds: int = 10, seed: int = 0, groups: Any = None
    ) -> Floats:
        """log p(y | x) of learned rows, each as if its fold had never been learned: what k refits would give.

        Folds are those of `priori.select.folds`: dealt by the seed, labels spread evenly, no group parted.
        """
        data = list(self._labelled(X, y, sample_weight))
        return self._placed([self._current().k_fold(data, folds, seed, groups)])

    def log_evidence(self) -> float:
        """log p(table, labels) with all parameters integrated out, to compare models of the same columns."""
        return self._current().log_evidence()

    def sample(self, size: int, random_state: Any = None, like: Any = None) -> tuple[Any, npt.NDArray[Any]]:
        """Draw synthetic rows from p(y) p(x | y): a table (pyarrow's, or of the kind of `like`) and labels."""
        model = self._current()
        group, table = sample_table(model, whole_number(size, "size", 0), np.random.default_rng(random_state))
        labels = from_texts(model.labels, model.readings.label_type)
        return frame_of(table, like), labels[group]

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """The factors of p(x | y): columns, and the parts of dates."""
        return np.array([part.name for part in self._current().parts], dtype=object)

    # --- files and views ---------------------------------------------------------------------------------------------

    def _repr_html_(self) -> str:
        from priori.estimators.notebook import table_card

        return table_card(self)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    # --- inside ------------------------------------------------------------------------------------------------------

    def _learned(self) -> str:
        model = self.model_
        rows = float(model.statistics.n.sum())
        return f"{len(model.labels)} classes, {rows:,g} rows, {len(model.schema.fields)} columns"

    def _outdated(self) -> str | None:
        model = self.model_
        if model.readings.temper != "auto" or model.stored is None or not model.stored.stale:
            return None
        if model.statistics.hidden:
            return (
                "the model has learned from rows without a label and keeps none, so the powers of the columns are "
                "those of before; recalibrate it with labelled rows that it has not learned (held_out=True)"
            )
        return (
            "the model keeps no rows, so the powers of the columns are those of before; fit it with keep_sample=True, "
            "or recalibrate it with rows"
        )

    def _current(self) -> TableModel:
        """The model read as the parameters now say: set_params needs no fitting again where it can be avoided."""
        check_is_fitted(self, "model_")
        now = self._settings()
        if self._seen != now:
            model = self.model_
            readings = replace(self._readings(model.readings.label_type), target=model.readings.target)
            readings = readings if self.hidden_ is None else self.hidden_.read_as_found(readings)
            self.model_ = model.read_as(readings, self._parts(model.schema))
            self._seen = deepcopy(now)  # a dict that is changed in place must not equal itself
            self._warn_if_stale()
        return self.model_

    def _take(self, model: TableModel) -> None:
        self.model_ = model
        self._seen = deepcopy(self._settings())
        texts = tuple(sorted({*model.labels, *self.given_classes_}))
        self.classes_ = np.sort(from_texts(texts, model.readings.label_type))

    def _with(self, model: TableModel) -> Self:
        other: Self = clone(self)
        other.given_classes_ = self.given_classes_
        other.hidden_ = self.hidden_
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

    def _decided(self, log_posterior: Floats) -> npt.NDArray[Any]:
        if self.cost is None:
            best = log_posterior.argmax(axis=1)
        else:
            loss = Loss.of(self.cost, self.classes_)
            if loss.actions != loss.labels:
                others = [action for action in loss.actions if action not in loss.labels]
                raise DataError(f"the costs name {others[0]!r}, which is no class to predict; use .decide(X)")
            best = loss.best(np.exp(log_posterior))
        decided: npt.NDArray[Any] = self.classes_[best]
        return decided

    def _batches(self, X: Any, least_rows: int = 0) -> Iterator[TableBatch]:
        """A table of the columns that were learned, whose names are checked as scikit-learn does."""
        schema = self._current().schema
        nameless = not hasattr(self, "feature_names_in_")
        yield from batches_of(X, schema, type(self).__name__, by_place=nameless, least_rows=least_rows)
        if not (nameless and names_as(X, schema.names)):
            validate_data(self, heading(X, schema.names), reset=False, skip_check_array=True)

    def _labelled(self, X: Any, y: Any, sample_weight: Any) -> Iterator[Labelled]:
        X, y = split_label(X, y)
        targets = Targets(y, sample_weight)
        if (targets.group >= 0).any():
            self._refuse_kind(targets.kind, "labels")
        return targets.beside(self._batches(X, least_rows=1))

    def _refuse_kind(self, kind: str, what: str) -> None:
        learned = self.model_.readings.label_type
        if kind != learned:
            raise DataError(f"the {what} are of type {kind}, but {learned} was learned; convert them")
