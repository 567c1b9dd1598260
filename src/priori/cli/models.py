"""A model as the commands use it, whether of texts or of a table, and how it is loaded from its file."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

from priori.cli.messages import note, warn
from priori.cli.output.terminal import plural
from priori.errors import DataError

if TYPE_CHECKING:
    from priori.cli.output.predictions import Predictions
    from priori.data.options import ReadOptions
    from priori.decisions.measures import Evaluation
    from priori.decisions.mistakes import Worst
    from priori.model.classifier import Model
    from priori.model.drift import Drift
    from priori.model.explanation import Explanation
    from priori.model.learning import Progress
    from priori.report.content import Report


@dataclass(frozen=True)
class Size:
    """How much a model has learned from, and the parts it has: its terms, or its columns."""

    noun: str  # what is counted: document or row
    total: float
    part: str
    parts: int
    key: str  # what JSON calls the total; "rows" are those of a source


@dataclass(frozen=True)
class Asked:
    """What is to be explained: a text of the command line, or a row of a source; and which classes."""

    message: str | None
    source: str | None
    row: int
    label: str | None
    against: str | None


class Loaded(ABC):
    """What every command may ask of a model."""

    path: str
    model: Any  # of texts or of a table
    noun: ClassVar[str]  # what it classifies: document or row
    left_to_data: ClassVar[str]  # what is fitted on documents or rows

    @property
    def labels(self) -> tuple[str, ...]:
        """The classes, in order."""
        labels: tuple[str, ...] = self.model.labels
        return labels

    @property
    def readings(self) -> Any:
        """How the statistics are read: a value that compares, with to_json."""
        return self.model.readings

    @property
    def provenance(self) -> Mapping[str, Any] | None:
        """What was stored of where the model comes from."""
        provenance: Mapping[str, Any] | None = self.model.provenance
        return provenance

    @property
    @abstractmethod
    def size(self) -> Size:
        """How much it has learned from."""

    @abstractmethod
    def read_as(self, given: dict[str, Any]) -> Self:
        """Read as the reading options ask; those of the other kind of model are refused."""

    @abstractmethod
    def refuse_impossible(self) -> None:
        """Refuse now an estimate that does not exist, not when it is first used."""

    def refuse_no_classes(self) -> None:
        """Refuse a model that tells no classes apart."""
        return

    @abstractmethod
    def messages(self, texts: Sequence[str]) -> "Predictions":
        """Texts of the command line, classified."""

    @abstractmethod
    def predictions(
        self, sources: Sequence[str], options: "ReadOptions", jobs: int | None, progress: "Callable[[Progress], None]"
    ) -> "Iterator[Predictions]":
        """What sources hold, classified batch by batch."""

    @abstractmethod
    def evaluation(
        self, sources: Sequence[str], options: "ReadOptions", jobs: int | None,
        progress: "Callable[[Progress], None]", *, loss: Any = None, worst: "Worst[Any] | None" = None,
    ) -> "Evaluation":  # fmt: skip
        """Measured on labelled sources; decisions are charged by a loss, and the worst mistakes are kept."""

    def kept_evaluation(self, jobs: int | None, loss: Any = None) -> "Evaluation":
        """Measured on what it keeps, each left out."""
        from priori.model.evaluation import kept_of
        from priori.threads import threads

        kept = kept_of(self.model, threads(jobs))
        if kept.lone:
            only = f"is the only {self.noun}" if kept.lone == 1 else f"are the only {self.noun}s"
            note(f"{plural(kept.lone, self.noun)} {only} of {'its' if kept.lone == 1 else 'their'} class: not judged")
        return kept.evaluation(loss)

    @abstractmethod
    def left_out_evaluation(
        self, sources: Sequence[str], options: "ReadOptions", group: str | None, jobs: int | None,
        progress: "Callable[[Progress], None]", *, loss: Any = None,
    ) -> "Evaluation":  # fmt: skip
        """Measured on sources that it has learned, each document or row left out, with its group."""

    @abstractmethod
    def drift(
        self, sources: Sequence[str], options: "ReadOptions", jobs: int | None, progress: "Callable[[Progress], None]"
    ) -> "Drift":
        """Unlabelled sources against what was learned."""

    @abstractmethod
    def report(self, found: "Evaluation", worst: "Worst[Any]", sources: Sequence[str]) -> "Report":
        """What stands on a page about an evaluation."""

    @abstractmethod
    def explanation(self, asked: Asked, options: "ReadOptions") -> "Explanation":
        """Why something is put where it is."""

    @abstractmethod
    def revised(
        self, verb: str, sources: Sequence[str], options: "ReadOptions", jobs: int | None,
        progress: "Callable[[Progress], None]",
    ) -> "Revised":  # fmt: skip
        """With what sources hold ("learn"), or without it ("forget")."""

    @abstractmethod
    def recalibrated(
        self, sources: Sequence[str], options: "ReadOptions", held_out: bool, jobs: int | None,
        progress: "Callable[[Progress], None]",
    ) -> Self:  # fmt: skip
        """With what is left to the data fitted again: on what the model keeps, or on sources."""

    @abstractmethod
    def fitted_facts(self) -> dict[str, Any] | None:
        """What was fitted, as plain values; None: nothing is left to the data."""

    @abstractmethod
    def fitted_line(self, held_out: bool = False) -> str:
        """What was fitted, for a person: on what was left out, or held out."""

    @property
    def alpha(self) -> float | None:
        """The smoothing that was fitted; None: it was given, or there is none."""
        return None

    @property
    @abstractmethod
    def weighted(self) -> bool:
        """Whether what was learned had weights, as far as the statistics tell."""

    def warn_if_stale(self) -> None:
        """Say that what was fitted is that of before a change."""
        if self.model.fitted is not None and self.model.fitted.stale:
            refit = f"priori calibrate {self.path} SOURCE{self.how_to_refit}"
            warn(f"{self.path} has changed since {self.left_to_data} were fitted; refit them: {refit}")

    @property
    def how_to_refit(self) -> str:
        """What calibration by a source needs beside it."""
        return ""

    @abstractmethod
    def plus(self, other: "Loaded") -> Self:
        """Merged with another of the same kind."""

    @abstractmethod
    def save(self, path: str) -> None:
        """Write the model file."""


@dataclass(frozen=True)
class Revised:
    """A model that has learned or forgotten, how many rows that took, and how many of them had no label."""

    loaded: Loaded
    rows: int
    unlabelled: int


# --- model files ------------------------------------------------------------------------------------------------------


def load(path: str) -> Loaded:
    """A model file, checked, of either kind."""
    if is_of_table(path):
        from priori.cli.tables_loaded import LoadedTable  # here: what it needs is slow to import

        return LoadedTable.load(path)
    from priori.model.classifier import Model

    model = Model.load(path)
    if model.is_language_model:
        from priori.cli.language_loaded import LoadedLanguage

        return LoadedLanguage(path, model)
    from priori.cli.texts_loaded import LoadedTexts

    return LoadedTexts(path, model)


def load_as(path: str, given: dict[str, Any]) -> Loaded:
    """A model, read as the reading options ask."""
    return load(path).read_as(given)


def load_classifier(path: str, given: dict[str, Any] | None = None) -> Loaded:
    """The same of what tells classes apart; a language model is refused."""
    model = load(path)
    model.refuse_no_classes()
    return model if given is None else model.read_as(given)


def load_texts(path: str) -> "Model":
    """A model file, checked, that must be one of texts."""
    from priori.model.classifier import Model

    if is_of_table(path):
        raise DataError(f"{path} is a model of a table, which has no terms; see priori inspect {path}")
    return Model.load(path)


def is_of_table(path: str) -> bool:
    """Whether a file is a model of a table, or else of texts; what is stored on the way to one is refused."""
    from priori import store
    from priori.model.file import holds_table

    if "checkpoint" in store.names(path):
        raise DataError(
            f"{path} is no model yet but a checkpoint of priori cluster; the command that was stopped goes on from it"
        )
    return holds_table(path)


def file_size(path: str) -> int | None:
    """Bytes on the disk; None for a pipe."""
    from pathlib import Path

    place = Path(path)
    return place.stat().st_size if place.is_file() else None
