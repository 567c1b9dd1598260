"""One of several regressions, each with its probability and its own columns: what they predict together."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from priori.errors import DataError
from priori.families.base import Conditional
from priori.families.dirichlet import simplex
from priori.families.linear_model import LinearModel, LinearPredictive
from priori.families.logistic_model import Labelling
from priori.families.mixture import FrozenMixture, log_mean
from priori.families.say import said
from priori.statistics.categories import Value
from priori.statistics.vectors import matrix

Floats = npt.NDArray[np.float64]


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
