"""Scatters of class Gaussians by covariance, pooled with the prior's imagined rows; their evidence; shrinkage.

κ_k = κ + n_k, m_k = (κ m + n_k x̄_k) / κ_k, A = Ψ + Σ_k [S_k + κ n_k / κ_k (x̄_k - m)(x̄_k - m)ᵀ], the sum over the
classes that share a covariance; κ = 0 and Ψ = 0 without a prior. docs/maths/discriminant.md.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from priori.columns.joint.settings import GaussianSettings, checked, name_of
from priori.errors import EstimateError
from priori.families.multivariate_normal import NormalInverseWishart, resolved
from priori.families.numerics.matrices import log_determinant, whitened
from priori.families.numerics.special import log_rising
from priori.statistics.vector_moments import VectorMoments

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ClassSums:
    """Per class κ_k and m_k; per covariance, of which there are one or as many as classes, its weight and scatter."""

    prior: NormalInverseWishart | None
    kappas: Floats  # (K,)
    means: Floats  # (K, d)
    weights: Floats  # (G,): n, without what is imagined
    grown: Floats  # (G, d, d), or (G, d) where columns are independent: A - Ψ
    divisors: Floats  # (G,)

    @property
    def scale(self) -> Floats:
        """Ψ, or its diagonal where columns are independent; 0 without a prior."""
        if self.prior is None:
            return np.zeros(self.grown.shape[1:])
        return self.prior.scale if self.grown.ndim == 3 else np.diag(self.prior.scale)

    @cached_property
    def scatters(self) -> Floats:
        """A."""
        return self.grown + self.scale

    def members(self, group: int) -> list[int]:
        """The classes of a covariance."""
        return list(range(len(self.kappas))) if len(self.weights) == 1 else [group]


def class_sums(
    moments: Sequence[VectorMoments], settings: GaussianSettings, labels: Sequence[object] | None = None
) -> ClassSums:
    """Pool the statistics of classes as the settings have it."""
    moments = checked(moments)
    d = len(moments[0].mean)
    prior = settings.prior.at(moments, diagonal=settings.diagonal) if settings.imagined else None
    if prior is None:
        _refuse_empty(moments, labels)
    pooled = [_pooled(stats, prior) for stats in moments]
    each = [np.diag(total.scatter) if settings.diagonal else total.scatter for total in pooled]
    weights, grown = np.array([stats.n for stats in moments]), np.array(each)
    if settings.shared:
        weights, grown = weights.sum(keepdims=True), grown.sum(axis=0, keepdims=True)
    members = len(moments) if settings.shared else 1
    divisors = settings.divisor(weights, members, d, prior.nu if prior else 0.0)
    if (divisors <= 0).any():
        whose = "the shared covariance" if settings.shared else name_of(int(divisors.argmin()), labels)
        raise EstimateError(
            f"{whose} has {weights[divisors.argmin()]:g} rows about {members} mean{'s' * (members > 1)}, so nothing is "
            "left for a variance; use estimate='bayes', or add rows"
        )
    kappas, means = np.array([total.n for total in pooled]), np.array([total.mean for total in pooled])
    return ClassSums(prior, kappas, means, weights, grown, divisors)


def _pooled(stats: VectorMoments, prior: NormalInverseWishart | None) -> VectorMoments:
    data = VectorMoments(stats.n, stats.mean, resolved(stats))
    if prior is None:
        return data
    return VectorMoments(prior.kappa, prior.location, np.zeros_like(prior.scale)) + data


def _refuse_empty(moments: Sequence[VectorMoments], labels: Sequence[object] | None) -> None:
    for place, stats in enumerate(moments):
        if stats.n == 0:
            raise EstimateError(
                f"{name_of(place, labels)} has no rows, so it has no mean; add some, or use estimate='bayes'"
            )


def refuse_singular(
    column: int, place: int, settings: GaussianSettings, labels: Sequence[object] | None
) -> EstimateError:
    """The covariance of a class, or the shared one, does not have an inverse."""
    whose = "the shared covariance" if settings.shared else f"the covariance of {name_of(place, labels)}"
    why = "is constant" if settings.diagonal else "is constant or a combination of those before it"
    shrink = "" if settings.diagonal else ", shrinkage"
    return EstimateError(
        f"{whose} is singular: column {column} {why}, as always with too few rows; use estimate='bayes'{shrink}, or "
        "leave the column out"
    )


# --- evidence ---------------------------------------------------------------------------------------------------------


def log_evidence(moments: Sequence[VectorMoments], settings: GaussianSettings) -> float:
    """log p(rows | classes) in closed form, constants kept; the estimate does not matter, a proper prior does.

    With A = Ψ + grown, the classes of one covariance give the ratio of inverse-Wishart normalizers and one factor per
    mean:
    log Γ_d((ν + n)/2) / Γ_d(ν/2) + ½ ν log|Ψ| - ½ (ν + n) log|A| - ½ d Σ_k log(1 + n_k/κ) - ½ n d log π.
    """
    sums = class_sums(moments, replace(settings, estimate="bayes", shrinkage=None))
    prior = settings.prior.at(moments, diagonal=settings.diagonal)
    d = prior.dimensions
    degrees = np.full(d, prior.nu - d + 1) if settings.diagonal else prior.nu - np.arange(d)
    power = degrees if settings.diagonal else prior.nu
    result = 0.0
    for n, grown in zip(sums.weights, sums.grown, strict=True):
        shares, of_prior = _shares(grown, sums.scale, prior.factor[0])
        of_scale = float(((power + n) * np.log1p(shares)).sum()) + n * of_prior
        of_degrees = float(log_rising(degrees / 2, np.full(d, n / 2)).sum())
        result += of_degrees - 0.5 * (of_scale + n * d * math.log(math.pi))
    return result - 0.5 * d * float(np.log1p(np.array([stats.n for stats in moments]) / prior.kappa).sum())


def _shares(grown: Floats, scale: Floats, lower: Floats) -> tuple[Floats, float]:
    """The eigenvalues of Ψ⁻¹ grown, which do not cancel under strong priors; and log|Ψ|."""
    if grown.ndim == 1:
        return grown / scale, float(np.log(scale).sum())
    shares = np.linalg.eigvalsh(whitened(lower, whitened(lower, grown).T))
    return np.maximum(shares, 0.0), log_determinant(lower)


# --- shrinkage towards a multiple of the identity ---------------------------------------------------------------------


def oracle_approximating(trace: Any, squares: Any, n: Any, d: int) -> Floats:
    """g = min(1, (tr(S²) + tr²(S)) / ((n + 1) (tr(S²) - tr²(S)/d))), from tr(S), tr(S²) and the weight n.

    Chen, Wiesel, Eldar & Hero (2010), equation 23, without its terms in 2/d, as scikit-learn has it. The scale of S
    cancels. Where S is a multiple of the identity already, g = 1.
    """
    whole = np.asarray(trace, np.float64) ** 2
    spread = (n + 1) * (squares - whole / d)
    most = squares + whole
    # subtle: written so that neither 0 nor what rounding leaves below 0 is divided by
    return np.where(most >= spread, 1.0, most / np.where(most >= spread, 1.0, spread))


def intensity(shrinkage: float | Literal["auto"], scatter: Floats, n: float) -> float:
    """g for a scatter matrix of weight n."""
    if shrinkage != "auto":
        return shrinkage
    return float(oracle_approximating(np.trace(scatter), (scatter**2).sum(), n, len(scatter)))


def shrunk(scatter: Floats, g: float) -> Floats:
    """(1 - g) S + g tr(S)/d I."""
    level = float(np.trace(scatter)) / len(scatter)
    return (1 - g) * scatter + g * level * np.eye(len(scatter))
