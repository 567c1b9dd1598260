"""What one Gibbs chain has added up: the conditionals of its snapshots, and the traces that chains are compared by."""

from dataclasses import dataclass, field

import numpy as np

from priori.errors import DataError
from priori.latent.aligned import Order, order_by, sorted_within
from priori.latent.collapsed import GibbsState
from priori.latent.corpus import Floats, Int64s
from priori.latent.hidden import Hidden


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
