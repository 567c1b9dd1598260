"""Rows of numbers that vary together: the multivariate normal under a normal-inverse-Wishart prior.

Σ ~ InvWishart(ν, Ψ), μ | Σ ~ 𝒩(m, Σ/κ). Posterior: κ imagined rows of mean m and scatter Ψ pooled with the n real ones,
and ν + n. Mode Σ = Ψ / (ν + d + 2), mean Σ = Ψ / (ν - d - 1), predictive t. Murphy 2007, section 9;
docs/maths/multivariate_normal.md.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from scipy.special import multigammaln

from priori.errors import EstimateError
from priori.families.base import Distribution, Family, Likelihood, Support
from priori.families.multivariate_t import MultivariateT
from priori.families.numerics.matrices import (
    drawn_rows,
    factored,
    inverse,
    log_determinant,
    lower_of,
    marginal_scores,
    symmetric,
    tabled,
    trace_of_solve,
    whitened,
)
from priori.families.numerics.special import LOG_2PI, log_rising
from priori.formatting import listed, said
from priori.statistics import Statistics, VectorMoments
from priori.validation import MOST, number, vector

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class MultivariateNormal(Likelihood[VectorMoments]):
    """p(x) = |2πΣ|^(-½) exp(-½ (x - μ)ᵀ Σ⁻¹ (x - μ)).

    >>> print(MultivariateNormal([0, 1], [[1, 0.5], [0.5, 2]]))
    𝒩(μ=(0, 1), Σ=((1, 0.5), (0.5, 2)))
    """

    mean: Floats  # (d,)
    covariance: Floats  # (d, d)

    def __post_init__(self) -> None:
        object.__setattr__(self, "mean", vector(self.mean, "mean"))
        object.__setattr__(self, "covariance", symmetric(self.covariance, "covariance", len(self.mean)))
        _ = self.lower  # a singular covariance is refused here

    @cached_property
    def lower(self) -> Floats:
        """L with Σ = L Lᵀ."""
        return lower_of(self.covariance, "covariance")

    @property
    def free_parameters(self) -> int:
        """d means, d (d + 1) / 2 covariances."""
        d = len(self.mean)
        return d + d * (d + 1) // 2

    def log_prob(self, X: Any) -> Floats:
        """Of each row; where a row is missing in part, of what is there."""
        return marginal_scores(X, self.mean, self.covariance, lambda size, squared: -0.5 * (size * LOG_2PI + squared))

    def log_likelihood(self, stats: VectorMoments) -> float:
        """-½ [n log|2πΣ| + tr(Σ⁻¹ (scatter + n δδᵀ))], δ = mean - μ."""
        away = whitened(self.lower, (stats.mean - self.mean)[None])
        each = len(self.mean) * LOG_2PI + log_determinant(self.lower) + float((away**2).sum())
        return -0.5 * (stats.n * each + trace_of_solve(self.lower, stats.scatter))

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        """Draw rows, (size, d)."""
        return drawn_rows(self.mean, self.lower, size, rng)

    def natural_parameters(self) -> Floats:
        """(Σ⁻¹ μ, -½ Σ⁻¹) in one row; T(x) = (x, x xᵀ)."""
        precision = inverse(self.lower)
        return np.concatenate([precision @ self.mean, -0.5 * precision.ravel()])

    def expected_statistics(self) -> Floats:
        """(μ, Σ + μ μᵀ) in one row."""
        return np.concatenate([self.mean, (self.covariance + np.outer(self.mean, self.mean)).ravel()])

    def freeze(self) -> Any:
        """scipy's multivariate_normal."""
        from scipy.stats import Covariance, multivariate_normal

        return multivariate_normal(self.mean, Covariance.from_cholesky(self.lower))

    def __str__(self) -> str:
        return f"𝒩(μ={listed(self.mean)}, Σ={tabled(self.covariance)})"


@dataclass(frozen=True, eq=False)
class NormalInverseWishart(Family[VectorMoments]):
    """μ | Σ ~ 𝒩(location, Σ/kappa), Σ ~ InvWishart(nu, scale); improper unless kappa > 0, nu > d - 1, |scale| > 0.

    >>> prior = NormalInverseWishart([0, 0], kappa=1, nu=4, scale=[[1, 0], [0, 1]])
    >>> print(prior.posterior(NormalInverseWishart.statistics([[1, 0], [3, 4]])).mode())
    𝒩(μ=(1.3333, 1.3333), Σ=((0.56667, 0.66667), (0.66667, 1.1667)))
    """

    name: ClassVar[str] = "multivariate-normal"
    kind: ClassVar[type[Statistics]] = VectorMoments
    support: ClassVar[Support] = "vectors"

    location: Floats  # (d,); not `mean`, which is a reading
    kappa: float
    nu: float
    scale: Floats  # (d, d)

    def __post_init__(self) -> None:
        object.__setattr__(self, "location", vector(self.location, "location"))
        object.__setattr__(self, "kappa", number(self.kappa, "kappa", 0, high=MOST))
        object.__setattr__(self, "nu", number(self.nu, "nu", -(self.dimensions + 2), high=MOST))  # the flat prior's
        object.__setattr__(self, "scale", symmetric(self.scale, "scale", self.dimensions))

    @classmethod
    def statistics(cls, X: Any, weights: Any = None) -> VectorMoments:
        """Weight, mean and scatter matrix of rows."""
        return VectorMoments.of(X, weights)

    @classmethod
    def flat(cls, stats: VectorMoments) -> Self:
        """Constant in μ and Σ: nu = -(d + 2), for the density has |Σ| to the power -(nu + d + 2) / 2."""
        d = len(stats.mean)
        return cls(np.zeros(d), 0.0, -(d + 2.0), np.zeros((d, d)))

    @classmethod
    def unit(cls, stats: VectorMoments) -> Self:
        """One row at the data's mean, and nu = d + 2, the least whole number at which E[Σ] exists: it is the data's
        covariance, or that without correlations where it is singular, as it is for n <= d."""
        stats.refuse_negative()
        scatter = resolved(stats)
        if stats.n == 0 or not np.diag(scatter).all():
            raise EstimateError(
                f"column {int(np.diag(scatter).argmin())} has no variance (its values are all equal, or there is only "
                "one), so no prior of Σ can be placed by it; leave it out, or give a prior"
            )
        _, dependent = factored(scatter)
        covariance = (scatter if dependent is None else np.diag(np.diag(scatter))) / stats.n
        return cls(stats.mean, 1.0, len(stats.mean) + 2.0, covariance)

    @property
    def dimensions(self) -> int:
        """d."""
        return len(self.location)

    @cached_property
    def factor(self) -> tuple[Floats, int | None]:
        """L with scale = L Lᵀ, and the first column that is a combination of those before it, if any."""
        return factored(self.scale)

    @property
    def proper(self) -> bool:
        """Where kappa > 0, nu > d - 1 and the scale is positive definite."""
        return self.kappa > 0 and self.nu > self.dimensions - 1 and self.factor[1] is None

    def posterior(self, stats: VectorMoments) -> Self:
        """Pool the imagined rows with the real ones."""
        data = self.checked(stats)
        if data.n == 0:
            return self
        imagined = VectorMoments(self.kappa, self.location, self.scale)
        total = imagined + VectorMoments(data.n, data.mean, resolved(data))
        return type(self)(total.mean, total.n, self.nu + data.n, total.scatter)

    def mode(self) -> MultivariateNormal:
        """Of μ and Σ together: location and scale / (nu + d + 2)."""
        if self.kappa == 0 or self.nu == -(self.dimensions + 2):
            raise EstimateError("without data the flat prior has no mode; add data, or give a proper prior")
        if self.factor[1] is not None:
            raise EstimateError(
                f"the covariance is singular: column {self.factor[1]} is constant or a combination of those before it, "
                "as always with no more rows than columns; use the unit prior (NormalInverseWishart.unit), more rows "
                "or fewer columns"
            )
        return MultivariateNormal(self.location, self.scale / (self.nu + self.dimensions + 2))

    def mean(self) -> MultivariateNormal:
        """location and scale / (nu - d - 1)."""
        self.require_proper("the mean")
        degrees = self.nu - self.dimensions - 1
        if degrees <= 0:
            raise EstimateError(f"the mean of Σ is infinite under {self}; use nu > d + 1, more data, or the mode")
        return MultivariateNormal(self.location, self.scale / degrees)

    def predictive(self) -> Distribution:
        """t of nu - d + 1 degrees."""
        self.require_proper("the predictive")
        degrees = self.nu - self.dimensions + 1
        return MultivariateT(degrees, self.location, self.scale * ((1 + 1 / self.kappa) / degrees))

    def log_normalizer(self) -> float:
        """½ ν d log 2 + log Γ_d(ν / 2) - ½ ν log|scale| + ½ d log(2π / kappa)."""
        self.require_proper("its normalizer")
        d = self.dimensions
        of_covariance = float(multigammaln(self.nu / 2, d)) + 0.5 * self.nu * d * math.log(2)
        of_mean = 0.5 * d * (LOG_2PI - math.log(self.kappa))
        return of_covariance - 0.5 * self.nu * log_determinant(self.factor[0]) + of_mean

    def log_evidence(self, stats: VectorMoments) -> float:
        """The ratio of normalizers, in steps in which a strong prior cancels, and (2π)^(-d/2) for each row."""
        self.require_proper("the evidence")
        data, d, lower = self.checked(stats), self.dimensions, self.factor[0]
        gap = data.mean - self.location
        grown = resolved(data) + np.outer(gap, gap) * (self.kappa / (self.kappa + data.n) * data.n)  # of the scale
        shares = np.linalg.eigvalsh(whitened(lower, whitened(lower, grown).T))
        of_scale = (self.nu + data.n) * float(np.log1p(np.maximum(shares, 0.0)).sum()) + data.n * log_determinant(lower)
        of_degrees = float(log_rising((self.nu - np.arange(d)) / 2, np.full(d, data.n / 2)).sum())
        of_mean = d * math.log1p(data.n / self.kappa)
        return of_degrees - 0.5 * (of_scale + of_mean) - 0.5 * data.n * d * math.log(math.pi)

    def log_kernel(self, mean: Floats, covariance: Floats) -> float:
        """log of |Σ|^(-(nu + d + 2)/2) exp(-½ tr(Σ⁻¹ (scale + kappa δδᵀ))), δ = μ - location; 0 for the flat prior."""
        lower, dependent = factored(covariance, least=0.0)
        if dependent is not None:
            return -math.inf
        away = whitened(lower, (mean - self.location)[None])
        squares = trace_of_solve(lower, self.scale) + self.kappa * float((away**2).sum())
        return -0.5 * ((self.nu + self.dimensions + 2) * log_determinant(lower) + squares)

    def log_prob(self, *, mean: Any, covariance: Any) -> Floats:  # type: ignore[override]
        """Of μ (..., d) and Σ (..., d, d) together, -inf where the latter is no covariance."""
        d = self.dimensions
        means, matrices = np.asarray(mean, np.float64), np.asarray(covariance, np.float64)
        shape = np.broadcast_shapes(means.shape[:-1], matrices.shape[:-2])
        means = np.broadcast_to(means, (*shape, d)).reshape(-1, d)
        matrices = np.broadcast_to(matrices, (*shape, d, d)).reshape(-1, d, d)
        kernels = [self.log_kernel(mu, sigma) for mu, sigma in zip(means, matrices, strict=True)]
        return np.reshape(kernels, shape) - self.log_normalizer()

    def sample(self, size: int, rng: np.random.Generator) -> dict[str, Floats]:
        """Draws of μ (size, d) and Σ (size, d, d): Σ = B Bᵀ with B = L A⁻ᵀ, A Aᵀ ~ Wishart(nu, 1) (Bartlett 1933)."""
        self.require_proper("a sample")
        d = self.dimensions
        triangle = np.tril(rng.standard_normal((size, d, d)), -1)
        squares = rng.chisquare(self.nu - np.arange(d), (size, d))
        # subtle: with very few degrees some variances exceed all numbers; none is above 1e250 of its scale
        triangle[:, range(d), range(d)] = np.sqrt(np.maximum(squares, 1e-250))
        turned = np.linalg.solve(triangle, np.broadcast_to(self.factor[0].T, (size, d, d)))  # Bᵀ
        normal = rng.standard_normal((size, 1, d)) / math.sqrt(self.kappa)
        with np.errstate(over="ignore"):
            return {"mean": self.location + (normal @ turned)[:, 0], "covariance": np.swapaxes(turned, 1, 2) @ turned}

    def marginals(self) -> dict[str, Any]:
        """Each μ_j is t, each Σ_jj inverse-gamma; those off the diagonal have no closed form and are left out."""
        from scipy.stats import invgamma, t

        self.require_proper("a marginal")
        degrees, scales = self.nu - self.dimensions + 1, np.diag(self.scale)
        of_mean = np.sqrt(scales / (self.kappa * degrees))
        result = {f"mean[{j}]": t(degrees, m, s) for j, (m, s) in enumerate(zip(self.location, of_mean, strict=True))}
        return result | {f"covariance[{j},{j}]": invgamma(degrees / 2, scale=s / 2) for j, s in enumerate(scales)}

    def __str__(self) -> str:
        of_mean = f"μ ~ 𝒩({listed(self.location)}, Σ/{said(self.kappa)})"
        return f"{of_mean}, Σ ~ InvWishart({said(self.nu)}, {tabled(self.scale)})"


def resolved(stats: VectorMoments) -> Floats:
    """The scatter, but none of a column where it is no larger than the rounding of equal numbers."""
    rounding = 4 * np.finfo(np.float64).eps * np.abs(stats.mean)
    varies = np.diag(stats.scatter) > stats.n * rounding**2
    return stats.scatter if varies.all() else np.where(np.outer(varies, varies), stats.scatter, 0.0)
