"""What a model holds: its sizes, its classes, and the likelihood of what it was trained on."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from priori.columns.class_prior import log_class_prior
from priori.columns.words.event_models import LogLikelihood, log_likelihood_of, no_likelihood
from priori.columns.words.term_ranking import Term, rank
from priori.errors import DataError, EstimateError
from priori.model.classifier import Model

Floats = npt.NDArray[np.float64]


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
    for term in rank(counts, "log-odds", most=top, but=model.analyzer.marks):
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
    if model.plain_readings.event == "complement":  # before its weights, which may not exist either
        raise no_likelihood()
    return log_likelihood_of(model.weights, model.plain_readings)


def _log_prior(model: Model) -> Floats:
    documents: Floats = model.counts.class_documents.astype(np.float64) * model.counts.unit
    return log_class_prior(model.labels, documents, model.readings.class_prior, model.readings.estimate)
