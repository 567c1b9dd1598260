"""One of several distributions, or of several regressions with columns of their own, each with its probability."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from priori.errors import DataError
from priori.families.base import Conditional, Distribution
from priori.families.dirichlet import simplex
from priori.families.regression.linear_model import LinearModel, LinearPredictive
from priori.families.regression.logistic_model import Labelling
from priori.formatting import said
from priori.statistics.categories import Value
from priori.statistics.vector_moments import matrix

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Mixture(Distribution):
    """p(x) = Σ w_k p_k(x).

    >>> from priori.families import Categorical
    >>> coins = [Categorical([0.5, 0.5], values=(0, 1)), Categorical([0.1, 0.9], values=(0, 1))]
    >>> print(Mixture([0.75, 0.25], coins))
    0.75 Categorical(θ=(0.5, 0.5)) + 0.25 Categorical(θ=(0.1, 0.9))
    """

    weights: Floats  # (K,)
    components: tuple[Distribution, ...]

    def __init__(self, weights: Any, components: Sequence[Distribution]):
        object.__setattr__(self, "weights", simplex(weights))
        object.__setattr__(self, "components", tuple(components))
        if len(self.weights) != len(self.components):
            raise DataError(
                f"there are {len(self.weights)} weights for {len(self.components)} distributions; give one each"
            )

    def log_prob(self, X: Any) -> Floats:
        """log Σ w_k p_k(x), in logarithms throughout."""
        return log_mean(self.weights, [part.log_prob(X) for part in self.components])

    def sample(self, size: int, rng: np.random.Generator) -> npt.NDArray[Any]:
        """Choose a distribution for each observation, then draw from it."""
        counts = rng.multinomial(size, self.weights)
        parts = [part.sample(int(n), rng) for n, part in zip(counts, self.components, strict=True)]
        if len({part.dtype.kind for part in parts}) > 1:  # numpy would make numbers text
            parts = [part.astype(object) for part in parts]
        return rng.permutation(np.concatenate(parts))

    def freeze(self) -> "FrozenMixture":
        """What scipy says of the components, weighted."""
        return FrozenMixture(self.weights, tuple(part.freeze() for part in self.components))

    def __str__(self) -> str:
        return " + ".join(f"{said(w)} {part}" for w, part in zip(self.weights, self.components, strict=True))


def log_mean(weights: Floats, log_parts: Sequence[Floats]) -> Floats:
    """log Σ w_k exp(part k); a part of no weight may be anything."""
    there = [(math.log(w), part) for w, part in zip(weights.tolist(), log_parts, strict=True) if w > 0]
    total = np.logaddexp.reduce([log + part for log, part in there], axis=0)
    certain = np.logical_and.reduce([part == 0 for _, part in there], axis=0)  # what is missing: not 0 but for rounding
    return np.where(certain, 0.0, total)


@dataclass(frozen=True, eq=False)
class FrozenMixture:
    """A mixture of scipy's distributions, with what is linear in them."""

    weights: Floats
    components: tuple[Any, ...]

    def pdf(self, x: Any) -> Floats:
        """The density."""
        return self._sum("pdf", x)

    def pmf(self, x: Any) -> Floats:
        """The probability of a discrete value."""
        return self._sum("pmf", x)

    def cdf(self, x: Any) -> Floats:
        """The probability of no more than x."""
        return self._sum("cdf", x)

    def mean(self) -> Floats:
        """The expectation."""
        return self._sum("mean")

    def _sum(self, what: str, *at: Any) -> Floats:
        return np.asarray(
            sum(w * getattr(part, what)(*at) for w, part in zip(self.weights, self.components, strict=True))
        )


# --- one of several regressions ---------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Share:
    """What each of several regressions reads of a table, and how probable it is."""

    weights: Floats  # (K,)
    columns: tuple[tuple[int, ...], ...]  # the places of those that each reads
    width: int  # of the whole table

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", simplex(self.weights))
        if len(self.weights) != len(self.columns):
            raise DataError(f"there are {len(self.weights)} weights for {len(self.columns)} regressions; give one each")

    def parts(self, X: Any) -> list[npt.NDArray[Any]]:
        """The columns of each regression."""
        table = matrix(X)
        if table.shape[1] != self.width:
            raise DataError(f"the rows have {table.shape[1]} columns, the models {self.width}; give all of those")
        return [table[:, list(places)] for places in self.columns]

    def said(self, components: Iterable[Conditional]) -> str:
        """The sum as mathematics."""
        return " + ".join(f"{said(w)} [{part}]" for w, part in zip(self.weights, components, strict=True))


@dataclass(frozen=True, eq=False)
class LinearMixture(Conditional):
    """p(t | x) = Σ w_k p_k(t | the columns of x that k reads).

    >>> near, far = LinearModel([1.0], 0.0, precision=1.0), LinearModel([2.0], 4.0, precision=1.0)
    >>> LinearMixture(Share([0.75, 0.25], ((0,), (1,)), 2), (near, far)).predict([[2.0, 10.0]]).tolist()
    [7.5]
    """

    share: Share
    components: tuple[LinearModel | LinearPredictive, ...]

    def predict(self, X: Any) -> Floats:
        """The mean of the centres."""
        centres = [part.predict(of) for part, of in self._parts(X)]
        return np.asarray(self.share.weights @ np.array(centres), np.float64)

    def log_prob(self, X: Any, t: Any) -> Floats:
        """log Σ w_k p_k(t | x), in logarithms throughout; missing targets score 0."""
        return log_mean(self.share.weights, [part.log_prob(of, t) for part, of in self._parts(X)])

    def sample(self, X: Any, rng: np.random.Generator) -> Floats:
        """Choose a regression for each row, then draw from it."""
        draws = np.array([part.sample(of, rng) for part, of in self._parts(X)])
        which = rng.choice(len(draws), draws.shape[1], p=self.share.weights)
        return np.asarray(draws[which, np.arange(draws.shape[1])], np.float64)

    def freeze(self, X: Any) -> FrozenMixture:
        """What scipy says of the components, weighted."""
        return FrozenMixture(self.share.weights, tuple(part.freeze(of) for part, of in self._parts(X)))

    def _parts(self, X: Any) -> list[tuple[LinearModel | LinearPredictive, npt.NDArray[Any]]]:
        return list(zip(self.components, self.share.parts(X), strict=True))

    def __str__(self) -> str:
        return self.share.said(self.components)


@dataclass(frozen=True, eq=False)
class LogisticMixture(Labelling):
    """p(class | x) = Σ w_k p_k(class | the columns of x that k reads); all tell the same classes apart."""

    share: Share
    components: tuple[Labelling, ...]
    classes: tuple[Value, ...]

    def log_probabilities(self, X: Any) -> Floats:
        """log Σ w_k p_k(class | x), (n, K)."""
        parts = zip(self.components, self.share.parts(X), strict=True)
        return log_mean(self.share.weights, [part.log_probabilities(of) for part, of in parts])

    def __str__(self) -> str:
        return self.share.said(self.components)
