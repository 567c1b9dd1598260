"""A table learned where labels are missing: how many classes, what unlabelled rows are worth, and the model."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from priori.arguments import whole_number
from priori.columns.parts import Part
from priori.columns.statistics import Labelled
from priori.errors import DataError, EstimateError
from priori.latent.checks import UnlabelledWeight, weight_of
from priori.latent.rows_em import HiddenModel
from priori.latent.rows_fit import RowsFound, Search, fit_rows, refuse_few
from priori.latent.rows_table import HiddenRows
from priori.latent.rows_weight import WeightChoice, choose_weight
from priori.table_classifier import TableModel
from priori.table_readings import TableReadings
from priori.tables.schema import Schema


@dataclass(frozen=True)
class HiddenSettings:
    """What a user says of hidden classes."""

    n_classes: int | None = None  # where no row has a label
    unlabelled_weight: UnlabelledWeight = "auto"
    search: Search = field(default_factory=Search)
    seed: int = 0
    skip: bool = False  # rows without a label are not learned from

    def __post_init__(self) -> None:
        if self.n_classes is not None:
            object.__setattr__(self, "n_classes", whole_number(self.n_classes, "n_classes", 1))
        weight = weight_of(self.unlabelled_weight)
        object.__setattr__(self, "unlabelled_weight", "auto" if weight is None else weight)

    @property
    def findable(self) -> bool:
        """Whether classes can be found without any labels."""
        return not self.skip and self.n_classes is not None

    def unused(self, hidden: npt.NDArray[np.bool_]) -> str | None:
        """What a user should know of a number of classes where no row's class is hidden; None where it is used."""
        if not self.findable or hidden.any():
            return None
        return (
            f"every row has a label, so n_classes={self.n_classes} is not used: the classes are those of y; leave "
            "n_classes out, or the labels of rows whose class is to be found"
        )


@dataclass(frozen=True)
class HiddenClasses:
    """What is told of EM when its rows are gone; where the weight is 0, of what was tried: no EM has ended."""

    objective: float | None  # None, as the next, where the weight is 0
    log_likelihood: float | None
    iterations: int
    converged: bool
    objectives: tuple[float, ...]  # of each start
    unlabelled_weight: float
    losses: Mapping[float, float]  # of labelled rows that were held out, at each weight that was tried
    labelled: int  # rows
    unlabelled: int
    classes: int  # that are named, or were asked for
    empty: tuple[str, ...] = ()  # those of them that are the likeliest class of no row
    fault: str | None = None  # why EM could not run, so that the weight is 0

    def __repr__(self) -> str:
        said = f"{self.labelled:,} rows with a label, {self.unlabelled:,} without, at weight {self.unlabelled_weight:g}"
        losses = ", ".join(f"{loss:.4f} at {weight:g}" for weight, loss in self.losses.items())
        said += f"; log loss of held-out rows {losses}" if losses else ""
        if self.objective is not None:
            rests = "objective" if self.converged else "not yet resting objective"
            said += f"; {rests} {self.objective:,.2f} after {self.iterations:,} iterations"
        return f"<HiddenClasses: {said}>"

    @property
    def advice(self) -> str | None:
        """What a user should know of an EM that could not run, or of classes without rows; None where all is well."""
        if self.fault is not None:
            return f"the rows without a label are not learned from, for EM cannot run: {self.fault}"
        if not self.empty:
            return None
        return (
            f"{self.classes} classes were asked for, but {self.classes - len(self.empty)} were found: the others are "
            "the likeliest of no row, for fewer describe the rows as well; ask for fewer: --classes K (n_classes=K)"
        )

    def read_as_found(self, readings: TableReadings) -> TableReadings:
        """Without labels none says which power the columns should have: the classes are found, and told, at 1."""
        return readings if self.labelled or readings.temper != "auto" else replace(readings, temper=1.0)


def learn_rows(
    data: Iterable[Labelled], schema: Schema, parts: tuple[Part, ...], readings: TableReadings,
    asked: HiddenSettings | None, *, kind: str, keep_sample: bool, jobs: int | None = None,
) -> tuple[TableModel, HiddenClasses | None]:  # fmt: skip
    """By EM where rows without a label are to be learned from, and help; else by counting, in one pass.

    None is told where there was nothing to ask of them: none was there, or none was to be asked.
    """
    told: HiddenClasses | None = None
    if asked is not None and not asked.skip:
        data = list(data)
        if any((rows.group < 0).any() for rows in data):
            found, told = _found(HiddenRows.of(data, parts), readings, asked)
            if found is not None:
                return found.model(schema, told.read_as_found(readings), kind=kind), told
    return TableModel.train(data, schema, parts, readings, kind=kind, keep_sample=keep_sample, jobs=jobs), told


def _found(rows: HiddenRows, readings: TableReadings, asked: HiddenSettings) -> tuple[RowsFound | None, HiddenClasses]:
    rng = np.random.default_rng(asked.seed)
    if not rows.known.any():
        rows = rows.among(hidden_names(asked.n_classes, len(rows)))
        found = fit_rows(rows, readings, asked.search, rng).by_size()
        return found, _told(found, {})
    if asked.n_classes not in (None, rows.classes):
        raise DataError(
            f"n_classes={asked.n_classes!r}, but the labels name {rows.classes} classes; leave n_classes (--classes) "
            "out, or all labels"
        )
    if asked.unlabelled_weight == 0 or rows.classes == 1:
        return None, _alone(rows, {})
    choice = WeightChoice(0.0, {})
    try:
        HiddenModel(rows, readings, 1.0, rows.clamped(np.zeros((len(rows), rows.classes))))  # refused, none can be run
        if asked.unlabelled_weight != "auto":
            choice = WeightChoice(asked.unlabelled_weight, {})
        else:
            choice = choose_weight(rows, readings, asked.search, asked.seed)
        if choice.weight == 0:
            return None, _alone(rows, choice.losses)
        found = fit_rows(rows, readings, asked.search, rng, choice.weight)
    except EstimateError as error:
        if asked.unlabelled_weight != "auto":
            raise
        return None, replace(_alone(rows, choice.losses), fault=str(error))
    return found, _told(found, choice.losses)


def _told(found: RowsFound, losses: Mapping[float, float]) -> HiddenClasses:
    step, rows = found.step, found.step.rows
    likeliest = set(step.responsibilities.argmax(axis=1).tolist())
    empty = [label for k, label in enumerate(rows.labels) if k not in likeliest]
    return replace(
        _alone(rows, losses), objective=step.objective, log_likelihood=step.log_likelihood, iterations=step.iteration,
        converged=found.converged, objectives=found.objectives, unlabelled_weight=step.unlabelled_weight,
        empty=tuple(sorted(empty, key=lambda label: (len(label), label))),
    )  # fmt: skip


def _alone(rows: HiddenRows, losses: Mapping[float, float]) -> HiddenClasses:
    """The labelled rows alone were learned from."""
    known = int(rows.known.sum())
    return HiddenClasses(None, None, 0, True, (), 0.0, losses, known, len(rows) - known, rows.classes)


def hidden_names(classes: int | None, rows: int) -> tuple[str, ...]:
    """What classes of so many rows are called without labels: "1", "2", ..., in the order of their bytes."""
    if classes is None:
        raise DataError(
            "every label is missing, so the number of classes must be said: give --classes K (n_classes=K), or label "
            "some rows"
        )
    if classes == 1:
        raise DataError("n_classes=1 leaves nothing to tell apart; give 2 or more")
    refuse_few(rows, classes)
    return tuple(sorted((str(k + 1) for k in range(classes)), key=str.encode))
