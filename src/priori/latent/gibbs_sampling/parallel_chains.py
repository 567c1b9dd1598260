"""Gibbs chains that go in step, one sweep each, so that there is one point where all of them can be stopped.

Each has a generator of its own: what it draws depends neither on the other chains, nor on the number of threads, nor on
a stop in between. Each adds up the conditionals of its snapshots, and the traces that chains are compared by.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from priori.errors import DataError, ModelFileError
from priori.latent.checkpoint import Kept
from priori.latent.corpus import Floats, Int64s
from priori.latent.gibbs_sampling.diagnostics import Order, order_by, sorted_within
from priori.latent.gibbs_sampling.sampler import GibbsState, Power, Start, plain_random, spawned, sweeps
from priori.latent.gibbs_sampling.setup import Hidden
from priori.threads import threads

ROUNDING = 1e-9  # of a row of conditionals, which add up to 1


# --- one chain: how long it runs, what it adds up ---------------------------------------------------------------------


@dataclass(frozen=True)
class Schedule:
    """How long chains run: sweeps before the first snapshot, snapshots, and sweeps from one to the next."""

    burn_in: int = 100
    samples: int = 100
    thin: int = 1

    @property
    def sweeps(self) -> int:
        """In all, without the start."""
        return self.burn_in + self.samples * self.thin

    def after(self, sweep: int) -> int:
        """How many sweeps after the burn-in there have been."""
        return max(0, sweep - self.burn_in)

    def snapshots(self, sweep: int) -> int:
        """How many snapshots have been taken."""
        return self.after(sweep) // self.thin

    def taken(self, sweep: int) -> bool:
        """Whether a snapshot is taken after this sweep."""
        return sweep > self.burn_in and self.after(sweep) % self.thin == 0


def refuse_no_chains(number: int, schedule: Schedule) -> None:
    """Chains that would give nothing to average."""
    if min(number, schedule.samples, schedule.thin) < 1 or schedule.burn_in < 0:
        raise DataError("give at least one chain, one sample and a thinning of 1, and no negative burn-in")


@dataclass(eq=False)
class Tally:
    """One chain's sums so far. `add` takes the states in order, the start first."""

    hidden: Hidden
    schedule: Schedule
    total: Floats  # (n, K) of the snapshots
    log_joint: list[float] = field(default_factory=list)  # of the start and every sweep
    sizes: list[Int64s] = field(default_factory=list)  # (K,) of every sweep after burn-in

    @classmethod
    def begin(cls, hidden: Hidden, schedule: Schedule) -> "Tally":
        """Of no state yet."""
        return cls(hidden, schedule, np.zeros((len(hidden.corpus), hidden.classes)))

    def add(self, state: GibbsState) -> None:
        """One state more, with its conditionals where a snapshot is taken."""
        self.log_joint.append(state.log_joint)
        if state.sweep > self.schedule.burn_in:
            self.sizes.append(state.sizes)
        if self.schedule.taken(state.sweep):
            assert state.conditionals is not None
            self.total += state.conditionals[:, self._order_of(state.conditionals)]

    def _order_of(self, conditionals: Floats) -> Order:
        """How a snapshot's classes take the places they have had in the chain so far."""
        if not self.hidden.movable:
            return np.arange(self.hidden.classes)
        return order_by(self.total.T @ conditionals, self.hidden.groups)

    @property
    def snapshots(self) -> int:
        """How many there are in the total."""
        return self.schedule.snapshots(len(self.log_joint) - 1)

    @property
    def shares(self) -> Floats:
        """(n, K) p(y | D) as this chain has it: the mean of its snapshots so far."""
        mean: Floats = self.total / self.snapshots
        return mean

    @property
    def sorted_sizes(self) -> Int64s:
        """(sweeps after burn-in, K), not depending on the order of classes that can change places."""
        return sorted_within(np.array(self.sizes), self.hidden.groups)


# --- chains in step ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Swept:
    """One sweep of every chain. States have their conditionals where a snapshot is taken."""

    sweep: int  # 0: the starts
    schedule: Schedule
    states: tuple[GibbsState, ...]

    @property
    def log_joint(self) -> float:
        """The highest of the chains'."""
        return max(state.log_joint for state in self.states)


@dataclass(eq=False)
class _Chain:
    """One chain: its states to come, what they have added up to, and the last one."""

    states: Iterator[GibbsState]
    tally: Tally
    last: GibbsState

    def sweep(self) -> GibbsState:
        self.last = next(self.states)
        self.tally.add(self.last)
        return self.last


class InStep:
    """An iterator over the sweeps of all chains, their starts first."""

    def __init__(
        self,
        hidden: Hidden,
        number: int,
        schedule: Schedule,
        *,
        start: Callable[[int], Start],
        seed: int = 0,
        exact: bool = True,
        power: Power = 1.0,
        jobs: int | None = None,
    ) -> None:
        """start: of each chain by its number from 0; asked for when the chains begin. The rest is as in `gibbs`."""
        refuse_no_chains(number, schedule)
        self.hidden, self.number, self.schedule = hidden, number, schedule
        self._start, self._exact, self._power, self._jobs = start, exact, power, jobs
        self._seeds = spawned(seed, number)
        self._chains: list[_Chain] = []

    @property
    def sweep(self) -> int:
        """The last sweep that was made; -1 before the start."""
        return self._chains[0].last.sweep if self._chains else -1

    def tallies(self) -> list[Tally]:
        """What each chain has added up to; a DataError as long as that is nothing."""
        if not self.schedule.snapshots(self.sweep):
            raise DataError(
                f"no snapshot has been taken yet, {max(0, self.sweep)} sweeps from the start; iterate first, over the "
                f"burn-in of {self.schedule.burn_in} and more"
            )
        return [chain.tally for chain in self._chains]

    def __iter__(self) -> Iterator[Swept]:
        with ThreadPoolExecutor(min(threads(self._jobs), self.number)) as pool:
            if not self._chains:
                starts = [self._start(number) for number in range(self.number)]
                self._chains = list(pool.map(self._begun, self._seeds, starts))
                yield self._swept()
            while self.sweep < self.schedule.sweeps:
                list(pool.map(_Chain.sweep, self._chains))
                yield self._swept()

    def _swept(self) -> Swept:
        return Swept(self.sweep, self.schedule, tuple(chain.last for chain in self._chains))

    def _begun(self, seeded: np.random.SeedSequence, start: Start) -> _Chain:
        states, tally = self._states(seeded, start), Tally.begin(self.hidden, self.schedule)
        first = next(states)
        tally.add(first)
        return _Chain(states, tally, first)

    def _states(self, seeded: np.random.SeedSequence, start: Start) -> Iterator[GibbsState]:
        return sweeps(
            self.hidden,
            seed=seeded,
            start=start,
            exact=self._exact,
            power=self._power,
            conditionals=self.schedule.taken,
        )

    # --- stopping and going on ---------------------------------------------------------------------------------------

    def kept(self) -> Kept:
        """Where every chain stands: its labels, its generator, its sums."""
        values: dict[str, Any] = {"sweep": self.sweep, "chains": []}
        arrays: dict[str, Any] = {}
        for number, chain in enumerate(self._chains):
            tally = chain.tally
            values["chains"].append(plain_random(chain.last.random))
            arrays[f"labels_{number}"] = chain.last.labels
            arrays[f"log_joint_{number}"] = np.array(tally.log_joint)
            if tally.sizes:
                arrays[f"sizes_{number}"] = np.array(tally.sizes, np.int64).ravel()
                arrays[f"total_{number}"] = tally.total.ravel()
        return Kept(values, arrays)

    def go_on(self, kept: Kept) -> None:
        """Go on from there; a ModelFileError where these chains cannot have stood there."""
        sweep = int(kept.values["sweep"])
        if sweep == -1:
            return
        if not 0 <= sweep <= self.schedule.sweeps:
            raise ModelFileError(f"it stands at sweep {sweep} of {self.schedule.sweeps}")
        if len(kept.values["chains"]) != self.number:
            raise ModelFileError("it has another number of chains")
        self._chains = [self._restored(number, sweep, kept) for number in range(self.number)]

    def _restored(self, number: int, sweep: int, kept: Kept) -> _Chain:
        after, classes = self.schedule.after(sweep), self.hidden.classes
        tally = Tally.begin(self.hidden, self.schedule)
        labels = kept.table(f"labels_{number}", (len(self.hidden.corpus),), "int32")
        log_joint = kept.table(f"log_joint_{number}", (1 + sweep,))
        sizes = kept.table(f"sizes_{number}", (after, classes), "int64")
        total = kept.table(f"total_{number}", tally.total.shape)
        if labels is None or log_joint is None or (after and (sizes is None or total is None)):
            raise ModelFileError(f"chain {number + 1} is not whole")
        tally.log_joint = log_joint.tolist()
        if sizes is not None and total is not None:
            tally.sizes, tally.total = list(sizes), total
        last = GibbsState.of_plain({"sweep": sweep, "labels": labels, "random": kept.values["chains"][number]})
        chain = _Chain(self._states(self._seeds[number], last), tally, last)
        if not self._can_be(chain):
            raise ModelFileError(f"the numbers of chain {number + 1} are not those of such a chain")
        return chain

    def _can_be(self, chain: _Chain) -> bool:
        """Whether labels are classes that their documents can have, and the sums those of so many snapshots."""
        corpus, tally, labels = self.hidden.corpus, chain.tally, chain.last.labels
        possible = (labels >= 0) & (labels < self.hidden.classes) & ((labels == corpus.cls) | ~corpus.labelled)
        sizes = np.array(tally.sizes, np.int64).reshape(-1, self.hidden.classes)
        counted = (sizes >= 0).all(axis=1) & (sizes.sum(axis=1) == len(corpus))
        off = np.abs(tally.total.sum(axis=1) - tally.snapshots)
        added = (tally.total >= 0).all(axis=1) & (off <= ROUNDING * tally.snapshots)
        return bool(possible.all() and counted.all() and added.all())
