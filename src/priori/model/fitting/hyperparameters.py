"""Hyper-parameters left to the data: the number of terms and alpha, of the least left-out loss or the most evidence.

Each candidate is judged on documents that are left out with the calibration that suits it best, for it is the
calibrated probabilities that will be used. The evidence needs the counts alone.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from priori.columns.words.left_out.closed_form import Scores
from priori.columns.words.left_out.grouped_rows import Documents
from priori.columns.words.left_out.groups import each_size, left_out_of, quick
from priori.columns.words.readings import Readings
from priori.columns.words.term_selection import only_selected
from priori.columns.words.weights import Reading
from priori.errors import EstimateError
from priori.model.fitting.parameters import ChosenTerms, Curve
from priori.statistics.term_counts import Counts

Floats = npt.NDArray[np.float64]
Loss = Callable[[Scores, Documents], float]

FOLDS = 10  # where to leave out one document costs a reading of all counts
COMMON_ALPHA = 0.1
_FEWEST, _EXACT = 16, 1 << 21  # pairs read anew, which takes two seconds or so; of more, folds do

_EVIDENCE_STEPS = 20_000
# Where words never, or always, differ between classes the evidence has its limit beyond these.
_EVIDENCE_LEAST, _EVIDENCE_MOST = 1e-6, 1e6

# Under an alpha below 0.01 a word seen once is a hundred times likelier in its class: documents that quote each other
# (threads, forwarded mail) seem to say so when one of them is left out, and new ones do not.
LEAST = 0.01
START = (LEAST, 0.1, 1.0)
_STEP, _MOST_ALPHAS = 10.0, 6  # beyond the upper edge, and how many alphas that may take
_PARABOLAS, _CLOSE = 3, 0.1  # and how near, in log alpha, one need not look again
# What real corpora have in common, as a normal prior of log alpha: it counts where documents are few.
CENTRE = math.log(0.1)
SPREAD = 0.7 * math.log(10)


# --- the number of terms ----------------------------------------------------------------------------------------------


def in_parts(counts: Counts, readings: Readings, documents: Documents) -> tuple[Documents, int | None]:
    """The documents in folds, where to leave out each alone would take long; and how many folds."""
    blocks = len(set(documents.block.tolist()))
    if quick(readings) or blocks <= FOLDS or blocks * len(counts.pair_class) <= _EXACT:
        return documents, None
    return documents.in_folds(FOLDS), FOLDS


def choose_terms(
    counts: Counts, readings: Readings, documents: Documents, *, most: int, loss: Loss, jobs: int
) -> ChosenTerms:
    """The number of terms of least loss on about `most` documents that are left out, each choosing anew.

    Powers of four first, then the powers of two beside the best, and all terms. Where alpha is left to the data too,
    each number is judged at the alpha that real corpora have in common: the curve by the number of terms is much
    steeper than what alpha changes in it. Alpha and calibration follow, for the number found.
    """
    if not isinstance(readings.prior.alpha, float):
        readings = readings.with_alpha(COMMON_ALPHA + (1.0 if readings.estimate == "map" else 0.0))
    if quick(readings):
        documents = documents.first(most)
    total = max(float(documents.loss_weight.sum()), 1.0)
    found: dict[int, float] = {}

    def look(sizes: Sequence[int]) -> None:
        sizes = [size for size in sizes if size not in found]
        if not sizes:
            return
        for size, scores in zip(sizes, _scores(counts, readings, documents, sizes, jobs), strict=True):
            found[size] = loss(scores, documents) / total

    every = max(1, counts.terms)
    look([*(size for size in (4**k for k in range(2, 16)) if size < every), every])
    best = min(found, key=lambda size: (found[size], size))
    near = (best // 2, 2 * best) if best < every else (_below(every),)
    look([size for size in near if _FEWEST <= size < every])
    best = min(found, key=lambda size: (found[size], size))
    return ChosenTerms(best, tuple(sorted(found.items())))


def _below(number: int) -> int:
    """The largest power of two that is less; 0: none is."""
    return 1 << (number - 1).bit_length() - 1 if number > 1 else 0


def _scores(counts: Counts, readings: Readings, documents: Documents, sizes: Sequence[int], jobs: int) -> list[Scores]:
    if quick(readings):
        return [left.scores(readings, jobs) for left in each_size(counts, readings, documents, sizes)]
    each = [readings.with_terms(size) for size in sizes]
    return [left_out_of(counts, one, None, documents, fixed=False).scores(one, jobs) for one in each]


# --- alpha of most evidence -------------------------------------------------------------------------------------------


def alpha_of_most_evidence(counts: Counts, readings: Readings, vocabulary: tuple[str, ...] | None) -> float:
    """The symmetric alpha under which the counts of all classes have the highest probability: Minka's fixed point.

    Each class's words are a draw from a Dirichlet-multinomial of one symmetric alpha (the samples are the K class
    vectors). The evidence rises at every step

        alpha <- alpha sum_cj [psi(N_cj + alpha) - psi(alpha)] / (V sum_c [psi(N_c + alpha V) - psi(alpha V)])

    (T. Minka, Estimating a Dirichlet distribution, 2000). The Bernoulli's alpha is that of the Beta prior of each word
    and class: the same with two values, presence and absence, for every one of the K V pairs. Counts alone are needed,
    no documents, so it is never stale.
    """
    if readings.event == "complement":
        raise EstimateError("the complement is no likelihood, so it has no evidence; use alpha='auto'")
    if readings.prior.terms or readings.prior.classes:
        raise EstimateError("alpha='evidence' is for a prior that is the same for all words; use alpha='auto'")
    if readings.select is not None:
        counts, vocabulary = only_selected(counts, readings.select), None
    reading = Reading.of(counts, readings.with_alpha(1.0).prior, vocabulary, dense=False)
    least = 2 if readings.event == "multinomial" else 1
    seen = reading.class_occurrences if readings.event == "multinomial" else reading.class_documents
    if reading.terms < least or not seen.any():
        raise EstimateError("there are too few words for every alpha not to have the same evidence; give a number")
    if readings.event == "multinomial":
        values, totals = _Histogram.of(reading.occurrences), _Histogram.of(reading.class_occurrences)
        return _fixed_point(values, totals, float(reading.terms))
    return _fixed_point(*_presences(reading), 2.0)


def _presences(reading: Reading) -> "tuple[_Histogram, _Histogram]":
    """Documents with and without each word, by word and class (zeros say nothing), and the documents of the class."""
    documents = reading.class_documents
    absent = documents[reading.pair_class] - reading.documents
    unseen = reading.terms - np.bincount(reading.pair_class, minlength=len(reading.labels))
    values = np.concatenate([reading.documents, absent, documents])
    times = np.concatenate([np.ones(2 * len(absent)), unseen])
    return _Histogram.of(values, times), _Histogram.of(documents, np.full(len(documents), float(reading.terms)))


class _Histogram:
    """Different values and how often each occurs: psi is the same for equal ones."""

    def __init__(self, values: Floats, times: Floats) -> None:
        self.values, self.times = values, times

    @classmethod
    def of(cls, values: Floats, times: Floats | None = None) -> "_Histogram":
        """Of values, each so many times (once); those of 0 add nothing."""
        some = values > 0
        found, which = np.unique(values[some], return_inverse=True)
        return cls(found, np.bincount(which, None if times is None else times[some]).astype(np.float64))

    def rise(self, alpha: float) -> float:
        """The sum of psi(value + alpha) - psi(alpha)."""
        from scipy.special import digamma

        return float(self.times @ (digamma(self.values + alpha) - digamma(alpha)))


def _fixed_point(values: _Histogram, totals: _Histogram, size: float) -> float:
    alpha = 1.0
    for _ in range(_EVIDENCE_STEPS):
        following = alpha * values.rise(alpha) / (size * totals.rise(size * alpha))
        following = min(max(following, _EVIDENCE_LEAST), _EVIDENCE_MOST)
        if math.isclose(following, alpha, rel_tol=1e-10):
            return following
        alpha = following
    return alpha


# --- alpha of least loss ----------------------------------------------------------------------------------------------


def penalty(alpha: float, least: float = 0.0) -> float:
    """What an alpha costs before any document is looked at."""
    return 0.5 * ((math.log(alpha - least) - CENTRE) / SPREAD) ** 2


def choose(loss: Callable[[float], float], least: float = 0.0) -> Curve:
    """The alpha of least `loss`, a sum over documents that are left out, above `least`.

    The loss of the left-out labels is a smooth function of log alpha: three alphas from 0.01, more beyond the upper
    edge until the lowest has a neighbour there, then parabolas through these three, each with the lowest point of the
    one before.
    """
    found: dict[float, float] = {}

    def look(above: float) -> None:
        found[least + above] = loss(least + above)

    def cost(alpha: float) -> float:
        return found[alpha] + penalty(alpha, least)

    for above in START:
        look(above)
    while (best := min(found, key=cost)) == max(found) and len(found) < _MOST_ALPHAS:
        look((best - least) * _STEP)  # beyond the edge it may be lower still
    if best == min(found):
        look((best - least) * _STEP**0.5)  # so that the lowest may have neighbours
    for _ in range(_PARABOLAS):
        lowest = _lowest_of_parabola([(math.log(alpha - least), cost(alpha)) for alpha in sorted(found)])
        if lowest is None or min(abs(lowest - math.log(alpha - least)) for alpha in found) < _CLOSE:
            break
        look(math.exp(lowest))
    best = min(found, key=cost)
    alphas = tuple(sorted(found))
    return Curve(alphas, tuple(found[alpha] for alpha in alphas), best)


def _lowest_of_parabola(points: list[tuple[float, float]]) -> float | None:
    """Where the parabola through the lowest point and its neighbours is lowest; None at an edge."""
    at = min(range(len(points)), key=lambda i: points[i][1])
    if at in (0, len(points) - 1):
        return None
    (x0, y0), (x1, y1), (x2, y2) = points[at - 1 : at + 2]
    if not all(math.isfinite(y) for y in (y0, y1, y2)):
        return None
    below, above = (y1 - y0) / (x1 - x0), (y2 - y1) / (x2 - x1)
    if above <= below:  # a line: every point is as low
        return None
    return 0.5 * (x0 + x1) - 0.5 * below * (x2 - x0) / (above - below)
