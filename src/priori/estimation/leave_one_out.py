"""Families judged by what each predicts of observations that it has not seen: leave-one-out, groups, k-fold.

Σ log p(x_i | all others): exact, and no refits. Its standard error is √(n Var log p(x_i | others)) (Vehtari, Gelman &
Gabry 2017, section 2); of B groups, which alone are independent, √(B / (B - 1) Σ_b (Σ_{i in b} w_i (log p_i - mean))²).
The prior stays where it is: one that was placed by the data has seen them.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from operator import add
from typing import Any, Literal, Self, get_args

import numpy as np
import numpy.typing as npt

from priori.data.folds import Places, group_numbers, members
from priori.data.folds import folds as dealt
from priori.errors import DataError, EstimateError
from priori.estimation.distribution import known_of, prior_named, refuse_nothing
from priori.families.base import Family, weighted_sum
from priori.families.left_out import Reading, log_prob_without, read
from priori.families.registry import family_named
from priori.statistics import Categories, Statistics
from priori.statistics.categories import Value, as_values
from priori.statistics.observations import as_numbers, as_weights

Floats = npt.NDArray[np.float64]
Estimated = Literal["ml", "map", "mean", "bayes"]


@dataclass(frozen=True, eq=False)
class LeftOut:
    """What observations were given by a model that had not seen them."""

    log_probs: Floats  # (n,); 0 where the observation is missing
    weight: Floats  # (n,); 0 where it is missing
    group: Places | None = None  # (n,) those of one vary together; None: each by itself

    @property
    def total(self) -> float:
        """Σ w log p(x | others); the larger the better."""
        return weighted_sum(self.log_probs, self.weight)

    @property
    def error(self) -> float:
        """The standard error of the total, over data of the same kind."""
        # a weight is so many observations, but a group is one whatever it weighs; one that is missing is none
        there = self.weight > 0
        n, total = float(self.weight.sum()), self.total
        independent = n if self.group is None else len(np.unique(self.group[there]))
        if independent <= 1:
            what = "observation" if self.group is None else "group"
            raise EstimateError(f"a single {what} does not vary, so there is no standard error; add data")
        if total == -math.inf:
            raise EstimateError("an observation is impossible without itself, so there is no standard error; use bayes")
        away = np.where(there, self.log_probs - total / n, 0.0)
        if self.group is None:
            squares = float(self.weight @ away**2)
        else:
            squares = float((np.bincount(self.group, self.weight * away) ** 2).sum())
        return math.sqrt(independent / (independent - 1) * squares)

    def __str__(self) -> str:
        return f"{self.total:.2f} ± {self.error:.2f}"


def leave_one_out(
    family: str | type[Family[Any]] | Family[Any],
    X: Any,
    prior: Family[Any] | str | None = None,
    weights: Any = None,
    *,
    estimate: Estimated = "bayes",
    known: Mapping[str, float] | None = None,
    groups: Any = None,
) -> LeftOut:
    """log p(x) of each observation, given all the others: at the maximum of their likelihood ("ml"), at the mode or the
    mean of the posterior ("map", "mean"), or with the parameters integrated out ("bayes").

    A weight of 2 is an observation twice, one of which is left out. With `groups`, whole groups are: all observations
    that have the same one (None: one by itself), with all their weight.

    >>> from priori.families import BetaBernoulli
    >>> leave_one_out(BetaBernoulli(1, 1), [1, 1, 0]).log_probs.round(3).tolist()  # log 1/2, log 1/2, log 1/4
    [-0.693, -0.693, -1.386]
    >>> print(leave_one_out("normal", [1.2, 0.4, 2.2, 1.7]))
    -5.86 ± 1.44
    """
    observed = Observed.of(family, X, prior, weights, known)
    if groups is None:
        return observed.alone(estimate)
    group = group_numbers(groups, len(observed.weight))
    return observed.together(group, estimate, group)


def k_fold(
    family: str | type[Family[Any]] | Family[Any],
    X: Any,
    prior: Family[Any] | str | None = None,
    weights: Any = None,
    *,
    estimate: Estimated = "bayes",
    known: Mapping[str, float] | None = None,
    folds: int = 10,
    seed: int = 0,
    groups: Any = None,
) -> LeftOut:
    """The same, with the observations left out by folds (`priori.data.folds`)."""
    observed = Observed.of(family, X, prior, weights, known)
    size = len(observed.weight)
    group = None if groups is None else group_numbers(groups, size)
    return observed.together(dealt(size, folds, seed, group), estimate, group)


@dataclass(frozen=True, eq=False)
class Observed:
    """Data that were gone over once, to be left out under any prior and estimate."""

    family: type[Family[Any]]
    values: Any  # an array of numbers or of rows; a list of plain values
    weight: Floats  # (n,); 0 where an observation is missing
    statistics: Statistics
    prior: Family[Any]
    told: Mapping[str, float]  # parameters that are not estimated

    @classmethod
    def of(cls, family: Any, X: Any, prior: Any = None, weights: Any = None, known: Any = None) -> Self:
        """Under a prior of the family: one that is given, or "unit" (the default), or "flat"."""
        if isinstance(family, Family):
            if prior is not None:
                raise DataError(f"{family} is a prior already, and {prior} another; give one of them")
            family, prior = type(family), family
        kind = family_named(family) if isinstance(family, str) else family
        told = known_of(kind, prior, known)
        values: Any = as_values(X) if kind.kind is Categories else as_numbers(X).astype(np.float64, copy=False)
        there = _there(values)
        weight = np.where(there, as_weights(weights, len(values)), 0.0)
        stats = kind.statistics(values, weight)
        refuse_nothing(stats, int((~there).sum()), len(values))
        chosen = prior if isinstance(prior, Family) else prior_named(kind, stats, prior or "unit", told)
        return cls(kind, values, weight, stats, chosen, told)

    def under(self, priors: Sequence[Family[Any]], estimate: Estimated = "bayes") -> list[LeftOut]:
        """Under each of several priors; the data are gone over once."""
        return [self._alone(*_read_as(self, prior, estimate)) for prior in priors]

    def alone(self, estimate: Estimated = "bayes") -> LeftOut:
        """Each observation by itself, once for each that is different."""
        return self._alone(*_read_as(self, self.prior, estimate))

    def _alone(self, prior: Family[Any], reading: Reading) -> LeftOut:
        first, which, taken = self._distinct
        posterior = prior.posterior(self.statistics)
        found = log_prob_without(posterior, self._taken(first), taken, reading)
        scores = found.scores.copy()
        unsure = np.flatnonzero(~found.sure)
        for at in unsure[np.argsort(first[unsure])].tolist():  # what the subtraction does not tell, by definition
            weight = self.weight.copy()
            weight[first[at]] -= taken[at]
            scores[at] = self._given(self.family.statistics(self.values, weight), first[at : at + 1], prior, reading)[0]
        result = np.zeros(len(self.weight))
        inside = self.weight > 0
        result[inside] = scores[which]
        fresh = np.flatnonzero(_there(self.values) & ~inside)  # of no weight: none of them was seen
        if len(fresh):
            result[fresh] = read(posterior, reading).log_prob(self._taken(fresh))
        return LeftOut(result, self.weight)

    def together(self, part: Places, estimate: Estimated = "bayes", group: Places | None = None) -> LeftOut:
        """Parts of the observations, each as a whole; of which a `group` varies together."""
        prior, reading = _read_as(self, self.prior, estimate)
        places = members(part)
        parts = [self.family.statistics(self._taken(at), self.weight[at]) for at in places]
        result = np.zeros(len(self.weight))
        for at, rest in zip(places, without_each(parts), strict=True):
            left = self.family.statistics(self._taken(at[:0])) if rest is None else rest
            result[at] = self._given(left, at, prior, reading)
        return LeftOut(result, self.weight, group)

    def _given(self, stats: Any, places: Places, prior: Family[Any], reading: Reading) -> Floats:
        """log p of some observations, given statistics of others."""
        try:
            return read(prior.posterior(stats), reading).log_prob(self._taken(places))
        except EstimateError as error:
            more = "" if len(places) == 1 else f" and the {len(places) - 1:,} left out with it"
            raise EstimateError(f"without observation {places[0]}{more}: {error}") from error

    @cached_property
    def _distinct(self) -> tuple[Places, Places, Floats]:
        """Where each different observation (and weight to be taken) is first, which one each is, and that weight."""
        inside = np.flatnonzero(self.weight > 0)
        weight = np.minimum(self.weight[inside], 1.0)
        values = self._taken(inside)
        codes = _codes(values) if isinstance(values, list) else values
        if codes.ndim == 1 and (weight == weight[0]).all():
            _, first, which = np.unique(codes, return_index=True, return_inverse=True)
        else:
            pairs = np.column_stack([codes, weight])
            _, first, which = np.unique(pairs, axis=0, return_index=True, return_inverse=True)
        return inside[first], which.ravel(), weight[first]

    def _taken(self, places: Places) -> Any:
        return [self.values[at] for at in places] if isinstance(self.values, list) else self.values[places]


def _read_as(observed: Observed, prior: Family[Any], estimate: str) -> tuple[Family[Any], Reading]:
    """ML is the mode under the flat prior."""
    if estimate == "ml":
        flat: Any = prior_named(observed.family, observed.statistics, "flat", observed.told)
        return flat, "map"
    if estimate not in get_args(Reading):
        raise DataError(f"estimate={estimate!r} is unknown; choose {', '.join(get_args(Estimated))}")
    return prior, estimate  # type: ignore[return-value]


def without_each(parts: Sequence[Any]) -> Iterator[Any]:
    """The sum of all parts but one, for each; None where there is no other.

    Sums from the left and from the right meet there: nothing is taken away, so nothing cancels.
    """
    before = [None, *accumulate(parts, add)][:-1]
    after = [None, *accumulate(reversed(parts), add)][-2::-1] if parts else []
    for left, right in zip(before, after, strict=True):
        yield right if left is None else left if right is None else left + right


def _codes(values: list[Value]) -> Floats:
    place: dict[Value, int] = {}
    return np.array([place.setdefault(value, len(place)) for value in values], np.float64)


def _there(values: Any) -> npt.NDArray[np.bool_]:
    if isinstance(values, list):
        return np.array([value is not None for value in values], bool)
    gaps = np.isnan(values)
    return np.asarray(
        ~gaps if gaps.ndim == 1 else ~gaps.all(axis=1)
    )  # what is missing in part is refused by statistics
