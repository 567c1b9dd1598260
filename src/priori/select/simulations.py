"""Labelled rows from a known truth, and the accuracy that nothing can beat there.

The best that any classifier does is E[max_y p(y | x)] (lecture 000). For two Gaussians of shared covariance and equal
priors it is Φ(Δ / 2), Δ² = (μ_1 - μ_0)ᵀ Σ⁻¹ (μ_1 - μ_0); else it is averaged over draws, with its standard error.
In all three truths the posterior is a logistic function of x (lecture 002); only in the first are the rows Gaussian.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from priori.errors import DataError

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Kind: TypeAlias = Literal["gaussian", "skewed", "poisson"]
KINDS: tuple[Kind, ...] = get_args(Kind)
DIMENSIONS = 8
_DISTANCE = 2.0  # of Mahalanobis, between the two Gaussians
_DRAWS = 200_000  # for an accuracy without a formula


@dataclass(frozen=True, eq=False)
class Truth:
    """p(y) p(x | y) of two equally probable classes, whose log posterior odds are weights · x + intercept."""

    kind: Kind
    said: str
    weights: Floats  # (d,)
    intercept: float
    draw: Callable[[Ints, np.random.Generator], Floats]  # rows for the classes of each, (n, d)

    def sample(self, n: int, rng: np.random.Generator) -> tuple[Floats, Ints]:
        """Rows, and their classes."""
        y = rng.integers(0, 2, n)
        return self.draw(y, rng), y

    def posterior(self, X: Any) -> Floats:
        """p(y = 1 | x) of each row."""
        from scipy.special import expit

        found: Floats = expit(np.asarray(X, np.float64) @ self.weights + self.intercept)
        return found

    def optimum(self, rng: np.random.Generator, draws: int = _DRAWS) -> tuple[float, float]:
        """E[max_y p(y | x)] over draws, and its standard error."""
        p = self.posterior(self.sample(draws, rng)[0])
        best = np.maximum(p, 1 - p)
        return float(best.mean()), float(best.std() / math.sqrt(draws))


@dataclass(frozen=True, eq=False)
class Simulation:
    """Rows that were drawn, and what could at best be said of new ones."""

    truth: Truth
    X: Floats
    y: Ints
    accuracy: float  # the Bayes-optimal one
    standard_error: float  # 0 where it is exact


def simulate(kind: Kind, n: int, seed: int = 0) -> Simulation:
    """Draw n rows of eight columns from one of three truths.

    gaussian: two Gaussians of one covariance, as discriminant analysis assumes. skewed: exponential columns, most of
    them small. poisson: counts.

    >>> drawn = simulate("gaussian", 100)
    >>> drawn.X.shape, f"{drawn.accuracy:.4f}"
    ((100, 8), '0.8413')
    """
    if n < 2:
        raise DataError(f"{n} rows cannot hold two classes; draw at least 2")
    truth = truth_of(kind)
    rows, check = (np.random.default_rng([seed, stream]) for stream in (0, 1))
    X, y = truth.sample(n, rows)
    if kind == "gaussian":
        from scipy.special import ndtr

        return Simulation(truth, X, y, float(ndtr(_DISTANCE / 2)), 0.0)
    return Simulation(truth, X, y, *truth.optimum(check))


def truth_of(kind: Kind) -> Truth:
    """One of the three, by its name."""
    makers = {"gaussian": _gaussian, "skewed": _skewed, "poisson": _poisson}
    if kind not in makers:
        raise DataError(f"there is no simulation {kind!r}; choose {', '.join(KINDS)}")
    return makers[kind]()


def _gaussian() -> Truth:
    """Columns beside each other have correlation 0.6, those next to them 0.36, and so on; w = Σ⁻¹ (μ_1 - μ_0)."""
    places = np.arange(DIMENSIONS)
    covariance = 0.6 ** np.abs(places[:, None] - places)
    gap = np.where(places % 2 == 0, 1.0, 0.4)
    weights = np.linalg.solve(covariance, gap)
    scale = _DISTANCE / math.sqrt(gap @ weights)
    gap, weights = scale * gap, scale * weights
    root = np.linalg.cholesky(covariance)

    def draw(y: Ints, rng: np.random.Generator) -> Floats:
        found: Floats = rng.normal(size=(len(y), DIMENSIONS)) @ root.T + np.multiply.outer(y - 0.5, gap)
        return found

    said = "two Gaussians of one covariance: what discriminant analysis assumes holds"
    return Truth("gaussian", said, weights, 0.0, draw)


def _skewed() -> Truth:
    """x_j ~ Exponential(rate_yj): log odds Σ_j (rate_0j - rate_1j) x_j + log rate_1j / rate_0j."""
    rates = np.ones((2, DIMENSIONS))
    rates[0, :2], rates[0, 2:] = 0.2, 1.4

    def draw(y: Ints, rng: np.random.Generator) -> Floats:
        found: Floats = rng.exponential(1 / rates[y])
        return found

    said = "exponential columns, far from Gaussian: what discriminant analysis assumes fails"
    return Truth("skewed", said, rates[0] - rates[1], float(np.log(rates[1] / rates[0]).sum()), draw)


def _poisson() -> Truth:
    """x_j ~ Poisson(rate_yj): log odds Σ_j x_j log rate_1j / rate_0j + rate_0j - rate_1j."""
    rates = np.array([np.linspace(0.3, 3.0, DIMENSIONS), np.linspace(0.9, 2.0, DIMENSIONS)])

    def draw(y: Ints, rng: np.random.Generator) -> Floats:
        return rng.poisson(rates[y]).astype(np.float64)

    said = "Poisson counts, whose posterior is logistic though they are not Gaussian"
    return Truth("poisson", said, np.log(rates[1] / rates[0]), float((rates[0] - rates[1]).sum()), draw)
