"""Imagined counts and weights that surprise least: each token left out of the counts that predict it.

A token seen c times after a history of t tokens, without itself, has (c - 1 + mu p) / (t - 1 + mu) under Dirichlet
(Zhai & Lafferty 2002) and (1 - l)(c - 1) / (t - 1) + l p under Jelinek-Mercer, p being what the shorter history gives.
Both need the counts only: c times the logarithm, summed over the n-grams of an order, has one highest point.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from priori.language.chain import Nodes, Tallied
from priori.language.probabilities import probabilities
from priori.language.resolved import Resolved

Floats = npt.NDArray[np.float64]

LOOKED_AT = 1 << 19  # n-grams of an order are enough to choose one number by; of more, every so many
_ROUNDS = 40  # of golden section: each takes off 38 % of where the highest point may be
LOG_MU = (np.log(1e-3), np.log(1e7))
WEIGHT = (1e-6, 1 - 1e-6)
_GOLDEN = (5**0.5 - 1) / 2


def least_surprising(resolved: Resolved, nodes: Nodes, tallied: Tallied, size: int) -> Resolved:
    """With the number of each order, from the shortest histories on: what is shorter is smoothed already."""
    assert resolved.by_order is not None  # the methods that have a number have it by order
    numbers = resolved.by_order.copy()
    dirichlet = resolved.method == "dirichlet"
    for order in range(2 if dirichlet else 1, nodes.longest + 1):
        here = nodes.above(order)
        here = here[nodes.predicted[here]]
        here = here[:: max(1, len(here) // LOOKED_AT)]
        if not len(here):
            continue
        so_far = replace(resolved, by_order=numbers)
        shorter = np.full(len(here), 1.0 / size)
        total = tallied.root_total[nodes.group[here]] if order == 1 else tallied.total[nodes.prefix[here]]
        if order > 1:
            shorter = probabilities(nodes, tallied, so_far, size).prob[nodes.suffix[here]]
        gain = _gain(dirichlet, tallied.count[here], total, shorter)
        found = highest(gain, *(LOG_MU if dirichlet else WEIGHT))
        numbers[order - 1] = np.exp(found) if dirichlet else found
    return replace(resolved, by_order=numbers)


def _gain(dirichlet: bool, count: Floats, total: Floats, shorter: Floats) -> Callable[[float], float]:
    """Log-likelihood of tokens without themselves, by log mu or by the weight; counts below one are left whole."""
    rest, of = np.maximum(count - 1, 0.0), np.maximum(total - 1, 0.0)
    share = np.where(of > 0, rest / np.where(of > 0, of, 1.0), 0.0)
    alone = of <= 0  # nothing else follows the history: the shorter one decides, whatever the number

    def gain(number: float) -> float:
        if dirichlet:
            mu = np.exp(number)
            p = (rest + mu * shorter) / (of + mu)
        else:
            p = np.where(alone, shorter, (1 - number) * share + number * shorter)
        return float(np.dot(count, np.log(p)))

    return gain


def highest(gain: Callable[[float], float], low: float, high: float) -> float:
    """The highest point of a function that has one between two points, by golden section."""
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_left, at_right = gain(left), gain(right)
    for _ in range(_ROUNDS):
        if at_left < at_right:
            low, left, at_left = left, right, at_right
            right = low + _GOLDEN * (high - low)
            at_right = gain(right)
        else:
            high, right, at_right = right, left, at_left
            left = high - _GOLDEN * (high - low)
            at_left = gain(left)
    return (low + high) / 2
