"""The estimator of columns of all types: naive Bayes of a table, for scikit-learn."""

from collections.abc import Mapping
from typing import Any, Literal, Self

from sklearn.utils import Tags

from priori.columns.logistic import Logistic
from priori.columns.readings import ClassPrior, TableEstimate, TableReadings
from priori.columns.specification import Columns, Part, parts_of
from priori.data.schema import Schema
from priori.estimators.base import TableEstimator
from priori.estimators.model_verbs import given
from priori.estimators.unlabelled import Unlabelled
from priori.latent.em_algorithm.restarts import Search
from priori.latent.settings import UnlabelledWeight
from priori.model.fitting.powers import Tempers


class NaiveBayes(TableEstimator):
    """p(y) times a family for each column: text, categories, counts, reals, booleans and dates, with holes.

    columns: "auto" (by the types alone, see `priori.columns.specification`), a family for all columns, or
        {column: family}, where None leaves a column out and a tuple of columns has a joint family.
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
