"""Several columns of numbers as one, and the multivariate normal of Gaussian discriminant analysis over them."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from priori.columns.base import (
    Bools,
    Cells,
    ColumnFamily,
    ColumnReading,
    Floats,
    Int32s,
    Rows,
    never_learned,
)
from priori.columns.joint.covariance import log_evidence
from priori.columns.joint.gaussian import ClassGaussians, class_gaussians
from priori.columns.joint.leave_one_out import leave_one_out
from priori.columns.joint.settings import GaussianSettings, NiwPrior
from priori.columns.logistic import Logistic
from priori.columns.numbers import as_moments
from priori.columns.readings import TableReadings
from priori.errors import EstimateError
from priori.statistics import VectorMoments
from priori.statistics.base import LOST
from priori.statistics.by_class import UNIT, ByClass
from priori.statistics.class_moments import ClassMoments


@dataclass(frozen=True)
class JointFamily(ColumnFamily):
    """Rows of numbers. One in which something is missing is not learned from, and scored by what is there."""

    cells_are: ClassVar[str] = "rows"
    joint: ClassVar[bool] = True
    products: ClassVar[bool] = True

    def zero(self, labels: tuple[str, ...], dimensions: int) -> ClassMoments:
        """The statistics of no rows."""
        return ClassMoments.zero(len(labels), dimensions, self.products)

    def count(self, cells: Floats, rows: Rows) -> ClassMoments:
        """Exact sums by class."""
        columns = list(np.ascontiguousarray(cells.T))
        return ClassMoments.of(columns, rows.group, rows.weight, classes=rows.classes, products=self.products)

    def missing(self, cells: Floats) -> Bools:
        """Which rows lack something."""
        gone: Bools = np.asarray(np.isnan(cells).any(axis=1))
        return gone


@dataclass(frozen=True)
class GaussianColumns(JointFamily):
    """One multivariate normal for each class: covariance shared (the lecture's), full, diagonal or shrunk."""

    name: ClassVar[str] = "gaussian_joint"

    covariance: str = "shared"
    shrinkage: float | str | None = None
    prior: NiwPrior = field(default_factory=NiwPrior)

    def statistics_kind(self) -> str:
        """Sums of numbers and of their products."""
        return "products"

    def read(self, stats: ByClass, readings: TableReadings) -> "GaussiansReading":
        """A normal, or a multivariate t, for each class."""
        settings = GaussianSettings(self.covariance, readings.estimate, self.shrinkage, self.prior)  # type: ignore[arg-type]
        return GaussiansReading(settings, as_moments(stats), readings)

    def settings(self) -> dict[str, Any]:
        """The fields as plain values."""
        prior = {name: _plain(getattr(self.prior, name)) for name in ("kappa", "nu", "location", "scale")}
        return {"covariance": self.covariance, "shrinkage": self.shrinkage, "prior": prior}

    @classmethod
    def from_settings(cls, values: Mapping[str, Any]) -> Self:
        """The inverse of `settings`."""
        prior = NiwPrior(**values["prior"])
        for given in (prior.location, prior.scale):
            np.asarray(0.0 if given is None else given, np.float64)  # a file may hold what is no number
        return cls(values["covariance"], values["shrinkage"], prior)


@dataclass(frozen=True, eq=False)
class GaussiansReading(ColumnReading):
    """p(row | class) of several columns."""

    settings: GaussianSettings
    stats: ClassMoments
    readings: TableReadings

    @cached_property
    def moments(self) -> tuple[VectorMoments, ...]:
        """One for each class, rounded once."""
        return tuple(self.stats.vector_moments(k) for k in range(self.stats.classes))

    @cached_property
    def gaussians(self) -> ClassGaussians:
        """One for each class."""
        return class_gaussians(self.moments, self.settings)

    def log_prob(self, cells: Cells) -> Floats:
        """Of each row in each class; of what is there, where something is missing."""
        return self.gaussians.log_prob(cells)

    def log_scores(self, cells: Cells) -> Floats:
        """The same but for what all classes have in common."""
        return self.gaussians.log_scores(cells)

    def sample(self, group: Int32s, rng: np.random.Generator) -> npt.NDArray[Any]:
        """Draw rows."""
        drawn = np.zeros((len(group), self.stats.dimensions))
        for k in range(self.stats.classes):
            at = np.flatnonzero(group == k)
            drawn[at] = self.gaussians.sample(k, len(at), rng)
        return drawn

    def without(self, cells: Cells, rows: Rows) -> Floats:
        """By rank-one updates; a row in which something is missing was not learned, so nothing changes for it.

        A prior that was placed by the rows moves without one of them, and then the rows are gone through one by one.
        """
        weights = None if rows.weight is None else rows.weight * UNIT
        prior = self.settings.prior
        if not self.settings.imagined or (prior.location is not None and prior.scale is not None):
            return self.almost_without(cells, rows)
        scores = self.log_prob(cells)
        for at in np.flatnonzero(~np.isnan(cells).any(axis=1) & (rows.group >= 0)):
            moments, k = list(self.moments), int(rows.group[at])
            own = moments[k]
            moments[k] = own - VectorMoments.of(cells[at : at + 1], None if weights is None else weights[at, None])
            if (np.diag(moments[k].scatter) <= LOST * np.diag(own.scatter)).any():
                moments[k] = self._exactly_without(cells[at], rows, int(at))
            scores[at] = class_gaussians(moments, self.settings).log_prob(cells[at : at + 1])[0]
        return scores

    def almost_without(self, cells: Cells, rows: Rows) -> Floats:
        """By rank-one updates; the prior stays where all rows placed it."""
        weights = None if rows.weight is None else rows.weight * UNIT

        def without(at: int) -> list[VectorMoments]:
            moments = list(self.moments)
            moments[rows.group[at]] = self._exactly_without(cells[at], rows, at)
            return moments

        return leave_one_out(cells, rows.group, self.moments, self.settings, weights=weights, without=without)

    def _exactly_without(self, row: Floats, rows: Rows, at: int) -> VectorMoments:
        """The statistics of its class without a row, from the exact sums."""
        k, weight = int(rows.group[at]), None if rows.weight is None else rows.weight[at : at + 1]
        taken = ClassMoments.of(list(row[:, None]), np.zeros(1, np.int32), weight, classes=1)
        left = (self.stats.kept(np.array([k]), ()) - taken).vector_moments(0)
        if left.n < 0 or (np.diag(left.scatter) < 0).any():
            raise never_learned(at)
        return left

    @property
    def free_parameters(self) -> int:
        """Of means and covariances."""
        return self.gaussians.free_parameters

    def log_evidence(self) -> float:
        """In closed form, under the prior."""
        return log_evidence(self.moments, replace(self.settings, estimate="bayes", shrinkage=None))

    def log_likelihood(self) -> float:
        """From the statistics alone."""
        from priori.families import MultivariateNormal

        if self.settings.integrated:
            raise EstimateError("the parameters are integrated out, so they have no likelihood; use estimate='ml'")
        g = self.gaussians
        covariances = np.broadcast_to(g.covariances, (self.stats.classes, *np.shape(g.covariances)[-2:]))
        pairs = zip(g.means, covariances, self.moments, strict=True)
        return sum(MultivariateNormal(mean, covariance).log_likelihood(stats) for mean, covariance, stats in pairs)

    def linear(self) -> Logistic:
        """Σ⁻¹ μ and -½ μᵀ Σ⁻¹ μ."""
        return self.gaussians.to_logistic(np.zeros(self.stats.classes))

    def __str__(self) -> str:
        return f"a gaussian of {self.stats.dimensions} columns"


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value
