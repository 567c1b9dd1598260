"""Event models by name: the weights of the scorer, and the likelihood of what was counted, under a reading."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from priori.columns.class_prior import log_class_prior
from priori.columns.words.bernoulli import bernoulli_log_likelihood, bernoulli_weights, beta_log_evidence
from priori.columns.words.complement import complement_weights
from priori.columns.words.multinomial import multinomial_log_likelihood, multinomial_weights, urn_log_evidence
from priori.columns.words.readings import Readings
from priori.columns.words.term_selection import only_selected
from priori.columns.words.weights import Reading, Weights
from priori.errors import EstimateError
from priori.statistics import Counts
from priori.text import Grams

if TYPE_CHECKING:  # n-grams are loaded for language models
    from priori.language.ngrams import Chained

SINGLE = Grams()

_EVENTS = {"multinomial": multinomial_weights, "bernoulli": bernoulli_weights, "complement": complement_weights}


def weights_of(
    counts: Counts, readings: Readings, vocabulary: tuple[str, ...] | None, grams: "Grams | Chained" = SINGLE
) -> Weights:
    """The reading of the counts that `readings` asks for; an EstimateError where it does not exist.

    grams: how a language model takes terms apart, or what came of it before.
    """
    if readings.select is not None:  # then a word of the vocabulary that was never counted is not chosen either
        counts, vocabulary = only_selected(counts, readings.select), None
    reading = Reading.of(counts, readings.prior, vocabulary, dense=readings.event == "bernoulli")
    log_prior = log_class_prior(reading.labels, reading.class_documents, readings.class_prior, readings.estimate)
    if readings.event == "language":
        from priori.columns.words.language import language_weights
        from priori.language.ngrams import Chained

        chained = Chained.of(counts, grams) if isinstance(grams, Grams) else grams
        return language_weights(chained, reading, readings, log_prior)
    return _EVENTS[readings.event](reading, readings, log_prior)


@dataclass(frozen=True)
class LogLikelihood:
    """log L of the training data, in nats, split into its two parts (lecture 003).

    label:   Σ_c D_c log π_c
    feature: Σ_cj N_cj log θ_cj, or for the Bernoulli Σ_cj [D_cj log φ_cj + (D_c - D_cj) log(1 - φ_cj)], or of language
             models Σ log p(token | those before it, c); under estimate="integrated" the log evidence, with θ (or φ)
             integrated out.
    """

    label: float
    feature: float

    @property
    def total(self) -> float:
        """Both together."""
        return self.label + self.feature

    def to_json(self) -> dict[str, float | None]:
        """Plain values; null where a class with documents was given probability 0."""
        values = {"label": self.label, "feature": self.feature, "total": self.total}
        return {name: value if math.isfinite(value) else None for name, value in values.items()}


def log_likelihood_of(weights: Weights, readings: Readings) -> LogLikelihood:
    """The likelihood of the counted data under the reading that the weights are of; an EstimateError without one."""
    if readings.event == "complement":
        raise no_likelihood()
    reading = weights.reading
    documents = reading.class_documents
    log_prior = log_class_prior(reading.labels, documents, readings.class_prior, readings.estimate)
    label = math.fsum(n * log for n, log in zip(documents, log_prior, strict=True) if n > 0)
    integrated = readings.estimate == "integrated"
    if readings.event == "language":
        from priori.columns.words.language import log_prob_of_chains

        assert weights.language is not None
        feature = log_prob_of_chains(weights.language)
    elif readings.event == "bernoulli":
        feature = beta_log_evidence(weights) if integrated else bernoulli_log_likelihood(weights)
    else:
        feature = urn_log_evidence(weights) if integrated else multinomial_log_likelihood(weights)
    return LogLikelihood(label, feature)


def no_likelihood() -> EstimateError:
    """Why the complement has none."""
    return EstimateError("the complement is a discriminant, not a likelihood; read the counts as multinomial")
