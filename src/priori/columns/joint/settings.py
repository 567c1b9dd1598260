"""How the Gaussians of several classes are read: which covariances, which estimate, which prior."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from priori.errors import DataError, EstimateError
from priori.families.multivariate_normal import NormalInverseWishart, resolved
from priori.statistics import VectorMoments
from priori.validation import number, vector

Floats = npt.NDArray[np.float64]
Kind = Literal["shared", "full", "diagonal", "shared_diagonal"]
Estimate = Literal["ml", "unbiased", "map", "mean", "bayes"]


@dataclass(frozen=True, eq=False)
class NiwPrior:
    """Σ ~ InvWishart(nu, scale), μ_k | Σ ~ 𝒩(location, Σ/kappa), the same for all classes; None is read off the data.

    location: the mean of all rows. kappa = 0.01: class means lie within ten or so within-class deviations of it; a
    larger one would count the distance between classes as variance within them. scale: such that E[Σ], which is
    scale / (nu - d - 1), is the variance of each column within classes, without correlations (where it is 0, the
    variance of all rows; where that is 0 too, 1). nu - d - 1 is how many rows that is worth: d, so that it holds
    d (d + 1) / 2 covariances together where rows are few, and fades as d / n; 1 where columns are independent.
    """

    kappa: float = 0.01
    nu: float | None = None
    location: Any = None  # (d,)
    scale: Any = None  # (d, d), or (d,) for a diagonal

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NiwPrior):
            return NotImplemented
        mine, theirs = ((p.kappa, p.nu, p.location, p.scale) for p in (self, other))
        return all(np.array_equal(a, b) for a, b in zip(mine, theirs, strict=True))

    def __hash__(self) -> int:
        return hash((self.kappa, self.nu))

    def at(self, moments: Sequence[VectorMoments], *, diagonal: bool = False) -> NormalInverseWishart:
        """The prior of one class, with what was left open read off the statistics of all; columns that are independent
        have the marginals of their Σ_jj."""
        d = len(moments[0].mean)
        total = sum(moments[1:], start=moments[0])
        if total.n == 0 and (self.location is None or self.scale is None):
            raise EstimateError("no class has rows, so no prior can be placed by them; add rows, or give the prior")
        nu = d + 1.0 + (1 if diagonal else d) if self.nu is None else self.nu
        location = total.mean if self.location is None else vector(self.location, "location")
        if len(location) != d:
            raise DataError(f"location has {len(location)} numbers for {d} columns; give one for each")
        prior = NormalInverseWishart(
            location,
            number(self.kappa, "kappa", 0, above=True),
            number(nu, "nu", d - 1, above=True),
            self._scale_at(moments, total, nu),
        )
        if not prior.proper:
            raise DataError("the prior's scale is singular, so it is no prior of Σ; give a positive definite one")
        return prior

    def _scale_at(self, moments: Sequence[VectorMoments], total: VectorMoments, nu: float) -> Floats:
        if self.scale is not None:
            given = np.asarray(self.scale, np.float64)
            return np.diag(given) if given.ndim == 1 else given
        d = len(total.mean)
        if nu <= d + 1:
            raise DataError(f"nu={nu:g} has no mean of Σ to be read off the data; give nu > {d + 1}, or a scale")
        within = sum(np.diag(resolved(stats)) for stats in moments)
        variances = np.where(within > 0, within, np.diag(resolved(total))) / total.n
        return np.diag(np.where(variances > 0, variances, 1.0)) * (nu - d - 1)


@dataclass(frozen=True)
class GaussianSettings:
    """One covariance for all classes ("shared") or one each ("full"), or only their diagonals; "shrunk" is shared with
    shrinkage "auto". Shrinkage g reads (1 - g) S + g tr(S)/d I for S, by a number or by OAS ("auto").

    >>> GaussianSettings("shrunk") == GaussianSettings("shared", shrinkage="auto")
    True
    """

    covariance: Kind | Literal["shrunk"] = "shared"
    estimate: Estimate = "ml"
    shrinkage: float | Literal["auto"] | None = None
    prior: NiwPrior = NiwPrior()

    def __post_init__(self) -> None:
        if self.covariance == "shrunk":
            object.__setattr__(self, "covariance", "shared")
            object.__setattr__(self, "shrinkage", "auto" if self.shrinkage is None else self.shrinkage)
        for name, choices, also in (("covariance", get_args(Kind), ("shrunk",)), ("estimate", get_args(Estimate), ())):
            if getattr(self, name) not in choices:
                raise DataError(f"{name}={getattr(self, name)!r} is unknown; use one of {', '.join(choices + also)}")
        if self.shrinkage is not None and self.shrinkage != "auto":
            object.__setattr__(self, "shrinkage", number(self.shrinkage, "shrinkage", 0, high=1))
        if self.shrinkage is not None and (self.diagonal or self.imagined):
            raise DataError(
                f"shrinkage is for shared and full covariances under ml or unbiased, not for {self.covariance} under "
                f"{self.estimate}; leave it out (a prior shrinks by itself)"
            )

    @property
    def diagonal(self) -> bool:
        """Whether columns are independent given the class."""
        return self.covariance in ("diagonal", "shared_diagonal")

    @property
    def shared(self) -> bool:
        """Whether all classes have one covariance."""
        return self.covariance in ("shared", "shared_diagonal")

    @property
    def integrated(self) -> bool:
        """Whether the parameters are integrated out, so that p(x | class) is a t."""
        return self.estimate == "bayes"

    @property
    def imagined(self) -> bool:
        """Whether there is a prior."""
        return self.estimate in ("map", "mean", "bayes")

    def divisor(self, n: Floats, members: int, d: int, nu: float) -> Floats:
        """What a scatter of weight n about `members` means is divided by, so that it is Σ (or the t's scale).

        n under ml, n - members unbiased; nu + n + d + 1 + members is the joint mode of means and Σ, nu + n - d - 1
        gives the mean of Σ, nu + n - d + 1 are the degrees of the t. The columns of a diagonal are rows of one number:
        d = 1, and their marginal nu - d + 1.
        """
        size, degrees = (1, nu - d + 1) if self.diagonal else (d, nu)
        match self.estimate:
            case "ml":
                return n
            case "unbiased":
                return n - members
            case "map":
                return n + degrees + size + 1 + members
            case "mean":
                return n + degrees - size - 1
            case "bayes":
                return n + degrees - size + 1


def default_estimate(covariance: str, shrinkage: object) -> Estimate:
    """A prior shrinks by itself, so what is shrunk is the maximum likelihood; else the posterior mean.

    >>> default_estimate("shared", None), default_estimate("shrunk", None), default_estimate("full", 0.1)
    ('mean', 'ml', 'ml')
    """
    return "ml" if covariance == "shrunk" or shrinkage is not None else "mean"


def name_of(place: int, labels: Sequence[object] | None) -> str:
    """A class as messages name it."""
    return f"class {place}" if labels is None else f"class {labels[place]!r}"


def checked(moments: Sequence[VectorMoments]) -> tuple[VectorMoments, ...]:
    """Statistics of the same columns, one per class, none negative."""
    if not moments:
        raise DataError("there are no classes; give the statistics of one or more")
    widths = sorted({len(stats.mean) for stats in moments})
    if len(widths) > 1 or widths[0] == 0:
        raise DataError(
            f"the classes have {' and '.join(map(str, widths))} columns; give the same one or more for each"
        )
    for stats in moments:
        stats.refuse_negative()
        if not (math.isfinite(stats.n) and np.isfinite(stats.mean).all() and np.isfinite(stats.scatter).all()):
            raise DataError("a statistic is not finite; sum finite rows only")
    return tuple(moments)
