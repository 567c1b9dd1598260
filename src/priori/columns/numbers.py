"""Columns of numbers whose families have sufficient statistics: one family of `priori.families` for each class.

ML and MAP are the modes, mean has the parameters at their posterior mean, bayes is the predictive with them integrated
out. Unless a prior is given, it is the family's unit prior: worth one observation, placed where the numbers of all
classes are.
"""

import math
from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy.special import xlogy

from priori.columns.base import (
    Cells,
    ColumnFamily,
    ColumnReading,
    Floats,
    Int32s,
    Rows,
    never_learned,
    refuse_empty_class,
)
from priori.columns.em import Fitted, HiddenFactor, silent
from priori.columns.readings import TableReadings
from priori.errors import DataError, EstimateError
from priori.families.base import Distribution, Family, Likelihood
from priori.statistics import Positives, Statistics
from priori.statistics.by_class import UNIT, ByClass
from priori.statistics.class_moments import ClassMoments


@dataclass(frozen=True)
class NumberFamily(ColumnFamily):
    """Numbers of a family of `priori.families`."""

    cells_are: ClassVar[str] = "numbers"
    family: ClassVar[type[Family[Any]]]
    products: ClassVar[bool] = False  # whether squares are summed up too

    prior: Family[Any] | None = None  # of each class; None: the unit prior

    def __post_init__(self) -> None:
        if self.prior is not None and not isinstance(self.prior, self.family):
            raise DataError(
                f"the prior of a {self.name} column is a {self.family.__name__}, not {type(self.prior).__name__}"
            )

    @abstractmethod
    def terms(self, numbers: Floats) -> list[Floats]:
        """What is summed up: functions of the numbers, NaN where they are missing."""

    @abstractmethod
    def statistics(self, stats: ClassMoments, k: int) -> Statistics:
        """The statistics of one class as the family reads them."""

    def zero(self, labels: tuple[str, ...], dimensions: int) -> ClassMoments:
        """The statistics of no rows."""
        return ClassMoments.zero(len(labels), len(self.terms(np.zeros(0))), self.products)

    def count(self, cells: Floats, rows: Rows) -> ClassMoments:
        """Exact sums by class."""
        terms = self.terms(cells)
        return ClassMoments.of(terms, rows.group, rows.weight, classes=rows.classes, products=self.products)

    def read(self, stats: ByClass, readings: TableReadings) -> "NumberReading":
        """One distribution for each class."""
        return NumberReading(self, as_moments(stats), readings)

    def log_density(self, numbers: Floats) -> Floats:
        """What is to be added to the log-density of the terms for that of the numbers."""
        return np.zeros(len(numbers))


@dataclass(frozen=True, eq=False)
class NumberReading(ColumnReading):
    """p(number | class), one distribution each; a column whose numbers are all equal says nothing."""

    family: NumberFamily
    stats: ClassMoments
    readings: TableReadings

    @property
    def estimate(self) -> str:
        """How the parameters are read."""
        return self.readings.estimate

    @cached_property
    def constant(self) -> bool:
        """Whether no two numbers differ, or none is there, so that no prior can be placed."""
        return self.family.prior is None and self.estimate not in ("ml", "unbiased") and not self._differ()

    def _differ(self) -> bool:
        pooled = self.family.statistics(self.stats.pooled(), 0)
        if not pooled.n:
            return False
        try:
            return bool(self.family.family.unit(pooled).proper)
        except EstimateError:  # which is how a family says that the numbers are all equal
            return False

    @cached_property
    def prior(self) -> Family[Any]:
        """Of every class."""
        if self.family.prior is not None:
            return self.family.prior
        return self.family.family.unit(self.family.statistics(self.stats.pooled(), 0))

    @cached_property
    def distributions(self) -> tuple[Distribution, ...]:
        """One for each class."""
        if self.estimate in ("ml", "unbiased"):
            refuse_empty_class(self.stats.n, self.estimate)
        return tuple(self._distribution(k) for k in range(self.stats.classes))

    def _distribution(self, k: int) -> Distribution:
        stats = self.family.statistics(self.stats, k)
        if self.estimate in ("ml", "unbiased"):
            return self.family.family.maximum_likelihood(stats)
        posterior = self.prior.posterior(stats)
        match self.estimate:
            case "map":
                return posterior.mode()
            case "mean":
                return posterior.mean()
            case _:
                return posterior.predictive()

    def log_prob(self, cells: Cells) -> Floats:
        """Of each number in each class."""
        if self.constant:
            return np.zeros((len(cells), self.stats.classes))
        scores = [distribution.log_prob(cells) for distribution in self.distributions]
        return np.stack(scores, axis=1)

    def sample(self, group: Int32s, rng: np.random.Generator) -> npt.NDArray[Any]:
        """Draw numbers."""
        if self.constant and not self.stats.weight.any():
            raise EstimateError("the column has no numbers, so none can be drawn; leave it out")
        drawn = np.zeros(len(group))
        for k in range(self.stats.classes):
            at = np.flatnonzero(group == k)
            drawn[at] = self._only() if self.constant else self._drawn(k, len(at), rng)
        return drawn

    def _only(self) -> float:
        """The number that all are."""
        return self.stats.pooled().mean(0)

    def _drawn(self, k: int, size: int, rng: np.random.Generator) -> npt.NDArray[Any]:
        return self.distributions[k].sample(size, rng)

    def without(self, cells: Cells, rows: Rows) -> Floats:
        """Once for each number, class and weight: the statistics without the row are read anew."""
        weight = np.full(len(cells), round(1 / UNIT), np.int64) if rows.weight is None else rows.weight
        scores = np.zeros((len(cells), self.stats.classes))
        there = np.flatnonzero(~np.isnan(cells) & (rows.group >= 0))
        alike: dict[tuple[float, int, int], list[int]] = {}
        for at, number, k, w in zip(
            there.tolist(), cells[there].tolist(), rows.group[there].tolist(), weight[there].tolist(), strict=True
        ):
            alike.setdefault((number, k, w), []).append(at)
        for (number, k, w), places in alike.items():
            one = np.array([number])
            taken = self.family.count(one, Rows(rows.labels, np.array([k], np.int32), np.array([w], np.int64)))
            left = self.stats - taken
            if left.weight[k] < 0 or (self.family.products and left.moments(k).scatter < 0):
                raise never_learned(places[0])
            scores[places] = type(self)(self.family, left, self.readings).log_prob(one)[0]
        return scores

    @property
    def free_parameters(self) -> int:
        """As many for each class as one distribution has; none where the column says nothing."""
        if self.constant:
            return 0
        pooled = self.family.statistics(self.stats.pooled(), 0)
        given = self.family.prior
        best = self.family.family.maximum_likelihood(pooled) if given is None else given.posterior(pooled).mode()
        return self.stats.classes * best.free_parameters

    def log_evidence(self) -> float:
        """Class by class."""
        if self.constant:
            return 0.0
        return sum(self.prior.log_evidence(self.family.statistics(self.stats, k)) for k in range(self.stats.classes))

    def log_likelihood(self) -> float:
        """Class by class, at the mode or the maximum."""
        if self.constant:
            return 0.0
        total = 0.0
        for k, distribution in enumerate(self.distributions):
            if not isinstance(distribution, Likelihood):
                raise EstimateError("the parameters are integrated out, so they have no likelihood; use estimate='ml'")
            total += distribution.log_likelihood(self.family.statistics(self.stats, k))
        return total

    def __str__(self) -> str:
        return f"a {self.family.name} column"


def as_moments(stats: ByClass) -> ClassMoments:
    """The statistics, which are sums of numbers."""
    if not isinstance(stats, ClassMoments):
        raise DataError(f"{type(stats).__name__} are no sums of numbers; count the column as numbers")
    return stats


class HiddenNumbers(HiddenFactor):
    """A column of numbers as EM sees it: each class has a distribution of its own.

    The mode ascends the log prior, whatever the family. The posterior mean of a rate under Gamma(shape, rate) is the
    mode under Gamma(shape + 1, rate), so it ascends log p(λ) + log λ.
    """

    def __init__(self, family: NumberFamily, cells: Floats, estimate: str, pooled: Rows) -> None:
        self.family, self.estimate = family, estimate
        self.there = np.flatnonzero(~np.isnan(cells))
        self.numbers = cells[self.there]
        self.imagined = estimate not in ("ml", "unbiased")
        whole = family.statistics(family.count(cells, pooled), 0)
        self.prior = self._placed(whole) if self.imagined else None
        self.constant = self.imagined and self.prior is None

    def _placed(self, whole: Any) -> Family[Any] | None:
        """The given prior or the unit one; None where all numbers are equal, so that none can be placed."""
        if self.family.prior is not None:
            return self.family.prior
        if not whole.n:
            return None
        try:
            prior: Family[Any] = self.family.family.unit(whole)
        except EstimateError:  # which is how a family says that the numbers are all equal
            return None
        return prior if prior.proper else None

    def fit(self, weights: Floats) -> Fitted:
        """The family's mode, mean or maximum in each class."""
        if self.constant or not len(self.there):
            return silent(weights, "parameters")
        own = weights[self.there]
        if not self.imagined:
            refuse_empty_class(own.sum(axis=0), self.estimate)
        scores, log_prior, parameters = np.zeros_like(weights), 0.0, []
        for k, column in enumerate(own.T):
            found = self._plugged_in(_settled(self.family.family.statistics(self.numbers, column)))
            scores[self.there, k] = found.log_prob(self.numbers)
            parameters.append([float(value) for value in found.parameters.values()])
            if self.prior is not None:
                log_prior += float(self.prior.log_prob(**found.parameters))
                if self.estimate == "mean":
                    log_prior += float(xlogy(1.0, found.parameters["rate"]))
        return Fitted(scores, log_prior, {"parameters": np.array(parameters)})

    def _plugged_in(self, stats: Statistics) -> Likelihood[Any]:
        if self.prior is None:
            return self.family.family.maximum_likelihood(stats)
        posterior = self.prior.posterior(stats)
        found: Likelihood[Any] = posterior.mean() if self.estimate == "mean" else posterior.mode()
        return found


def _settled(stats: Statistics) -> Statistics:
    """The same, but no gap of numbers above 0 where it is no larger than the rounding of their logarithms."""
    if not isinstance(stats, Positives) or not stats.n:
        return stats
    rounding = stats.n * np.finfo(np.float64).eps * (1 + abs(math.log(stats.mean)))
    return stats if stats.gap > rounding else Positives(stats.n, stats.mean, 0.0)
