"""Normal columns as EM sees them, one by one and jointly: the M-step, and the prior that keeps variances from zero.

Of one column, with prior location m, κ, shape a and scale b, the posterior's mode ascends

    -(a + 3/2) log σ² - b/σ² - κ (μ - m)² / (2σ²),

the mean of σ² the same with a - 1 for a + 3/2: its divisor is less by so much. Of several columns, with Ψ and e the
part of the divisor that no rows have brought (docs/maths/discriminant.md has the divisors),

    -½ e log |Σ| - ½ tr(Σ⁻¹ Ψ) - ½ κ Σ_k (μ_k - m)ᵀ Σ⁻¹ (μ_k - m).

Priors that rows place are placed once, before the first step, so that all steps ascend one objective.
"""

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from priori.columns.base import Rows
from priori.columns.em import Fitted, HiddenFactor, silent
from priori.columns.joint.column import GaussianColumns
from priori.columns.joint.covariance import ClassSums, class_sums
from priori.columns.joint.gaussian import ClassGaussians, read
from priori.columns.joint.settings import GaussianSettings, NiwPrior
from priori.columns.normal import GaussianColumn, LognormalColumn, NormalPrior, Spread, log_normal, plugged_in
from priori.errors import EstimateError
from priori.families.numerics.matrices import log_determinant, trace_of_solve, whitened
from priori.statistics import Moments, VectorMoments

Floats = npt.NDArray[np.float64]


class HiddenNormal(HiddenFactor):
    """A gaussian, student or lognormal column, plugged in at the mode, the mean or the maximum."""

    def __init__(self, family: GaussianColumn, cells: Floats, estimate: str, pooled: Rows) -> None:
        self.estimate = estimate
        self.there = np.flatnonzero(~np.isnan(cells))
        self.x = family.terms(cells[self.there])[0]
        # subtle: of a lognormal column the density is of x, not of its logarithm
        self.common = -self.x[:, None] if isinstance(family, LognormalColumn) else 0.0
        whole = Spread.of([family.count(cells, pooled).moments(0)])
        self.imagined = estimate not in ("ml", "unbiased")
        self.constant = self.imagined and family.prior is None and whole.scatter.item() == 0
        self.prior = NormalPrior.of(family.prior, whole) if self.imagined and not self.constant else None

    def fit(self, weights: Floats) -> Fitted:
        """Weight, mean and scatter of each class, and what is read off them."""
        if self.constant or not len(self.x):
            return silent(weights, "means")
        spread = _spread(self.x, weights[self.there])
        prior = NormalPrior(0, 0, 0, 0) if self.prior is None else self.prior
        mean, variance = plugged_in(spread, prior, self.estimate)
        scores = np.zeros_like(weights)
        with np.errstate(over="ignore"):  # too far away is as good as impossible: -inf
            scores[self.there] = log_normal(self.x[:, None], mean, variance) + self.common
        return Fitted(scores, self._log_prior(mean, variance), {"means": mean, "variances": variance})

    def _log_prior(self, mean: Floats, variance: Floats) -> float:
        power = {"ml": 0.0, "unbiased": -0.5}.get(self.estimate)
        if self.prior is None:
            return -float(power or 0.0) * float(np.log(variance).sum())
        power = self.prior.shape + (1.5 if self.estimate == "map" else -1.0)
        away = self.prior.scale + self.prior.kappa * (mean - self.prior.location) ** 2 / 2
        return -float((power * np.log(variance) + away / variance).sum())


def _spread(x: Floats, weights: Floats) -> Spread:
    """Of each class, in two passes; a class without weight is empty."""
    n = weights.sum(axis=0)
    some = np.where(n > 0, n, 1.0)
    origin = x.mean()
    away = x - origin
    shift = away @ weights / some
    gaps = away[:, None] - shift
    scatter = (weights * gaps * gaps).sum(axis=0)
    mean = np.where(n > 0, origin + shift, 0.0)
    each = zip(n.tolist(), mean.tolist(), scatter.tolist(), strict=True)
    return Spread.of([Moments(weight, at, squares) for weight, at, squares in each])


class HiddenNormals(HiddenFactor):
    """Several columns jointly. A row in which something is missing is not learned from, and says nothing here."""

    def __init__(self, family: GaussianColumns, cells: Floats, estimate: str, placed_by: Floats) -> None:
        settings = GaussianSettings(family.covariance, estimate, family.shrinkage, family.prior)  # type: ignore[arg-type]
        if settings.shrinkage is not None:
            raise EstimateError(
                "a covariance that is shrunk is the mode of no prior, so EM has nothing to ascend; choose another "
                "--covariance (covariance=), without shrinkage: a prior shrinks by itself"
            )
        self.there = np.flatnonzero(~np.isnan(cells).any(axis=1))
        self.rows = cells[self.there]
        self.settings = settings
        if settings.imagined:
            prior = family.prior.at(self._moments(placed_by[self.there]), diagonal=settings.diagonal)
            self.settings = replace(settings, prior=NiwPrior(prior.kappa, prior.nu, prior.location, prior.scale))

    def _moments(self, weights: Floats) -> list[VectorMoments]:
        return [VectorMoments.of(self.rows, column) for column in weights.T]

    def fit(self, weights: Floats) -> Fitted:
        """As discriminant analysis reads fractional rows."""
        sums = class_sums(self._moments(weights[self.there]), self.settings)
        gaussians = read(sums, self.settings)
        scores = np.zeros_like(weights)
        scores[self.there] = gaussians.log_prob(self.rows)
        parameters = {"means": gaussians.means, "covariances": gaussians.covariances}
        return Fitted(scores, self._log_prior(sums, gaussians), parameters)

    def _log_prior(self, sums: ClassSums, gaussians: ClassGaussians) -> float:
        d = self.rows.shape[1]
        members = len(sums.kappas) if self.settings.shared else 1
        nu = sums.prior.nu if sums.prior else 0.0
        imagined = float(self.settings.divisor(np.zeros(1), members, d, nu)[0])
        total = 0.0
        for group in range(len(sums.weights)):
            lower = np.diag(gaussians.lowers[group]) if gaussians.diagonal else gaussians.lowers[group]
            total -= 0.5 * imagined * log_determinant(lower)
            if sums.prior is not None:
                scale = np.diag(sums.scale) if gaussians.diagonal else sums.scale
                away = whitened(lower, sums.means[sums.members(group)] - sums.prior.location)
                total -= 0.5 * (trace_of_solve(lower, scale) + sums.prior.kappa * float((away**2).sum()))
        return total
