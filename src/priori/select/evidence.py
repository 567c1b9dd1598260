"""How probable the texts are: likelihood, AIC, BIC and evidence, within one representation of the data.

    AIC = 2 k - 2 log L,   BIC = k log n - 2 log L,   evidence = log ∫ p(texts | θ) p(θ | alpha) dθ   (lecture 004)

k: (K - 1) + K (V - 1) for the multinomial, (K - 1) + K V for the Bernoulli, without the K - 1 where the class prior is
given and so not fitted; n: documents. All candidates of one representation have the same maximum of the
likelihood: there, AIC and BIC can only say whether classes need words of their own, so the model whose words are the
same in all classes stands beside it. The evidence compares priors too. Across representations the data differ, and none
of the three means anything: unigrams are not bigrams, nor presences counts.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from priori.columns.words.event_models import log_likelihood_of, weights_of
from priori.columns.words.readings import Event, Readings
from priori.statistics import Counts


@dataclass(frozen=True)
class Maximum:
    """The likelihood at its maximum, and what its parameters cost."""

    log_likelihood: float
    parameters: int
    documents: float

    @property
    def aic(self) -> float:
        """Akaike's criterion; less is better."""
        return 2 * self.parameters - 2 * self.log_likelihood

    @property
    def bic(self) -> float:
        """Schwarz's criterion; less is better."""
        return math.log(self.documents) * self.parameters - 2 * self.log_likelihood

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "parameters": self.parameters,
            "log_likelihood": self.log_likelihood,
            "aic": self.aic,
            "bic": self.bic,
        }


@dataclass(frozen=True)
class Evidence:
    """The log evidence of one prior: with words of each class's own, and with the same words for all classes."""

    alpha: float
    own: float
    shared: float

    def to_json(self) -> dict[str, float]:
        """Plain values."""
        return {"alpha": self.alpha, "log_evidence": self.own, "log_evidence_shared": self.shared}


@dataclass(frozen=True)
class Representation:
    """What was counted of the texts, and how events are modelled: data that likelihoods can be compared on."""

    features: str
    event: Event
    terms: int
    seconds: float  # to count
    own: Maximum | None  # None: the complement has no likelihood
    shared: Maximum | None
    evidences: tuple[Evidence, ...] = ()

    @property
    def name(self) -> str:
        """In short."""
        return f"{self.features} {self.event}"

    def evidence_at(self, alpha: float | None) -> float | None:
        """The log evidence of one alpha; None where there is none."""
        return next((each.own for each in self.evidences if each.alpha == alpha), None)

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "representation": self.name,
            "features": self.features,
            "event": self.event,
            "terms": self.terms,
            "own_words": None if self.own is None else self.own.to_json(),
            "shared_words": None if self.shared is None else self.shared.to_json(),
            "evidence": [each.to_json() for each in self.evidences],
            "seconds": self.seconds,
        }


@dataclass(frozen=True, eq=False)
class Texts:
    """What was counted: by class, and of all classes together."""

    counts: Counts
    together: Counts
    vocabulary: tuple[str, ...] | None

    @classmethod
    def of(cls, counts: Counts, vocabulary: tuple[str, ...] | None) -> Self:
        """Add the classes up."""
        return cls(counts, pooled(counts), vocabulary)

    def maxima(self, readings: Readings) -> tuple[Maximum, Maximum]:
        """At the ML estimate: with words of each class's own, and with the same for all."""
        readings = replace(readings, estimate="ml", calibrate=False).with_alpha(1.0)
        own, shared, terms = self._both(readings)
        classes, documents = len(self.counts.labels), float(self.counts.class_documents.sum()) * self.counts.unit
        free = terms if readings.event == "bernoulli" else max(terms - 1, 0)
        of_labels = 0 if readings.prior_is_given else classes - 1
        return (
            Maximum(own, of_labels + classes * free, documents),
            Maximum(shared, of_labels + free, documents),
        )

    def evidences(self, readings: Readings, alphas: Sequence[float]) -> tuple[Evidence, ...]:
        """Of each alpha, in order."""
        readings = replace(readings, estimate="integrated", calibrate=False)
        found = {alpha: self._both(readings.with_alpha(alpha)) for alpha in sorted(set(alphas))}
        return tuple(Evidence(alpha, own, shared) for alpha, (own, shared, _) in found.items())

    def _both(self, readings: Readings) -> tuple[float, float, int]:
        """log L with words of each class's own, and with the same for all; and how many terms there are."""
        weights = weights_of(self.counts, readings, self.vocabulary)
        own = log_likelihood_of(weights, readings)
        as_one = replace(readings, class_prior="ml")
        shared = log_likelihood_of(weights_of(self.together, as_one, self.vocabulary), as_one)
        return own.total, own.label + shared.feature, weights.reading.terms


def pooled(counts: Counts) -> Counts:
    """All classes as one."""
    documents = np.zeros(counts.terms, np.int64)
    np.add.at(documents, counts.pair_term, counts.pair_documents)
    length, place = np.unique(counts.length, return_inverse=True)
    length_documents = np.zeros(len(length), np.int64)
    np.add.at(length_documents, place, counts.length_documents)
    return replace(
        counts,
        labels=("all",),
        class_documents=np.array([counts.class_documents.sum()], np.int64),
        pair_offsets=np.arange(counts.terms + 1, dtype=np.int64),
        pair_class=np.zeros(counts.terms, np.int32),
        pair_occurrences=counts.term_totals(),
        pair_documents=documents,
        length_class=np.zeros(len(length), np.int32),
        length=length,
        length_documents=length_documents,
    )
