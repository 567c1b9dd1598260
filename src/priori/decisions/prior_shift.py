"""The class prior where a model is used is not that of its training data: known, or found from unlabelled data.

p'(c | x) ∝ p(c | x) new_c / old_c, as p(x | c) stays. Saerens, Latinne & Decaestecker 2002, equations 2.4 and 2.9.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from priori.decisions.posteriors import checked_posterior, checked_prior
from priori.errors import DataError

Floats = npt.NDArray[np.float64]


def reweighted(posterior: Any, old: Any, new: Any) -> Floats:
    """p'(c | x) ∝ p(c | x) new_c / old_c: (n, K).

    >>> reweighted([0.5, 0.5], [0.5, 0.5], [0.9, 0.1]).round(9).tolist()
    [[0.9, 0.1]]
    """
    rows = checked_posterior(posterior)
    labels = tuple(range(rows.shape[1]))
    before = checked_prior(old, labels, "the old class prior", positive=True)
    after = checked_prior(new, labels, "the new class prior")
    with np.errstate(divide="ignore"):  # the logarithm of 0 is -inf, and meant
        logs = np.log(rows) + np.log(after) - np.log(before)
    top = logs.max(axis=1, keepdims=True)
    if np.isneginf(top).any():
        row = int(np.isneginf(top).argmax())
        raise DataError(f"row {row} is possible only in classes to which the new class prior gives 0; give them more")
    shares = np.exp(logs - top)
    result: Floats = shares / shares.sum(axis=1, keepdims=True)
    return result
