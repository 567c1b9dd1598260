"""Complement naive Bayes (Rennie, Shih, Teevan & Karger 2003): a class is scored by how badly all others fit.

score(c) = -sum_j n_j log[(N_.j - N_cj + a) / (N_. - N_c + a_0)]. A discriminant, not a likelihood: it has no evidence,
and as in scikit-learn the class prior stays out unless there is one class only. Where scores are calibrated it is in,
or short texts of rare classes would be believed too much.
"""

import numpy as np
import numpy.typing as npt

from priori.columns.words.multinomial import pseudo_counts
from priori.columns.words.readings import Readings
from priori.columns.words.weights import Reading, Weights
from priori.errors import EstimateError

Floats = npt.NDArray[np.float64]


def complement_weights(reading: Reading, readings: Readings, log_prior: Floats) -> Weights:
    """Minus log theta of the complement; the counts of all other classes are derived here, never stored."""
    if readings.estimate == "integrated":
        raise EstimateError("the complement is no likelihood, so nothing can be integrated out; use estimate='bayes'")
    pseudo = pseudo_counts(reading, reading.occurrences, readings)
    with_unknown = readings.unknown == "prior"
    smallest = min(pseudo.term.min(initial=np.inf), pseudo.pair.min(initial=np.inf))
    if smallest <= 0 or (with_unknown and pseudo.unknown <= 0):
        raise EstimateError(
            "the complement of a word's only class has count 0, whose logarithm is infinite; use alpha > 0"
        )
    term_total = np.bincount(reading.pair_term, reading.occurrences, reading.terms)
    total = reading.class_occurrences.sum() - reading.class_occurrences + pseudo.total
    total = total + (pseudo.unknown if with_unknown else 0.0)
    with np.errstate(divide="ignore"):  # without any words it is 0, and no document has one to score
        log_total = np.log(total)
    default = -np.log(term_total + pseudo.term)
    others = term_total[reading.pair_term] - reading.occurrences + pseudo.pair
    return Weights(
        reading,
        log_prior if len(reading.labels) == 1 or readings.calibrated else np.zeros_like(log_prior),
        np.zeros_like(log_prior),
        log_total,
        default,
        -np.log(others) - default[reading.pair_term],
        unknown_default=-float(np.log(pseudo.unknown)) if with_unknown else None,
    )
