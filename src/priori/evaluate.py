"""A model measured on labelled documents."""

from collections.abc import Callable, Iterable
from typing import Any

from priori.classifier import Model
from priori.decisions import UNDERFLOW, Evaluation, Scorecard, Worst
from priori.engines import Progress
from priori.errors import DataError
from priori.sources import Batch
from priori.threads import threads


def evaluate(
    model: Model,
    batches: Iterable[Batch],
    *,
    jobs: int | None = None,
    progress: Callable[[Progress], None] | None = None,
    loss: Any = None,
    worst: Worst[Batch] | None = None,
) -> Evaluation:
    """One pass over labelled batches; documents without a label are skipped and counted.

    loss: (A, K), what decisions are charged by. worst: is shown every batch, to keep the documents it wants.
    """
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
