"""Poisson, exponential and gamma columns as EM sees them: one family of `priori.families` for each class.

The mode ascends the log prior, whatever the family. The posterior mean of a rate under Gamma(shape, rate) is the mode
under Gamma(shape + 1, rate), so it ascends log p(λ) + log λ.
"""

import math
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import xlogy

from priori.columns.base import Rows, refuse_empty_class
from priori.columns.numbers import NumberFamily
from priori.errors import EstimateError
from priori.families.base import Family, Likelihood
from priori.latent.rows_factors import Fitted, HiddenFactor, silent
from priori.statistics import Positives, Statistics

Floats = npt.NDArray[np.float64]


class HiddenNumbers(HiddenFactor):
    """A column of numbers of which each class has a distribution of its own."""

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
