"""EM from several starts, of which the highest objective is kept: of documents, or of the rows of a table.

Over documents it can be stopped and taken up again at any step.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from priori.columns.readings import TableReadings
from priori.errors import DataError, EstimateError
from priori.latent import starts
from priori.latent.corpus import Corpus
from priori.latent.em_algorithm.iteration import Settings, State, Step
from priori.latent.seed_words import Seeds
from priori.latent.settings import Recipe
from priori.latent.starts import Start, labelled_start, several_starts
from priori.validation import number, seed_of, whole_number

if TYPE_CHECKING:  # what columns need is loaded for rows of a table
    from priori.data.schema import Schema
    from priori.latent.em_algorithm.row_iteration import RowStep
    from priori.latent.rows import HiddenRows
    from priori.model.table_classifier import TableModel

Floats = npt.NDArray[np.float64]


# --- documents --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Told:
    """One iteration of one start."""

    restart: int  # from 1
    restarts: int
    step: Step
    best: float  # the highest objective of all starts so far
    done: bool  # whether this start has come to its end


@dataclass(frozen=True, eq=False)
class Standing:
    """Where a climb stands: plain values from which it goes on bit by bit as if it had never been interrupted."""

    restart: int
    iteration: int
    objectives: tuple[float, ...]  # of this start
    shares: Floats | None  # (n, C) of this start; None: it has not begun
    best: float
    best_restart: int
    best_shares: Floats | None  # (n, C)
    finished: bool = False


@dataclass(frozen=True, eq=False)
class Summit:
    """The highest of all starts."""

    objective: float
    restart: int
    shares: Floats  # (n, C): weights times responsibilities


class Climb:
    """An iterator over the iterations of every start."""

    def __init__(
        self,
        corpus: Corpus,
        settings: Settings,
        recipe: Recipe,
        *,
        seed: int = 0,
        seeds: Seeds | None = None,
        jobs: int | None = None,
        standing: Standing | None = None,
    ) -> None:
        if settings.size > len(corpus):
            raise DataError(
                f"{settings.size} classes or components are asked of {len(corpus)} documents; ask for fewer"
            )
        self.corpus = corpus
        self.settings = settings
        self.recipe = recipe
        self.seed = seed_of(seed)
        self.seeds = seeds
        self.jobs = jobs
        self.standing = standing or Standing(1, 0, (), None, -np.inf, 0, None)
        self._kept = np.empty((len(corpus), settings.size))

    @property
    def restarts(self) -> int:
        """How many starts there are: one where labels or seed words say where to begin, so that nothing is drawn."""
        drawn = self.settings.components > 1 or self._untold > (0 if self.seeds is None else 1)
        return self.recipe.restarts if drawn else 1

    @property
    def _untold(self) -> int:
        """Classes of which nothing is known."""
        told = {self.settings.classes[c] for c in np.unique(self.corpus.cls[self.corpus.labelled])}
        return len(set(self.settings.classes) - told.union(() if self.seeds is None else self.seeds.classes))

    def __iter__(self) -> Iterator[Told]:
        while not self.standing.finished:
            yield from self._start()

    def summit(self) -> Summit:
        """The highest so far."""
        stand = self.standing
        if stand.best_shares is None:
            raise DataError("nothing has been climbed yet; iterate first")
        return Summit(stand.best, stand.best_restart, stand.best_shares)

    def _start(self) -> Iterator[Told]:
        stand = self.standing
        if stand.shares is None:
            shares = self._begun(stand.restart) * self.settings.weights(self.corpus)[:, None]
        else:
            shares = stand.shares
        state = State(self.corpus, self.settings, shares, self.jobs)
        iteration, objectives = stand.iteration, stand.objectives
        while True:
            iteration += 1
            step = state.step(iteration, self._temper(iteration), self._kept)
            objectives = (*objectives, step.objective)
            done = self._ended(iteration, objectives)
            self._move(Standing(stand.restart, iteration, objectives, self._kept, stand.best, stand.best_restart,
                                stand.best_shares), done)  # fmt: skip
            yield Told(stand.restart, self.restarts, step, max(stand.best, step.objective), done)
            if done:
                return

    def _move(self, now: Standing, done: bool) -> None:
        if not done:
            self.standing = now
            return
        last = now.objectives[-1]
        best, which, shares = now.best, now.best_restart, now.best_shares
        if last > best:
            best, which, shares = last, now.restart, self._kept.copy()
        finished = now.restart >= self.restarts
        self.standing = Standing(now.restart + 1, 0, (), None, best, which, shares, finished)

    def _begun(self, restart: int) -> Floats:
        rng = np.random.default_rng([self.seed, restart])
        if self.seeds is not None:
            voted = starts.voted(self.corpus, self.settings, self.seeds, rng, self._votes)
            return starts.told_all(self.corpus, self.settings, voted, self.jobs)
        if self._untold == 0:
            by_labels = starts.labelled(self.corpus, self.settings, rng)
            return starts.told_all(self.corpus, self.settings, by_labels, self.jobs)
        draw = starts.spread if self.recipe.start == "spread" else starts.random
        start = draw(self.corpus, self.settings, rng)
        if not self.corpus.labelled.any():
            return start
        return starts.recognized(self.corpus, self.settings, start, self.recipe.least_iterations, self.jobs)

    @cached_property
    def _votes(self) -> Floats | None:
        """Of the seed words; the same for every start."""
        return None if self.seeds is None else self.seeds.votes(self.corpus, self.settings.classes)

    def _temper(self, iteration: int) -> float:
        """The part of the temper that annealing allows."""
        anneal = self.recipe.anneal
        return 1.0 if iteration > anneal else 0.5 + 0.5 * (iteration - 1) / anneal

    def _ended(self, iteration: int, objectives: tuple[float, ...]) -> bool:
        recipe = self.recipe
        if iteration >= recipe.anneal + recipe.iterations:
            return True
        if iteration < max(recipe.least_iterations, recipe.anneal + 2):
            return False
        return objectives[-1] - objectives[-2] <= recipe.tolerance * abs(objectives[-1])


# --- rows of a table --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Search:
    """How long EM goes on, and from how many starts where no label says where to begin."""

    restarts: int = 10
    most_iterations: int = 500
    tolerance: float = 1e-6  # a step that gains no more than this a row is the last
    start: Start = "spread"

    def __post_init__(self) -> None:
        object.__setattr__(self, "restarts", whole_number(self.restarts, "restarts", 1))
        object.__setattr__(self, "most_iterations", whole_number(self.most_iterations, "most_iterations", 1))
        object.__setattr__(self, "tolerance", number(self.tolerance, "tolerance", 0))
        if self.start not in ("spread", "random"):
            raise DataError(f"start={self.start!r} is unknown; choose spread or random")


@dataclass(frozen=True, eq=False)
class RowsFound:
    """What EM came to."""

    step: "RowStep"  # the last one of the best start
    converged: bool
    objectives: tuple[float, ...]  # of each start; -inf where it ended in a class of no spread

    def by_size(self) -> "RowsFound":
        """The largest class as the one named "1", the next one "2", and so on."""
        ranks = np.argsort(-self.step.sizes, kind="stable")
        names = np.array([int(label) - 1 for label in self.step.rows.labels])
        return replace(self, step=self.step.in_order(ranks[names]))

    def model(self, schema: "Schema", readings: TableReadings, *, kind: str) -> "TableModel":
        """An ordinary model of fractional statistics, which keeps no rows: left out, what they taught would stay."""
        from priori.model.sample import RowSample
        from priori.model.table_classifier import TableModel
        from priori.model.totals import TableStatistics

        rows = self.step.rows
        model = TableModel(schema, rows.parts, self.step.statistics(), readings, kind)
        if readings.temper != "auto" or not rows.known.any():
            return model
        # subtle: the powers of the labelled rows alone, for in statistics of EM no row can be left out
        cells, known = rows.labelled()
        alone = replace(model, statistics=TableStatistics.of(rows.parts, cells, known), kept=RowSample.of(cells, known))
        return replace(model, stored=alone.without_sample().stored)


def fit_rows(
    rows: "HiddenRows",
    readings: TableReadings,
    search: Search,
    rng: np.random.Generator,
    unlabelled_weight: float = 1.0,
) -> RowsFound:
    """The best of several starts; where rows have labels there is one start, from them."""
    from priori.latent.em_algorithm.row_iteration import em_rows

    if rows.known.any():
        first = labelled_start(rows, readings, unlabelled_weight)
        return _rested(em_rows(rows, readings, first, unlabelled_weight=unlabelled_weight), search)
    refuse_few(len(rows), rows.classes)
    return _best(rows, readings, search, rng)


def _best(rows: "HiddenRows", readings: TableReadings, search: Search, rng: np.random.Generator) -> RowsFound:
    from priori.latent.em_algorithm.row_iteration import HiddenModel

    starts = several_starts(rows, search.start, search.restarts, rng)
    # subtle: one prior for all, or their objectives would not compare; the tightest classes place it, for the spread of
    # all rows is much wider than that of any class
    model = HiddenModel(rows, readings, 1.0, starts.tightest)
    best: RowsFound | None = None
    objectives, fault = [], None
    for start in starts.each:
        try:
            found = _rested(model.em(start), search)
        except EstimateError as error:  # a class has shrunk to a point: its likelihood grows without bound
            objectives.append(-np.inf)
            fault = error
            continue
        objectives += found.objectives
        if best is None or found.step.objective > best.step.objective:
            best = found
    if best is None:
        raise EstimateError(f"each of {search.restarts} starts of EM failed, the last: {fault}") from fault
    return replace(best, objectives=tuple(objectives))


def _rested(steps: "Iterator[RowStep]", search: Search) -> RowsFound:
    last = next(steps)
    enough = search.tolerance * float(last.rows.counted(last.unlabelled_weight).sum())
    for step in islice(steps, search.most_iterations - 1):
        gain, last = step.objective - last.objective, step
        if gain <= enough:
            return RowsFound(last, True, (last.objective,))
    return RowsFound(last, False, (last.objective,))


def refuse_few(rows: int, classes: int) -> None:
    """Refuse fewer rows than classes."""
    if rows < classes:
        raise DataError(
            f"the table has {rows:,} row{'s' if rows != 1 else ''} for {classes:,} classes; give more rows, or ask for "
            "fewer classes: --classes K (n_classes=K)"
        )
