"""One n-gram language model per class: p(x | y) is a chain of tokens, each after those before it (lecture 004).

Written in the backoff form of language models, log p(x | c) is linear in the n-grams of x, with a weight for each pair
of an n-gram and a class that has it (native/chain_scores.hpp): so a document costs the pairs that it touches, as ever.
"""

import math

import numpy as np
import numpy.typing as npt

from priori.columns.words.readings import Readings
from priori.columns.words.weights import Reading, Weights
from priori.errors import EstimateError
from priori.language.ngrams import Chained, Nodes
from priori.language.table import LanguageWeights, NGramTable, lengths_of
from priori.statistics import Counts
from priori.text import Analyzer

Floats = npt.NDArray[np.float64]


def language_weights(chained: Chained, reading: Reading, readings: Readings, log_prior: Floats) -> Weights:
    """The weights of all n-grams, and of tokens that a class has not seen."""
    language = _language(chained, readings)
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


def table_of_class(weights: Weights, counts: Counts, analyzer: Analyzer, index: int) -> NGramTable:
    """The language model of one class of several: its own n-grams, and every token, for all are shared."""
    reading, language = weights.reading, weights.language
    assert language is not None
    own = np.flatnonzero(reading.pair_class == index)
    unknown = None if weights.unknown_default is None else float(language.unseen[index])
    log_prob, backoff = np.full(reading.terms, language.unseen[index]), np.zeros(reading.terms)
    log_prob[reading.pair_term[own]] = language.log_prob[own]
    backoff[reading.pair_term[own]] = language.backoff[own]
    lengths = lengths_of(counts, analyzer, index)
    whole = NGramTable(analyzer, reading.term_offsets, reading.term_bytes, log_prob, backoff, unknown, lengths)
    kept = language.terms.order == 1
    kept[reading.pair_term[own]] = True
    return whole if kept.all() else whole.only(kept)


def table_alone(counts: Counts, analyzer: Analyzer, readings: Readings) -> tuple[NGramTable, LanguageWeights]:
    """The language model of counts that have one class, and the numbers that it was read with."""
    analyzer.refuse_chainless()
    language = _language(Chained.of(counts, analyzer.grams), readings)
    return NGramTable.of_one(counts, analyzer, language, readings.unknown == "prior"), language


def _language(chained: Chained, readings: Readings) -> LanguageWeights:
    return LanguageWeights.of(
        chained, readings.smoothing, float(readings.prior.alpha), unknown=readings.unknown == "prior"
    )


def log_prob_of_chains(language: LanguageWeights) -> float:
    """Each token after those before it, by the longest n-gram that ends there: of the order, or from the beginning."""
    whole = language.nodes.whole
    return math.fsum(language.nodes.count[whole] * language.log_prob[whole])
