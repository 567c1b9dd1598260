"""A model of a table as the commands use it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import click

from priori.cli.models import Asked, Loaded, Revised, Size
from priori.cli.options.columns import changed_table_readings
from priori.cli.options.common import given_options, refuse_text_options
from priori.cli.output.predictions import Predictions
from priori.cli.table_sources import labelled_rows, table_for, table_row, watched
from priori.errors import MergeError

if TYPE_CHECKING:
    from priori.data.options import ReadOptions
    from priori.data.tables import LabelledBatch
    from priori.decisions import Evaluation, Worst
    from priori.model.drift import Drift
    from priori.model.explanation import Explanation
    from priori.model.learning import Progress
    from priori.model.table_classifier import TableModel
    from priori.report import Report


@dataclass(frozen=True)
class LoadedTable(Loaded):
    """A model of a table, and its file."""

    path: str
    model: "TableModel"
    noun: ClassVar[str] = "row"
    left_to_data: ClassVar[str] = "the powers of its columns"

    @classmethod
    def load(cls, path: str) -> Self:
        """From its file, checked."""
        from priori.model.table_classifier import TableModel

        return cls(path, TableModel.load(path))

    @property
    def size(self) -> Size:
        """Rows and columns."""
        rows = float(self.model.statistics.n.sum())
        columns = {column for part in self.model.parts for column in part.columns}
        return Size("row", int(rows) if rows.is_integer() else rows, "column", len(columns), "total_rows")

    def read_as(self, given: dict[str, Any]) -> Self:
        """Read as the reading options ask."""
        self._refuse_text_options()
        return replace(self, model=self.model.read_as(changed_table_readings(self.model.readings, given)))

    def refuse_impossible(self) -> None:
        """Refuse an estimate that does not exist."""
        from priori.data.batch import TableBatch

        self.model.log_posterior(TableBatch.empty(self.model.schema))

    def messages(self, texts: Sequence[str]) -> Predictions:
        """Refused: a text is no row."""
        raise click.UsageError(
            f"--message is a text, and {self.path} is a model of a table; give a SOURCE with its rows"
        )

    def predictions(
        self, sources: Sequence[str], options: "ReadOptions", jobs: int | None, progress: "Callable[[Progress], None]"
    ) -> Iterator[Predictions]:
        """Batch by batch, while the next one is being read."""
        for batch in watched(self._batches(sources, options), progress):
            yield Predictions(self.model.posterior(batch.table), batch.keep)

    def evaluation(
        self, sources: Sequence[str], options: "ReadOptions", jobs: int | None,
        progress: "Callable[[Progress], None]", *, loss: Any = None, worst: "Worst[Any] | None" = None,
    ) -> "Evaluation":  # fmt: skip
        """Measured on labelled rows."""
        from priori.model.evaluation import evaluate_table

        return evaluate_table(self.model, self._batches(sources, options), progress=progress, loss=loss, worst=worst)

    def left_out_evaluation(
        self, sources: Sequence[str], options: "ReadOptions", group: str | None, jobs: int | None,
        progress: "Callable[[Progress], None]", *, loss: Any = None,
    ) -> "Evaluation":  # fmt: skip
        """Measured on learned rows, each left out, with its group."""
        from priori.model.evaluation import left_out_evaluation_of_rows

        if group is None:
            batches = watched(self._batches(sources, options), progress)
            return left_out_evaluation_of_rows(self.model, labelled_rows(batches), loss=loss)
        lots = list(watched(self._batches(sources, replace(options, keep=(group,))), progress))
        groups = [value or None for lot in lots for value in lot.keep[group].to_pylist()]  # an empty cell is none
        return left_out_evaluation_of_rows(self.model, labelled_rows(lots), groups, loss)

    def drift(
        self, sources: Sequence[str], options: "ReadOptions", jobs: int | None, progress: "Callable[[Progress], None]"
    ) -> "Drift":
        """Unlabelled rows against those learned."""
        from priori.model.drift import drift

        batches = watched(self._batches(sources, options), progress)
        return drift(self.model, (batch.table for batch in batches), jobs=jobs)

    def report(self, found: "Evaluation", worst: "Worst[Any]", sources: Sequence[str]) -> "Report":
        """What it is worth, what it goes by, and its worst mistakes."""
        from priori.report import table_report

        return table_report(self.model, found, worst.result(), name=self.path, sources=sources)

    def explanation(self, asked: Asked, options: "ReadOptions") -> "Explanation":
        """Of a row of a source."""
        from priori.model.explanation import explain_row

        source = asked.message if asked.source is None else asked.source
        row = table_row(self._batches([source or "-"], options), asked.row, source or "-")
        return explain_row(self.model, row, asked.label, asked.against)

    def revised(
        self, verb: str, sources: Sequence[str], options: "ReadOptions", jobs: int | None,
        progress: "Callable[[Progress], None]",
    ) -> Revised:  # fmt: skip
        """With more rows, or without some."""
        self._refuse_text_options()
        rows = labelled_rows(watched(self._batches(sources, options), progress))
        changed = self.model.learn(rows, jobs) if verb == "learn" else self.model.forget(rows, jobs)
        before, after = self.model.statistics, changed.statistics
        loaded = replace(self, model=changed)
        return Revised(loaded, abs(after.rows - before.rows), abs(after.unlabelled - before.unlabelled))

    def recalibrated(
        self, sources: Sequence[str], options: "ReadOptions", held_out: bool, jobs: int | None,
        progress: "Callable[[Progress], None]",
    ) -> Self:  # fmt: skip
        """On the kept rows, or on those of sources."""
        rows = labelled_rows(watched(self._batches(sources, options), progress)) if sources else None
        return replace(self, model=self.model.recalibrated(rows, held_out, jobs))

    @property
    def how_to_refit(self) -> str:
        """Rows that were learned cannot be left out of what they have taught those without a label."""
        return " --held-out" if self.model.statistics.hidden else ""

    def fitted_facts(self) -> dict[str, Any] | None:
        """The power of each column, and how it came about."""
        fitted = self.model.fitted
        return None if fitted is None else fitted.facts(tuple(part.name for part in self.model.parts))

    def fitted_line(self, held_out: bool = False) -> str:
        """How the powers came about, in a line."""
        if self.model.fitted is None:
            return "nothing is left to the rows"
        said = f"powers of the columns: {self.model.fitted}"
        return said.replace(" left out", " held out") if held_out else said

    @property
    def weighted(self) -> bool:
        """Whether the classes have parts of rows, and not of EM; weights that are whole cannot be told from rows."""
        whole = all(float(n).is_integer() for n in self.model.statistics.n.tolist())
        return not whole and not self.model.statistics.hidden

    def plus(self, other: Loaded) -> Self:
        """The statistics added up."""
        if not isinstance(other, LoadedTable):
            raise MergeError(
                f"{self.path} is a model of a table and {other.path} one of texts; merge models of one kind"
            )
        return replace(self, model=self.model + other.model)

    def save(self, path: str) -> None:
        """Write the model file."""
        self.model.save(path)

    def _batches(self, sources: Sequence[str], options: "ReadOptions") -> "Iterator[LabelledBatch]":
        target = self.model.readings.target
        if target is not None and options.label is not None and not given_options(frozenset({"label"})):
            options = replace(options, label=target)  # as it was called in training
        return table_for(self.model.schema, sources, options)

    def _refuse_text_options(self) -> None:
        refuse_text_options(f"{self.path} is a model of a table")
