"""The estimator of columns of numbers that are jointly normal: Gaussian discriminant analysis for scikit-learn."""

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from priori.columns.joint.column import GaussianColumns
from priori.columns.joint.settings import GaussianSettings, Kind, NiwPrior, default_estimate
from priori.columns.logistic import Logistic
from priori.columns.readings import ClassPrior, TableEstimate, TableReadings
from priori.columns.specification import Part, parts_of
from priori.data.schema import Schema
from priori.estimators.base import TableEstimator
from priori.estimators.unlabelled import Unlabelled
from priori.latent.em_algorithm.restarts import Search
from priori.latent.settings import UnlabelledWeight

Floats = npt.NDArray[np.float64]


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
