"""Choose a model of texts: representations x event models x estimates x priors, by the loss of the labels."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np

from priori.columns.readings import ClassPrior, Estimate
from priori.columns.words.readings import Alpha, Calibrate, Event
from priori.data.batch import Batch
from priori.data.labels import to_texts
from priori.data.objects import read_objects
from priori.errors import DataError
from priori.select.candidates import ALPHAS, ESTIMATES, EVENTS, Counted, Grid, name_of
from priori.select.criteria import LeftOutReading, dealt, hold_out_losses, k_fold_losses, left_out_readings
from priori.select.documents import Rows
from priori.select.evidence import Representation, Texts
from priori.select.label_loss import Average, Losses, average
from priori.select.selection_result import Candidate, Criterion, Selection, alpha_text, criterion_of
from priori.text import Analyzer
from priori.text.analyzer import Features
from priori.threads import threads

LEFT_OUT = (4_096, 20_000)  # documents that are left out in turn, at most: for many classes, and for few
SCORES = 100_000  # of documents and classes, between these
FOLDS = 10
HOLDOUT = 0.2
Progress = Callable[[int, int], None]


def select_model(
    texts: Any,
    labels: Any,
    *,
    weights: Any = None,
    events: Sequence[Event] = EVENTS,
    ngrams: Sequence[tuple[int, int] | str] | None = None,
    features: Sequence[Features] = ("words",),
    binary: Sequence[bool] = (False,),
    estimates: Sequence[Estimate] = ESTIMATES,
    alphas: Sequence[Alpha] = ALPHAS,
    calibrate: Calibrate = True,
    class_prior: ClassPrior = "ml",
    analyzer: Analyzer | None = None,
    criterion: Criterion = "leave-one-out",
    folds: int | None = None,
    holdout: float = 0.0,
    groups: Any = None,
    average: bool = False,
    seed: int = 0,
    left_out: int | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Selection:
    """Rank the models of every combination by the loss of labels that they have not seen.

    criterion: "leave-one-out", with copies of a text (and `groups`) left out together; "k-fold"; "holdout", a share of
    the texts that nothing else sees. folds and holdout are measured if they are given, whatever ranks. A label of None
    means unlabelled. average: mix the readings of each representation by their evidence.

    Leave-one-out is kind to alpha and calibration, a few numbers (K + 4) that are fitted on the documents it judges;
    under k-fold and hold-out they are fitted without them. Held-out texts of a class that is not learned are not
    judged, since every model gives them probability 0; `unknown` counts them. Standard errors take copies and groups as
    one each, and are unreliable where one of them has a large share of the weight, the `largest_block`.

    >>> found = select_model(["free entry", "free win", "at lunch", "lunch was good"], ["spam", "spam", "ham", "ham"])
    >>> len(found.candidates), found.best.event in ("multinomial", "bernoulli", "complement")
    (16, True)
    """
    named, kind = to_texts(labels)
    grid = Grid(
        events, ngrams, features, binary, estimates, alphas, calibrate, class_prior, kind, analyzer or Analyzer()
    )
    batches = read_objects(texts, named, weights)
    how = How(criterion, folds, holdout, average, seed, left_out)
    return select_among(batches, grid, how, groups=groups, jobs=jobs, progress=progress)


@dataclass(frozen=True)
class How:
    """What candidates are judged by."""

    criterion: Criterion = "leave-one-out"
    folds: int | None = None  # None: no k-fold, unless it ranks
    holdout: float = 0.0
    average: bool = False
    seed: int = 0
    left_out: int | None = None  # None: as many as are cheap

    def __post_init__(self) -> None:
        criterion_of(self.criterion)
        if self.criterion == "k-fold" and self.folds is None:
            object.__setattr__(self, "folds", FOLDS)
        if self.criterion == "holdout" and not self.holdout:
            object.__setattr__(self, "holdout", HOLDOUT)
        if not 0 <= self.holdout < 1:
            raise DataError(f"holdout={self.holdout!r} is no share of the documents; give a number such as 0.2")
        if self.left_out is not None and self.left_out < 2:
            raise DataError(f"left_out={self.left_out!r} documents say nothing; give a number from 2")
        if not isinstance(self.seed, int | np.integer) or self.seed < 0:
            raise DataError(f"seed={self.seed!r} is no seed; give a whole number from 0")

    def most_left_out(self, classes: int) -> int:
        """How many documents to leave out: what each costs grows with the classes."""
        low, high = LEFT_OUT
        return min(max(SCORES // classes, low), high) if self.left_out is None else self.left_out


def select_among(
    batches: Iterable[Batch],
    grid: Grid,
    how: How,
    *,
    groups: Any = None,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Selection:
    """The same of batches. groups: one for each row, or the name of a column that the batches keep."""
    began = perf_counter()
    workers = threads(jobs)
    every = Rows.of(batches, groups, how.seed)
    held, rows = every.split(how.holdout) if how.holdout else (None, every)
    held, unknown = (None, 0) if held is None else _judgeable(rows, held)
    rows = rows.own_labels()
    fold = None if how.folds is None else dealt(rows, how.folds, how.seed)
    candidates = {analyzer: readings for analyzer in grid.analyzers() if (readings := list(grid.readings(analyzer)))}
    step = _Steps(sum(map(len, candidates.values())) * (1 + (how.folds or 0)), progress)
    judged: list[_Judged] = []
    averages: list[Average] = []
    for analyzer, readings in candidates.items():
        counted = Counted.of(rows, analyzer, how.most_left_out(len(rows.labels)), workers)
        if not len(counted.scored):
            raise DataError(
                f"each class of the {len(counted.rows):,} documents to leave out has one text only (or one group), so "
                "nothing is known of it without that text; give more documents"
            )
        found = []
        for each in left_out_readings(counted, readings, workers):
            found.append(each)
            step()
        by_fold = (
            [None] * len(found)
            if fold is None
            else k_fold_losses(counted, rows, fold, readings, jobs=workers, step=step)
        )
        later = [
            None if held is None else hold_out_losses(counted, held, each.readings, each.fitted, workers)
            for each in found
        ]
        represented = _representations(counted, found)
        if how.average:
            averages += _averages(counted, found, represented)
        judged += [
            _Judged(analyzer, each, of_fold, of_held, represented[each.readings.event])
            for each, of_fold, of_held in zip(found, by_fold, later, strict=True)
        ]
    return Selection(
        criterion=how.criterion,
        candidates=_ranked(judged, how.criterion),
        representations=tuple(dict.fromkeys(each.representation for each in judged)),
        averages=tuple(averages),
        labels=every.labels,
        documents=len(rows),
        left_out=len(counted.rows),
        alone=len(counted.rows) - len(counted.scored),
        folds=how.folds,
        held_out=unknown + (0 if held is None else len(held)),
        unknown=unknown,
        unlabelled=every.unlabelled,
        largest_block=judged[0].losses(how.criterion).largest_block,
        seconds=perf_counter() - began,
    )


@dataclass(frozen=True, eq=False)
class _Judged:
    analyzer: Analyzer
    reading: LeftOutReading
    k_fold: Losses | None
    holdout: Losses | None
    representation: Representation

    def losses(self, criterion: Criterion) -> Losses:
        found = {"leave-one-out": self.reading.losses, "k-fold": self.k_fold, "holdout": self.holdout}[criterion]
        if found is None:
            raise DataError(f"the {criterion} loss was not measured; ask for it")
        return found

    def candidate(self, behind: tuple[float, float]) -> Candidate:
        of = self.reading
        return Candidate(
            self.analyzer,
            of.readings,
            of.alpha,
            of.fitted.calibration is not None,
            of.losses.told(),
            of.raw_losses.told().log_loss,
            None if self.k_fold is None else self.k_fold.told(),
            None if self.holdout is None else self.holdout.told(),
            behind,
            self.representation,
            of.seconds,
        )


class _Steps:
    """Counts what is done."""

    def __init__(self, total: int, tell: Progress | None) -> None:
        self.done, self.total, self.tell = 0, total, tell

    def __call__(self) -> None:
        self.done += 1
        if self.tell is not None:
            self.tell(self.done, self.total)


def _judgeable(rows: Rows, held: Rows) -> tuple[Rows, int]:
    """Those of the held-out rows whose class is learned, and how many are not."""
    known = np.isin(held.cls, rows.cls)
    learned = len(set(rows.cls.tolist()))
    if learned < 2 or not known.any():
        raise DataError(
            f"{len(held):,} documents are held out (by their contents) and {learned:,} classes are left to learn, "
            "too few of either; give more documents, another share, or another seed"
        )
    return held.rows(np.flatnonzero(known)), int((~known).sum())


def _representations(counted: Counted, found: list[LeftOutReading]) -> dict[Event, Representation]:
    """By event: the data that likelihoods can be compared on."""
    model = counted.model
    texts = Texts.of(model.counts, model.analyzer.vocabulary)
    represented: dict[Event, Representation] = {}
    for each in found:
        event = each.readings.event
        if event in represented:
            continue
        empty = Representation(name_of(model.analyzer), event, model.counts.terms, counted.seconds, None, None)
        if event != "complement":
            alphas = [one.alpha for one in found if one.readings.event == event and one.alpha is not None]
            own, shared = texts.maxima(each.readings)
            empty = replace(empty, own=own, shared=shared, evidences=texts.evidences(each.readings, alphas))
        represented[event] = empty
    return represented


def _averages(
    counted: Counted, found: list[LeftOutReading], represented: dict[Event, Representation]
) -> Iterable[Average]:
    classes = counted.rows.cls[counted.scored]
    for event, representation in represented.items():
        members: dict[str, tuple[LeftOutReading, float]] = {}
        for each in found:
            evidence = representation.evidence_at(each.alpha)
            if each.readings.event == event and evidence is not None and each.alpha is not None:
                # subtle: an automatic alpha may be one of the given ones, and would count twice
                members.setdefault(f"{each.readings.estimate} alpha {alpha_text(each.alpha)}", (each, evidence))
        if members:
            readings, log_evidence = zip(*members.values(), strict=True)
            posteriors = [each.log_posterior for each in readings]
            losses = readings[0].losses
            yield average(representation.name, list(members), log_evidence, posteriors, losses=losses, classes=classes)


def _ranked(judged: list[_Judged], criterion: Criterion) -> tuple[Candidate, ...]:
    """By the mean loss; of equals the first that was asked for."""
    losses = [each.losses(criterion) for each in judged]
    order = sorted(range(len(judged)), key=lambda place: losses[place].told().log_loss)
    best = losses[order[0]]
    return tuple(judged[place].candidate(losses[place].behind(best)) for place in order)
