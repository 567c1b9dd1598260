"""Classes found by Gibbs chains that can be stopped after any sweep, stored and taken up again.

The chains go in step, one sweep each, so that there is one point where all of them can be stopped. Each has its own
generator: the draws are those of `gibbs_chains`, for any number of threads.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from priori.errors import DataError, ModelFileError
from priori.latent.chains import GibbsResult, together
from priori.latent.checkpoint import Kept
from priori.latent.collapsed import GibbsState, Start, annealing, drawn, sweeps
from priori.latent.corpus import Corpus, Floats
from priori.latent.diagnostics import LEAST_DRAWS, installed
from priori.latent.expectation import Settings
from priori.latent.found import Found, by_size, model_of
from priori.latent.hidden import Hidden
from priori.latent.named import Named
from priori.latent.priors import WordPrior
from priori.latent.recipe import Recipe
from priori.latent.seeds import SeedWords
from priori.latent.starts import voted
from priori.latent.tallies import Schedule, Tally
from priori.log import logger
from priori.threads import threads

_LOWEST = 0.1  # power that annealing begins with


@dataclass(frozen=True, eq=False)
class Swept:
    """One sweep of every chain."""

    sweep: int  # 0: the starts
    schedule: Schedule
    states: tuple[GibbsState, ...]

    @property
    def log_joint(self) -> float:
        """The highest of the chains'."""
        return max(state.log_joint for state in self.states)


@dataclass(eq=False)
class _Chain:
    """One chain: its states to come, the last one, and what they have added up to."""

    states: Iterator[GibbsState]
    tally: Tally
    last: GibbsState | None = None

    def sweep(self) -> GibbsState:
        self.last = next(self.states)
        self.tally.add(self.last)
        return self.last


@dataclass(frozen=True)
class Chains:
    """How many chains, how long, and over how many of their first sweeps they are annealed."""

    number: int = 4
    schedule: Schedule = field(default_factory=Schedule)
    anneal: int = 0

    def __post_init__(self) -> None:
        schedule = self.schedule
        if min(self.number, schedule.samples, schedule.thin) < 1 or min(schedule.burn_in, self.anneal) < 0:
            raise DataError("give at least one chain, one sample and a thinning of 1, and no negative burn-in")
        if self.anneal > schedule.burn_in:
            raise DataError(
                f"annealing over {self.anneal} sweeps goes on after the burn-in of {schedule.burn_in}, so that "
                "snapshots would be of another posterior; anneal for fewer, or burn in for longer"
            )


class Sampling:
    """An iterator over sweeps of several Gibbs chains; `found()` averages their snapshots."""

    method: ClassVar[str] = "gibbs"

    def __init__(
        self,
        corpus: Corpus,
        classes: int | None = None,
        *,
        recipe: Recipe | None = None,
        seeds: SeedWords | None = None,
        chains: Chains | None = None,
        seed: int = 0,
        jobs: int | None = None,
    ) -> None:
        """classes: how many; None where labels or seeds name them all. Of the recipe, the terms and alpha count."""
        self.recipe, self.chains = recipe or Recipe(), chains or Chains()
        named = Named.of(corpus, self.recipe, seeds, classes)
        self.corpus, self.names, self.known = named.corpus, named.names, named.known
        self.seeds, self.unseen = named.seeds, named.unseen
        prior = WordPrior.even(self.recipe.alpha)
        if self.seeds is not None:
            prior = self.seeds.prior(self.corpus, self.names, self.recipe.alpha)
        self.hidden = Hidden.of(self.corpus, len(self.names), prior, self.recipe.documents)
        self.seed, self.jobs = seed, jobs
        self._chains = [self._chain(number, seeded) for number, seeded in enumerate(self._seeds())]

    def _seeds(self) -> list[np.random.SeedSequence]:
        return np.random.SeedSequence(self.seed).spawn(self.chains.number)

    def _chain(self, number: int, seeded: np.random.SeedSequence) -> _Chain:
        return _Chain(self._states(seeded, self._start(number)), Tally.begin(self.hidden, self.chains.schedule))

    def _start(self, number: int) -> Start:
        """By seed words as EM begins; where there are none, by the labels."""
        if self.seeds is None:
            return "informed"
        rng = np.random.default_rng([self.seed, number])
        shares = voted(self.corpus, Settings(self.names), self.seeds, rng)
        chosen = drawn(shares, rng.random(len(shares)))
        return np.where(shares.any(axis=1), chosen, -1).astype(np.int32)  # -1: drawn given the others

    def _states(self, seeded: np.random.SeedSequence, start: Start) -> Iterator[GibbsState]:
        power: float | Callable[[int], float] = 1.0
        if self.chains.anneal:
            power = annealing(self.chains.anneal, _LOWEST)
        return sweeps(self.hidden, seed=seeded, start=start, power=power, conditionals=True)

    @property
    def sweep(self) -> int:
        """The last sweep that was made; -1 before the start."""
        last = self._chains[0].last
        return -1 if last is None else last.sweep

    @property
    def where(self) -> str:
        """How far it has come, in words."""
        return f"sweep {max(self.sweep, 0)} of {self.chains.schedule.sweeps}"

    def __iter__(self) -> Iterator[Swept]:
        with ThreadPoolExecutor(min(threads(self.jobs), len(self._chains))) as pool:
            while self.sweep < self.chains.schedule.sweeps:
                states = tuple(pool.map(_Chain.sweep, self._chains))
                yield Swept(self.sweep, self.chains.schedule, states)

    # --- what is shown meanwhile -------------------------------------------------------------------------------------

    def said(self, swept: Swept) -> str:
        """One sweep in words."""
        burning = " (burn-in)" if swept.sweep <= swept.schedule.burn_in else ""
        return f"sweep {swept.sweep} of {swept.schedule.sweeps}{burning}: log joint {swept.log_joint:,.1f}"

    def sizes(self, swept: Swept) -> Floats:
        """(K,) documents of each class, in the first chain."""
        return swept.states[0].sizes.astype(np.float64)

    def words(self, swept: Swept) -> Floats:
        """(V, K) occurrences of each term in each class, in the first chain."""
        corpus, classes = self.corpus, self.hidden.classes
        label = np.repeat(swept.states[0].labels, np.diff(corpus.offsets))
        cells = np.bincount(corpus.term.astype(np.int64) * classes + label, corpus.count, corpus.terms * classes)
        return cells.reshape(corpus.terms, classes).astype(np.float64)

    # --- stopping and going on ---------------------------------------------------------------------------------------

    def settings_told(self) -> dict[str, Any]:
        """All that the result depends on beside the documents, as plain values."""
        schedule = self.chains.schedule
        seeds = None if self.seeds is None else {label: dict(table) for label, table in self.seeds.words.items()}
        return {
            "method": self.method,
            "classes": list(self.names),
            "seed": self.seed,
            "alpha": self.recipe.alpha,
            "documents": self.recipe.documents,
            "chains": self.chains.number,
            "burn_in": schedule.burn_in,
            "samples": schedule.samples,
            "thin": schedule.thin,
            "anneal": self.chains.anneal,
            "seeds": seeds,
        }

    def kept(self) -> Kept:
        """Where every chain stands: its labels, its generator, its sums."""
        values: dict[str, Any] = {"sweep": self.sweep, "chains": []}
        arrays: dict[str, Any] = {}
        for number, chain in enumerate(self._chains):
            if chain.last is None:
                continue
            random, tally = chain.last.random, chain.tally
            inner = {name: hex(value) for name, value in random["state"].items()}  # of 128 bits
            values["chains"].append(
                {"state": inner, "has_uint32": random["has_uint32"], "uinteger": random["uinteger"]}
            )
            arrays[f"labels_{number}"] = chain.last.labels
            arrays[f"log_joint_{number}"] = np.array(tally.log_joint)
            if tally.sizes:
                arrays[f"sizes_{number}"] = np.array(tally.sizes, np.int64).ravel()
                arrays[f"total_{number}"] = tally.total.ravel()
        return Kept(values, arrays)

    def go_on(self, kept: Kept) -> None:
        """Go on from there."""
        sweep = int(kept.values["sweep"])
        if sweep < 0:
            return
        if len(kept.values["chains"]) != self.chains.number:
            raise ModelFileError("it has another number of chains")
        self._chains = [self._restored(number, sweep, kept, seeded) for number, seeded in enumerate(self._seeds())]

    def _restored(self, number: int, sweep: int, kept: Kept, seeded: np.random.SeedSequence) -> _Chain:
        stored, schedule, classes = kept.values["chains"][number], self.chains.schedule, self.hidden.classes
        after = max(0, sweep - schedule.burn_in)
        tally = Tally.begin(self.hidden, schedule)
        labels = kept.table(f"labels_{number}", (len(self.corpus),), "int32")
        log_joint = kept.table(f"log_joint_{number}", (1 + sweep,))
        sizes = kept.table(f"sizes_{number}", (after, classes), "int64")
        total = kept.table(f"total_{number}", tally.total.shape)
        if labels is None or log_joint is None or (after and (sizes is None or total is None)):
            raise ModelFileError(f"chain {number + 1} is not whole")
        tally.log_joint = log_joint.tolist()
        if sizes is not None and total is not None:
            tally.sizes, tally.total = list(sizes), total
        random: Any = {
            "bit_generator": "PCG64",
            "state": {name: int(value, 16) for name, value in stored["state"].items()},
            "has_uint32": int(stored["has_uint32"]),
            "uinteger": int(stored["uinteger"]),
        }
        np.random.PCG64().state = random  # refuses what is no state
        last = GibbsState(sweep, labels, np.zeros(0, np.int64), 0.0, 0.0, random)
        return _Chain(self._states(seeded, last), tally, last)

    # --- the result --------------------------------------------------------------------------------------------------

    def result(self, diagnose: bool = True) -> GibbsResult:
        """What the chains say together."""
        return together([chain.tally for chain in self._chains], diagnose)

    def found(self, diagnose: bool = True) -> Found:
        """The average of chains that agree; of others the best one alone, for a mixture of answers is none."""
        draws = self.chains.schedule.samples * self.chains.schedule.thin
        enough = draws >= (LEAST_DRAWS if self.chains.number > 1 else 2 * LEAST_DRAWS)
        result = self.result(diagnose and enough and installed())
        alone = not result.agree
        if result.disagreement is not None:
            logger.warning(f"{result.disagreement}, so the best of them is taken alone; run longer, or anneal")
        shares = result.by_chain[result.best] if alone else result.probabilities
        order = by_size(self.names, self.known, shares.sum(axis=0))
        shares = np.ascontiguousarray(shares[:, order])
        model = model_of(
            self.corpus,
            self.names,
            shares,
            event="multinomial",
            estimate="bayes",
            alpha=self.recipe.alpha,
            documents=self.recipe.documents,
            seeds=self.seeds,
        )
        facts = {
            "chains": self.chains.number,
            "sweeps": self.chains.schedule.sweeps,
            "best_chain": result.best + 1,
            "averaged": not alone,
            "diagnoses": {name: {"rhat": d.rhat, "ess": d.ess} for name, d in result.diagnoses.items()},
        }
        after = result.log_joint[:, 1 + result.burn_in :].mean(axis=1)
        level = float(after[result.best] if alone else after.mean())
        return Found(
            self.names, shares.sum(axis=0), shares, model, level, named=self.known, unseen=self.unseen, facts=facts
        )
