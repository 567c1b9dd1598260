"""Leave-one-out of a text model: each document scored as if it had never been learned, as n refits would."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from priori.classifier import Model
from priori.decisions import Evaluation, Scorecard
from priori.errors import DataError, EstimateError
from priori.fitted.calibration import log_normalized
from priori.left_out import Documents, LeftOut, Scores
from priori.sources import Batch
from priori.store import views

Floats = npt.NDArray[np.float64]


def encoded(model: Model, batches: Iterable[Batch], groups: Any = None, *, learned: bool = True) -> Documents:
    """Labelled documents as the model sees them, each to be left out alone, or with its group.

    groups: one for each document, or "texts": those of the same features. Documents that were not learned have nothing
    to be taken away.
    """
    parts = [_of_batch(model, batch) for batch in batches]
    if not parts:
        raise DataError("there are no documents to leave out; give those that were learned")
    documents = parts[0]
    for part in parts[1:]:
        documents = documents + part
    if groups is not None:
        documents = documents.texts_together() if isinstance(groups, str) else documents.in_blocks(groups)
    return documents if learned else documents.unlearned()


def _of_batch(model: Model, batch: Batch) -> Documents:
    if batch.label is None:
        raise DataError("the data has no labels, so what was learned of it is not known; name their column")
    place = {label: k for k, label in enumerate(model.labels)}
    labels = batch.label.to_pylist()
    classes = np.array([place.get(label, -1) for label in labels], np.int32)
    for row in np.flatnonzero(classes < 0)[:1]:
        if labels[row] is None:
            raise DataError("a document has no label, so it was not learned; leave it out of the data")
        raise DataError(f"class {labels[row]!r} was never learned; the model's are {', '.join(model.labels)}")
    weight = None if batch.weight is None else views.numbers(batch.weight)
    return Documents.of_encoded(model.encode(batch), classes, weight)


def left_out_scores(model: Model, documents: Documents, fixed: bool = False, jobs: int = 1) -> Scores:
    """log p(x, y) of each without its block, under the model's readings; alpha stays what it is."""
    readings = model.plain_readings
    return LeftOut.of(model.counts, readings, model.analyzer.vocabulary, documents, fixed).scores(readings, jobs)


def leave_one_out(model: Model, documents: Documents, fixed: bool = False, jobs: int = 1) -> Floats:
    """log p(y | x) of each without its block, (n, K): what refits would say, under the same alpha and calibration.

    Words that only the block had are unknown without it, unless the vocabulary is `fixed`; a class that only the block
    had is impossible.
    """
    scores = left_out_scores(model, documents, fixed, jobs)
    for row in np.flatnonzero(~np.isfinite(scores.joint.max(axis=1, initial=-np.inf)))[:1]:
        raise EstimateError(
            f"document {row} is impossible in every class without itself: it has words that no class would know, or no "
            "class would be left; smooth with alpha > 0, and learn more documents"
        )
    if model.calibration is None:
        return log_normalized(scores.joint)
    features = scores.known if model.counts_known_only else scores.features
    log_posterior = model.calibration.log_posterior(scores.joint, features, model.labels)
    return log_posterior if model.prior_shift is None else log_normalized(log_posterior + model.prior_shift)


def left_out_evaluation(model: Model) -> Evaluation:
    """What a model's probabilities are worth on its own kept documents, each left out with its copies."""
    sample = model.summary.sample
    if sample is None or not len(sample):
        raise DataError("the model keeps no documents to leave out; give a SOURCE to evaluate it on")
    documents = Documents.of_sample(sample, model.counts.unit)
    log_posterior = leave_one_out(model, documents)
    card = Scorecard(model.labels)
    card.add(np.exp(log_posterior), [model.labels[k] for k in documents.cls.tolist()], log_posterior)
    return card.result()


def left_out_evaluation_of(
    model: Model, batches: Iterable[Batch], group: str | None = None, loss: Any = None, jobs: int = 1
) -> Evaluation:
    """The same on documents that it has learned, each left out alone, or with those that have its `group`.

    group: a kept column of the batches; documents without a value there stand alone.
    """
    groups: list[str] = []
    documents = encoded(model, _gathered(batches, group, groups))
    if group is not None:
        documents = documents.in_blocks(groups)
    log_posterior = leave_one_out(model, documents, jobs=jobs)
    card = Scorecard(model.labels, loss)
    card.add(np.exp(log_posterior), [model.labels[k] for k in documents.cls.tolist()], log_posterior)
    return card.result()


def _gathered(batches: Iterable[Batch], group: str | None, groups: list[str]) -> Iterator[Batch]:
    """The same batches; the values of their group are put down as they pass."""
    for batch in batches:
        if group is not None:
            values = batch.keep[group].to_pylist()
            alone = (f"#{len(groups) + i}" for i in range(len(values)))
            groups += [
                other if value in (None, "") else f"={value}" for value, other in zip(values, alone, strict=True)
            ]
        yield batch
