"""Leave-one-out of a text model: each document scored as if it had never been learned, as n refits would."""

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from priori.columns.words.left_out.closed_form import Scores
from priori.columns.words.left_out.grouped_rows import Documents
from priori.columns.words.left_out.groups import left_out_of
from priori.errors import DataError, EstimateError
from priori.model.classifier import Model
from priori.model.fitting.calibration import log_normalized
from priori.statistics.term_counts import UNIT_BITS, to_units

if TYPE_CHECKING:  # kept documents are left out without what reads sources
    from priori.data.batch import Batch

Floats = npt.NDArray[np.float64]


def encoded(model: Model, batches: "Iterable[Batch]", groups: Any = None, *, learned: bool = True) -> Documents:
    """Labelled documents as the model sees them, each to be left out alone, or with its group.

    groups: one for each document, or "texts": those of the same features. Documents that were not learned have nothing
    to be taken away; those that were have no feature that the model has never seen, unless it counts some only.
    """
    if learned:
        model.refuse_hidden()
    parts: list[Documents] = []
    for batch in batches:
        parts.append(_of_batch(model, batch))
        if learned and model.analyzer.vocabulary is None and model.dropped is None:
            _refuse_unseen(model, batch, parts)
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


def _of_batch(model: Model, batch: "Batch") -> Documents:
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
    weight = None
    if batch.weight is not None:
        from priori.store import arrow_views

        weight = to_units(arrow_views.numbers(batch.weight)).astype(np.float64) * 0.5**UNIT_BITS
    documents = Documents.of_encoded(model.whole.encode(batch), classes, weight)
    return documents if model.whole is model else _of_counted(model, documents)


def _of_counted(model: Model, documents: Documents) -> Documents:
    """In the terms of the counts; a vocabulary may have others, which no document had that was learned."""
    reading = model.whole.weights.reading
    if reading.seen is None:
        return documents
    place = np.full(reading.terms, -1, np.int64)
    place[reading.seen] = np.arange(len(reading.seen))
    return documents.of_places(place)


def _refuse_unseen(model: Model, batch: "Batch", parts: list[Documents]) -> None:
    """Refuse the first document of the last part that has a feature which the model has never seen."""
    unknown = parts[-1].unknown
    for row in [] if unknown is None else np.flatnonzero(unknown)[:1].tolist():
        from priori.model.learning import count

        alone = replace(batch.row(row), label=None if batch.label is None else batch.label.slice(row, 1))
        features = count(iter([alone]), model.analyzer, tokenizer=model.tokenizer, keep_sample=False).counts
        new = np.flatnonzero(np.array(model.counts.find(features.term_texts())) < 0)
        raise DataError(
            f"the model has never seen {features.term(int(new[0]))!r}, so document "
            f"{sum(map(len, parts[:-1])) + row} was not learned and cannot be left out; give those it has learned"
        )


def left_out_scores(model: Model, documents: Documents, fixed: bool = False, jobs: int = 1) -> Scores:
    """log p(x, y) of each without its block, under the model's readings; alpha stays what it is."""
    readings = model.plain_readings
    analyzer = model.analyzer
    left = left_out_of(model.counts, readings, analyzer.vocabulary, documents, fixed=fixed, grams=analyzer.grams)
    return left.scores(readings, jobs)


def leave_one_out(model: Model, documents: Documents, fixed: bool = False, jobs: int = 1) -> Floats:
    """log p(y | x) of each without its block, (n, K): what refits would say, under the same alpha and calibration.

    Words that only the block had are unknown without it, unless the vocabulary is `fixed`; a class that only the block
    had is impossible.
    """
    return _log_posterior(model, left_out_scores(model, documents, fixed, jobs), classes_left(model, documents))


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


def classes_left(model: Model, documents: Documents) -> Floats:
    """How many documents are left of each class without each document's block, (n, K)."""
    blocks, block = np.unique(documents.block, return_inverse=True)
    taken = np.zeros((len(blocks), len(model.labels)))
    learned = documents.cls >= 0
    np.add.at(taken, (block[learned], documents.cls[learned]), documents.weight[learned])
    return np.asarray(model.counts.class_documents * model.counts.unit - taken)[block]
