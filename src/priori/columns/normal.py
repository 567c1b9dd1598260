"""Real numbers: gaussian, student and lognormal columns, all classes at once.

The formulas are those of `priori.families.normal`, written for arrays, so that one pass scores all classes, and exact
leave-one-out all rows: without the row, class statistics and unit prior are n - w, mean - w (x - mean) / (n - w),
scatter - w n / (n - w) (x - mean)² (Welford 1962, backwards). docs/maths/tables.md.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from priori.columns.base import Cells, Floats, Rows
from priori.columns.numbers import NumberFamily, NumberReading
from priori.columns.rates import refuse_below
from priori.columns.readings import TableReadings
from priori.errors import EstimateError
from priori.families import NormalInverseGamma
from priori.families.base import Family
from priori.families.normal import resolved
from priori.families.numerics.special import LOG_2PI, log_rising
from priori.statistics import Moments
from priori.statistics.base import LOST
from priori.statistics.by_class import ByClass
from priori.statistics.class_moments import ClassMoments


class Spread(NamedTuple):
    """Weight, mean and scatter, of classes or of classes without a row each: arrays that broadcast."""

    n: Floats
    mean: Floats
    scatter: Floats

    @classmethod
    def of(cls, moments: list[Moments]) -> "Spread":
        """One for each class."""
        kept = [resolved(each) for each in moments]
        return cls(*(np.array([getattr(each, name) for each in kept]) for name in ("n", "mean", "scatter")))

    def without(self, x: Floats, weight: Floats) -> "Spread":
        """Without a number of this weight."""
        n = self.n - weight
        safe = np.where(n > 0, n, 1.0)
        away = x - self.mean
        scatter = np.maximum(self.scatter - weight * (self.n / safe) * away * away, 0.0)
        return Spread(n, np.where(n > 0, self.mean - weight * away / safe, 0.0), np.where(n > 0, scatter, 0.0))


class NormalPrior(NamedTuple):
    """A normal-inverse-gamma prior, or one for each row."""

    location: Any
    kappa: Any
    shape: Any
    scale: Any

    @classmethod
    def of(cls, given: Any, pooled: Spread) -> "NormalPrior":
        """The given one, or one observation at the mean of all, with their variance."""
        if isinstance(given, NormalInverseGamma):
            return cls(given.location, given.kappa, given.shape, given.scale)
        return cls(pooled.mean, 1.0, 0.5, pooled.scatter / pooled.n / 2)


class NormalPosterior(NamedTuple):
    """What the numbers of each class have made of the prior."""

    kappa: Floats
    location: Floats
    shape: Floats
    scale: Floats


@dataclass(frozen=True)
class GaussianColumn(NumberFamily):
    """Real numbers of unknown mean and variance; integrated out, Student's t."""

    name: ClassVar[str] = "gaussian"
    family: ClassVar[type[Family[Any]]] = NormalInverseGamma
    products: ClassVar[bool] = True
    integrated: ClassVar[bool] = False

    def statistics_kind(self) -> str:
        """Sums of numbers and of their squares."""
        return "squares"

    def terms(self, numbers: Floats) -> list[Floats]:
        """x, and by its product with itself x²."""
        return [numbers]

    def statistics(self, stats: ClassMoments, k: int) -> Moments:
        """Weight, mean and scatter, each rounded once."""
        return stats.moments(k)

    def read(self, stats: ByClass, readings: TableReadings) -> "NormalReading":
        """Normal, or Student's t."""
        return NormalReading(self, super().read(stats, readings).stats, readings)


@dataclass(frozen=True)
class StudentColumn(GaussianColumn):
    """The same with mean and variance integrated out whatever the estimate: Student's t."""

    name: ClassVar[str] = "student"
    integrated: ClassVar[bool] = True


@dataclass(frozen=True)
class LognormalColumn(GaussianColumn):
    """Numbers above 0 whose logarithms are normal."""

    name: ClassVar[str] = "lognormal"

    def statistics_kind(self) -> str:
        """Sums of logarithms and of their squares."""
        return "squares of logarithms"

    def terms(self, numbers: Floats) -> list[Floats]:
        """log x."""
        refuse_below(numbers, 0.0)
        return [np.log(numbers)]


@dataclass(frozen=True, eq=False)
class NormalReading(NumberReading):
    """p(number | class): normal at the maximum, mode or mean, Student's t with the parameters integrated out."""

    family: GaussianColumn

    @property
    def estimate(self) -> str:
        """How mean and variance are read."""
        return "bayes" if self.family.integrated else self.readings.estimate

    @cached_property
    def constant(self) -> bool:
        """Whether no two numbers differ, or none is there, so that no prior can be placed."""
        placed = self.family.prior is None and self.estimate not in ("ml", "unbiased")
        return placed and self._pooled.scatter.item() == 0

    @cached_property
    def _classes(self) -> Spread:
        return Spread.of([self.stats.moments(k) for k in range(self.stats.classes)])

    @cached_property
    def _pooled(self) -> Spread:
        return Spread.of([self.stats.pooled().moments(0)])

    def _prior(self, pooled: Spread) -> NormalPrior:
        return NormalPrior.of(self.family.prior, pooled)

    def log_prob(self, cells: Cells) -> Floats:
        """Of each number in each class."""
        if self.constant:
            return np.zeros((len(cells), self.stats.classes))
        prior = NormalPrior(0, 0, 0, 0) if self.estimate in ("ml", "unbiased") else self._prior(self._pooled)
        return self._scored(cells, self._classes, prior)

    def _scored(self, cells: Floats, spread: Spread, prior: NormalPrior) -> Floats:
        gone = np.isnan(cells)
        term = self.family.terms(np.where(gone, 1.0, cells) if gone.any() else cells)[0][:, None]
        with np.errstate(over="ignore"):  # too far away is as good as impossible: -inf
            scores = log_density(term, spread, prior, self.estimate)
        if isinstance(self.family, LognormalColumn):
            scores = scores - term  # the density of x, not of its logarithm
        scores[gone] = 0.0
        return scores

    def without(self, cells: Cells, rows: Rows) -> Floats:
        """All rows at once; those whose class hardly varies without them one by one, from the exact sums."""
        weight = rows.in_rows()
        there = np.flatnonzero(~np.isnan(cells) & (rows.group >= 0))
        x, group, w = self.family.terms(cells[there])[0], rows.group[there], weight[there]
        classes, own = self._classes, np.arange(self.stats.classes) == group[:, None]
        taken = np.where(own, w[:, None], 0.0)
        left = classes.without(x[:, None], taken)
        pooled = self._pooled.without(x, w)
        scatter = np.take_along_axis(left.scatter, group[:, None].astype(np.intp), axis=1)[:, 0]
        lost = (scatter <= LOST * classes.scatter[group]) | (pooled.scatter <= LOST * self._pooled.scatter)
        scores = np.zeros((len(cells), self.stats.classes))
        sure = ~lost
        if sure.any():
            parts = [Spread(*(value[sure] for value in left)), Spread(*(value[sure, None] for value in pooled))]
            scores[there[sure]] = self._scored(cells[there[sure]], parts[0], self._prior(parts[1]))
        if lost.any():
            some = there[lost]
            group = np.full_like(rows.group, -1)  # of the others: complaints count rows among all
            group[some] = rows.group[some]
            scores[some] = super().without(cells, Rows(rows.labels, group, rows.weight))[some]
        return scores

    def log_evidence(self) -> float:
        """Of the numbers, also where their logarithms are normal."""
        return super().log_evidence() - self._stretched

    def log_likelihood(self) -> float:
        """Of the numbers, also where their logarithms are normal."""
        return super().log_likelihood() - self._stretched

    @property
    def _stretched(self) -> float:
        """Σ log x: how much denser logarithms are than their numbers."""
        return self.stats.pooled().total(0) if isinstance(self.family, LognormalColumn) and not self.constant else 0.0

    def _only(self) -> float:
        only = super()._only()
        return float(np.exp(only)) if isinstance(self.family, LognormalColumn) else only

    def _drawn(self, k: int, size: int, rng: np.random.Generator) -> Any:
        drawn = super()._drawn(k, size, rng)
        return np.exp(drawn) if isinstance(self.family, LognormalColumn) else drawn


def log_density(x: Floats, spread: Spread, prior: NormalPrior, estimate: str) -> Floats:
    """log p(x | class): normal at the maximum, mode or mean, Student's t where the parameters are integrated out."""
    if estimate == "bayes":
        kappa, location, shape, scale = _posterior(spread, prior)
        return _student(x, 2 * shape, location, np.sqrt(scale / shape * (1 + 1 / kappa)))
    return log_normal(x, *plugged_in(spread, prior, estimate))


def plugged_in(spread: Spread, prior: NormalPrior, estimate: str) -> tuple[Floats, Floats]:
    """μ and σ² of each class at the maximum, mode or mean."""
    if estimate in ("ml", "unbiased"):
        below = spread.n if estimate == "ml" else spread.n - 1
        _refuse_flat(spread.scatter, below)
        return spread.mean, spread.scatter / below
    _, location, shape, scale = _posterior(spread, prior)
    if estimate == "map":
        return location, scale / (shape + 1.5)
    if not (shape > 1).all():
        raise EstimateError(
            "a class has fewer than two numbers, so the posterior mean of σ² is infinite; use estimate='bayes', or "
            "leave the column out"
        )
    return location, scale / (shape - 1)


def _posterior(spread: Spread, prior: NormalPrior) -> NormalPosterior:
    kappa = prior.kappa + spread.n
    location = (prior.kappa * prior.location + spread.n * spread.mean) / kappa
    gap = spread.mean - prior.location
    shape = prior.shape + spread.n / 2
    scale = prior.scale + (spread.scatter + gap * gap * (prior.kappa * (spread.n / kappa))) / 2
    return NormalPosterior(kappa, location, shape, scale)


def _refuse_flat(scatter: Floats, below: Floats) -> None:
    if not ((scatter > 0) & (below > 0)).all():
        raise EstimateError(
            "in a class the numbers are all equal, or there is only one, so the density grows without bound as σ² goes "
            "to 0; use estimate='bayes', or leave the column out"
        )


def log_normal(x: Floats, mean: Floats, variance: Floats) -> Floats:
    """The log-density of normals, arrays that broadcast."""
    density: Floats = -0.5 * (LOG_2PI + np.log(variance) + (x - mean) ** 2 / variance)
    return density


def _student(x: Floats, degrees: Floats, mean: Floats, scale: Floats) -> Floats:
    constant = log_rising(degrees / 2, np.broadcast_to(0.5, np.shape(degrees))) - 0.5 * np.log(np.pi * degrees)
    z = np.abs(x - mean) / (scale * np.sqrt(degrees))
    far = z > 1e8  # where z² is all of 1 + z², and may be too large for a number
    squared = np.where(far, 2 * np.log(np.where(far, z, 1.0)), np.log1p(np.where(far, 0.0, z) ** 2))
    density: Floats = constant - np.log(scale) - (degrees + 1) / 2 * squared
    return density
