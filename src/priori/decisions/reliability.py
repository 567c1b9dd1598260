"""Do probabilities mean what they say? Equal-mass bins of the top probability, and the noise floor of their error."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

BINS = 15
SIMULATIONS = 100


@dataclass(frozen=True, eq=False)
class Reliability:
    """Mean top probability and share of right answers in each bin that holds documents, by rising probability."""

    confidence: NDArray[np.float64]  # (bins,)
    accuracy: NDArray[np.float64]  # (bins,)
    count: NDArray[np.int64]  # (bins,)

    @property
    def ece(self) -> float:
        """Expected calibration error: Σ_b count_b / n · |accuracy_b - confidence_b|."""
        return float(np.average(np.abs(self.accuracy - self.confidence), weights=self.count))


def reliability(top: NDArray[np.float64], correct: NDArray[np.bool_], bins: int = BINS) -> Reliability:
    """Bin documents by their top probability, so that each bin holds about as many."""
    order = np.argsort(top, kind="stable")
    starts, count = _bins(top[order], bins)
    right = np.add.reduceat(correct[order].astype(np.int64), starts)
    return Reliability(np.add.reduceat(top[order], starts) / count, right / count, count)


def ece_floor(
    top: NDArray[np.float64], rng: np.random.Generator, bins: int = BINS, simulations: int = SIMULATIONS
) -> float:
    """The mean ECE that a perfectly calibrated model with these top probabilities shows: correct ~ Bernoulli(top)."""
    return float(ece_by_chance(top, rng, bins, simulations).mean())


def ece_by_chance(
    top: NDArray[np.float64], rng: np.random.Generator, bins: int = BINS, simulations: int = SIMULATIONS
) -> NDArray[np.float64]:
    """The ECE of a perfectly calibrated model in each simulation: (simulations,)."""
    top = np.sort(top)
    starts, _ = _bins(top, bins)
    expected = np.add.reduceat(top, starts)
    found = np.empty(simulations)
    for i in range(simulations):
        correct = rng.random(len(top)) < top
        found[i] = np.abs(np.add.reduceat(correct.astype(np.int64), starts) - expected).sum() / len(top)
    return found


def _bins(top: NDArray[np.float64], bins: int) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Where the bins of sorted probabilities begin, and how many documents each holds; empty bins are left out.

    Equal probabilities share the bin of their middle rank: ⌊bins · (first + last + 1) / 2n⌋, ranks from 0. So the
    bins depend on the probabilities alone, never on the order of the documents, and no tie is split by chance.
    """
    n = len(top)
    first = np.flatnonzero(np.concatenate(([True], top[1:] != top[:-1])))
    after = np.append(first[1:], n)
    bin_of_group = bins * (first + after) // (2 * n)
    starts = first[np.flatnonzero(np.concatenate(([True], bin_of_group[1:] != bin_of_group[:-1])))]
    return starts, np.diff(np.append(starts, n)).astype(np.int64)
