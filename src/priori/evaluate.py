"""A model measured on labelled documents."""

from collections.abc import Callable, Iterable

from priori.classifier import Model
from priori.decisions import Evaluation, Scorecard
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
) -> Evaluation:
    """One pass over labelled batches; documents without a label are skipped and counted."""
    card = Scorecard(model.labels)
    workers, documents = threads(jobs), 0
    for batch in batches:
        if batch.label is None:
            raise DataError("the data has no labels to compare with; name their column with --label (label=)")
        posterior = model.posterior(batch, workers)
        underflow = bool((posterior == 0).any())  # then the logarithms say more than the probabilities
        logs = model.log_posterior(batch, workers) if underflow else None
        card.add(posterior, batch.label.to_pylist(), logs)
        documents += len(batch)
        if progress is not None:
            progress(Progress(documents, batch.bytes_read, batch.bytes_total))
    return card.result()
