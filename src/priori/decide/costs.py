"""Decisions of least expected cost: argmin over d of Σ_c L(d, c) p(c | x)."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from priori.errors import DataError

Floats = npt.NDArray[np.float64]


def cost_matrix(cost: Any, labels: Sequence[str]) -> Floats:
    """L(decision, truth), (K, K), in the order of the labels.

    Given as such a matrix, or as {decision: {truth: cost}}, where what is not named costs 0 if right and 1 if wrong.

    >>> cost_matrix({"spam": {"ham": 10}}, ["ham", "spam"]).tolist()
    [[0.0, 1.0], [10.0, 0.0]]
    """
    size = len(labels)
    if isinstance(cost, Mapping):
        matrix = 1.0 - np.eye(size)
        place = {label: k for k, label in enumerate(labels)}
        for decision, truths in cost.items():
            if not isinstance(truths, Mapping):
                raise DataError(f"the cost of {decision!r} is {truths!r}; give {{decision: {{truth: cost}}}}")
            for truth, value in truths.items():
                for label in (decision, truth):
                    if str(label) not in place:
                        raise DataError(f"the costs name {label!r}, which is no class; the classes are {list(labels)}")
                try:
                    matrix[place[str(decision)], place[str(truth)]] = float(value)
                except (TypeError, ValueError) as error:
                    said = f"the cost of {decision!r} where it is {truth!r} is {value!r}"
                    raise DataError(f"{said}, no number; give numbers") from error
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


def least_cost(posterior: Floats, costs: Floats) -> npt.NDArray[np.intp]:
    """The decision of least expected cost for each row; the first of equals."""
    cheapest: npt.NDArray[np.intp] = (posterior @ costs.T).argmin(axis=1)
    return cheapest
