"""The alpha of most evidence: Minka's fixed point on the counts of the classes.

Each class's words are a draw from a Dirichlet-multinomial of one symmetric alpha (the samples are the K
class vectors). The evidence rises at every step

    alpha <- alpha sum_cj [psi(N_cj + alpha) - psi(alpha)] / (V sum_c [psi(N_c + alpha V) - psi(alpha V)])

(T. Minka, Estimating a Dirichlet distribution, 2000). The Bernoulli's alpha is that of the Beta prior of each word and
class: the same with two values, presence and absence, for every one of the K V pairs. Counts alone are needed, no
documents, so it is never stale.
"""

import math

import numpy as np
import numpy.typing as npt

from priori.errors import EstimateError
from priori.events.table import Reading
from priori.rankings import only_selected
from priori.readings import Readings
from priori.statistics import Counts

Floats = npt.NDArray[np.float64]

_STEPS = 20_000
_LEAST, _MOST = 1e-6, 1e6  # where words never, or always, differ between classes the evidence has its limit beyond


def alpha_of_most_evidence(counts: Counts, readings: Readings, vocabulary: tuple[str, ...] | None) -> float:
    """The symmetric alpha under which the counts of all classes have the highest probability."""
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
    for _ in range(_STEPS):
        following = alpha * values.rise(alpha) / (size * totals.rise(size * alpha))
        following = min(max(following, _LEAST), _MOST)
        if math.isclose(following, alpha, rel_tol=1e-10):
            return following
        alpha = following
    return alpha
