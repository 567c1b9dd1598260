"""Numbers that users give, refused with a line that names the argument and its value."""

import numpy as np

from priori.errors import DataError


def whole_number(value: object, name: str, least: int) -> int:
    """A setting that counts something."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise DataError(f"{name}={value!r} is no number of them; give a whole number from {least}")
    return int(value)


def seed_of(value: object, name: str = "seed") -> int:
    """A whole number from 0, so that the same draws come again."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 0:
        raise DataError(f"{name}={value!r} is no seed; give a whole number from 0")
    return int(value)


def state_of(random_state: object) -> int:
    """A seed as scikit-learn calls it, where the same settings are to find the same; None is 0."""
    return 0 if random_state is None else seed_of(random_state, "random_state")
