"""A model of texts as the commands use it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from priori.cli.models import Asked, Loaded, Revised, Size
from priori.cli.options.common import refuse_table_options
from priori.cli.options.model import changed_readings
from priori.cli.output.predictions import Predictions
from priori.cli.sources import batches_for, document_of, row_of, text_of
from priori.errors import MergeError

if TYPE_CHECKING:
    from priori.columns.words.readings import Alpha
    from priori.data.batch import Batch
    from priori.data.options import ReadOptions
    from priori.decisions import Evaluation, Worst
    from priori.model.classifier import Model
    from priori.model.drift import Drift
    from priori.model.explanation import Explanation
    from priori.model.learning import Progress
    from priori.report import Report


@dataclass(frozen=True)
class LoadedTexts(Loaded):
    """A model of texts, and its file."""

    path: str
    model: "Model"
    noun: ClassVar[str] = "document"
    left_to_data: ClassVar[str] = "its smoothing and calibration"

    @property
    def size(self) -> Size:
        """Documents and terms."""
        counts = self.model.counts
        documents = float(counts.class_documents.sum() * counts.unit)
        return Size("document", documents if counts.unit_bits else int(documents), "term", counts.terms, "documents")

    def read_as(self, given: dict[str, Any]) -> Self:
        """Read as the reading options ask."""
        refuse_table_options(f"{self.path} is a model of texts")
        fresh: Alpha = "auto" if self.model.summary.sample is not None else 1.0
        return replace(self, model=self.model.read_as(changed_readings(self.model.readings, given, fresh)))

    def refuse_impossible(self) -> None:
        """Refuse an estimate that does not exist."""
        _ = self.model.weights

    def messages(self, texts: Sequence[str]) -> Predictions:
        """Texts of the command line, classified."""
        return Predictions(self.model.posterior_of_texts(list(texts)), {})

    def predictions(
        self, sources: Sequence[str], options: "ReadOptions", jobs: int | None, progress: "Callable[[Progress], None]"
    ) -> Iterator[Predictions]:
        """Batch by batch, while the next one is being read."""
        from priori.model.learning import Progress
        from priori.threads import read_ahead, threads

        workers, documents = threads(jobs), 0
        for batch in read_ahead(batches_for(self.model, sources, options)):
            yield Predictions(self.model.posterior(batch, workers), batch.keep)
            documents += len(batch)
            progress(Progress(documents, batch.bytes_read, batch.bytes_total))

    def evaluation(
        self, sources: Sequence[str], options: "ReadOptions", jobs: int | None,
        progress: "Callable[[Progress], None]", *, loss: Any = None, worst: "Worst[Any] | None" = None,
    ) -> "Evaluation":  # fmt: skip
        """Measured on labelled documents."""
        from priori.model.evaluation import evaluate
        from priori.threads import read_ahead

        batches = read_ahead(batches_for(self.model, sources, options))
        return evaluate(self.model, batches, jobs=jobs, progress=progress, loss=loss, worst=worst)

    def left_out_evaluation(
        self, sources: Sequence[str], options: "ReadOptions", group: str | None, jobs: int | None,
        progress: "Callable[[Progress], None]", *, loss: Any = None,
    ) -> "Evaluation":  # fmt: skip
        """Measured on learned documents, each left out."""
        from priori.model.evaluation import left_out_evaluation_of
        from priori.threads import threads

        batches = batches_for(self.model, sources, replace(options, keep=() if group is None else (group,)))
        return left_out_evaluation_of(self.model, batches, group, loss, threads(jobs))

    def drift(
        self, sources: Sequence[str], options: "ReadOptions", jobs: int | None, progress: "Callable[[Progress], None]"
    ) -> "Drift":
        """Unlabelled documents against those learned."""
        from priori.model.drift import drift
        from priori.threads import read_ahead

        batches = read_ahead(batches_for(self.model, sources, options))
        return drift(self.model, batches, jobs=jobs, progress=progress)

    def report(self, found: "Evaluation", worst: "Worst[Any]", sources: Sequence[str]) -> "Report":
        """What it is worth, what it goes by, and its worst mistakes."""
        from priori.report import text_report

        fitted = self.model.fitted
        curve = None if fitted is None else fitted.curve
        shown = None if curve is None else (curve.alphas, curve.losses, curve.chosen)
        return text_report(self.model, found, worst.result(), name=self.path, sources=sources, curve=shown)

    def explanation(self, asked: Asked, options: "ReadOptions") -> "Explanation":
        """Of a text, or of a document of a source."""
        from priori.model.explanation import explain

        if asked.source is None:
            document = document_of(text_of(asked.message or ""))
        else:
            document = row_of(batches_for(self.model, [asked.source], options), asked.row, asked.source)
        return explain(self.model, document, asked.label, asked.against)

    def revised(
        self, verb: str, sources: Sequence[str], options: "ReadOptions", jobs: int | None,
        progress: "Callable[[Progress], None]",
    ) -> Revised:  # fmt: skip
        """With more documents, or without some."""
        model = self.model
        change = model.learn if verb == "learn" else model.forget
        changed = change(
            self._learnable(sources, options), jobs=jobs, weighted=options.weight is not None, progress=progress
        )
        changed.counts.refuse_negative()
        before, after = model.summary, changed.summary
        return Revised(replace(self, model=changed), after.rows - before.rows, after.unlabelled - before.unlabelled)

    def _learnable(self, sources: Sequence[str], options: "ReadOptions") -> "Iterator[Batch]":
        """What sources hold, as it is learned and forgotten."""
        return batches_for(self.model, sources, options)

    def recalibrated(
        self, sources: Sequence[str], options: "ReadOptions", held_out: bool, jobs: int | None,
        progress: "Callable[[Progress], None]",
    ) -> Self:  # fmt: skip
        """On the kept documents, or on those of sources."""
        from priori.model.fitting.refit import recalibrated, recalibrated_on

        if not sources:
            return replace(self, model=recalibrated(self.model))
        weighted = options.weight is not None
        batches = batches_for(self.model, sources, options)
        changed = recalibrated_on(self.model, batches, held_out, jobs=jobs, weighted=weighted, progress=progress)
        return replace(self, model=changed)

    @property
    def how_to_refit(self) -> str:
        """Documents that were learned cannot be left out of what they have taught those without a label."""
        return " --held-out" if self.model.summary.hidden else ""

    def fitted_facts(self) -> dict[str, Any] | None:
        """Alpha, calibration, and the losses of the left-out documents."""
        fitted = self.model.fitted
        return None if fitted is None else fitted.facts()

    def fitted_line(self, held_out: bool = False) -> str:
        """Alpha and the losses, in a line."""
        if self.model.fitted is None:
            return "nothing is left to the documents"
        return str(self.model.fitted)  # which knows by itself whether they were held out

    @property
    def alpha(self) -> float | None:
        """The alpha that was fitted."""
        return None if self.model.fitted is None else self.model.fitted.alpha

    @property
    def weighted(self) -> bool:
        """Whether the counts are of small units, as weights need them."""
        return self.model.counts.unit_bits > 0

    def plus(self, other: Loaded) -> Self:
        """The counts added up."""
        if not isinstance(other, LoadedTexts):
            raise MergeError(
                f"{self.path} is a model of texts and {other.path} one of a table; merge models of one kind"
            )
        total = self.model + other.model
        total.counts.refuse_negative()
        return replace(self, model=total)

    def save(self, path: str) -> None:
        """Write the model file."""
        self.model.save(path)
