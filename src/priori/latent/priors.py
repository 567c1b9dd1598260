"""What is imagined before any document is seen: counts of words and of documents, class by class."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import numpy.typing as npt

from priori.errors import DataError, EstimateError
from priori.readings import Estimate

Floats = npt.NDArray[np.float64]
Int32s = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class WordPrior:
    """alpha_cj: one number for every pair of component and term, and more for some pairs (seed words).

    `shares`: a component has so much of that number; None: all of it.
    """

    alpha: float
    component: Int32s  # (S,) of the pairs that have more
    term: Int32s  # (S,)
    more: Floats  # (S,) what they have more than alpha
    shares: Floats | None = None  # (C,)

    def __post_init__(self) -> None:
        if not np.isfinite(self.alpha) or not (np.isfinite(self.more).all() and (self.more >= 0).all()):
            raise DataError(
                f"alpha={self.alpha} and what seed words have more are no counts; give finite numbers from 0"
            )

    @classmethod
    def even(cls, alpha: float) -> Self:
        """The same for every pair."""
        none = np.zeros(0, np.int32)
        return cls(float(alpha), none, none, np.zeros(0))

    def less(self, number: float) -> Self:
        """The same with so much less everywhere: the mode's pseudo-counts are alpha - 1."""
        return replace(self, alpha=self.alpha - number)

    def proportional(self, words: Floats) -> Self:
        """alpha for the component of the mean number of words, and for the others as their words, (C,), are to that.

        A component without words has no share to go by, and gets alpha.
        """
        mean = float(words.mean())
        return replace(self, shares=np.where(words > 0, words / mean, 1.0)) if mean > 0 else self

    def alphas(self, components: int) -> Floats:
        """(C,) what every term has in a component."""
        return self.alpha * (np.ones(components) if self.shares is None else self.shares)

    def totals(self, components: int, terms: int) -> Floats:
        """alpha_c0, (C,): the sum over the vocabulary."""
        return np.asarray(self.alphas(components) * terms + np.bincount(self.component, self.more, components))

    def dense(self, components: int, terms: int) -> Floats:
        """alpha as a table, (terms, components)."""
        table = np.tile(self.alphas(components), (terms, 1))
        np.add.at(table, (self.term, self.component), self.more)
        return table


def pseudo_counts(prior: WordPrior, estimate: Estimate) -> WordPrior:
    """What an estimate adds to the counts: nothing (ml), alpha - 1 (map, the mode), alpha (bayes, the mean)."""
    if estimate == "ml":
        return WordPrior.even(0.0)
    if prior.alpha < 0:
        raise DataError(f"alpha={prior.alpha} is no imagined count; give a number from 0")
    added = prior.less(1.0) if estimate == "map" else prior
    if added.alpha < 0:
        raise EstimateError(
            "the posterior has no mode: with alpha < 1 a word without counts pulls it to the edge; use alpha >= 1 with "
            "estimate='map', or estimate='bayes'"
        )
    return added
