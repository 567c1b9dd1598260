"""What the densities of many families share: missing values and the support."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from priori.statistics.observations import one_column

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


def scored(X: Any, log_density: Callable[[Floats], Floats], support: Callable[[Floats], Bools] | None = None) -> Floats:
    """log p of each number: 0 for what is missing, -inf outside the support, else as `log_density` has it."""
    values = one_column(X).astype(np.float64, copy=False)
    there = ~np.isnan(values)
    inside = there if support is None else there & support(values)
    result = np.where(there, -np.inf, 0.0)
    result[inside] = log_density(values[inside])
    return result


def not_negative(values: Floats) -> Bools:
    """The support of waiting times."""
    return values >= 0
