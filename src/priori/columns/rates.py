"""Counts and durations: poisson, exponential and gamma columns."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from priori.columns.base import Floats
from priori.columns.logistic import Logistic
from priori.columns.numbers import NumberFamily, NumberReading
from priori.columns.readings import TableReadings
from priori.errors import DataError
from priori.families import GammaExponential, GammaGamma, GammaPoisson
from priori.families.base import Family
from priori.families.exponential import Exponential
from priori.families.poisson import Poisson
from priori.statistics import Durations, EventCounts, Positives
from priori.statistics.by_class import ByClass
from priori.statistics.class_moments import ClassMoments
from priori.statistics.sums import log_factorial, refuse_fractions


@dataclass(frozen=True)
class PoissonColumn(NumberFamily):
    """Counts of events: whole numbers from 0, under a Gamma prior; integrated out, negative binomial."""

    name: ClassVar[str] = "poisson"
    family: ClassVar[type[Family[Any]]] = GammaPoisson

    def terms(self, numbers: Floats) -> list[Floats]:
        """x and log x!."""
        refuse_fractions(numbers[~np.isnan(numbers)])
        return [numbers, log_factorial(numbers)]

    def statistics(self, stats: ClassMoments, k: int) -> EventCounts:
        """Weight, total, and the factorials."""
        return EventCounts(float(stats.n[k]), stats.total(k), stats.total(k, 1))

    def read(self, stats: ByClass, readings: TableReadings) -> NumberReading:
        """One distribution for each class."""
        return RateReading(self, super().read(stats, readings).stats, readings)


@dataclass(frozen=True)
class ExponentialColumn(NumberFamily):
    """Waiting times from 0 on, under a Gamma prior; integrated out, Lomax."""

    name: ClassVar[str] = "exponential"
    family: ClassVar[type[Family[Any]]] = GammaExponential

    def terms(self, numbers: Floats) -> list[Floats]:
        """x."""
        refuse_below(numbers, 0.0, closed=True)
        return [numbers]

    def statistics(self, stats: ClassMoments, k: int) -> Durations:
        """Weight and total."""
        return Durations(float(stats.n[k]), stats.total(k))

    def read(self, stats: ByClass, readings: TableReadings) -> NumberReading:
        """One distribution for each class."""
        return RateReading(self, super().read(stats, readings).stats, readings)


@dataclass(frozen=True)
class GammaColumn(NumberFamily):
    """Numbers above 0 of a gamma distribution."""

    name: ClassVar[str] = "gamma"
    family: ClassVar[type[Family[Any]]] = GammaGamma

    def terms(self, numbers: Floats) -> list[Floats]:
        """x and log x."""
        refuse_below(numbers, 0.0)
        return [numbers, np.log(numbers)]

    def statistics(self, stats: ClassMoments, k: int) -> Positives:
        """Weight, mean and gap.

        The logarithms are rounded, each by at most half an epsilon of itself, so a gap below that is none.
        """
        n = float(stats.n[k])
        if n == 0:
            return Positives.zero()
        mean = stats.total(k) / n
        gap = n * math.log(mean) - stats.total(k, 1)
        rounding = n * np.finfo(np.float64).eps * (1 + abs(math.log(mean)))
        return Positives(n, mean, gap if gap > rounding else 0.0)


@dataclass(frozen=True, eq=False)
class RateReading(NumberReading):
    """Poisson and exponential: at given rates linear in x."""

    def linear(self) -> Logistic:
        """x log λ - λ, or log λ - λ x."""
        rates = [d.rate for d in self.distributions if isinstance(d, Poisson | Exponential)]
        if len(rates) < self.stats.classes:
            return super().linear()
        rate = np.array(rates)
        with np.errstate(divide="ignore"):
            poisson = isinstance(self.family, PoissonColumn)
            weights, at_origin = (np.log(rate), -rate) if poisson else (-rate, np.log(rate))
        return Logistic(weights[:, None], at_origin, np.zeros(1))


def refuse_below(numbers: Floats, least: float, closed: bool = False) -> None:
    """Refuse what has no density."""
    other = numbers[(numbers < least) if closed else (numbers <= least)]
    if len(other):
        raise DataError(
            f"{other[0]:g} is {'below' if closed else 'not above'} 0, where the family has no density; read the column "
            "as binned or gaussian, or mark such cells missing"
        )
