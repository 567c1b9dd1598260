"""Presence and absence of words under Beta priors: the multivariate Bernoulli event model.

phi_cj = (D_cj + a) / (D_c + 2a); a document scores sum_j log(1 - phi_cj), plus the log-odds of the words it has.
docs/maths/counts.md; lecture 002.
"""

import math

import numpy as np
import numpy.typing as npt

from priori.columns.words.multinomial import Places, ln_gamma, log_theta, no_mode, pseudo_counts
from priori.columns.words.readings import Readings
from priori.columns.words.weights import Reading, Weights
from priori.errors import EstimateError

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


def presence(weights: Weights, readings: Readings, k: int) -> Floats:
    """(V + 1,) phi_kj = (D_kj + a) / (D_k + 2a) of every term, and last of the slot of unknown words."""
    reading = weights.reading
    pseudo = pseudo_counts(reading, reading.documents, readings)
    documents = reading.class_documents[k]
    own = np.flatnonzero(reading.pair_class == k)
    present, absent = np.empty(reading.terms + 1), np.empty(reading.terms + 1)
    present[:-1] = pseudo.term
    absent[:-1] = documents + pseudo.term
    at = reading.pair_term[own]
    present[at] = reading.documents[own] + pseudo.pair[own]
    absent[at] = documents - reading.documents[own] + pseudo.pair[own]
    present[-1] = pseudo.unknown if readings.unknown == "prior" else 0.0
    absent[-1] = documents + pseudo.unknown
    return present / (present + absent)


def draw_presences(phi: Floats, size: int, rng: "np.random.Generator") -> tuple[Places, Places]:
    """(lengths, words) of `size` documents, each word j in each document with probability phi_j.

    The work is that of the words that are there, not documents x terms: words of like probability, up to a factor of 2,
    are drawn together from one success to the next with the largest, and kept with the rest of their own.
    """
    rows, columns = [], []
    possible = np.flatnonzero(phi)
    power = np.frexp(phi[possible])[1]
    for each in np.unique(power):
        words = possible[power == each]
        largest = float(phi[words].max())
        cells = _successes(size * len(words), largest, rng)
        kept = cells[rng.random(len(cells)) * largest < phi[words[cells % len(words)]]]
        rows.append(kept // len(words))
        columns.append(words[kept % len(words)])
    row, word = (np.concatenate(parts or [np.zeros(0, np.intp)]) for parts in (rows, columns))
    return np.bincount(row, minlength=size), word[np.lexsort((word, row))]


def _successes(trials: int, p: float, rng: "np.random.Generator") -> Places:
    """Which of so many trials succeed, each with probability p: the failures between two are geometric."""
    if p == 1:
        return np.arange(trials)
    found, last = [np.zeros(0)], -1.0
    while last < trials - 1:
        expected = (trials - last) * p
        many = int(expected + 4 * np.sqrt(expected) + 16)
        with np.errstate(over="ignore"):  # then the next success is beyond all trials
            failures = np.floor(rng.standard_exponential(many) / -np.log1p(-p))
            places = last + np.cumsum(failures + 1)
        found.append(places)
        last = float(places[-1])
    places = np.concatenate(found)
    return places[places < trials].astype(np.intp)


def bernoulli_log_likelihood(weights: Weights) -> float:
    """Every document gets the sum over all absences; those that have a term get its log-odds on top."""
    reading = weights.reading
    counted = reading.documents > 0
    absent = (n * base for n, base in zip(reading.class_documents, weights.base, strict=True) if n > 0)
    return math.fsum((*absent, *(reading.documents[counted] * log_theta(weights)[counted])))


def beta_log_evidence(weights: Weights) -> float:
    """log p(presences): the Beta integrated out for each class and term, with a pair or without."""
    reading = weights.reading
    alpha, own = reading.prior.pair, reading.class_documents[reading.pair_class]
    pairs = _ln_beta(reading.documents + alpha, own - reading.documents + alpha) - _ln_beta(alpha, alpha)
    # Terms with a prior of their own have a pair in every class, so one alpha serves all that have none.
    never = np.full(len(reading.labels), reading.prior.unknown)
    without = reading.terms - np.bincount(reading.pair_class, minlength=len(reading.labels))
    absent = _ln_beta(never, reading.class_documents + never) - _ln_beta(never, never)
    return math.fsum((*pairs, *(without * absent)))


def _ln_beta(a: Floats, b: Floats) -> Floats:
    return ln_gamma(a) + ln_gamma(b) - ln_gamma(a + b)
