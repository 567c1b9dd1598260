"""How far a document's own words are believed: given, or of the largest likelihood of words that are left out.

Every occurrence is predicted from its document without it (Zhai & Lafferty 2002, "Two-stage language models for
information retrieval", equation 6):

    Dirichlet:       Σ_d Σ_w c(w, d) log[(c(w, d) - 1 + mu p(w)) / (|d| - 1 + mu)]
    Jelinek-Mercer:  Σ_d Σ_w c(w, d) log[(1 - l) (c(w, d) - 1) / (|d| - 1) + l p(w)]

with p(w) of all documents. The first may have several peaks, so it is looked over before the slope is solved for 0.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from priori.errors import DataError
from priori.retrieval.collection import Collection

Floats = npt.NDArray[np.float64]

_GRIDS = {  # mu and l, between which a peak is looked for
    "dirichlet": 4.0 ** np.arange(-3, 13),
    "jelinek-mercer": np.concatenate([2.0 ** np.arange(-20, -4), np.arange(1, 17) / 16]),
}
CUSTOMARY = {"dirichlet": 2000.0, "jelinek-mercer": 0.5}  # where left-out words have no peak


@dataclass(frozen=True)
class Smoothing:
    """Dirichlet with mu imagined words, or Jelinek-Mercer with a share l of p(w); None: chosen."""

    kind: str
    amount: float | None = None

    @classmethod
    def of(cls, text: str) -> Self:
        """`"dirichlet"`, `"dirichlet:2000"`, `"jelinek-mercer"` or `"jelinek-mercer:0.1"`.

        >>> Smoothing.of("dirichlet:2000")
        Smoothing(kind='dirichlet', amount=2000.0)
        """
        kind, colon, number = str(text).partition(":")
        if kind not in _GRIDS:
            raise DataError(f"smoothing={text!r} is unknown; choose {', '.join(_GRIDS)}, or one with a number after :")
        if not colon:
            return cls(kind)
        try:
            amount = float(number)
        except ValueError:
            amount = math.nan
        most = math.inf if kind == "dirichlet" else 1.0
        if not 0 < amount < most:
            below = "" if kind == "dirichlet" else " and below 1"
            raise DataError(f"smoothing={text!r} has no number that can be used; give one over 0{below}")
        return cls(kind, amount)


def fitted(kind: str, collection: Collection) -> float | None:
    """The amount of the largest likelihood of left-out words; None where that grows up to an end."""
    left_out = LeftOut(collection)
    if kind == "dirichlet":
        return peak(left_out.dirichlet, left_out.dirichlet_slope, _GRIDS[kind])
    return peak(left_out.mixed, left_out.mixed_slope, _GRIDS[kind])


class LeftOut:
    """The log-likelihood of every occurrence without itself, and its slope.

    Most words come once in a document, so that c - 1 = 0: those are summed up by document beforehand.
    """

    def __init__(self, collection: Collection) -> None:
        counts, lengths = collection.counts, collection.lengths
        count, own, share = counts.pair_occurrences, counts.pair_class, collection.share[counts.pair_term]
        several = count > 1
        self._length = lengths
        self._once = np.bincount(own[~several], minlength=len(lengths)).astype(np.float64)  # words that come once
        self._log_share = float(np.log(share[~several]).sum())  # of those
        self._count = count[several].astype(np.float64)
        self._share, self._others = share[several], lengths[own[several]] - 1  # |d| - 1
        longer = lengths > 1  # what is alone in its document is predicted by all documents, whatever the amount
        self._once_mixed = float(self._once[longer].sum())
        self._ratio = (self._count - 1) / self._others

    def dirichlet(self, mu: float) -> float:
        """The log-likelihood by mu."""
        once = self._once.sum() * np.log(mu) + self._log_share
        several = self._count @ np.log(self._count - 1 + mu * self._share)
        own = self._length > 0
        return float(once + several - self._length[own] @ np.log(self._length[own] - 1 + mu))

    def dirichlet_slope(self, mu: float) -> float:
        """Its derivative, each word's difference taken before the sum."""
        others = np.maximum(self._length - 1, 0)
        once = self._once @ (others / ((others + mu) * mu))
        gain = self._others * self._share - (self._count - 1)
        several = self._count @ (gain / ((self._others + mu) * (self._count - 1 + mu * self._share)))
        return float(once + several)

    def mixed(self, share: float) -> float:
        """The log-likelihood by l: concave."""
        several = self._count @ np.log((1 - share) * self._ratio + share * self._share)
        return float(self._once_mixed * np.log(share) + self._log_share + several)

    def mixed_slope(self, share: float) -> float:
        """Its derivative."""
        gap = self._share - self._ratio
        return float(self._once_mixed / share + self._count @ (gap / (self._ratio + share * gap)))


def peak(value: Callable[[float], float], slope: Callable[[float], float], grid: Floats) -> float | None:
    """Where a function is largest: at the best root of its slope; None where it is larger at an end of the grid."""
    from scipy.optimize import brentq

    slopes = np.array([slope(x) for x in grid])
    falls = np.flatnonzero((slopes[:-1] > 0) & (slopes[1:] <= 0))
    roots = [float(brentq(slope, grid[i], grid[i + 1], xtol=1e-12, rtol=1e-12)) for i in falls]
    if not roots:
        return None
    best = max(roots, key=value)
    return best if value(best) >= max(value(float(grid[0])), value(float(grid[-1]))) else None
