"""Multinomial words under Dirichlet priors, laid out for a table of terms by classes: the exemplar of an event model.

theta_cj = (N_cj + a_cj) / (N_c + a_c0), with a = 0 (maximum likelihood), alpha - 1 (MAP, the mode) or alpha (Bayes, the
posterior mean); or theta integrated out, which gives the Polya urn. docs/maths/counts.md; lectures 001, 002 and 004.
"""

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from priori.errors import EstimateError
from priori.events.table import Reading, TermPrior, Weights
from priori.readings import Readings

Floats = npt.NDArray[np.float64]


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
