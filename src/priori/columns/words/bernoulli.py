"""Presence and absence of words under Beta priors: the multivariate Bernoulli event model.

phi_cj = (D_cj + a) / (D_c + 2a); a document scores sum_j log(1 - phi_cj), plus the log-odds of the words it has.
docs/maths/counts.md; lecture 002.
"""

import numpy as np
import numpy.typing as npt

from priori.errors import EstimateError
from priori.events.multinomial import no_mode, pseudo_counts
from priori.events.table import Reading, Weights
from priori.readings import Readings

Floats = npt.NDArray[np.float64]


def bernoulli_weights(reading: Reading, readings: Readings, log_prior: Floats) -> Weights:
    """Log-odds of presence by pair, and the sum over all absences by class.

    For one document the Beta's predictive is its mean, so estimate="integrated" reads as "bayes".
    """
    pseudo = pseudo_counts(reading, reading.documents, readings)
    with_unknown = readings.unknown == "prior"
    documents = reading.class_documents
    own_class = documents[reading.pair_class]
    present, absent = reading.documents + pseudo.pair, own_class - reading.documents + pseudo.pair
    # Words with a prior of their own have a pair in every class (Reading.of, dense), so one alpha serves all others.
    alpha = pseudo.unknown
    for index in np.flatnonzero(documents + 2 * alpha <= 0)[:1]:
        raise EstimateError(
            f"class {reading.labels[index]!r} has no documents, so its word probabilities are 0/0; smooth with "
            "estimate='bayes' and alpha > 0"
        )
    if bool((absent < 0).any()):  # the Beta has two edges: a word in every document is a zero count of absence
        raise no_mode()
    certain = absent == 0  # phi = 1: absence is impossible, so the word is kept out of the sum and required instead
    with np.errstate(divide="ignore"):
        default = np.log(np.full(1, alpha))
        log_never = np.log(documents + alpha)  # (K,) of the absence of a word that the class has never seen
        log_odds = np.where(certain, 0.0, np.log(present) - np.log(np.where(certain, 1.0, absent)))
    log_not = np.where(certain, 0.0, _log_not(present, np.where(certain, 1.0, absent)))
    pairs = np.bincount(reading.pair_class, minlength=len(documents))
    never = (reading.terms + with_unknown - pairs) * _log_not(np.full(1, alpha), documents + alpha)
    base = np.bincount(reading.pair_class, log_not, len(documents)) + never
    # subtle: where the default is log 0 the scorer takes a pair's weight as it is, not as what it adds to the default
    shared = default[0] if np.isfinite(default[0]) else 0.0
    return Weights(
        reading,
        log_prior,
        base,
        -log_never,
        default,
        log_odds + log_never[reading.pair_class] - shared,
        distinct=True,
        unknown_default=float(default[0]) if with_unknown else None,
        pair_certain=certain.astype(np.float64) if bool(certain.any()) else None,
    )


def _log_not(present: Floats, absent: Floats) -> Floats:
    """log(absent / (present + absent)). Words in few documents are many, and log1p keeps the digits of their sum."""
    phi = present / (present + absent)
    return np.where(phi < 0.5, np.log1p(-np.minimum(phi, 0.5)), np.log(absent) - np.log(present + absent))
