"""Classifiers of tables for scikit-learn: NaiveBayes for columns of all types, GaussianDiscriminant for numbers."""

from collections.abc import Mapping
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils import Tags

from priori.columns.gaussian_settings import GaussianSettings, Kind, NiwPrior, default_estimate
from priori.columns.joint import GaussianColumns
from priori.columns.logistic import Logistic
from priori.columns.parts import Columns, Part, parts_of
from priori.columns.tempers import Tempers
from priori.errors import DataError
from priori.estimating import given
from priori.latent.checks import UnlabelledWeight
from priori.latent.rows_fit import Search
from priori.readings import ClassPrior
from priori.table_classifier import TableModel
from priori.table_readings import TableEstimate, TableReadings
from priori.tables.schema import Schema
from priori.tabular_base import TableEstimator
from priori.tabular_hidden import Unlabelled

Floats = npt.NDArray[np.float64]


class NaiveBayes(TableEstimator):
    """p(y) times a family for each column: text, categories, counts, reals, booleans and dates, with holes.

    columns: "auto" (by the types alone, see `priori.columns.parts`), a family for all columns, or {column: family},
        where None leaves a column out and a tuple of columns has a joint family.
    estimate: "bayes" (parameters integrated out), their posterior "mean", "map", "ml" or "unbiased".
    alpha: imagined count of each value of a discrete column; 1 is Laplace's. Neither estimate nor alpha touches binned
        numbers of the automatic kind, which average over readings with priors of their own.
    class_prior: "ml" (as often as learned), "uniform", a Dirichlet's alpha, or {label: probability}.
    unknown: what a category never seen says: nothing ("ignore"), or what one more category would ("prior").
    missing: what a missing cell says: nothing ("ignore"), or that it is missing ("evidence").
    temper: the power of p(x | y), for columns that say the same twice: "auto" is fitted on some rows, each left out.
    cost: {decision: {truth: cost}} or a matrix in the order of `classes_`; then `predict` decides by least cost.
    keep_sample: whether some rows stay in the model, to fit the temper again when it learns or forgets.
    unlabelled: what `fit` does with rows without a label: "em" learns from them too, "skip" does not.
    unlabelled_weight: what such a row counts beside a labelled one: from 0 to 1, or "auto", which holds out folds of
        the labelled rows and takes what tells them best; 0, as if they were skipped, unless that clearly helps.
    n_classes: how many classes to find where no row has a label; `restarts` spread-out starts, the best kept.
    most_iterations, tolerance: EM ends when a step gains no more than `tolerance` a row in its objective, or then.
    random_state: the seed of the starts, a whole number from 0; None is 0.
    n_jobs: threads for counting columns; None is one for each processor.

    X is a frame of any library, a dict of columns, a list of dicts or of rows, or an array; y has a label for each row
    (None or NaN: unlabelled), or is the name of a column of X. All parameters but a column's kind of counts
    may be changed after fitting, with `set_params`, without fitting again.

    >>> table = {"age": [25, 61, 34, 70], "job": ["clerk", None, "nurse", "clerk"]}
    >>> model = NaiveBayes().fit(table, ["no", "yes", "no", "yes"])
    >>> model.predict({"age": [66], "job": ["pilot"]}).tolist()
    ['yes']
    >>> model.learn({"age": [68], "job": ["pilot"]}, ["no"])
    <NaiveBayes(): 2 classes, 5 rows, 2 columns>
    """

    _kind = "naive_bayes"

    def __init__(
        self,
        *,
        columns: Columns = "auto",
        estimate: TableEstimate = "bayes",
        alpha: float = 1.0,
        class_prior: ClassPrior = "ml",
        unknown: Literal["ignore", "prior"] = "ignore",
        missing: Literal["ignore", "evidence"] = "ignore",
        temper: float | Literal["auto"] = "auto",
        cost: Any = None,
        keep_sample: bool = True,
        unlabelled: Unlabelled = "em",
        unlabelled_weight: UnlabelledWeight = "auto",
        n_classes: int | None = None,
        restarts: int = Search.restarts,
        most_iterations: int = Search.most_iterations,
        tolerance: float = Search.tolerance,
        random_state: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.columns = columns
        self.estimate = estimate
        self.alpha = alpha
        self.class_prior = class_prior
        self.unknown = unknown
        self.missing = missing
        self.temper = temper
        self.cost = cost
        self.keep_sample = keep_sample
        self.n_jobs = n_jobs
        self._say_of_hidden(
            unlabelled=unlabelled, unlabelled_weight=unlabelled_weight, n_classes=n_classes, restarts=restarts,
            most_iterations=most_iterations, tolerance=tolerance, random_state=random_state,
        )  # fmt: skip

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True  # and strings; but the tag for those promises to take any object as a cell
        return tags

    @property
    def fitted_(self) -> Tempers | None:
        """The powers of the columns where they are left to rows, fitted when first asked for; None if they are not."""
        return self._current().fitted

    def recalibrate(self, X: Any = None, y: Any = None, sample_weight: Any = None, *, held_out: bool = False) -> Self:
        """Fit the powers of the columns (temper "auto") again: on rows that were learned, each left out.

        Without X and y on the rows that the model keeps, as it does by itself whenever it learns or forgets.
        held_out: the rows were not learned, and are scored as they are.
        """
        rows = None
        if given(X, y, sample_weight=sample_weight, held_out=held_out):
            rows = self._labelled(X, y, sample_weight)
        self._take(self._current().recalibrated(rows, held_out, self.n_jobs))
        return self

    def to_logistic(self) -> Logistic:
        """The logistic regression that gives the same posterior, where one does: poisson, exponential, bernoulli and
        multinomial columns under ml, map or mean (lecture 002)."""
        return self._current().to_logistic()

    def _readings(self, label_type: Any) -> TableReadings:
        return TableReadings(
            self.estimate, self.alpha, self.class_prior, self.unknown, self.missing, label_type, self.temper
        )

    def _parts(self, schema: Schema) -> tuple[Part, ...]:
        columns = self.columns
        if isinstance(columns, Mapping) and hasattr(self, "model_") and schema == self.model_.schema:
            # what was left out is no column of the model, and may still be said
            columns = {key: family for key, family in columns.items() if family is not None or key in schema.names}
        return parts_of(schema, columns)

    def _keeps_sample(self) -> bool:
        return self.keep_sample

    def _chosen_by_rule(self, column: str) -> bool:
        return self.columns == "auto" or (isinstance(self.columns, Mapping) and column not in self.columns)

    def _settings(self) -> tuple[Any, ...]:
        return (self.columns, self.estimate, self.alpha, self.class_prior, self.unknown, self.missing, self.temper)


class GaussianDiscriminant(TableEstimator):
    """Gaussian discriminant analysis: one multivariate normal for each class, from sums that add and subtract exactly.

    covariance: "shared" (whose boundary is a line), "full" (one for each class), "diagonal", "shared_diagonal", or
        "shrunk" ("shared" with shrinkage "auto").
    shrinkage: for "ml" and "unbiased": a number from 0 to 1 towards equal variances, or "auto" (OAS).
    estimate: "mean" of the posterior under a weak prior (so that fewer rows than columns do no harm), "ml", "unbiased",
        "map", or "bayes" with all parameters integrated out. None is "ml" where there is shrinkage, else "mean".
    prior: the `NiwPrior` of the classes; what it leaves open is read off the data.
    class_prior, missing, cost, n_jobs, X, y: as for NaiveBayes. A missing cell is integrated out.
    unlabelled, unlabelled_weight, n_classes, restarts, most_iterations, tolerance, random_state: as for NaiveBayes;
        without labels it is a Gaussian mixture.

    >>> model = GaussianDiscriminant(estimate="ml").fit([[1.0], [2.0], [4.0], [6.0]], [0, 0, 1, 1])
    >>> model.to_logistic().binary()
    (array([5.6]), -18.2...)
    """

    _kind = "gaussian_discriminant"

    def __init__(
        self,
        *,
        covariance: Kind | Literal["shrunk"] = "shared",
        shrinkage: float | Literal["auto"] | None = None,
        estimate: TableEstimate | None = None,
        prior: NiwPrior | None = None,
        class_prior: ClassPrior = "ml",
        missing: Literal["ignore", "evidence"] = "ignore",
        cost: Any = None,
        unlabelled: Unlabelled = "em",
        unlabelled_weight: UnlabelledWeight = "auto",
        n_classes: int | None = None,
        restarts: int = Search.restarts,
        most_iterations: int = Search.most_iterations,
        tolerance: float = Search.tolerance,
        random_state: int | None = None,
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
        self._say_of_hidden(
            unlabelled=unlabelled, unlabelled_weight=unlabelled_weight, n_classes=n_classes, restarts=restarts,
            most_iterations=most_iterations, tolerance=tolerance, random_state=random_state,
        )  # fmt: skip

    @property
    def means_(self) -> Floats:
        """The means of the classes, (K, d)."""
        means: Floats = self._gaussians().means
        return means

    @property
    def covariances_(self) -> Floats:
        """The covariance of each class, or the shared one."""
        covariances: Floats = self._gaussians().covariances
        return covariances

    def to_logistic(self) -> Logistic:
        """The logistic regression that gives the same posterior: w = Σ⁻¹ (μ_1 - μ_0) for two classes (lecture 002)."""
        return self._current().to_logistic()

    def _gaussians(self) -> Any:
        return self._current().factors[0].reading.gaussians  # type: ignore[attr-defined]

    def _readings(self, label_type: Any) -> TableReadings:
        return TableReadings(
            self._estimate(), class_prior=self.class_prior, missing=self.missing, label_type=label_type
        )

    def _estimate(self) -> TableEstimate:
        return default_estimate(self.covariance, self.shrinkage) if self.estimate is None else self.estimate

    def _parts(self, schema: Schema) -> tuple[Part, ...]:
        prior = NiwPrior() if self.prior is None else self.prior
        GaussianSettings(self.covariance, self._estimate(), self.shrinkage, prior)  # refuses what cannot be read
        return parts_of(schema, GaussianColumns(self.covariance, self.shrinkage, prior))

    def _settings(self) -> tuple[Any, ...]:
        return (self.covariance, self.shrinkage, self.estimate, self.prior, self.class_prior, self.missing)


def table_estimator(model: TableModel) -> NaiveBayes | GaussianDiscriminant:
    """The estimator that a loaded model belongs to."""
    readings = model.readings
    if model.kind == "gaussian_discriminant":
        family = model.parts[0].family
        if not isinstance(family, GaussianColumns):
            raise DataError(f"the model is called gaussian_discriminant, but its family is {family}; restore a copy")
        found: NaiveBayes | GaussianDiscriminant = GaussianDiscriminant(
            covariance=family.covariance,  # type: ignore[arg-type]  # refused by fit if it is none
            shrinkage=family.shrinkage,  # type: ignore[arg-type]
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
            temper=readings.temper,
            keep_sample=model.kept is not None,
        )
    names = model.schema.names
    found.given_classes_ = ()
    found.hidden_ = None
    found.n_features_in_ = len(names)
    places = range(len(names))
    if names not in (tuple(f"x{j}" for j in places), tuple(map(str, places))):  # as columns without names are called
        found.feature_names_in_ = np.array(names, dtype=object)
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
