"""One of several distributions, each with its probability."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from priori.errors import DataError
from priori.families.base import Distribution
from priori.families.dirichlet import simplex
from priori.families.say import said

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
