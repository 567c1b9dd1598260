"""Whether counts are likely under shares, at a level that the caller names."""

import math

import numpy as np
from scipy.stats import chi2


def fits(counts, shares, most):
    """Pearson's chi-square; cells of less than 8 expected are taken together, and impossible ones must be empty."""
    counts, expected = np.asarray(counts, float), np.asarray(shares) * np.sum(counts)
    assert math.isclose(np.sum(shares), 1, abs_tol=1e-9)
    if counts[expected == 0].any():
        return False
    rare = expected < 8
    if rare.any():
        counts = np.append(counts[~rare], counts[rare].sum())
        expected = np.append(expected[~rare], expected[rare].sum())
    counts, expected = counts[expected > 0], expected[expected > 0]
    return chi2.sf(((counts - expected) ** 2 / expected).sum(), len(counts) - 1) > most
