"""Classes of several components: each component has counts and scores of its own, and a class what they add up to."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]


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
