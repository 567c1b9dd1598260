"""Seeds of what is drawn."""

from typing import TypeAlias

import numpy as np

from priori.errors import DataError

Seed: TypeAlias = int | np.random.SeedSequence


def checked_seed(seed: object) -> int:
    """A whole number from 0."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise DataError(f"seed={seed!r} is no seed; give a whole number from 0")
    return int(seed)


def bits_of(seed: Seed) -> np.random.PCG64:
    """The bits that a chain draws from."""
    return np.random.PCG64(seed if isinstance(seed, np.random.SeedSequence) else checked_seed(seed))


def spawned(seed: int, number: int) -> list[np.random.SeedSequence]:
    """Seeds of so many runs that draw apart from each other."""
    return np.random.SeedSequence(checked_seed(seed)).spawn(number)
