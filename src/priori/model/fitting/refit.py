"""Smoothing and calibration fitted again, on a model's own kept documents or on others."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from priori.classifier import Model
from priori.corpus.summary import Summary
from priori.engines import count
from priori.errors import DataError
from priori.left_out import Documents
from priori.sources import Batch


def recalibrated(model: Model) -> Model:
    """Fitted again on the kept documents, each left out."""
    if model.summary.sample is None and model.readings.needs_documents:
        raise DataError("the model keeps no documents to fit on; give some: those it has learned, or held-out ones")
    return replace(model, stored=None)


def recalibrated_on(model: Model, batches: Iterable[Batch], held_out: bool = False, **options: Any) -> Model:
    """Fitted again on documents that the model has learned, each left out; or, `held_out`, on others as they are.

    At most as many as a model keeps are looked at, chosen by content. Options are those of `priori.engines.count`.
    """
    if not held_out:
        model.refuse_hidden()
    summary = count(iter(batches), model.analyzer, tokenizer=model.tokenizer, **options)
    if not summary.counts.labels:
        raise DataError(f"none of the {summary.rows:,} rows has a label, so nothing can be fitted; name the column")
    return model.fitted_on(_documents(model, summary, held_out))


def _documents(model: Model, summary: Summary, held_out: bool) -> Documents:
    """The documents that a pass has kept, as the model sees them."""
    sample = summary.sample
    if sample is None:
        raise DataError("the pass kept no documents; count with keep_sample=True")
    term = np.array(model.counts.find(summary.counts.term_texts()), np.int64)
    place = {label: k for k, label in enumerate(model.labels)}
    cls = np.array([place.get(label, -1) for label in summary.counts.labels], np.int32)
    new = [label for label, k in zip(summary.counts.labels, cls.tolist(), strict=True) if k < 0]
    if new:
        raise DataError(
            f"class {new[0]!r} was never learned; the model's are {', '.join(model.labels)}: learn it, or leave "
            "its documents out"
        )
    if not held_out and model.dropped is None and bool((term < 0).any()):  # pruned words are no more, though learned
        word = summary.counts.term(int(np.flatnonzero(term < 0)[0]))
        raise DataError(
            f"the model has never seen {word!r}, so these are not the documents it has learned; say that they are held "
            "out (--held-out), or give those it has learned"
        )
    documents = Documents.of_sample(sample, summary.counts.unit, model.analyzer.binary)
    known = term[documents.term] >= 0
    kept = np.concatenate([[0], np.cumsum(known)])
    size = np.concatenate([[0], np.cumsum(np.where(known, 0, documents.count))])
    documents = replace(
        documents,
        offsets=kept[documents.offsets].astype(np.int64),
        term=term[documents.term][known].astype(np.int32),
        count=documents.count[known],
        cls=cls[documents.cls],
        unknown=np.diff(size[documents.offsets]).astype(np.int64),
    )
    return documents.unlearned() if held_out else documents
