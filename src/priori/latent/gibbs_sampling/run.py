"""Classes found by Gibbs chains that can be stopped after any sweep, stored and taken up again."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from priori.columns.words.em import WordPrior
from priori.errors import DataError
from priori.latent.checkpoint import Kept
from priori.latent.corpus import Corpus, Floats
from priori.latent.em_algorithm.iteration import Settings
from priori.latent.gibbs_sampling.chains import GibbsResult, can_be_judged, together
from priori.latent.gibbs_sampling.diagnostics import installed
from priori.latent.gibbs_sampling.parallel_chains import InStep, Schedule, Swept, refuse_no_chains
from priori.latent.gibbs_sampling.sampler import Start, annealing, drawn
from priori.latent.gibbs_sampling.setup import Hidden
from priori.latent.result import Found, by_size, model_of
from priori.latent.seed_words import SeedWords
from priori.latent.settings import Named, Recipe
from priori.latent.starts import voted
from priori.log import logger
from priori.validation import seed_of

_LOWEST = 0.1  # power that annealing begins with


@dataclass(frozen=True)
class Chains:
    """How many chains, how long, and over how many of their first sweeps they are annealed."""

    number: int = 4
    schedule: Schedule = field(default_factory=Schedule)
    anneal: int = 0

    def __post_init__(self) -> None:
        refuse_no_chains(self.number, self.schedule)
        if self.anneal < 0:
            raise DataError(f"anneal={self.anneal} is no number of sweeps; give one from 0")
        if self.anneal > self.schedule.burn_in:
            raise DataError(
                f"annealing over {self.anneal} sweeps goes on after the burn-in of {self.schedule.burn_in}, so that "
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
        self.seed = seed_of(seed)
        self._run = InStep(
            self.hidden,
            self.chains.number,
            self.chains.schedule,
            start=self._start,
            seed=self.seed,
            power=annealing(self.chains.anneal, _LOWEST) if self.chains.anneal else 1.0,
            jobs=jobs,
        )

    def _start(self, number: int) -> Start:
        """By seed words as EM begins; where there are none, by the labels."""
        if self.seeds is None:
            return "informed"
        rng = np.random.default_rng([self.seed, number])
        shares = voted(self.corpus, Settings(self.names), self.seeds, rng, self._votes)
        chosen = drawn(shares, rng.random(len(shares)))
        return np.where(shares.any(axis=1), chosen, -1).astype(np.int32)  # -1: drawn given the others

    @cached_property
    def _votes(self) -> Floats | None:
        """Of the seed words; the same for every chain."""
        return None if self.seeds is None else self.seeds.votes(self.corpus, self.names)

    @property
    def sweep(self) -> int:
        """The last sweep that was made; -1 before the start."""
        return self._run.sweep

    @property
    def where(self) -> str:
        """How far it has come, in words."""
        return f"sweep {max(self.sweep, 0)} of {self.chains.schedule.sweeps}"

    def __iter__(self) -> Iterator[Swept]:
        yield from self._run

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
        """Where every chain stands."""
        return self._run.kept()

    def go_on(self, kept: Kept) -> None:
        """Go on from there."""
        self._run.go_on(kept)

    # --- the result --------------------------------------------------------------------------------------------------

    def result(self, diagnose: bool = True) -> GibbsResult:
        """What the chains say together, by the snapshots that they have taken so far."""
        return together(self._run.tallies(), diagnose)

    def found(self, diagnose: bool = True) -> Found:
        """The average of chains that agree; of others the best one alone, for a mixture of answers is none."""
        enough = can_be_judged(self.chains.number, self.chains.schedule.after(self.sweep))
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
            "sweeps": self.sweep,
            "best_chain": result.best + 1,
            "averaged": not alone,
            "diagnoses": {name: {"rhat": d.rhat, "ess": d.ess} for name, d in result.diagnoses.items()},
        }
        after = result.log_joint[:, 1 + result.burn_in :].mean(axis=1)
        level = float(after[result.best] if alone else after.mean())
        return Found(
            self.names, shares.sum(axis=0), shares, model, level, named=self.known, unseen=self.unseen, facts=facts
        )
