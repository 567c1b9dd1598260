"""Seeds of what is drawn."""

from typing import TypeAlias

import numpy as np

from priori.arguments import seed_of

Seed: TypeAlias = int | np.random.SeedSequence


def bits_of(seed: Seed) -> np.random.PCG64:
    """The bits that a chain draws from."""
    return np.random.PCG64(seed if isinstance(seed, np.random.SeedSequence) else seed_of(seed))


def spawned(seed: int, number: int) -> list[np.random.SeedSequence]:
    """Seeds of so many runs that draw apart from each other."""
    return np.random.SeedSequence(seed_of(seed)).spawn(number)
