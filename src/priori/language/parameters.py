"""Imagined counts and weights of shorter histories under which tokens surprise least, each left out."""

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from priori.language.chain import Nodes, Tallied
from priori.language.left_out_tokens import LeftOutTokens, peak
from priori.language.probabilities import probabilities
from priori.language.resolved import Resolved

Floats = npt.NDArray[np.float64]

MU: Floats = np.asarray(4.0 ** np.arange(-5, 13), np.float64)
WEIGHT: Floats = np.concatenate([2.0 ** np.arange(-20, -4), np.arange(1, 16) / 16, 1 - 2.0 ** np.arange(-5, -21, -1)])


def least_surprising(resolved: Resolved, nodes: Nodes, tallied: Tallied, size: int) -> Resolved:
    """With the number of each order, from the shortest histories on: what is shorter is smoothed already."""
    assert resolved.by_order is not None  # the methods that have a number have it by order
    numbers = resolved.by_order.copy()
    dirichlet = resolved.method == "dirichlet"
    for order in range(2 if dirichlet else 1, nodes.longest + 1):
        here = nodes.above(order)
        here = here[nodes.predicted[here]]
        if not len(here):
            continue
        so_far = replace(resolved, by_order=numbers)
        shorter = np.full(len(here), 1.0 / size)
        total = tallied.root_total[nodes.group[here]] if order == 1 else tallied.total[nodes.prefix[here]]
        if order > 1:
            shorter = probabilities(nodes, tallied, so_far, size).prob[nodes.suffix[here]]
        numbers[order - 1] = _best(LeftOutTokens.of(tallied.count[here], total, shorter), dirichlet)
    return replace(resolved, by_order=numbers)


def _best(left_out: LeftOutTokens, dirichlet: bool) -> float:
    """The highest point, or the better end where the sum rises up to one: histories say nothing, or all."""
    (value, slope), grid = left_out.curve(dirichlet), MU if dirichlet else WEIGHT
    found = peak(value, slope, grid)
    return max((float(grid[0]), float(grid[-1])), key=value) if found is None else found


def at_the_ends(resolved: Resolved) -> list[int]:
    """The orders whose number is the first or last that was looked at: no peak was found."""
    if resolved.by_order is None or resolved.method == "ml":
        return []
    grid, first = (MU, 2) if resolved.method == "dirichlet" else (WEIGHT, 1)
    return [n for n, number in enumerate(resolved.by_order.tolist(), 1) if n >= first and number in grid[[0, -1]]]
