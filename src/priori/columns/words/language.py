"""One n-gram language model per class: p(x | y) is a chain of tokens, each after those before it (lecture 004).

Written in the backoff form of language models, log p(x | c) is linear in the n-grams of x, with a weight for each pair
of an n-gram and a class that has it (native/chain_scores.hpp): so a document costs the pairs that it touches, as ever.
"""

import numpy as np
import numpy.typing as npt

from priori.errors import EstimateError
from priori.events.table import LanguageWeights, Reading, Weights
from priori.language import Chained, Tallied, probabilities, resolve
from priori.language.chain import Nodes
from priori.readings import Readings

Floats = npt.NDArray[np.float64]


def language_of(chained: Chained, readings: Readings) -> LanguageWeights:
    """Every n-gram's log-probability and back-off, of one class or of each."""
    nodes, terms = chained.nodes, chained.terms
    size = terms.tokens + (readings.unknown == "prior")
    tallied = Tallied.of(nodes, readings.smoothing.method == "kneser-ney")
    resolved = resolve(readings.smoothing, nodes, tallied, float(readings.prior.alpha), size)
    found = probabilities(nodes, tallied, resolved, size)
    log_prob, backoff, unseen = found.log()
    return LanguageWeights(
        chained.chain, log_prob, backoff, unseen, nodes, terms, tallied, resolved, chained.order, size, found.fallback
    )


def language_weights(chained: Chained, reading: Reading, readings: Readings, log_prior: Floats) -> Weights:
    """The weights of all n-grams, and of tokens that a class has not seen."""
    language = language_of(chained, readings)
    unseen, backoff = language.unseen, language.backoff
    if not (np.isfinite(unseen).all() and np.isfinite(backoff).all()):
        raise EstimateError(
            "these language models call unseen words impossible, so classes could not be compared; smooth with "
            "kneser-ney, or with alpha and mu above 0"
        )
    return Weights(
        reading,
        log_prior,
        np.zeros_like(log_prior),
        unseen,
        np.zeros(1),
        pair_weights(chained.nodes, language.log_prob, backoff, unseen),
        unknown_default=0.0 if readings.unknown == "prior" else None,
        language=language,
    )


def pair_weights(nodes: Nodes, log_prob: Floats, backoff: Floats, unseen: Floats) -> Floats:
    """What an n-gram adds: to the shorter one that ends with it, or to a token unseen; and as a history."""
    weight = backoff.copy()
    longer = np.flatnonzero(nodes.order > 1)
    weight[longer] += log_prob[longer] - log_prob[nodes.suffix[longer]] - backoff[nodes.prefix[longer]]
    first = np.flatnonzero((nodes.order == 1) & nodes.predicted)
    weight[first] += log_prob[first] - unseen[nodes.group[first]]
    return weight
