"""From counts and readings to the weights of the scorer."""

from priori.events.bernoulli import bernoulli_weights
from priori.events.class_prior import log_class_prior
from priori.events.complement import complement_weights
from priori.events.language import language_weights
from priori.events.multinomial import multinomial_weights
from priori.events.table import Reading, Weights
from priori.language import Chained
from priori.rankings import only_selected
from priori.readings import Readings
from priori.statistics import Counts
from priori.text import Grams

SINGLE = Grams()

_EVENTS = {"multinomial": multinomial_weights, "bernoulli": bernoulli_weights, "complement": complement_weights}


def weights_of(
    counts: Counts, readings: Readings, vocabulary: tuple[str, ...] | None, grams: Grams | Chained = SINGLE
) -> Weights:
    """The reading of the counts that `readings` asks for; an EstimateError where it does not exist.

    grams: how a language model takes terms apart, or what came of it before.
    """
    if readings.select is not None:  # then a word of the vocabulary that was never counted is not chosen either
        counts, vocabulary = only_selected(counts, readings.select), None
    reading = Reading.of(counts, readings.prior, vocabulary, dense=readings.event == "bernoulli")
    log_prior = log_class_prior(reading.labels, reading.class_documents, readings.class_prior, readings.estimate)
    if readings.event == "language":
        chained = grams if isinstance(grams, Chained) else Chained.of(counts, grams)
        return language_weights(chained, reading, readings, log_prior)
    return _EVENTS[readings.event](reading, readings, log_prior)
