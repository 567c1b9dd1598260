"""Multinomial words under Dirichlet priors, as weights, draws and likelihood: the exemplar of an event model.

theta_cj = (N_cj + a_cj) / (N_c + a_c0), with a = 0 (maximum likelihood), alpha - 1 (MAP, the mode) or alpha (Bayes, the
posterior mean); or theta integrated out, which gives the Polya urn. docs/maths/counts.md; lectures 001, 002 and 004.
Draws are exact: no word is left out because a class has no counts of it.
"""

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from priori.columns.words.readings import Readings
from priori.columns.words.weights import Reading, TermPrior, Weights
from priori.errors import EstimateError

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]


# --- weights ----------------------------------------------------------------------------------------------------------


def pseudo_counts(reading: Reading, counts: Floats, readings: Readings) -> TermPrior:
    """What is added to the counts: the prior seen as imagined data, less the mode's one."""
    prior = reading.prior
    if readings.estimate == "ml":
        return TermPrior(np.zeros_like(prior.pair), np.zeros(1), np.zeros_like(prior.total), 0.0)
    if readings.estimate == "map":
        prior = prior.minus(1.0, reading.terms)
        missing = np.diff(reading.pair_offsets) < len(reading.labels)  # (V,) words that some class has never seen
        bad = bool((counts + prior.pair < 0).any()) or bool((missing & (prior.term < 0)).any())
        if bad or (readings.unknown == "prior" and prior.unknown < 0):  # the slot for unknown words never has counts
            raise no_mode()
        # What is below 0 and still here stands for no pair at all: every class has counts of such a word.
        prior = replace(prior, term=np.maximum(prior.term, 0), unknown=max(prior.unknown, 0.0))
    return prior


def no_mode() -> EstimateError:
    """What MAP says where the density grows without bound towards the edge."""
    return EstimateError(
        "the posterior has no mode: with alpha < 1 a word without counts pulls it to the edge; "
        "use alpha >= 1 with estimate='map', or estimate='bayes'"
    )


def multinomial_weights(reading: Reading, readings: Readings, log_prior: Floats) -> Weights:
    """log theta_cj for the pairs that have counts, and what the others share."""
    pseudo = pseudo_counts(reading, reading.occurrences, readings)
    with_unknown = readings.unknown == "prior"
    share = np.ones(len(reading.labels)) if pseudo.share is None else pseudo.share
    total = reading.class_occurrences + pseudo.total + (pseudo.unknown * share if with_unknown else 0.0)
    places = reading.terms + with_unknown
    empty = (total <= 0) & (places > 0)  # where no word has a place, none needs a probability
    for index in np.flatnonzero(empty)[:1]:
        raise EstimateError(
            f"class {reading.labels[index]!r} has no words, so its word probabilities are 0/0; smooth with "
            "estimate='bayes' and alpha > 0"
        )
    if readings.estimate == "integrated" and (bool((pseudo.term <= 0).any()) or bool((pseudo.pair <= 0).any())):
        raise EstimateError("integrating the parameters out needs a proper prior; use alpha > 0")
    with np.errstate(divide="ignore"):
        default = np.log(pseudo.term)
        log_count = np.log(reading.occurrences + pseudo.pair)
        unknown = float(np.log(pseudo.unknown)) if with_unknown else None
        log_total = np.log(total)
    # subtle: where the default is log 0 the scorer takes a pair's weight as it is, not as what it adds to the default
    shared = np.where(np.isfinite(default), default, 0.0)
    # what a class has of the shared default is in what each of its features gets, so a pair must not have it again
    weight = log_count - (shared[reading.pair_term] if len(shared) > 1 else shared) - np.log(share)[reading.pair_class]
    return Weights(
        reading,
        log_prior,
        np.zeros_like(log_prior),
        np.log(share) - log_total,
        default,
        weight,
        unknown_default=unknown,
        urn_total=total if readings.estimate == "integrated" else None,
    )


# --- draws ------------------------------------------------------------------------------------------------------------
# np.random is named as text: it is slow to import, and nothing else here needs it.


def draw(weight: Floats, size: int, rng: "np.random.Generator") -> Places:
    """Places drawn with probability weight / sum(weight)."""
    if size == 0:
        return np.zeros(0, np.intp)
    edges = np.cumsum(weight)
    found = np.searchsorted(edges, rng.random(size) * edges[-1], side="right")
    # subtle: a product may be rounded up to the sum of all, which is beyond the last weight
    places: Places = np.minimum(found, np.flatnonzero(weight)[-1])
    return places


def word_mass(weights: Weights, readings: Readings, k: int) -> Floats:
    """(V + 1,) N_kj + a_kj of every term, and last of the slot of unknown words; theta_k is their share of the sum."""
    reading = weights.reading
    pseudo = pseudo_counts(reading, reading.occurrences, readings)
    share = 1.0 if pseudo.share is None else float(pseudo.share[k])
    own = np.flatnonzero(reading.pair_class == k)
    mass = np.empty(reading.terms + 1)
    mass[:-1] = pseudo.term * share  # the terms that the class has never seen
    mass[reading.pair_term[own]] = reading.occurrences[own] + pseudo.pair[own]
    mass[-1] = pseudo.unknown * share if readings.unknown == "prior" else 0.0
    return mass


def draw_words(mass: Floats, lengths: Places, rng: "np.random.Generator", *, urn: bool = False) -> Places:
    """The words of documents of these lengths, one after the other.

    urn: theta is integrated out, so that each word drawn goes back with another of its kind. Word i of a document is
    then one of the i before it with probability i / (i + sum(mass)), and drawn from the mass otherwise (Polya's urn).
    """
    size = int(lengths.sum())
    words = draw(mass, size, rng)
    if not urn:
        return words
    first = np.repeat(np.cumsum(lengths) - lengths, lengths)
    place = np.arange(size)
    before = place - first  # i
    # one number decides: it falls on one of the words before, or on what was in the urn at first
    ball = np.floor(rng.random(size) * (before + mass.sum()))
    source = np.where(ball < before, first + ball.astype(np.intp), place)
    while True:  # a copy of a copy is one of what that is a copy of
        further = source[source]
        if np.array_equal(further, source):
            return words[source]
        source = further


# --- likelihood -------------------------------------------------------------------------------------------------------


def log_theta(weights: Weights) -> Floats:
    """What a feature adds to the score of its pair's class, (P,)."""
    reading, default = weights.reading, weights.term_default
    shared = np.where(np.isfinite(default), default, 0.0)
    own = shared[reading.pair_term] if len(shared) > 1 else shared
    theta: Floats = own + weights.pair_weight + weights.per_feature[reading.pair_class]
    return theta


def multinomial_log_likelihood(weights: Weights) -> float:
    """Σ_cj N_cj log θ_cj."""
    counted = weights.reading.occurrences > 0
    return math.fsum(weights.reading.occurrences[counted] * log_theta(weights)[counted])


def urn_log_evidence(weights: Weights) -> float:
    """log p(word sequences): Polya's urn from its start; a function of the counts alone."""
    reading = weights.reading
    after = reading.class_occurrences if weights.urn_total is None else weights.urn_total
    before = after - reading.class_occurrences
    terms = ln_gamma(reading.occurrences + reading.prior.pair) - ln_gamma(reading.prior.pair)
    return math.fsum((*(ln_gamma(before) - ln_gamma(after)), *terms))


def ln_gamma(x: Floats) -> Floats:
    """ln Γ of each; counts repeat, so few are computed."""
    if bool((x <= 0).any()):
        raise EstimateError("integrating the parameters out needs a proper prior; use alpha > 0")
    values, place = np.unique(x, return_inverse=True)
    return np.array([math.lgamma(value) for value in values])[place]
