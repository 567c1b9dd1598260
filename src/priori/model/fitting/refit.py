"""What was fitted, fitted again, on what a model keeps or on others: smoothing, calibration, powers of columns."""

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from priori.columns.words.counter import Summary
from priori.columns.words.left_out.grouped_rows import Documents
from priori.data.batch import Batch
from priori.errors import DataError, NegativeCountError
from priori.model.classifier import Model
from priori.model.learning import count

if TYPE_CHECKING:  # tables are loaded when there is one
    from priori.model.table_classifier import TableModel
    from priori.model.totals import Labelled, TableStatistics


def recalibrated(model: Model) -> Model:
    """Fitted again on the kept documents, each left out."""
    if model.summary.sample is None and model.readings.needs_documents:
        raise DataError("the model keeps no documents to fit on; give some: those it has learned, or held-out ones")
    return replace(model, stored=None)


def recalibrated_on(model: Model, batches: Iterable[Batch], held_out: bool = False, **options: Any) -> Model:
    """Fitted again on documents that the model has learned, each left out; or, `held_out`, on others as they are.

    At most as many as a model keeps are looked at, chosen by content.
    Options are those of `priori.model.learning.count`.
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


def table_recalibrated(model: "TableModel") -> "TableModel":
    """Fitted again on the kept rows, each left out."""
    _refuse_given_powers(model)
    model.statistics.refuse_hidden()
    if model.kept is None:
        raise DataError("the model keeps no rows to fit on; give some: those it has learned, or held-out ones")
    return replace(model, stored=None)


def table_recalibrated_on(
    model: "TableModel", data: "Iterable[Labelled]", held_out: bool = False, jobs: int | None = None
) -> "TableModel":
    """Fitted again on rows that the model has learned, each left out; or, `held_out`, on others as they are.

    At most as many as a model keeps are looked at, chosen by content.
    """
    _refuse_given_powers(model)
    if not held_out:
        model.statistics.refuse_hidden()
    from priori.model.table_classifier import TableModel

    # subtle: by itself, for a sample of the model's own threshold would be as thin as the one it keeps
    alone = TableModel.train(data, model.schema, model.parts, model.readings, keep_sample=True, jobs=jobs)
    _refuse_useless(model, alone.statistics, held_out)
    return model if alone.kept is None else model.fitted_on(alone.kept, held_out)


def _refuse_given_powers(model: "TableModel") -> None:
    given = model.readings.temper
    if given != "auto":
        raise DataError(f"the powers of the columns are given, {given:g}, so none are fitted; choose temper 'auto'")


def _refuse_useless(model: "TableModel", given: "TableStatistics", held_out: bool) -> None:
    """Refuse rows that say nothing of the powers."""
    for label in given.labels:
        if label not in model.labels:
            raise DataError(
                f"class {label!r} was never learned; the model's are {', '.join(model.labels)}: learn it, or leave "
                "its rows out"
            )
    if len(given.labels) < 2:
        raise DataError(
            f"the rows are all of class {given.labels[0]!r}, so they do not say how far columns tell it from others; "
            "give rows of two classes or more"
        )
    if held_out:
        return
    try:
        (model.statistics - given).refuse_negative(model.parts)
    except NegativeCountError as error:
        raise DataError(
            "some of the rows were never learned with this label (and weight), so they cannot be left out; give "
            "learned ones, or say that they are held out (--held-out)"
        ) from error
