"""What the densities of many families share: missing values, the support, and a ratio of gamma functions."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import betaln, gammaln

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


def log_rising(base: Any, steps: Floats) -> Floats:
    """log of Γ(base + steps) / Γ(base): the product base (base + 1) ... (base + steps - 1) for whole steps.

    >>> float(log_rising(3.0, np.array(2.0)) - np.log(3 * 4))
    0.0
    """
    some = np.where(steps > 0, steps, 1.0)
    # subtle: two log-gammas of a large base would cancel; the Beta function has an expansion there
    return np.where(steps > 0, gammaln(some) - betaln(base, some), 0.0)
