"""What a model holds: its sizes, its classes, and the likelihood of what it was trained on."""

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from priori.classifier import Model
from priori.errors import DataError, EstimateError
from priori.events import Weights
from priori.events.class_prior import log_class_prior
from priori.select.terms import Term, rank

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class LogLikelihood:
    """log L of the training data, in nats, split into its two parts (lecture 003).

    label:   Σ_c D_c log π_c
    feature: Σ_cj N_cj log θ_cj, or for the Bernoulli Σ_cj [D_cj log φ_cj + (D_c - D_cj) log(1 - φ_cj)]; under
             estimate="integrated" the log evidence, with θ (or φ) integrated out.
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


@dataclass(frozen=True)
class ClassSummary:
    """One class: what was counted, its prior probability, and the terms that speak for it."""

    label: str
    documents: float
    features: float
    terms: int
    prior: float | None  # None where the reading has none
    top: tuple[Term, ...]

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {**asdict(self), "top": [{"term": t.term, "log_odds": t.log_odds, "z": t.score} for t in self.top]}


@dataclass(frozen=True)
class Inspection:
    """A model at a glance. The likelihood is None where it does not exist, and `why_not` says why."""

    documents: float
    features: float
    terms: int
    pairs: int
    sample: int | None  # distinct documents kept; None: the model keeps no sample
    classes: tuple[ClassSummary, ...]
    log_likelihood: LogLikelihood | None
    why_not: str | None

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        likelihood = None if self.log_likelihood is None else self.log_likelihood.to_json()
        values: dict[str, Any] = {
            name: getattr(self, name) for name in ("documents", "features", "terms", "pairs", "sample")
        }
        values["classes"] = [each.to_json() for each in self.classes]
        values["log_likelihood"] = likelihood
        return values if self.why_not is None else values | {"log_likelihood_note": self.why_not}


def inspect(model: Model, top: int = 10) -> Inspection:
    """Look at a model; `top` terms for each class."""
    counts = model.counts
    counts.refuse_negative()
    terms = np.bincount(counts.pair_class, minlength=len(counts.labels))
    prior, likelihood, why_not = None, None, None
    try:
        prior = np.exp(_log_prior(model))
        likelihood = log_likelihood(model)
    except (EstimateError, DataError) as error:  # a reading that does not exist; the counts can be looked at
        why_not = str(error)
    speaking: dict[str, list[Term]] = {label: [] for label in counts.labels}
    for term in rank(counts, "log-odds", most=top):
        speaking[term.label].append(term)
    classes = tuple(
        ClassSummary(
            label,
            float(counts.class_documents[i] * counts.unit),
            float(counts.class_occurrences[i] * counts.unit),
            int(terms[i]),
            None if prior is None else float(prior[i]),
            tuple(speaking[label]),
        )
        for i, label in enumerate(counts.labels)
    )
    sample = model.summary.sample
    return Inspection(
        sum(each.documents for each in classes),
        sum(each.features for each in classes),
        counts.terms,
        len(counts.pair_class),
        None if sample is None else len(sample),
        classes,
        likelihood,
        why_not,
    )


def log_likelihood(model: Model) -> LogLikelihood:
    """The likelihood of the training data under the model's own reading; an EstimateError where there is none."""
    if model.plain_readings.event == "complement":
        raise EstimateError("the complement is a discriminant, not a likelihood; read the counts as multinomial")
    weights = model.weights
    documents = weights.reading.class_documents
    label = math.fsum(n * log for n, log in zip(documents, _log_prior(model), strict=True) if n > 0)
    integrated = model.readings.estimate == "integrated"
    if model.plain_readings.event == "bernoulli":
        feature = _beta_evidence(weights) if integrated else _bernoulli(weights)
    else:
        feature = _urn_evidence(weights) if integrated else _multinomial(weights)
    return LogLikelihood(label, feature)


def _log_prior(model: Model) -> Floats:
    documents: Floats = model.counts.class_documents.astype(np.float64) * model.counts.unit
    return log_class_prior(model.labels, documents, model.readings.class_prior, model.readings.estimate)


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
    """log p(word sequences): Polya's urn from its start, METHODS 1 with N = 0; a function of the counts alone."""
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
