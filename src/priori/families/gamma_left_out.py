"""Each observation of a gamma distribution as if it had never been seen, from one quadrature over the shape.

1 / p(x | others) = ∫ p(a | all) / p(x | a, others) da, for p(a | all) ∝ p(a | others) p(x | a, others); given the shape
the rate is integrated out in closed form (gamma_predictive.py).
"""

import numpy as np
import numpy.typing as npt

from priori.families.gamma_shape import ShapePosterior
from priori.families.special import HALF_LOG_2PI, stirling
from priori.statistics.positives import NEAR, near_excess

Floats = npt.NDArray[np.float64]
_BLOCK = 512  # numbers, each with all shapes
_EDGE = 37.0  # e^-37 is below rounding
_LOST = 1e-4  # of the time: what is left of less has lost digits


def gamma_without(of: ShapePosterior, x: Floats, weight: Floats) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """log p of each number without it, and where that is sure: where the nodes reach as far as it moves the shape."""
    scores, sure = np.zeros(len(x)), np.zeros(len(x), bool)
    whole = np.flatnonzero((weight == 1) & (of.data.n > 1))  # of a part of a weight the identity would need another
    for start in range(0, len(whole), _BLOCK):
        at = whole[start : start + _BLOCK]
        logs, enough = _given_shape(of, x[at])
        with np.errstate(divide="ignore"):
            terms = np.log(of.weights) - logs
        top = terms.max(axis=1)
        total = top + np.log(np.exp(terms - top[:, None]).sum(axis=1))
        reached = np.maximum(terms[:, 0], terms[:, -1]) < total - _EDGE
        scores[at], sure[at] = -total, reached & enough
    return scores, sure


def _given_shape(of: ShapePosterior, x: Floats) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """log p(x | a, all but x) at each node, (n, nodes): x / time is BetaPrime(a, events); and where time is left."""
    a, n = of.shapes, of.data.n - 1
    events = of.rate_shape + n * a
    all_time = of.rate_rate + of.data.n * of.data.mean
    time = all_time - x
    enough = time > _LOST * all_time
    column, time = x[:, None], np.where(enough, time, all_time)[:, None]
    both = events + a
    theta, centre = a / both, time * (a / events)
    constant = 0.5 * np.log(a * (events / both)) - HALF_LOG_2PI + stirling(both) - stirling(events) - stirling(a)
    far = both * np.log1p(a / events) + a * np.log(events / a)
    logs = constant + far - both * np.log1p(column / time) + a * (np.log(column) - np.log(time))
    with np.errstate(over="ignore"):
        z = (column - centre) / centre
    row, node = np.nonzero(np.abs(z) < NEAR)
    z = z[row, node]
    logs[row, node] = constant[node] - a[node] * near_excess(z) + both[node] * near_excess(theta[node] * z)
    return logs - np.log(column), enough
