"""What linear regressions share: pairs (x, t), their statistics, and a prior that keeps what it has seen."""

import math
from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from priori.errors import DataError, EstimateError
from priori.families.base import Belief, checked
from priori.families.regression.least_squares import (
    Intercept,
    LeastSquares,
    known_intercept,
    least_squares,
    pair_moments,
)
from priori.families.regression.linear_model import LinearModel, LinearPredictive
from priori.formatting import SHOWN, said
from priori.statistics import VectorMoments

Floats = npt.NDArray[np.float64]


class Regression(Belief[LinearModel]):
    """A prior over the coefficients of p(t | x), speaking the words of `Family`.

    It is no `Family`: statistics and scores are of pairs, inputs and targets, where a family's are of observations.
    """

    name: ClassVar[str]  # as the command line says it
    kind: ClassVar[type[VectorMoments]] = VectorMoments

    intercept: Intercept  # "flat" (no penalty), "penalised" (a column of ones among the others), or None
    names: tuple[str, ...]  # of the columns of x
    seen: VectorMoments | None  # of what turned the prior into this posterior

    def __init__(self, intercept: Intercept, names: Sequence[str], seen: VectorMoments | None):
        object.__setattr__(self, "intercept", known_intercept(intercept))
        object.__setattr__(self, "names", tuple(names))
        object.__setattr__(self, "seen", seen)
        if seen is not None and names and len(seen.mean) != len(names) + 1:
            raise DataError(f"there are {len(names)} names for {len(seen.mean) - 1} columns; give one for each")

    @classmethod
    def statistics(cls, X: Any, t: Any, weights: Any = None) -> VectorMoments:
        """The moments of (x, t). Pairs without a target are left out: they tell nothing of p(t | x)."""
        return pair_moments(X, t, weights)

    @classmethod
    @abstractmethod
    def flat(cls, stats: VectorMoments, intercept: Intercept = "flat", names: Sequence[str] = ()) -> Self:
        """The prior with constant density, under which the mode is the maximum of the likelihood."""

    @classmethod
    @abstractmethod
    def unit(cls, stats: VectorMoments, intercept: Intercept = "flat", names: Sequence[str] = ()) -> Self:
        """A proper prior (but for a flat intercept) worth about one row, placed where the data are."""

    @abstractmethod
    def predictive(self) -> LinearPredictive:
        """p(t | x) of a new pair, the parameters integrated out."""

    @abstractmethod
    def log_normalizer(self) -> float:
        """log Z, with density = exp(natural form) / Z: evidence is a ratio of two."""

    @abstractmethod
    def _penalty(self) -> float:
        """α: the weights' prior precision in units of the noise's."""

    @abstractmethod
    def _with(self, seen: VectorMoments) -> Self:
        """The same prior, having seen these data."""

    @classmethod
    def maximum_likelihood(
        cls, stats: VectorMoments, intercept: Intercept = "flat", names: Sequence[str] = ()
    ) -> LinearModel:
        """Ordinary least squares, and n / Σ (t - wᵀx - w₀)² as the precision: the mode under the flat prior."""
        return cls.flat(stats, intercept, names).posterior(stats).mode()

    def posterior(self, stats: VectorMoments) -> Self:
        """Add the data to those seen: a regression keeps its prior, and solves when it is read."""
        stats = checked(type(self), stats)
        return self._with(stats if self.seen is None else self.seen + stats)

    def before(self, stats: VectorMoments) -> Self:
        """The same, knowing from the data to come how many columns there are; without any, a flat intercept has 1."""
        return self._with(VectorMoments.zero(len(stats.mean))) if self.seen is None else self

    @property
    def rows(self) -> VectorMoments:
        """The moments of the pairs seen; of none, where the number of columns is known."""
        if self.seen is not None:
            return self.seen
        if not self.names:
            raise DataError("the number of columns is not known before there are data; name them (names=...)")
        return VectorMoments.zero(len(self.names) + 1)

    @cached_property
    def best(self) -> LeastSquares:
        """The weights and the intercept where the density is largest, and how it falls around them."""
        return least_squares(self.rows, self._penalty(), self.intercept, self.names)

    def coefficients(self) -> tuple[Floats, float | None]:
        """The most probable weights and intercept."""
        if self.best.n == 0:
            raise EstimateError("without data every intercept is equally probable under the flat prior; add data")
        return self.best.weights, None if self.intercept is None else self.best.intercept

    def solvable(self) -> bool:
        """Whether there are weights and an intercept more probable than all others."""
        try:
            self.coefficients()
        except (EstimateError, DataError):
            return False
        return True

    def places(self) -> list[str]:
        """The names of the weights, and the intercept's where there is one."""
        columns = self.names or range(len(self.rows.mean) - 1)
        return [f"weights[{name}]" for name in columns] + ([] if self.intercept is None else ["intercept"])

    def spreads(self) -> tuple[Floats, Floats]:
        """Centres, and variances in units of the noise, in the order of `places`."""
        weights, intercept = self.coefficients()
        variances, last = self.best.variances()
        if intercept is None:
            return weights, variances
        return np.append(weights, intercept), np.append(variances, last)

    def told(self, noise: float) -> str:
        """Each coefficient and its spread, for print; `noise` is the variance of one target."""
        places = [f"{said(c)}±{math.sqrt(v * noise):.2g}" for c, v in zip(*self.spreads(), strict=True)]
        return ", ".join(places[:SHOWN]) + (", …" if len(places) > SHOWN else "")
