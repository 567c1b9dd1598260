"""A model of a table measured on labelled rows."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from priori.columns.statistics import Labelled
from priori.decisions import Evaluation, Scorecard, Worst, evaluation_of
from priori.engines import Progress
from priori.errors import DataError
from priori.table_classifier import TableModel
from priori.table_left_out import leave_one_out
from priori.tables import LabelledBatch, TableBatch


def evaluate_table(
    model: TableModel,
    batches: Iterable[LabelledBatch],
    *,
    progress: Callable[[Progress], None] | None = None,
    loss: Any = None,
    worst: Worst[TableBatch] | None = None,
) -> Evaluation:
    """One pass over labelled batches; rows without a label are skipped and counted.

    loss: (A, K), what decisions are charged by. worst: is shown every batch, to keep the rows it wants.
    """
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


def left_out_evaluation_of_rows(
    model: TableModel, data: Iterable[Labelled], groups: Sequence[Any] | None = None, loss: Any = None
) -> Evaluation:
    """What a model is worth on rows that it has learned, each as if it (or all of its group) had never been.

    Rows without a label are skipped and counted.
    """
    parts = list(data)
    truth = [(*part.labels, None)[k] for part in parts for k in part.group.tolist()]
    return evaluation_of(model.labels, leave_one_out(model, parts, groups, skip_unlabelled=True), truth, loss)
