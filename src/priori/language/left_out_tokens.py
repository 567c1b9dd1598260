"""How likely tokens are when each is left out of the counts that predict it, as a function of the smoothing's number.

A token seen c times after a history of t tokens has, without itself (Zhai & Lafferty 2002, "Two-stage language models
for information retrieval", equation 6, where a history is a document):

    Dirichlet:       Σ c log[(c - 1 + mu p) / (t - 1 + mu)]
    Jelinek-Mercer:  Σ c log[(1 - l) (c - 1) / (t - 1) + l p]

with p what is smoothed towards. The first may have several peaks, so it is looked over before
its slope is solved for 0.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Curve = Callable[[float], float]


@dataclass(frozen=True, eq=False)
class LeftOutTokens:
    """The two sums and their slopes. Tokens seen once have c - 1 = 0 and are summed up beforehand."""

    once: Floats  # (T,) how many tokens come once after histories of each length
    once_others: Floats  # (T,) t - 1 of these
    log_share: float  # Σ c log p of tokens that come once
    count: Floats  # (S,) of those that come several times
    rest: Floats  # (S,) c - 1
    others: Floats  # (S,) t - 1
    share: Floats  # (S,) p

    @classmethod
    def of(cls, count: Floats, total: Floats, share: Floats) -> Self:
        """Counts c, those of their histories t, and p; a count below one leaves nothing."""
        rest, others = np.maximum(count - 1, 0.0), np.maximum(total - 1, 0.0)
        several = rest > 0
        lengths, place = np.unique(others[~several], return_inverse=True)
        once = np.bincount(place, count[~several], len(lengths)).astype(np.float64)
        log_share = float(count[~several] @ np.log(share[~several]))
        return cls(once, lengths, log_share, *(a[several] for a in (count, rest, others, share)))

    def dirichlet(self, mu: float) -> float:
        """The log-likelihood by mu."""
        once = self.log_share + self.once @ np.log(mu / (self.once_others + mu))
        return float(once + self.count @ np.log((self.rest + mu * self.share) / (self.others + mu)))

    def dirichlet_slope(self, mu: float) -> float:
        """Its derivative, each token's difference taken before the sum."""
        once = self.once @ (self.once_others / ((self.once_others + mu) * mu))
        gain = self.others * self.share - self.rest
        return float(once + self.count @ (gain / ((self.others + mu) * (self.rest + mu * self.share))))

    def mixed(self, weight: float) -> float:
        """The log-likelihood by l: concave."""
        ratio = self.rest / self.others
        several = self.count @ np.log((1 - weight) * ratio + weight * self.share)
        return float(self._once_mixed * np.log(weight) + self.log_share + several)

    def mixed_slope(self, weight: float) -> float:
        """Its derivative."""
        ratio = self.rest / self.others
        gap = self.share - ratio
        return float(self._once_mixed / weight + self.count @ (gap / (ratio + weight * gap)))

    def curve(self, dirichlet: bool) -> tuple[Curve, Curve]:
        """The log-likelihood of one of the two, and its derivative."""
        return (self.dirichlet, self.dirichlet_slope) if dirichlet else (self.mixed, self.mixed_slope)

    @property
    def _once_mixed(self) -> float:
        """What is alone after its history is predicted by what is smoothed towards, whatever the weight."""
        return float(self.once[self.once_others > 0].sum())


def peak(value: Curve, slope: Curve, grid: Floats) -> float | None:
    """Where a function is largest: at the best root of its slope; None where it is larger at an end of the grid."""
    from scipy.optimize import brentq

    slopes = np.array([slope(x) for x in grid])
    falls = np.flatnonzero((slopes[:-1] > 0) & (slopes[1:] <= 0))
    roots = [float(brentq(slope, grid[i], grid[i + 1], xtol=1e-12, rtol=1e-12)) for i in falls]
    if not roots:
        return None
    best = max(roots, key=value)
    return best if value(best) >= max(value(float(grid[0])), value(float(grid[-1]))) else None
