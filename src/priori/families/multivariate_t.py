"""The multivariate t: normal rows of a covariance that is not known, what a normal-inverse-Wishart predicts."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from priori.families.base import Distribution
from priori.families.numerics.matrices import drawn_rows, lower_of, marginal_scores, symmetric, tabled
from priori.families.numerics.special import log_rising
from priori.formatting import listed, said
from priori.validation import number, vector

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class MultivariateT(Distribution):
    """p(x) ∝ (1 + (x - mean)ᵀ scale⁻¹ (x - mean) / degrees)^(-(degrees + d) / 2).

    >>> print(MultivariateT(5, mean=[0, 1], scale=[[1, 0.5], [0.5, 2]]))
    t(ν=5, μ=(0, 1), scale=((1, 0.5), (0.5, 2)))
    """

    degrees: float
    mean: Floats  # (d,)
    scale: Floats  # (d, d)

    def __post_init__(self) -> None:
        object.__setattr__(self, "degrees", number(self.degrees, "degrees", 0, above=True))
        object.__setattr__(self, "mean", vector(self.mean, "mean"))
        object.__setattr__(self, "scale", symmetric(self.scale, "scale", len(self.mean)))
        _ = self.lower  # a singular scale is refused here

    @cached_property
    def lower(self) -> Floats:
        """L with scale = L Lᵀ."""
        return lower_of(self.scale, "scale")

    def log_prob(self, X: Any) -> Floats:
        """Of each row; where a row is missing in part, of what is there, which is t of as many degrees."""

        def log_density(size: int, squared: Floats) -> Floats:
            rising = float(log_rising(self.degrees / 2, np.array(size / 2)))
            constant = rising - 0.5 * size * math.log(self.degrees * math.pi)
            return constant - 0.5 * (self.degrees + size) * np.log1p(squared / self.degrees)

        return marginal_scores(X, self.mean, self.scale, log_density)

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        """Draw rows, (size, d): normal ones over the root of a chi-square's share."""
        normal = drawn_rows(np.zeros(len(self.mean)), self.lower, size, rng)
        return self.mean + normal / np.sqrt(rng.chisquare(self.degrees, size) / self.degrees)[:, None]

    def freeze(self) -> Any:
        """scipy's multivariate_t."""
        from scipy.stats import multivariate_t

        return multivariate_t(self.mean, self.scale, self.degrees)

    def __str__(self) -> str:
        return f"t(ν={said(self.degrees)}, μ={listed(self.mean)}, scale={tabled(self.scale)})"
