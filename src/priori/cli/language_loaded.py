"""A language model as the commands use it: documents without labels, and no classes to tell apart."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import click

from priori.cli.models import Revised, Size
from priori.cli.sources import batches_for
from priori.cli.texts_loaded import LoadedTexts
from priori.errors import DataError

if TYPE_CHECKING:
    from priori.data.batch import Batch
    from priori.data.options import ReadOptions
    from priori.model.learning import Progress


class LoadedLanguage(LoadedTexts):
    """A language model, and its file."""

    left_to_data: ClassVar[str] = "its smoothing"

    @property
    def labels(self) -> tuple[str, ...]:
        """None: its one class has no name."""
        return ()

    @property
    def size(self) -> Size:
        """Documents and n-grams."""
        return replace(super().size, part="n-gram")

    def read_as(self, given: dict[str, Any]) -> Self:
        """Another smoothing, alpha, or way with unknown words: nothing else means anything without classes."""
        names = ("event", "estimate", "prior_file", "class_prior", "calibrate", "select")
        other = next((name for name in names if given[name] is not None), None)
        if other is not None or isinstance(given["alpha"], str):
            raise click.UsageError(
                f"{self.path} is a language model, which has --smoothing, --alpha NUMBER and --unknown to change; "
                f"leave --{'alpha auto' if other is None else other.replace('_file', '').replace('_', '-')} out"
            )
        return super().read_as(given)

    def refuse_impossible(self) -> None:
        """Refuse a smoothing that the counts do not have."""
        from priori.columns.words.language import table_alone

        table_alone(self.model.counts, self.model.analyzer, self.model.plain_readings)

    def revised(
        self, verb: str, sources: Sequence[str], options: "ReadOptions", jobs: int | None,
        progress: "Callable[[Progress], None]",
    ) -> Revised:  # fmt: skip
        """With more documents, or without some, and refused where they cannot be read any more."""
        changed = super().revised(verb, sources, options, jobs, progress)
        if changed.loaded.model.labels:
            changed.loaded.refuse_impossible()
        return changed

    def _learnable(self, sources: Sequence[str], options: "ReadOptions") -> "Iterator[Batch]":
        """Documents, whatever their labels."""
        from priori.estimators.language_model import as_one_class

        return map(as_one_class, batches_for(self.model, sources, replace(options, label=None)))

    def refuse_no_classes(self) -> None:
        """Nothing can be classified."""
        raise DataError(
            f"{self.path} is a language model, which tells no classes apart; priori lm --help has what it can say, and "
            "priori train --event language makes one for each class"
        )
