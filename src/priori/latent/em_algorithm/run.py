"""Classes found in documents without labels, or with few: EM from several starts, the highest kept.

    run = Clustering(corpus, 3)
    for step in run:  # one iteration of one start each
        print(step.restart, step.step.objective)
    found = run.found()

`cluster` does that in one go. `run.kept()` can be stored at any iteration, and `run.go_on(...)` goes on from there bit
by bit (`priori.latent.checkpoint`).
"""

from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from priori.errors import ModelFileError
from priori.latent.checkpoint import Kept
from priori.latent.corpus import Corpus
from priori.latent.em_algorithm.iteration import State, Temper
from priori.latent.em_algorithm.restarts import Climb, Standing, Told
from priori.latent.result import Found, by_size, counts_of, model_of
from priori.latent.seed_words import SeedWords
from priori.latent.settings import Named, Recipe
from priori.validation import seed_of

Floats = npt.NDArray[np.float64]
ROUNDING = 1e-9  # of responsibilities, which add up to 1
SAME = 1e-6  # of the objective: ends of restarts that differ by less are said to be the same


class Clustering:
    """An iterator over EM's iterations that can be stopped after each, stored and taken up again."""

    method: ClassVar[str] = "em"

    def __init__(
        self,
        corpus: Corpus,
        classes: int | None = None,
        *,
        recipe: Recipe | None = None,
        seeds: SeedWords | None = None,
        seed: int = 0,
        jobs: int | None = None,
    ) -> None:
        """classes: how many; None where labels or seeds name them all. recipe.terms(corpus) says which words count."""
        self.recipe = replace(recipe or Recipe(), temper=(recipe or Recipe()).temper or Temper.root())
        (named,) = Named.for_em(corpus, self.recipe, seeds, [classes])
        self.corpus, self.names, self.known = named.corpus, named.names, named.known
        self.seeds, self.unseen = named.seeds, named.unseen
        self.settings = self.recipe.settings(self.corpus, self.names, self.seeds)
        self.seed, self.jobs = seed_of(seed), jobs
        self._climb = self._from(None)
        self._ends: tuple[tuple[float, float, int], ...] = ()  # objective, log-likelihood, iterations of each start

    def _from(self, standing: Standing | None) -> Climb:
        return Climb(self.corpus, self.settings, self.recipe, seed=self.seed, seeds=self.seeds, jobs=self.jobs,
                     standing=standing)  # fmt: skip

    def __iter__(self) -> Iterator[Told]:
        for told in self._climb:
            if told.done:
                self._ends += ((told.step.objective, told.step.log_likelihood, told.step.iteration),)
            yield told

    @property
    def restarts(self) -> int:
        """How many starts there are."""
        return self._climb.restarts

    @property
    def where(self) -> str:
        """How far it has come, in words."""
        standing = self._climb.standing
        if standing.finished:
            return "at the end"
        return f"restart {standing.restart} of {self.restarts}, iteration {standing.iteration}"

    # --- what is shown meanwhile -------------------------------------------------------------------------------------

    def said(self, told: Told) -> str:
        """One iteration in words."""
        best = "" if told.restart == 1 else f", best {told.best:,.1f}"
        return (
            f"restart {told.restart} of {told.restarts}, iteration {told.step.iteration}: "
            f"objective {told.step.objective:,.1f}{best}"
        )

    def sizes(self, told: Told) -> Floats:
        """(K,) expected documents of each class."""
        return np.asarray(told.step.sizes.reshape(len(self.names), -1).sum(axis=1))

    def words(self, told: Told) -> Floats:
        """(V, K) expected occurrences of each term in each class; of the last iteration only."""
        gathered = told.step.state.sums.gathered
        return np.asarray(gathered.reshape(len(gathered), len(self.names), -1).sum(axis=2))

    # --- stopping and going on ---------------------------------------------------------------------------------------

    def settings_told(self) -> dict[str, Any]:
        """All that the result depends on beside the documents, as plain values."""
        recipe = asdict(self.recipe)
        recipe["temper"] = list(recipe["temper"].values())
        seeds = None if self.seeds is None else {label: dict(table) for label, table in self.seeds.words.items()}
        return {"method": self.method, "classes": list(self.names), "seed": self.seed, **recipe, "seeds": seeds}

    def kept(self) -> Kept:
        """Where it stands."""
        standing = self._climb.standing
        values = {
            "restart": standing.restart,
            "iteration": standing.iteration,
            "objectives": list(standing.objectives),
            "best": standing.best if standing.best_restart else None,
            "best_restart": standing.best_restart,
            "finished": standing.finished,
            "ends": [list(end) for end in self._ends],
        }
        arrays = {"shares": standing.shares, "best_shares": standing.best_shares}
        return Kept(values, {name: array.ravel() for name, array in arrays.items() if array is not None})

    def go_on(self, kept: Kept) -> None:
        """Go on from there."""
        shape = len(self.corpus), self.settings.size
        values, best = kept.values, kept.values["best"]
        standing = Standing(
            int(values["restart"]),
            int(values["iteration"]),
            tuple(map(float, values["objectives"])),
            kept.table("shares", shape),
            -np.inf if best is None else float(best),
            int(values["best_restart"]),
            kept.table("best_shares", shape),
            bool(values["finished"]),
        )
        self._ends = tuple((float(a), float(b), int(c)) for a, b, c in values["ends"])
        if len(self._ends) != standing.restart - 1 or len(standing.objectives) != standing.iteration:
            raise ModelFileError("it does not say how all starts have ended")
        if (standing.shares is None) != (standing.iteration == 0) or (standing.best_shares is None) != (best is None):
            raise ModelFileError("the shares of its documents are not whole")
        if not (0 if best is None else 1) <= standing.best_restart <= (0 if best is None else len(self._ends)):
            raise ModelFileError("its best start is none of those that have ended")
        if not standing.iteration <= self.recipe.iterations or standing.finished != (standing.restart > self.restarts):
            raise ModelFileError(f"it stands at iteration {standing.iteration} of start {standing.restart}")
        if not all(map(self._can_be, (standing.shares, standing.best_shares))):
            raise ModelFileError("its shares are not those of these documents")
        self._climb = self._from(standing)

    def _can_be(self, shares: Floats | None) -> bool:
        """Whether documents have shares from 0 that add up to no more than their weights."""
        if shares is None:
            return True
        weight = self.settings.weights(self.corpus)
        return bool((shares >= 0).all() and (shares.sum(axis=1) <= (1 + ROUNDING) * weight).all())

    # --- the result --------------------------------------------------------------------------------------------------

    def found(self) -> Found:
        """The highest so far."""
        summit, settings = self._climb.summit(), self.settings
        order = by_size(self.names, self.known, self._by_class(summit.shares).sum(axis=0))
        by_part = summit.shares.reshape(len(self.corpus), len(self.names), -1)[:, order]
        shares = by_part.sum(axis=2)
        reached = State(self.corpus, settings, summit.shares, self.jobs)
        objective, log_likelihood, iterations = self._ends[summit.restart - 1]
        model = model_of(
            self.corpus,
            self.names,
            by_part.reshape(len(self.corpus), -1),
            event=settings.event,
            estimate=settings.estimate,
            alpha=self.recipe.alpha,
            documents=settings.documents,
            seeds=self.seeds,
            temper=settings.temper,
        )
        ends = np.array([end[0] for end in self._ends])
        facts = {
            "objective": objective,
            "iterations": iterations,
            "restarts": len(ends),
            "best_restart": summit.restart,
            "restarts_at_best": int((ends >= objective - SAME * abs(objective)).sum()),
            "objectives": ends.tolist(),
        }
        probabilities = self._by_class(reached.responsibilities())[:, order]
        return Found(
            self.names,
            shares.sum(axis=0),
            probabilities,
            model,
            log_likelihood,
            named=self.known,
            unseen=self.unseen,
            facts=facts,
            by_class=counts_of(self.corpus, self.names, shares) if settings.components > 1 else None,
        )

    def _by_class(self, shares: Floats) -> Floats:
        """(n, K): the components of a class added up."""
        return np.asarray(shares.reshape(len(shares), len(self.names), -1).sum(axis=2))


def cluster(
    corpus: Corpus,
    classes: int | None = None,
    *,
    recipe: Recipe | None = None,
    seeds: SeedWords | None = None,
    seed: int = 0,
    jobs: int | None = None,
    progress: Callable[[Told], None] | None = None,
) -> Found:
    """Find classes by EM.

    >>> from priori.latent import Corpus, cluster
    >>> corpus = Corpus.of_counts([[3, 0, 1], [2, 0, 0], [2, 0, 1], [0, 2, 1], [0, 4, 0]])
    >>> found = cluster(corpus, 2)
    >>> found.assigned.tolist()
    [0, 0, 0, 1, 1]
    """
    run = Clustering(corpus, classes, recipe=recipe, seeds=seeds, seed=seed, jobs=jobs)
    for step in run:
        if progress is not None:
            progress(step)
    return run.found()
