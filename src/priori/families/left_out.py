"""Each observation as if it had never been seen, in closed form: log p(x | all others), all observations at once.

The parameters of a conjugate posterior are sums, so those without an observation are a subtraction away: of counts, of
events and time, of moments (κ' = κ - w, m' = m - w/κ' δ, Ψ' = Ψ - w κ/κ' δδᵀ with δ = x - m; for matrices by Sherman &
Morrison 1950, and the determinant lemma).
"""

from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import xlogy

from priori.families.base import Distribution, Family
from priori.families.bernoulli import BetaBernoulli
from priori.families.dirichlet import DirichletCategorical
from priori.families.exponential import GammaExponential
from priori.families.gamma import GammaGamma
from priori.families.gamma_predictive import gamma_without
from priori.families.multinomial import DirichletMultinomial
from priori.families.multivariate_normal import NormalInverseWishart
from priori.families.normal import NormalInverseGamma
from priori.families.normal_known_variance import NormalKnownVariance
from priori.families.numerics.matrices import as_rows, log_determinant, whitened
from priori.families.numerics.special import LOG_2PI, log_rising
from priori.families.poisson import GammaPoisson
from priori.statistics.categories import log_coefficient
from priori.statistics.sums import log_factorial

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Reading = Literal["map", "mean", "bayes"]

_LOST = 1e-4  # what shrinks to less than this share of itself has lost digits
_COARSE = 1e3  # the spread of numbers that are equal but for so many roundings is not trusted


class Without(NamedTuple):
    """log p of each observation without it, and where that can be told so: else something is lost, or nothing left."""

    scores: Floats  # (m,)
    sure: Bools


def read(posterior: Family[Any], reading: Reading) -> Distribution:
    """The distribution that a posterior predicts with: at its mode, at its mean, or all of it."""
    match reading:
        case "map":
            return posterior.mode()
        case "mean":
            return posterior.mean()
        case "bayes":
            return posterior.predictive()


def log_prob_without(posterior: Family[Any], X: Any, weight: Floats, reading: Reading) -> Without:
    """Of observations that are all there and in the posterior, each taken out with so much weight (above 0)."""
    with np.errstate(all="ignore"):  # of what is not sure, which nobody reads
        match posterior:
            case BetaBernoulli():
                found = _successes(posterior, X, weight, reading)
            case DirichletCategorical():
                found = _values(posterior, X, weight, reading)
            case DirichletMultinomial():
                found = _tallies(posterior, X, weight, reading)
            case GammaPoisson():
                found = _counts(posterior, X, weight, reading)
            case GammaExponential():
                found = _durations(posterior, X, weight, reading)
            case NormalKnownVariance():
                found = _normal_mean(posterior, X, weight, reading)
            case NormalInverseGamma():
                found = _normal(posterior, X, weight, reading)
            case NormalInverseWishart():
                found = _vectors(posterior, X, weight, reading)
            case GammaGamma() if reading == "bayes" and posterior.proper:
                found = Without(*gamma_without(posterior.of_shape, X, weight))
            case _:
                found = Without(np.zeros(len(weight)), np.zeros(len(weight), bool))
    return Without(found.scores, found.sure & ~np.isnan(found.scores))


def _left(total: Any, left: Floats) -> Bools:
    """Where enough is left of a sum, or nothing at all."""
    return np.asarray((left > _LOST * np.abs(total)) | (left == 0))


def _successes(p: BetaBernoulli, x: Floats, weight: Floats, reading: Reading) -> Without:
    """α and β, less the observation; 1 each less for the mode."""
    known = 1.0 if reading == "map" else 0.0
    ones, zeros = p.alpha - known - weight * x, p.beta - known - weight * (1 - x)
    sure = _left(p.alpha, ones) & _left(p.beta, zeros) & (ones + zeros > 0)
    return Without(np.log(np.where(x == 1, ones, zeros)) - np.log(ones + zeros), sure)


def _values(p: DirichletCategorical, X: Any, weight: Floats, reading: Reading) -> Without:
    """α_j of the value, less the observation; 1 less of each for the mode, which has all of them at 0 or above."""
    place = {value: at for at, value in enumerate(p.values)}
    at = np.array([place[value] for value in X], np.intp)
    alpha = p.alpha - (1.0 if reading == "map" else 0.0)
    left = alpha[at] - weight
    rest = alpha.sum() - weight
    whole = bool((alpha >= 0).all()) and len(alpha) > 1
    return Without(np.log(left) - np.log(rest), _left(p.alpha[at], left) & (rest > _LOST * p.alpha.sum()) & whole)


def _tallies(p: DirichletMultinomial, rows: Floats, weight: Floats, reading: Reading) -> Without:
    """α less the counts of the row: the urn's, or θ at its mode or mean."""
    left = p.alpha - weight[:, None] * rows - (1.0 if reading == "map" else 0.0)
    total = left.sum(axis=1)
    sure = _left(p.alpha, left).all(axis=1) & (total > _LOST * p.alpha.sum()) & (len(p.alpha) > 1)
    if reading == "bayes":
        scores = log_rising(left, rows).sum(axis=1) - log_rising(total, rows.sum(axis=1))
        sure &= (left > 0).all(axis=1)
    else:
        scores = xlogy(rows, left / total[:, None]).sum(axis=1)
    return Without(np.asarray(scores + log_coefficient(rows)), sure)


def _counts(p: GammaPoisson, x: Floats, weight: Floats, reading: Reading) -> Without:
    """Less x events in one observation; negative binomial where λ is integrated out."""
    shape, rate = p.shape - weight * x - (1.0 if reading == "map" else 0.0), p.rate - weight
    sure = _left(p.shape, shape) & (rate > _LOST * p.rate)
    if reading == "bayes":
        ways = log_rising(shape, x) - log_factorial(x)
        return Without(ways - shape * np.log1p(1 / rate) - x * np.log1p(rate), sure & (shape > 0))
    return Without(xlogy(x, shape / rate) - shape / rate - log_factorial(x), sure)


def _durations(p: GammaExponential, x: Floats, weight: Floats, reading: Reading) -> Without:
    """Less one event in time x; Lomax where λ is integrated out."""
    shape, rate = p.shape - weight - (1.0 if reading == "map" else 0.0), p.rate - weight * x
    sure = (shape > _LOST * p.shape) & (rate > _LOST * p.rate)
    if reading == "bayes":
        return Without(np.log(shape) - np.log(rate) - (shape + 1) * np.log1p(x / rate), sure)
    return Without(np.log(shape) - np.log(rate) - shape / rate * x, sure & np.isfinite(shape / rate))


def _normal_mean(p: NormalKnownVariance, x: Floats, weight: Floats, reading: Reading) -> Without:
    """The location moves away from x."""
    left = p.kappa - weight
    away = p.kappa / left * (x - p.location)  # x - m'
    variance = p.variance * (1 + 1 / left) if reading == "bayes" else p.variance + 0 * left
    return Without(-0.5 * (LOG_2PI + np.log(variance) + away**2 / variance), left > _LOST * p.kappa)


def _normal(p: NormalInverseGamma, x: Floats, weight: Floats, reading: Reading) -> Without:
    """The location moves away from x, and the scale shrinks by its distance."""
    left, shape = p.kappa - weight, p.shape - weight / 2
    away = x - p.location
    scale = p.scale - weight * p.kappa / (2 * left) * away**2
    away = p.kappa / left * away  # x - m'
    rounding = _COARSE * np.finfo(np.float64).eps * (abs(p.location) + np.abs(x))
    sure = (left > _LOST * p.kappa) & (scale > _LOST * p.scale) & (scale > left * rounding**2)
    if reading == "bayes":
        spread = 2 * scale * (1 + 1 / left)  # ν times the square of the t's scale
        constant = log_rising(shape, np.full(len(x), 0.5)) - 0.5 * np.log(np.pi * spread)
        return Without(constant - (shape + 0.5) * np.log1p(away**2 / spread), sure & (shape > _LOST))
    divisor = shape + 1.5 if reading == "map" else shape - 1
    variance = scale / divisor
    return Without(-0.5 * (LOG_2PI + np.log(variance) + away**2 / variance), sure & (divisor > _LOST))


def _vectors(p: NormalInverseWishart, X: Any, weight: Floats, reading: Reading) -> Without:
    """|Ψ'| = |Ψ| share and δᵀ Ψ'⁻¹ δ = q / share, with q = δᵀ Ψ⁻¹ δ and share = 1 - w κ/κ' q."""
    rows, (lower, dependent) = as_rows(X, p.dimensions), p.factor
    if dependent is not None:
        return Without(np.zeros(len(rows)), np.zeros(len(rows), bool))
    d, left, nu = p.dimensions, p.kappa - weight, p.nu - weight
    away = rows - p.location
    squares = (whitened(lower, away) ** 2).sum(axis=1)
    share = 1 - weight * p.kappa / left * squares
    squares = (p.kappa / left) ** 2 * squares / share  # of x - m', in the measure of Ψ'
    log_scale = log_determinant(lower) + np.log(share)
    rounding = _COARSE * np.finfo(np.float64).eps * (np.abs(p.location) + np.abs(rows))
    fine = (np.diag(p.scale) * share[:, None] > left[:, None] * rounding**2).all(axis=1)
    sure = (left > _LOST * p.kappa) & (share > _LOST) & fine
    if reading == "bayes":
        degrees, inflation = nu - d + 1, 1 + 1 / left
        constant = log_rising(degrees / 2, np.full(len(rows), d / 2)) - 0.5 * d * np.log(np.pi * inflation)
        scores = constant - 0.5 * (degrees + d) * np.log1p(squares / inflation) - 0.5 * log_scale
        return Without(scores, sure & (degrees > _LOST))
    divisor = nu + d + 2 if reading == "map" else nu - d - 1
    scores = -0.5 * (d * (LOG_2PI - np.log(divisor)) + log_scale + squares * divisor)
    return Without(scores, sure & (divisor > _LOST))
