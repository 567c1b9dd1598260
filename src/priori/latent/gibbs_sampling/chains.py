"""Several Gibbs chains, their snapshots averaged into p(y | D) of every document, and whether the chains agree.

A snapshot adds the full conditionals that its labels were drawn from (Rao-Blackwell: the same expectation as the
labels, less noise). The expected counts of words are linear in them, E[N_cj | D] = Σ_i p(y_i = c | D) n_ij, so that no
table of words is kept for the averages while the chains run.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from priori.columns.words.em import WordPrior
from priori.errors import DataError
from priori.latent.corpus import Corpus, Floats, Int64s
from priori.latent.gibbs_sampling.diagnostics import (
    LARGEST_RHAT,
    LEAST_DRAWS,
    Diagnosis,
    array_stats,
    diagnose,
    order_by,
    worst,
)
from priori.latent.gibbs_sampling.parallel_chains import InStep, Schedule, Tally
from priori.latent.gibbs_sampling.sampler import GibbsState, Power, Start
from priori.latent.gibbs_sampling.setup import Hidden
from priori.log import logger


@dataclass(frozen=True, eq=False, repr=False)
class GibbsResult:
    """What the chains say together. Classes without a name are put in the order of the first chain's."""

    hidden: Hidden
    by_chain: Floats  # (chains, n, K) p(y_i | D) as each chain has it
    log_joint: Floats  # (chains, 1 + burn_in + sweeps after it), the start first
    sizes: Int64s  # (chains, sweeps after burn-in, K) documents of each class, not depending on the classes' order
    burn_in: int
    diagnoses: Mapping[str, Diagnosis] = field(default_factory=dict)  # by quantity; empty where not asked for

    def __repr__(self) -> str:
        chains, documents, classes = self.by_chain.shape
        judged = {True: ", which agree", False: ", which do not agree", None: ""}[self.agree]
        return f"<GibbsResult: {chains} chains{judged}, {documents:,} documents, {classes} classes>"

    @property
    def names(self) -> tuple[str, ...]:
        """(K,) the labels, then "1", "2", ..."""
        return self.hidden.names

    @cached_property
    def probabilities(self) -> Floats:
        """(n, K) p(y_i | D), the mean over the chains."""
        mean: Floats = self.by_chain.mean(axis=0)
        return mean

    @cached_property
    def counts(self) -> Floats:
        """(terms, K) expected occurrences of each word in each class."""
        return self.hidden.expected_counts(self.probabilities)

    @property
    def documents(self) -> Floats:
        """(K,) expected documents of each class."""
        total: Floats = self.probabilities.sum(axis=0)
        return total

    @property
    def class_probabilities(self) -> Floats:
        """(K,) p(y): its posterior mean, (E[D_c | D] + a_c) / (n + Σ a)."""
        counted = self.documents + self.hidden.documents
        shares: Floats = counted / counted.sum()
        return shares

    @property
    def word_probabilities(self) -> Floats:
        """(terms, K) p(word | y): its mean at the expected counts, (E[N_cj | D] + α_cj) / (E[N_c | D] + α_c0)."""
        return self.hidden.theta(self.counts)

    @property
    def best(self) -> int:
        """The chain with the largest mean log joint after burn-in: the one to look at where chains disagree."""
        return int(self.log_joint[:, 1 + self.burn_in :].mean(axis=1).argmax())

    @property
    def agree(self) -> bool | None:
        """Whether no R-hat is above 1.1; None where they were not asked for."""
        return all(diagnosis.agree for diagnosis in self.diagnoses.values()) if self.diagnoses else None

    @property
    def disagreement(self) -> str | None:
        """By how much the chains do not agree."""
        if self.agree is not False:
            return None
        name, diagnosis = worst(self.diagnoses)
        return f"the chains do not agree: R-hat of the {name} is {diagnosis.said}, above {LARGEST_RHAT}"

    @property
    def warning(self) -> str | None:
        """What to say where the chains do not agree."""
        if self.disagreement is None:
            return None
        return (
            f"{self.disagreement}, so an average over them mixes different answers; run longer, anneal from a lower "
            "power, or take the best chain"
        )


def gibbs_chains(
    corpus: Corpus,
    classes: int | None = None,
    *,
    prior: WordPrior | float,
    class_prior: npt.ArrayLike = 1.0,
    seed: int = 0,
    chains: int = 4,
    burn_in: int = 100,
    samples: int = 100,
    thin: int = 1,
    start: Start = "informed",
    exact: bool = True,
    power: Power = 1.0,
    diagnose: bool = True,
    jobs: int | None = None,
    progress: Callable[[int, GibbsState], None] | None = None,
) -> GibbsResult:
    """Run chains that start apart, and average `samples` snapshots of each, `thin` sweeps from one to the next.

    Draws do not depend on the number of threads. progress is called with each chain's number and state after each
    sweep; snapshots have their conditionals. start is as in `gibbs`. A power (see `annealing`) must end at 1 with the
    burn-in, or the average is of another posterior.
    """
    hidden = Hidden.of(corpus, classes, prior, class_prior)
    run = InStep(
        hidden,
        chains,
        Schedule(burn_in, samples, thin),
        start=lambda number: start,
        seed=seed,
        exact=exact,
        power=power,
        jobs=jobs,
    )
    if isinstance(start, GibbsState):
        raise DataError("chains that go on from one state are one chain; give each its own start, or labels for all")
    if diagnose:
        array_stats()  # said before the work, not after it
        if not can_be_judged(chains, samples * thin):
            raise DataError(f"{samples} samples say nothing of whether chains agree; take more, or diagnose=False")
    if (power(burn_in + 1) if callable(power) else power) != 1:
        raise DataError(
            "the power is below 1 after burn-in, so snapshots would be of another posterior; let it end at 1"
        )

    for swept in run:
        for number, state in enumerate(swept.states):
            if progress is not None:
                progress(number, state)
    result = together(run.tallies(), diagnose)
    if result.warning is not None:
        logger.warning(result.warning)
    return result


def can_be_judged(chains: int, draws: int) -> bool:
    """Whether so many draws a chain say anything of their agreement; a single chain is cut into halves."""
    return draws >= (LEAST_DRAWS if chains > 1 else 2 * LEAST_DRAWS)


def together(ran: Sequence[Tally], judged: bool = True) -> GibbsResult:
    """What chains say together by the snapshots that they have taken."""
    hidden, burn_in = ran[0].hidden, ran[0].schedule.burn_in
    shares = [tally.shares for tally in ran]
    if hidden.movable:
        first = hidden.root_theta(shares[0])
        for place, other in enumerate(shares[1:], 1):
            affinity = first.T @ hidden.root_theta(other)  # Σ_j √(θ_j θ'_j) of each class with each: 1 if the same
            shares[place] = other[:, order_by(affinity, hidden.groups)]
    log_joint, sizes = np.stack([tally.log_joint for tally in ran]), np.stack([tally.sorted_sizes for tally in ran])
    result = GibbsResult(hidden, np.stack(shares), log_joint, sizes, burn_in)
    return replace(result, diagnoses=diagnosed(result)) if judged else result


def diagnosed(result: GibbsResult) -> dict[str, Diagnosis]:
    """Of the log joint and of the size of every class."""
    hidden = result.hidden
    found = {"log joint": diagnose(result.log_joint[:, 1 + result.burn_in :])}
    ranked = {c: (group, rank) for group in hidden.groups for rank, c in enumerate(group, 1)}
    for c, name in enumerate(hidden.names):
        known = c not in ranked or len(ranked[c][0]) == 1
        said = f"documents of {name}" if known else f"documents of the class {_place(ranked[c][1])} in size"
        found[said] = diagnose(result.sizes[:, :, c].astype(np.float64))
    return found


def _place(rank: int) -> str:
    endings = {1: "st", 2: "nd", 3: "rd"}
    ending = "th" if rank % 100 in (11, 12, 13) else endings.get(rank % 10, "th")
    return f"{rank}{ending}"
