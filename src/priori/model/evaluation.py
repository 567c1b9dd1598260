"""What a model says about the documents or rows that it keeps, each as if it had never been learned."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from priori.classifier import Model
from priori.decisions import (
    Evaluation,
    Threshold,
    evaluation_of,
    threshold_for_false_positives,
    threshold_for_precision,
)
from priori.errors import DataError
from priori.leave_one_out import classes_left, judged_posterior
from priori.left_out import Documents
from priori.statistics.by_class import in_rows

if TYPE_CHECKING:  # what columns need is slow to import, and a message is decided without it
    from priori.table_classifier import TableModel

Floats = npt.NDArray[np.float64]
Promise: TypeAlias = Literal["false positives", "precision"]

_MOST_ROWS = 10_000_000  # of equal rows, each told apart; more promise nothing more


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
    from priori.table_left_out import kept_left_out

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
