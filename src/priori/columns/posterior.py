"""From the scores of factors to log p(y | x): powers and the sum over classes."""

from functools import reduce

import numpy as np
import numpy.typing as npt

from priori.errors import EstimateError
from priori.families.special import log_sums

Floats = npt.NDArray[np.float64]


def powered(powers: Floats, scores: Floats) -> Floats:
    """Logarithms (n, K) times a power for each row; where the power is 0, what is impossible says nothing either."""
    with np.errstate(invalid="ignore"):
        return np.where(powers[:, None] == 0, 0.0, powers[:, None] * scores)


def normalized(joint: Floats, first_row: int = 0) -> Floats:
    """log p(y | x) from log p(x, y)."""
    top = reduce(np.maximum, joint.T)
    if not np.isfinite(top).all():
        row = int(np.flatnonzero(~np.isfinite(top))[0])
        raise EstimateError(
            f"row {first_row + row + 1} is impossible in every class, so its posterior is 0/0; use estimate='bayes', "
            "alpha > 0, or leave out the column that makes it impossible"
        )
    # subtle: less the greatest first, for next to a large number that all classes share log Σ would be rounded away
    with np.errstate(over="ignore"):  # too far below is as good as impossible: -inf
        above: Floats = joint - top[:, None]
    posterior: Floats = above - log_sums(above)
    return posterior
