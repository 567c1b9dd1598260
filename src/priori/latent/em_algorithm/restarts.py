"""EM from several starts, of which the highest objective is kept; it can be stopped and taken up again at any step."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from priori.arguments import seed_of
from priori.errors import DataError
from priori.latent import starts
from priori.latent.corpus import Corpus
from priori.latent.expectation import Settings, State, Step
from priori.latent.recipe import Recipe
from priori.latent.seeds import Seeds

Floats = npt.NDArray[np.float64]


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
