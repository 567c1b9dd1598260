"""Leave-one-out of a text model: each document scored as if it had never been learned, as n refits would."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from priori.classifier import Model
from priori.decisions import Evaluation, evaluation_of
from priori.errors import DataError, EstimateError
from priori.fitted.calibration import log_normalized
from priori.left_out import Documents, LeftOut, Scores
from priori.sources import Batch
from priori.statistics.counts import UNIT_BITS, to_units
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
    if isinstance(groups, str) and groups == "texts":
        documents = documents.texts_together()
    elif groups is not None:
        documents = documents.in_blocks(groups)
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
        raise DataError(
            f"class {labels[row]!r} was never learned; the model's are {', '.join(model.labels)}: learn it, or leave "
            "its documents out"
        )
    # as it was counted: weights are whole numbers of small units
    weight = None if batch.weight is None else to_units(views.numbers(batch.weight)).astype(np.float64) * 0.5**UNIT_BITS
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
    return _log_posterior(model, left_out_scores(model, documents, fixed, jobs), _classes_left(model, documents))


def judged_posterior(model: Model, documents: Documents, jobs: int = 1) -> Floats:
    """The same as labels are judged by: a class that only the block had may be told by noise, so no loss is infinite.

    Only if the model is calibrated, for else there is no noise.
    """
    return _log_posterior(model, left_out_scores(model, documents, jobs=jobs))


def _log_posterior(model: Model, scores: Scores, left: Floats | None = None) -> Floats:
    """With `left`, (n, K), the documents of each class that are left: a class without any is none."""
    for row in np.flatnonzero(~np.isfinite(scores.joint.max(axis=1, initial=-np.inf)))[:1]:
        raise EstimateError(
            f"document {row} is impossible in every class without itself: it has words that no class would know, or no "
            "class would be left; smooth with alpha > 0, and learn more documents"
        )
    if model.calibration is None:
        return log_normalized(scores.joint)
    features = scores.known if model.counts_known_only else scores.features
    gone = None if left is None else left <= 0
    log_posterior = model.calibration.log_posterior(scores.joint, features, model.labels, gone)
    if model.prior_shift is None:
        return log_posterior
    if left is None:
        return log_normalized(log_posterior + model.prior_shift)
    # the given prior over that of the documents left, up to what is the same for all classes
    learned = model.counts.class_documents * model.counts.unit
    return log_normalized(log_posterior + model.prior_shift + np.log(learned / np.where(left > 0, left, learned)))


def _classes_left(model: Model, documents: Documents) -> Floats:
    """How many documents are left of each class without each document's block, (n, K)."""
    blocks, block = np.unique(documents.block, return_inverse=True)
    taken = np.zeros((len(blocks), len(model.labels)))
    learned = documents.cls >= 0
    np.add.at(taken, (block[learned], documents.cls[learned]), documents.weight[learned])
    return np.asarray(model.counts.class_documents * model.counts.unit - taken)[block]


def left_out_evaluation_of(
    model: Model, batches: Iterable[Batch], group: str | None = None, loss: Any = None, jobs: int = 1
) -> Evaluation:
    """What probabilities are worth on documents that were learned, each left out alone, or with its `group`.

    group: a kept column of the batches; documents without a value there stand alone.
    """
    groups: list[str] = []
    documents = encoded(model, _gathered(batches, group, groups))
    if group is not None:
        documents = documents.in_blocks(groups)
    log_posterior = judged_posterior(model, documents, jobs)
    return evaluation_of(model.labels, log_posterior, [model.labels[k] for k in documents.cls.tolist()], loss)


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
