"""One Gaussian per class, or the t that is left when its parameters are integrated out: Gaussian discriminant analysis.

p(x | k) = 𝒩(x; m_k, Σ_k), Σ_k one for all classes, one each, or diagonal; all read from (n, mean, scatter) per class.
Lecture 002; Geisser 1964; Murphy 2012, section 4.2; docs/maths/discriminant.md.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import solve_triangular

from priori.columns.joint.covariance import ClassSums, class_sums, intensity, refuse_singular, shrunk
from priori.columns.joint.settings import GaussianSettings
from priori.columns.logistic import SHRINK, Logistic
from priori.errors import DataError, EstimateError
from priori.families.numerics.matrices import as_rows, drawn_rows, factored, log_determinant, patterns, whitened
from priori.families.numerics.special import LOG_2PI, log_rising
from priori.statistics import VectorMoments

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ClassGaussians:
    """log p(x | k) of all classes, normal, or t where `degrees` are given: of scale spread times inflation.

    >>> classes = [VectorMoments.of([[0.0], [2.0]]), VectorMoments.of([[4.0], [6.0]])]
    >>> class_gaussians(classes, GaussianSettings("shared")).log_prob(np.array([[3.0]])).round(3).tolist()
    [[-2.919, -2.919]]
    """

    means: Floats  # (K, d)
    spreads: Floats  # (G, d, d), or (G, d) where columns are independent; G is 1 or K
    inflation: Floats  # (K,): 1 + 1/κ_k for a t, whose mean is not known; else 1
    degrees: Floats | None = None  # (G,)

    @property
    def diagonal(self) -> bool:
        """Whether columns are independent given the class."""
        return self.spreads.ndim == 2

    @property
    def shared(self) -> bool:
        """Whether all classes have one covariance (one class always has)."""
        return len(self.spreads) == 1

    @property
    def quadratic(self) -> bool:
        """Whether boundaries between classes are quadrics (or of a t), not planes."""
        return not self.shared or self.degrees is not None

    @property
    def free_parameters(self) -> int:
        """Means and covariances, without the class prior."""
        classes, d = map(int, self.means.shape)
        return classes * d + len(self.spreads) * (d if self.diagonal else d * (d + 1) // 2)

    @property
    def covariances(self) -> Floats:
        """(K, d, d), of a t too: it is degrees / (degrees - 2) times its scale."""
        whole = np.array([np.diag(spread) for spread in self.spreads]) if self.diagonal else self.spreads
        if self.degrees is not None:
            if (self.degrees <= 2).any():
                raise EstimateError("a t of 2 degrees or fewer has no covariance; use a larger nu, or more rows")
            whole = whole * (self.degrees / (self.degrees - 2))[:, None, None]
        return whole * self.inflation[:, None, None]

    @cached_property
    def lowers(self) -> Floats:
        """L with spread = L Lᵀ, (G, d, d); the roots of a diagonal, (G, d)."""
        return np.sqrt(self.spreads) if self.diagonal else np.array([factored(spread)[0] for spread in self.spreads])

    def log_prob(self, X: Any) -> Floats:
        """log p(x | k), (n, K), of what is there of each row; one that is missing altogether scores 0."""
        classes, d = self.means.shape
        rows = as_rows(X, d)
        result = np.zeros((len(rows), classes))
        if self.diagonal:
            return self._by_column(rows, result)
        for columns, at in patterns(rows):
            part = rows[np.ix_(at, columns)]
            endless = np.isinf(part).any(axis=1, keepdims=True)
            part = np.where(endless, 0.0, part)
            squares, of_scale = self._squares(part, columns)
            degrees = None if self.degrees is None else np.broadcast_to(self.degrees, classes)
            scores = log_density(len(columns), squares / self.inflation, degrees)
            far = np.isinf(squares)
            if degrees is not None and far.any():
                nearer = self._squares(part, columns, SHRINK)[0] / self.inflation
                scores = np.where(far, log_density(len(columns), nearer, degrees, SHRINK), scores)
            scores -= 0.5 * (of_scale + len(columns) * np.log(self.inflation))
            result[at] = np.where(endless, -np.inf, scores)
        return result

    def log_scores(self, X: Any) -> Floats:
        """The same but for what all classes have in common: of one plugged-in covariance, what is linear in x.

        Far away that is all there is: xᵀ Σ⁻¹ x, which cancels, would leave no digits of the rest.
        """
        if self.quadratic:
            return self.log_prob(X)
        classes, d = self.means.shape
        rows = as_rows(X, d)
        result = np.zeros((len(rows), classes))
        for columns, at in patterns(rows):
            part = rows[np.ix_(at, columns)]
            endless = np.isinf(part).any(axis=1, keepdims=True)
            scores = self._linear(columns).scores(np.where(endless, 0.0, part))
            result[at] = np.where(endless, -np.inf, scores)
        return result

    def _linear(self, columns: npt.NDArray[np.intp]) -> Logistic:
        """w_k = Σ⁻¹ m_k and -½ m_kᵀ Σ⁻¹ m_k of the given columns, about the middle of the means."""
        means = self.means[:, columns]
        middle = means.mean(axis=0)
        if self.diagonal:
            root = self.lowers[0][columns]
            half = (means - middle) / root
            weights = half / root
        else:
            lower = factored(self.spreads[0][np.ix_(columns, columns)])[0]
            half = whitened(lower, means - middle)
            weights = _back(lower, half)
        return Logistic(weights, -0.5 * (half**2).sum(axis=1), middle)

    def _squares(self, rows: Floats, columns: npt.NDArray[np.intp], shrink: float = 1.0) -> tuple[Floats, Floats]:
        """(x - m_k)ᵀ spread⁻¹ (x - m_k), (n, K), times shrink², and log |spread|, (G,), for the given columns."""
        whole = len(columns) == self.means.shape[1]
        lowers = [
            lower if whole else factored(spread[np.ix_(columns, columns)])[0]
            for lower, spread in zip(self.lowers, self.spreads, strict=True)
        ]
        of_scale = np.array([log_determinant(lower) for lower in lowers])
        rows, means = rows * shrink, self.means[:, columns] * shrink
        squares = np.empty((len(rows), len(means)))
        with np.errstate(over="ignore", invalid="ignore"):
            if self.shared:
                # subtle: rows go through L once, not once per class; about the means' middle, so that an offset of
                # all columns costs no digits
                middle = means.mean(axis=0)
                turned, centers = whitened(lowers[0], rows - middle), whitened(lowers[0], means - middle)
                for k, center in enumerate(centers):
                    squares[:, k] = ((turned - center) ** 2).sum(axis=1)
            else:
                for k, (lower, mean) in enumerate(zip(lowers, means, strict=True)):
                    squares[:, k] = (whitened(lower, rows - mean) ** 2).sum(axis=1)
        # subtle: what is too far away for a number may overflow as inf - inf on the way; its density is 0 all the same
        return np.where(np.isnan(squares), np.inf, squares), of_scale

    def _by_column(self, rows: Floats, result: Floats) -> Floats:
        missing, endless = np.isnan(rows), np.isinf(rows)
        filled = np.where(missing | endless, 0.0, rows)
        for k, mean in enumerate(self.means):
            group = 0 if self.shared else k
            variances = self.spreads[group] * self.inflation[k]
            degrees = None if self.degrees is None else self.degrees[group]
            with np.errstate(over="ignore"):
                squares = (filled - mean) ** 2 / variances
                scores = log_density(1, squares, degrees)
                far = np.isinf(squares)
                if degrees is not None and far.any():
                    nearer = (filled * SHRINK - mean * SHRINK) ** 2 / variances
                    scores = np.where(far, log_density(1, nearer, degrees, SHRINK), scores)
            scores -= 0.5 * np.log(variances)
            result[:, k] = np.where(missing, 0.0, np.where(endless, -np.inf, scores)).sum(axis=1)
        return result

    def sample(self, k: int, size: int, rng: np.random.Generator) -> Floats:
        """Draw rows of a class, (size, d)."""
        group, d = 0 if self.shared else k, self.means.shape[1]
        lower = np.diag(self.lowers[group]) if self.diagonal else self.lowers[group]
        rows = drawn_rows(np.zeros(d), lower * np.sqrt(self.inflation[k]), size, rng)
        if self.degrees is not None:  # a t is a normal over the root of a chi-square's share, one per row or number
            degrees = self.degrees[group]
            rows /= np.sqrt(rng.chisquare(degrees, (size, d if self.diagonal else 1)) / degrees)
        return np.asarray(self.means[k] + rows)

    def to_logistic(self, log_prior: Any) -> Logistic:
        """The softmax with the same posterior: w_k = Σ⁻¹ m_k, b_k = -½ m_kᵀ Σ⁻¹ m_k + log p(k)."""
        if self.degrees is not None:
            raise EstimateError(
                "with its parameters integrated out p(x | class) is a t, whose posterior is not logistic; use "
                "estimate='map' or 'ml'"
            )
        if not self.shared:
            raise EstimateError(
                "each class has a covariance of its own, so the boundary is quadratic and not logistic; use "
                "covariance='shared' or 'shared_diagonal'"
            )
        priors = np.asarray(log_prior, np.float64)
        if priors.shape != (len(self.means),) or np.isnan(priors).any() or not priors.max() < np.inf:
            raise DataError(f"the log prior of {len(self.means)} classes is {log_prior!r}; give one number for each")
        linear = self._linear(np.arange(self.means.shape[1]))
        return Logistic(linear.weights, priors + linear.at_origin, linear.origin)


def log_density(size: int, squares: Any, degrees: Any = None, shrink: float = 1.0) -> Floats:
    """Of a normal of `size` columns at squared distance, or of a t, but for -½ log |scale|.

    Squares too large for a number may come times shrink², of a t: there 1 is nothing beside them.
    """
    if degrees is None:
        return np.asarray(-0.5 * (size * LOG_2PI + squares))
    constant = log_rising(degrees / 2, np.array(size / 2)) - 0.5 * size * np.log(degrees * math.pi)
    if shrink == 1:
        return np.asarray(constant - 0.5 * (degrees + size) * np.log1p(squares / degrees))
    with np.errstate(divide="ignore"):  # of rows that are not far, which nobody asks for
        return np.asarray(constant - 0.5 * (degrees + size) * (np.log(squares / degrees) - 2 * math.log(shrink)))


def class_gaussians(
    moments: Sequence[VectorMoments], settings: GaussianSettings, labels: Sequence[object] | None = None
) -> ClassGaussians:
    """Read one Gaussian (or t) per class off the statistics; `labels` name classes in messages."""
    return read(class_sums(moments, settings, labels), settings, labels)


def read(sums: ClassSums, settings: GaussianSettings, labels: Sequence[object] | None = None) -> ClassGaussians:
    """The same, from pooled sums."""
    scatters = sums.scatters
    if settings.shrinkage is not None:
        parts = zip(scatters, sums.weights, strict=True)
        scatters = np.array([shrunk(part, intensity(settings.shrinkage, part, n)) for part, n in parts])
    for place, scatter in enumerate(scatters):
        column = _dependent(scatter)
        if column is not None:
            raise refuse_singular(column, place, settings, labels)
    inflation = 1 + 1 / sums.kappas if settings.integrated else np.ones(len(sums.kappas))
    divisors = sums.divisors.reshape(-1, *[1] * (scatters.ndim - 1))
    return ClassGaussians(sums.means, scatters / divisors, inflation, sums.divisors if settings.integrated else None)


def _dependent(scatter: Floats) -> int | None:
    if scatter.ndim == 1:
        return int(scatter.argmin()) if scatter.min() <= 0 else None
    return factored(scatter)[1]


def _back(lower: Floats, rows: Floats) -> Floats:
    """L⁻ᵀ x of each row x."""
    return np.asarray(solve_triangular(lower, rows.T, lower=True, trans=1, check_finite=False)).T
