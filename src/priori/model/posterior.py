"""From scores to log p(y | x): powers, the sum over classes, and that over the components of a class."""

from collections.abc import Mapping
from functools import reduce

import numpy as np
import numpy.typing as npt

from priori.errors import EstimateError

Floats = npt.NDArray[np.float64]


def powered(powers: Floats, scores: Floats) -> Floats:
    """Logarithms (n, K) times a power for each row; where the power is 0, what is impossible says nothing either."""
    with np.errstate(invalid="ignore"):
        return np.where(powers[:, None] == 0, 0.0, powers[:, None] * scores)


def normalized(joint: Floats, first_row: int = 0) -> Floats:
    """log p(y | x) from log p(x, y)."""
    from priori.families.numerics.special import log_sums  # here: the classes of texts are summed by the core

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


def component_names(label: str, components: int) -> list[str]:
    """What the components of a class are called.

    >>> component_names("sport", 2)
    ['sport (1)', 'sport (2)']
    """
    return [label] if components == 1 else [f"{label} ({k})" for k in range(1, components + 1)]


def classes_of(labels: tuple[str, ...], components: Mapping[str, str]) -> tuple[str, ...]:
    """The classes that these counts are of, in order."""
    if not components:
        return labels
    return tuple(sorted({components.get(label, label) for label in labels}, key=str.encode))


def log_summed(scores: Floats, labels: tuple[str, ...], components: Mapping[str, str]) -> Floats:
    """Logarithms of probabilities by component, (n, C), as those by class, (n, K)."""
    if not components:
        return scores
    classes = classes_of(labels, components)
    summed = np.full((len(scores), len(classes)), -np.inf)
    for column, label in enumerate(labels):
        place = classes.index(components.get(label, label))
        summed[:, place] = np.logaddexp(summed[:, place], scores[:, column])
    return summed
