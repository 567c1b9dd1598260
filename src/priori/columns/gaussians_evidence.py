"""log p(rows | classes) of class Gaussians under their proper prior, in closed form.

With A = Ψ + grown, the classes of one covariance give the ratio of inverse-Wishart normalizers and one factor per mean:
log Γ_d((ν + n)/2) / Γ_d(ν/2) + ½ ν log|Ψ| - ½ (ν + n) log|A| - ½ d Σ_k log(1 + n_k/κ) - ½ n d log π.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from priori.columns.gaussian_settings import GaussianSettings
from priori.columns.gaussian_sums import class_sums
from priori.families.matrices import log_determinant, whitened
from priori.families.special import log_rising
from priori.statistics import VectorMoments

Floats = npt.NDArray[np.float64]


def log_evidence(moments: Sequence[VectorMoments], settings: GaussianSettings) -> float:
    """Of the rows given their classes, constants kept; the estimate does not matter, the prior does."""
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
