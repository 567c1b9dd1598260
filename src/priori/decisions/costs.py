"""Decisions of least expected cost: argmin over d of Σ_c L(d, c) p(c | x)."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from priori.errors import DataError

Floats = npt.NDArray[np.float64]


def cost_matrix(cost: Any, labels: Sequence[Any]) -> Floats:
    """L(decision, truth), (K, K), in the order of the labels.

    Given as such a matrix, or as {decision: {truth: cost}}, where what is not named costs 0 if right and 1 if wrong.
    Labels are named as they are (0 and 0.0 are one number), or by their text.

    >>> cost_matrix({"spam": {"ham": 10}}, ["ham", "spam"]).tolist()
    [[0.0, 1.0], [10.0, 0.0]]
    """
    size = len(labels)
    if isinstance(cost, Mapping):
        matrix = 1.0 - np.eye(size)
        place = {str(label): k for k, label in enumerate(labels)} | {label: k for k, label in enumerate(labels)}
        for decision, truths in cost.items():
            if not isinstance(truths, Mapping):
                raise DataError(f"the cost of {decision!r} is {truths!r}; give {{decision: {{truth: cost}}}}")
            for truth, value in truths.items():
                at = tuple(place.get(label, place.get(str(label), -1)) for label in (decision, truth))
                if -1 in at:
                    other = (decision, truth)[at.index(-1)]
                    raise DataError(f"the costs name {other!r}, which is no class; the classes are {list(labels)}")
                matrix[at] = _number(value, decision, truth)
    else:
        try:
            matrix = np.asarray(cost, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise DataError(f"the costs are no matrix of numbers ({error}); give {size} x {size}") from error
    if matrix.shape != (size, size):
        raise DataError(
            f"the costs are of shape {matrix.shape} for {size} classes; give a row for each decision and a "
            "column for each truth"
        )
    if not np.isfinite(matrix).all():
        raise DataError("a cost is not finite; give numbers")
    return matrix


def _number(value: Any, decision: object, truth: object) -> float:
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        said = f"the cost of {decision!r} where it is {truth!r} is {value!r}"
        raise DataError(f"{said}, no number; give numbers") from error


def least_cost(posterior: Floats, costs: Floats) -> npt.NDArray[np.intp]:
    """The decision of least expected cost for each row; the first of equals."""
    cheapest: npt.NDArray[np.intp] = (posterior @ costs.T).argmin(axis=1)
    return cheapest
