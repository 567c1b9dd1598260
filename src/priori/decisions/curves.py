"""How well probabilities rank, by the ROC curve of each class against the rest; and whether they mean what they say.

AUC = P(s > s') + ½ P(s = s'), for s of a document of the class and s' of another one: Hanley & McNeil (1982).
Reliability takes equal-mass bins of the top probability, and the noise floor of their error.
"""

import math
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]

MOST_KEPT = 2**24  # probabilities kept to be ranked: 128 MiB of them
BINS = 15  # of the reliability diagram
SIMULATIONS = 100  # of a perfectly calibrated model


# --- ranking ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Roc:
    """The corners of a curve from (0, 0) to (1, 1): how many documents have at least each threshold."""

    hits: Counts  # (m,): documents of the class, of rising number
    alarms: Counts  # (m,): documents of other classes
    thresholds: Floats  # (m,): falling; infinite at (0, 0)

    @property
    def true_positive_rate(self) -> Floats:
        """Share of the class that is found."""
        share: Floats = self.hits / self.hits[-1]
        return share

    @property
    def false_positive_rate(self) -> Floats:
        """Share of the rest that is taken for the class."""
        share: Floats = self.alarms / self.alarms[-1]
        return share

    @property
    def area(self) -> float:
        """Under the curve, by trapezoids: ties count half. Of whole numbers, so exact but for one division."""
        doubled = int((np.diff(self.alarms) * (self.hits[1:] + self.hits[:-1])).sum())
        return doubled / (2 * int(self.hits[-1]) * int(self.alarms[-1]))


def roc_curve(scores: Floats, positive: npt.NDArray[np.bool_]) -> Roc | None:
    """The curve of scores (n,) that should be high where positive; None where only one of both kinds occurs."""
    if len(scores) == 0 or positive.all() or not positive.any():
        return None
    order = np.argsort(-scores, kind="stable")
    ranked, found = scores[order], positive[order]
    ends = np.append(np.flatnonzero(ranked[1:] != ranked[:-1]), len(ranked) - 1)  # equals can only be taken together
    hits = np.concatenate(([0], np.cumsum(found, dtype=np.int64)[ends]))
    alarms = np.concatenate(([0], ends + 1)) - hits
    steps, rises = np.diff(alarms), np.diff(hits)
    turns = steps[1:] * rises[:-1] != steps[:-1] * rises[1:]  # the others lie on a line between their neighbours
    corners = np.concatenate(([True], turns, [True]))
    return Roc(hits[corners], alarms[corners], np.concatenate(([np.inf], ranked[ends]))[corners])


@dataclass(frozen=True, eq=False)
class Ranking:
    """The probabilities of all documents whose label is one of the classes."""

    classes: tuple[str, ...]
    probabilities: Floats  # (n, K)
    truth: npt.NDArray[Any]  # (n,): places among the classes

    def roc(self) -> dict[str, Roc]:
        """The curve of each class against the rest, by the classes that occur and are not all there is."""
        curves = (roc_curve(self.probabilities[:, k], self.truth == k) for k in range(len(self.classes)))
        return {label: curve for label, curve in zip(self.classes, curves, strict=True) if curve is not None}

    @property
    def auc(self) -> float | None:
        """Of two classes the area of the second; of more the mean over those that have a curve; None without any."""
        if len(self.classes) == 2:
            curve = roc_curve(self.probabilities[:, 1], self.truth == 1)
            return None if curve is None else curve.area
        areas = [curve.area for curve in self.roc().values()]
        return math.fsum(areas) / len(areas) if areas else None


class RankingCard:
    """Collects probabilities batch by batch, as long as they are not too many."""

    def __init__(self, classes: Sequence[str]) -> None:
        self._classes = tuple(classes)
        self._probabilities, self._truth = array("d"), array("i")
        self._seen = self._too_many = 0

    def add(self, probabilities: Floats, codes: npt.NDArray[np.int32]) -> None:
        """Take documents, by places among the classes; places beyond are labels never learned, and left out."""
        known = codes < len(self._classes)
        self._seen += len(codes)
        self._too_many = self._too_many or (len(self._truth) + int(known.sum())) * len(self._classes) > MOST_KEPT
        if self._too_many:  # for good, so that their memory is given back
            self._probabilities, self._truth = array("d"), array("i")
            return
        self._probabilities.frombytes(np.ascontiguousarray(probabilities[known], np.float64).tobytes())
        self._truth.frombytes(codes[known].tobytes())

    def result(self) -> tuple[Ranking | None, str | None]:
        """The ranking, None if there are too many; and what is to be said of the area under its curves."""
        if self._too_many:
            size = f"{self._seen:,} documents of {len(self._classes):,} classes"
            return None, (
                f"not measured: {size} are more than the {MOST_KEPT:,} probabilities that are kept to be ranked; "
                "evaluate a part of them (--where)"
            )
        probabilities = np.array(self._probabilities).reshape(-1, len(self._classes))
        ranking = Ranking(self._classes, probabilities, np.array(self._truth, dtype=np.int32))
        left = self._seen - len(ranking.truth)
        without = f"without {left:,} of labels never learned, which no class can rank" if left else None
        if not len(ranking.truth):
            return ranking, f"not measured: none of {self._seen:,} documents has a label that was learned; learn them"
        if len(np.unique(ranking.truth)) < 2:
            note = "not measured: all documents are of one class, so there is nothing to tell it from; add others"
            return ranking, note if without is None else f"{note} ({without})"
        return ranking, without


# --- reliability ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Reliability:
    """Mean top probability and share of right answers in each bin that holds documents, by rising probability."""

    confidence: Floats  # (bins,)
    accuracy: Floats  # (bins,)
    count: Counts  # (bins,)

    @property
    def ece(self) -> float:
        """Expected calibration error: Σ_b count_b / n · |accuracy_b - confidence_b|."""
        return float(np.average(np.abs(self.accuracy - self.confidence), weights=self.count))


def reliability(top: Floats, correct: npt.NDArray[np.bool_], bins: int = BINS) -> Reliability:
    """Bin documents by their top probability, so that each bin holds about as many."""
    order = np.argsort(top, kind="stable")
    starts, count = _bins(top[order], bins)
    right = np.add.reduceat(correct[order].astype(np.int64), starts)
    return Reliability(np.add.reduceat(top[order], starts) / count, right / count, count)


def ece_floor(top: Floats, rng: np.random.Generator, bins: int = BINS, simulations: int = SIMULATIONS) -> float:
    """The mean ECE that a perfectly calibrated model with these top probabilities shows: correct ~ Bernoulli(top)."""
    return float(ece_by_chance(top, rng, bins, simulations).mean())


def ece_by_chance(top: Floats, rng: np.random.Generator, bins: int = BINS, simulations: int = SIMULATIONS) -> Floats:
    """The ECE of a perfectly calibrated model in each simulation: (simulations,)."""
    top = np.sort(top)
    starts, _ = _bins(top, bins)
    expected = np.add.reduceat(top, starts)
    found = np.empty(simulations)
    for i in range(simulations):
        correct = rng.random(len(top)) < top
        found[i] = np.abs(np.add.reduceat(correct.astype(np.int64), starts) - expected).sum() / len(top)
    return found


def _bins(top: Floats, bins: int) -> tuple[npt.NDArray[np.intp], Counts]:
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
