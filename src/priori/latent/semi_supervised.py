"""Some documents or rows are labelled and many are not: EM lets the others help, as far as the labelled ones say so.

Labelled ones are clamped. Unlabelled ones weigh `unlabelled_weight` (Nigam's lambda), which may be left to the log loss
of labelled ones that are held out. `learn_half_labelled` learns a model of texts, `learn_rows` one of a table, of which
no row need have a label. docs/maths/em.md has the figures.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from priori.columns.readings import TableReadings
from priori.columns.specification import Part
from priori.columns.words.em import WordPrior
from priori.columns.words.readings import Event, Readings
from priori.data.schema import Schema
from priori.errors import DataError, EstimateError
from priori.latent import starts
from priori.latent.corpus import Corpus
from priori.latent.em_algorithm.iteration import Settings, State, Temper
from priori.latent.em_algorithm.restarts import RowsFound, Search, fit_rows, refuse_few
from priori.latent.em_algorithm.row_iteration import HiddenModel
from priori.latent.result import counted_model
from priori.latent.rows import HiddenRows
from priori.latent.settings import UnlabelledWeight, refuse_selection, weight_of
from priori.latent.unlabelled_weight import HeldOut, Places, Read, WeightChoice, choose_weight, only
from priori.model.classifier import Model
from priori.model.fitting.calibration import LeftOutLabels, fit_calibration
from priori.model.fitting.parameters import Fitted
from priori.model.fitting.words import judged
from priori.model.table_classifier import TableModel
from priori.model.totals import Labelled
from priori.text.analyzer import Analyzer, Tokenizer
from priori.validation import whole_number

if TYPE_CHECKING:
    from priori.data.batch import Batch

Floats = npt.NDArray[np.float64]

# Of texts: what eight corpora have in common, found on parts of their training documents.
WEIGHT = 0.1  # of an unlabelled document: from a twentieth to a fifth it made no difference, a hundredth is too little
ALPHA = 0.03
TEMPER = Temper(0.18, -1.0)  # 10 / (n + 1): ten words' worth of belief in a document, however long it is
SHORT = 30.0  # features; longer documents than this and the median weigh no more than one of that length
ITERATIONS, SETTLED = 25, 2e-3  # until documents move so little of themselves, on average


# --- documents --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class HalfLabelled:
    """What was learned, and how much the unlabelled documents had to do with it."""

    model: Model
    unlabelled_weight: float
    losses: Mapping[float, float]  # log loss of held-out documents by weight; {} where none could be held out
    labelled: int
    unlabelled: int

    def __repr__(self) -> str:
        said = f"{self.labelled:,} documents with a label, {self.unlabelled:,} without, at weight "
        said += f"{self.unlabelled_weight:g}"
        losses = ", ".join(f"{loss:.4f} at {weight:g}" for weight, loss in self.losses.items())
        return f"<HalfLabelled: {said}{f'; log loss of held-out documents {losses}' if losses else ''}>"


def learn_half_labelled(
    read: Read,
    analyzer: Analyzer,
    readings: Readings,
    *,
    unlabelled_weight: UnlabelledWeight = "auto",
    seed: int = 0,
    **options: Any,
) -> HalfLabelled:
    """Read twice or so. Words count once in a document, whatever the analyzer says: repeats mislead EM.

    A weight left to the data is 0 or a tenth, whichever has the lower log loss of the same labelled documents, held
    out: by exact leave-one-out for 0, and by folds whose documents take no part in an EM of their own for a tenth.
    Options are those of `priori.model.classifier.Model.train`.
    """
    refuse_selection(readings)
    if readings.event == "language":
        raise DataError(
            "language models learn from labelled texts only, for EM mixes bags of words; give unlabelled='skip' (leave "
            "--unlabelled em out), or another event model"
        )
    supervised = Model.train(read(), analyzer, readings, **options)
    tokenizer, jobs = options.get("tokenizer"), options.get("jobs")
    corpus = Corpus.of(read, replace(analyzer, binary=True), tokenizer=tokenizer, jobs=jobs)
    if options.get("max_terms") is not None:
        corpus = corpus.most_frequent(options["max_terms"])
    labelled, unlabelled = int(corpus.labelled.sum()), int((~corpus.labelled).sum())
    weight = weight_of(unlabelled_weight)
    if weight == 0 or not unlabelled or len(corpus.labels) < 2:
        return HalfLabelled(supervised, 0.0, {}, labelled, unlabelled)
    learner = _Learner(corpus, readings, WEIGHT if weight is None else weight, tokenizer, jobs, seed)
    model, told = learner.model(read)
    losses = _losses(supervised, told, learner, read)
    if weight is None and losses and losses[0.0] <= losses[learner.weight]:
        return HalfLabelled(supervised, 0.0, losses, labelled, unlabelled)
    return HalfLabelled(model, learner.weight, losses, labelled, unlabelled)


def _losses(supervised: Model, told: Floats, learner: "_Learner", read: Read) -> dict[float, float]:
    """Calibrated log losses of the same labelled documents, without the unlabelled ones and with them.

    told: log p of the label of each that is held out, with them. What one of the two calls impossible has no loss.
    """
    if not len(learner.held_out):
        return {}
    readings = supervised.readings
    estimate = "bayes" if readings.estimate == "ml" else readings.estimate
    calibrate = readings.calibrate if readings.calibrated else True
    without = supervised.read_as(replace(readings, estimate=estimate, calibrate=calibrate))
    alone = learner.held_out.supervised(without, read, learner.corpus.labelled)
    both = np.isfinite(alone) & np.isfinite(told)
    return {0.0: -float(alone[both].mean()), learner.weight: -float(told[both].mean())} if both.any() else {}


@dataclass(frozen=True, eq=False)
class _Learner:
    corpus: Corpus
    readings: Readings
    weight: float
    tokenizer: Tokenizer | None
    jobs: int | None
    seed: int

    def model(self, read: Read) -> tuple[Model, Floats]:
        """EM on everything, with alpha and calibration as the folds have it; and log p of the labels held out."""
        alpha = ALPHA + (1.0 if self.readings.estimate == "map" else 0.0)
        readings = self.readings
        event: Event | None = "multinomial" if readings.event == "auto" else None
        fitted = Fitted(
            readings,
            alpha if isinstance(readings.prior.alpha, str) else None,
            None,
            held_out=True,
            event=event,
            proportional=readings.event in ("multinomial", "auto") and readings.estimate == "bayes",
        )
        left = self._left_out(read, fitted)
        possible = np.flatnonzero(np.isfinite(left.joint[np.arange(len(left.cls)), left.cls]))
        some = LeftOutLabels(left.joint[possible], left.features[possible], left.cls[possible], left.weight[possible])
        found = fit_calibration(some, tolerance=1e-6)
        fitted = judged(fitted, some, found, self.corpus.labels)
        told = np.full(len(left.cls), -np.inf)
        calibration = fitted.calibration or found.calibration(self.corpus.labels)
        log_posterior = calibration.log_posterior(some.joint, some.features, self.corpus.labels)
        told[possible] = log_posterior[np.arange(len(possible)), some.cls]
        own = fitted if readings.calibrated else replace(fitted, calibration=None)
        return counted_model(self.corpus, self.corpus.labels, self._shares(None), readings, own), told

    def _shares(self, left_out: Places | None) -> Floats:
        """(n, K) what each document counts in each class in the end; those left out and their copies count nowhere."""
        corpus = self._told_apart
        length = np.maximum(corpus.length, 1).astype(np.float64)
        weight = np.minimum(1.0, max(SHORT, float(np.median(length))) / length) * corpus.weight
        cls = corpus.cls.copy()
        if left_out is not None:
            out = self.held_out.copies(left_out)
            weight[out], cls[out] = 0.0, -1
        corpus = replace(corpus, weight=weight, cls=cls)
        settings = Settings(
            corpus.labels,
            words=WordPrior.even(ALPHA),
            proportional=True,  # with one alpha for all, classes of many words and of few would be smoothed unlike
            temper=TEMPER,
            unlabelled_weight=self.weight,
        )
        start = starts.labelled(corpus, settings, self.seed)
        state = State(corpus, settings, start * weight[:, None], self.jobs)
        before = after = np.zeros((len(corpus), settings.size))
        for iteration in range(1, ITERATIONS + 1):
            before, after = after, np.empty_like(after)
            state.step(iteration, shares=after)
            if np.abs(after - before).sum() < 2 * SETTLED * after.sum():
                break
        return after

    @cached_property
    def _told_apart(self) -> Corpus:
        """With the terms of more than one document: a word of one document says nothing of another."""
        keep = self.corpus.document_frequency >= 2
        return self.corpus.of_terms(keep) if keep.any() else self.corpus

    @cached_property
    def held_out(self) -> HeldOut:
        """The documents to judge by."""
        return HeldOut.deal(self.corpus, self.seed)

    def _left_out(self, read: Read, fitted: Fitted) -> LeftOutLabels:
        """Scores of the documents held out, each by an EM that has never seen its fold."""
        rows, fold = self.held_out.rows, self.held_out.fold
        joint, features = np.empty((len(rows), len(self.corpus.labels))), np.empty(len(rows))
        documents = list(only(read, rows))
        plain = fitted.resolved(self.readings)
        plain = replace(plain, calibrate=False, estimate="bayes" if plain.estimate == "ml" else plain.estimate)
        for part in np.unique(fold):
            out = fold == part
            model = counted_model(self.corpus, self.corpus.labels, self._shares(rows[out]), plain)
            scores, lengths = zip(*(_scored(model, batch) for batch in documents), strict=True)
            joint[out], features[out] = np.concatenate(scores)[out], np.concatenate(lengths)[out]
        return LeftOutLabels(joint, features, self.corpus.cls[rows], self.held_out.weight)


def _scored(model: Model, batch: "Batch") -> tuple[Floats, Floats]:
    return model.log_joint(batch), np.diff(model.encode(batch)["offsets"]).astype(np.float64)


# --- rows of a table --------------------------------------------------------------------------------------------------


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
