"""The likelihood of what was counted, under a reading of it: parameters plugged in, or integrated out."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from priori.errors import EstimateError
from priori.events.class_prior import log_class_prior
from priori.events.table import LanguageWeights, Weights
from priori.readings import Readings

Floats = npt.NDArray[np.float64]


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
        assert weights.language is not None
        feature = log_prob_of_chains(weights.language)
    elif readings.event == "bernoulli":
        feature = _beta_evidence(weights) if integrated else _bernoulli(weights)
    else:
        feature = _urn_evidence(weights) if integrated else _multinomial(weights)
    return LogLikelihood(label, feature)


def log_prob_of_chains(language: LanguageWeights) -> float:
    """Each token after those before it, by the longest n-gram that ends there: of the order, or from the beginning."""
    whole = language.nodes.whole
    return math.fsum(language.nodes.count[whole] * language.log_prob[whole])


def no_likelihood() -> EstimateError:
    """Why the complement has none."""
    return EstimateError("the complement is a discriminant, not a likelihood; read the counts as multinomial")


def _log_theta(weights: Weights) -> Floats:
    """What a feature adds to the score of its pair's class, (P,)."""
    reading, default = weights.reading, weights.term_default
    shared = np.where(np.isfinite(default), default, 0.0)
    own = shared[reading.pair_term] if len(shared) > 1 else shared
    theta: Floats = own + weights.pair_weight + weights.per_feature[reading.pair_class]
    return theta


def _multinomial(weights: Weights) -> float:
    counted = weights.reading.occurrences > 0
    return math.fsum(weights.reading.occurrences[counted] * _log_theta(weights)[counted])


def _bernoulli(weights: Weights) -> float:
    """Every document gets the sum over all absences; those that have a term get its log-odds on top."""
    reading = weights.reading
    counted = reading.documents > 0
    absent = (n * base for n, base in zip(reading.class_documents, weights.base, strict=True) if n > 0)
    return math.fsum((*absent, *(reading.documents[counted] * _log_theta(weights)[counted])))


def _urn_evidence(weights: Weights) -> float:
    """log p(word sequences): Polya's urn from its start; a function of the counts alone."""
    reading = weights.reading
    after = reading.class_occurrences if weights.urn_total is None else weights.urn_total
    before = after - reading.class_occurrences
    terms = _ln_gamma(reading.occurrences + reading.prior.pair) - _ln_gamma(reading.prior.pair)
    return math.fsum((*(_ln_gamma(before) - _ln_gamma(after)), *terms))


def _beta_evidence(weights: Weights) -> float:
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
    return _ln_gamma(a) + _ln_gamma(b) - _ln_gamma(a + b)


def _ln_gamma(x: Floats) -> Floats:
    """ln Γ of each; counts repeat, so few are computed."""
    if bool((x <= 0).any()):
        raise EstimateError("integrating the parameters out needs a proper prior; use alpha > 0")
    values, place = np.unique(x, return_inverse=True)
    return np.array([math.lgamma(value) for value in values])[place]
