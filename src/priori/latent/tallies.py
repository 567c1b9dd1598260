"""What one Gibbs chain has added up: the conditionals of its snapshots, and the traces that chains are compared by."""

from dataclasses import dataclass, field

import numpy as np

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
        """One state more."""
        self.log_joint.append(state.log_joint)
        after = state.sweep - self.schedule.burn_in
        if after <= 0:
            return
        self.sizes.append(state.sizes)
        if after % self.schedule.thin == 0 and state.conditionals is not None:
            self.total += state.conditionals[:, self._order_of(state.conditionals)]

    def _order_of(self, conditionals: Floats) -> Order:
        """How a snapshot's classes take the places they have had in the chain so far."""
        if not self.hidden.movable:
            return np.arange(self.hidden.classes)
        return order_by(self.total.T @ conditionals, self.hidden.groups)

    @property
    def shares(self) -> Floats:
        """(n, K) p(y | D) as this chain has it."""
        mean: Floats = self.total / self.schedule.samples
        return mean

    @property
    def sorted_sizes(self) -> Int64s:
        """(sweeps after burn-in, K), not depending on the order of classes that can change places."""
        return sorted_within(np.array(self.sizes), self.hidden.groups)
