"""What a model is worth: on labelled documents or rows, on learned ones left out, and on those that it keeps."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from priori.columns.words.left_out.grouped_rows import Documents
from priori.decisions import (
    UNDERFLOW,
    Evaluation,
    Scorecard,
    Threshold,
    Worst,
    evaluation_of,
    threshold_for_false_positives,
    threshold_for_precision,
)
from priori.errors import DataError
from priori.model.classifier import Model
from priori.model.leave_one_out import classes_left, encoded, judged_posterior
from priori.statistics.by_class import in_rows
from priori.threads import threads

if TYPE_CHECKING:  # what columns need is slow to import, and a message is decided without it
    from priori.data.batch import Batch, TableBatch
    from priori.data.tables import LabelledBatch
    from priori.model.learning import Progress
    from priori.model.table_classifier import TableModel
    from priori.model.totals import Labelled

Floats = npt.NDArray[np.float64]
Promise: TypeAlias = Literal["false positives", "precision"]

_MOST_ROWS = 10_000_000  # of equal rows, each told apart; more promise nothing more


def evaluate(
    model: Model,
    batches: "Iterable[Batch]",
    *,
    jobs: int | None = None,
    progress: "Callable[[Progress], None] | None" = None,
    loss: Any = None,
    worst: "Worst[Batch] | None" = None,
) -> Evaluation:
    """One pass over labelled batches; documents without a label are skipped and counted.

    loss: (A, K), what decisions are charged by. worst: is shown every batch, to keep the documents it wants.
    """
    from priori.model.learning import Progress

    card = Scorecard(model.labels, loss)
    workers, documents = threads(jobs), 0
    for batch in batches:
        if batch.label is None:
            raise DataError("the data has no labels to compare with; name their column with --label (label=)")
        posterior = model.posterior(batch, workers)
        underflow = bool((posterior < UNDERFLOW).any())  # then the logarithms say more than the probabilities
        logs = model.log_posterior(batch, workers) if underflow else None
        truth = batch.label.to_pylist()
        card.add(posterior, truth, logs)
        if worst is not None:
            worst.add(posterior, truth, batch.row, logs)
        documents += len(batch)
        if progress is not None:
            progress(Progress(documents, batch.bytes_read, batch.bytes_total))
    return card.result()


def evaluate_table(
    model: "TableModel",
    batches: "Iterable[LabelledBatch]",
    *,
    progress: "Callable[[Progress], None] | None" = None,
    loss: Any = None,
    worst: "Worst[TableBatch] | None" = None,
) -> Evaluation:
    """One pass over labelled batches; rows without a label are skipped and counted.

    loss: (A, K), what decisions are charged by. worst: is shown every batch, to keep the rows it wants.
    """
    from priori.model.learning import Progress

    card, rows = Scorecard(model.labels, loss), 0
    for batch in batches:
        if batch.labels is None:
            raise DataError("the table has no labels to compare with; name their column with --label (label=)")
        logs = model.log_posterior(batch.table)
        posterior, truth = np.exp(logs), batch.labels.to_pylist()
        card.add(posterior, truth, logs)
        if worst is not None:
            worst.add(posterior, truth, batch.table.row, logs)
        rows += len(batch)
        if progress is not None:
            progress(Progress(rows, batch.bytes_read, batch.bytes_total))
    return card.result()


def left_out_evaluation_of(
    model: Model, batches: "Iterable[Batch]", group: str | None = None, loss: Any = None, jobs: int = 1
) -> Evaluation:
    """What probabilities are worth on documents that were learned, each left out alone, or with its `group`.

    group: a kept column of the batches; documents without a value there stand alone. Those without a label are skipped
    and counted.
    """
    passed = _Passed(group)
    documents = encoded(model, passed.labelled(batches))
    if not len(documents):
        raise DataError(f"none of the {passed.unlabelled:,} documents has a label; name the column with --label")
    if group is not None:
        documents = documents.in_blocks(passed.groups)
    log_posterior = judged_posterior(model, documents, jobs)
    found = evaluation_of(model.labels, log_posterior, [model.labels[k] for k in documents.cls.tolist()], loss)
    return replace(found, unlabelled=passed.unlabelled)


def left_out_evaluation_of_rows(
    model: "TableModel", data: "Iterable[Labelled]", groups: Sequence[Any] | None = None, loss: Any = None
) -> Evaluation:
    """What a model is worth on rows that it has learned, each as if it (or all of its group) had never been.

    Rows without a label are skipped and counted.
    """
    from priori.model.table_left_out import leave_one_out

    parts = list(data)
    truth = [(*part.labels, None)[k] for part in parts for k in part.group.tolist()]
    return evaluation_of(model.labels, leave_one_out(model, parts, groups, skip_unlabelled=True), truth, loss)


@dataclass(frozen=True, eq=False)
class Kept:
    """log p(y | x) of each without itself, and what stands or falls together: copies of a text."""

    labels: tuple[str, ...]
    log_posterior: Floats  # (n, K)
    cls: npt.NDArray[np.intp]  # (n,)
    group: npt.NDArray[np.int64]  # (n,)
    weight: Floats  # (n,) how often it was learned
    noun: str  # document or row
    judged: npt.NDArray[np.bool_]  # (n,): whether its class is there without it; else there is nothing to judge it by
    lone: int = 0  # how many are the only ones of their class, here or not

    def threshold(self, positive: str, promise: Promise, rate: float, confidence: float | None = 0.95) -> Threshold:
        """The threshold on p(positive | x) that keeps one of two promises; see `priori.decisions.thresholds`.

        A text counts once. For a precision it is right only if none of its copies has another label: which label comes
        first among copies is the order of the classes, and says nothing of what a new document will be.
        """
        k = self.labels.index(positive)
        scores, right = np.exp(self.log_posterior[:, k]), self.cls == k
        if promise == "false positives":
            return threshold_for_false_positives(scores, ~right, rate, confidence=confidence, groups=self.group)
        if confidence is None:
            raise DataError("a precision on average over samples is no promise; give a confidence, such as 0.95")
        return threshold_for_precision(scores, right, rate, confidence=confidence, groups=self.group)

    def evaluation(self, loss: Any = None) -> Evaluation:
        """What the probabilities are worth on them, and with a loss what decisions cost."""
        some = np.flatnonzero(self.judged)
        if not len(some):
            raise DataError(_all_lone(self.noun))
        truth = [self.labels[k] for k in self.cls[some].tolist()]
        return evaluation_of(self.labels, self.log_posterior[some], truth, loss)


def kept_of(model: "Model | TableModel", jobs: int = 1) -> Kept:
    """The kept documents of a model, each left out with its copies; or the kept rows of a table, each alone."""
    return _kept_documents(model, jobs) if isinstance(model, Model) else _kept_rows(model)


def _kept_documents(model: Model, jobs: int) -> Kept:
    sample = model.summary.sample
    if model.summary.hidden:
        raise DataError(_taught("documents"))
    if sample is None or not len(sample):
        raise DataError(_none("documents"))
    documents = Documents.of_sample(sample, model.counts.unit, model.analyzer.binary)
    log_posterior = judged_posterior(model, documents, jobs)
    cls, group = documents.cls.astype(np.intp), documents.block.astype(np.int64)
    judged = classes_left(model, documents)[np.arange(len(cls)), cls] > 0
    return Kept(model.labels, log_posterior, cls, group, documents.weight, "document", judged, int((~judged).sum()))


def _kept_rows(model: "TableModel") -> Kept:
    """Equal rows are no copies: each counts where all rows are kept; of a sample of different rows each counts once."""
    from priori.model.table_left_out import kept_left_out

    kept = model.kept
    if model.statistics.hidden:
        raise DataError(_taught("rows"))
    if kept is None and model.kind != "naive_bayes":
        raise DataError(
            "a Gaussian discriminant keeps no rows that could be left out; give a SOURCE with --leave-one-out, or use "
            "naive Bayes (--model naive-bayes)"
        )
    if kept is None or not len(kept):
        raise DataError(_none("rows"))
    log_posterior, some = kept_left_out(model, kept)
    if not len(some):
        raise DataError(_all_lone("row"))
    cls = kept.rows(model.labels).group[some].astype(np.intp)
    if kept.bits == 0:
        weight = in_rows(kept.weight[some])
        times = np.maximum(1, np.floor(weight * min(1.0, _MOST_ROWS / float(weight.sum()))))
        each = np.repeat(np.arange(len(some)), times.astype(np.intp))
        log_posterior, cls = log_posterior[each], cls[each]
    group, lone = np.arange(len(cls), dtype=np.int64), len(kept) - len(some)
    return Kept(model.labels, log_posterior, cls, group, np.ones(len(cls)), "row", np.ones(len(cls), bool), lone)


def _all_lone(noun: str) -> str:
    return f"no kept {noun} can be left out, for each is the only one of its class; learn more {noun}s"


def _taught(what: str) -> str:
    return (
        f"this model has learned from {what} without a label, so it keeps none: what they taught each other cannot be "
        "left out; give a SOURCE with labels that it has not learned"
    )


def _none(what: str) -> str:
    return (
        f"this model keeps no {what} that could be left out; train it with keep_sample=True (without --no-sample), or "
        "give a SOURCE to evaluate it on"
    )


@dataclass
class _Passed:
    """What is put down of batches as they pass: the values of their group, and how many have no label."""

    group: str | None
    groups: list[str] = field(default_factory=list)
    unlabelled: int = 0

    def labelled(self, batches: "Iterable[Batch]") -> "Iterator[Batch]":
        """The same batches without the documents that have no label."""
        for batch in batches:
            label = batch.label
            some = batch if label is None or not label.null_count else _only(batch, label.is_valid())
            self.unlabelled += len(batch) - len(some)
            if self.group is not None:
                values = some.keep[self.group].to_pylist()
                first = len(self.groups)
                self.groups += [f"#{first + i}" if v in (None, "") else f"={v}" for i, v in enumerate(values)]
            yield some


def _only(batch: "Batch", there: Any) -> "Batch":
    """The documents where an Arrow array has true."""
    label, weight = (None if cells is None else cells.filter(there) for cells in (batch.label, batch.weight))
    fields, keep = (
        {name: cells.filter(there) for name, cells in columns.items()} for columns in (batch.fields, batch.keep)
    )
    return replace(batch, text=batch.text.filter(there), label=label, weight=weight, fields=fields, keep=keep)
