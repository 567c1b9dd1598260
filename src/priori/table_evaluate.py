"""A model of a table measured on labelled rows."""

from collections.abc import Callable, Iterable

import numpy as np

from priori.decisions import Evaluation, Scorecard
from priori.engines import Progress
from priori.errors import DataError
from priori.table_classifier import TableModel
from priori.tables import LabelledBatch


def evaluate_table(
    model: TableModel, batches: Iterable[LabelledBatch], *, progress: Callable[[Progress], None] | None = None
) -> Evaluation:
    """One pass over labelled batches; rows without a label are skipped and counted."""
    card, rows = Scorecard(model.labels), 0
    for batch in batches:
        if batch.labels is None:
            raise DataError("the table has no labels to compare with; name their column with --label (label=)")
        logs = model.log_posterior(batch.table)
        card.add(np.exp(logs), batch.labels.to_pylist(), logs)
        rows += len(batch)
        if progress is not None:
            progress(Progress(rows, batch.bytes_read, batch.bytes_total))
    return card.result()
