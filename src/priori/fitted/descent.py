"""A smooth function brought to its least: limited-memory quasi-Newton steps (Nocedal 1980), with backtracking.

Our own few lines, because scipy's take longer to import than most models to train.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_MEMORY = 10
_STEPS = 500
_ENOUGH = 1e-4  # share of the promised fall that a step must bring (Armijo)


def minimized(
    function: Callable[[Floats], tuple[float, Floats]], start: Floats, tolerance: float
) -> tuple[Floats, float]:
    """Where the function (value and gradient) is least, and that value; it never gives back more than it was given.

    It ends when a step promises to gain less than `tolerance` times 1 + the value.
    """
    x = start
    value, slope = function(x)
    moves: list[tuple[Floats, Floats, float]] = []
    for _ in range(_STEPS):
        direction = _direction(slope, moves)
        promised = -float(slope @ direction)
        if promised <= tolerance * (1.0 + abs(value)):
            break
        size = 1.0 if moves else min(1.0, 1.0 / float(np.abs(slope).max()))
        while True:
            tried = x + size * direction
            tried_value, tried_slope = function(tried)
            if tried_value <= value - _ENOUGH * size * promised:
                break
            size *= 0.5
            if size < 1e-12:  # rounding hides what is left to gain
                return x, value
        step, change = tried - x, tried_slope - slope
        bend = float(step @ change)
        if bend > 1e-10 * float(np.sqrt((step @ step) * (change @ change))):  # else the curvature would not be positive
            moves = [*moves[-_MEMORY + 1 :], (step, change, bend)]
        x, value, slope = tried, tried_value, tried_slope
    return x, value


def _direction(slope: Floats, moves: list[tuple[Floats, Floats, float]]) -> Floats:
    """Minus the inverse curvature, as the last moves show it, times the slope (the two loops)."""
    q = slope.copy()
    shares = []
    for step, change, bend in reversed(moves):
        share = float(step @ q) / bend
        shares.append(share)
        q -= share * change
    if moves:
        step, change, bend = moves[-1]
        q *= bend / float(change @ change)
    for (step, change, bend), share in zip(moves, reversed(shares), strict=True):
        q += (share - float(change @ q) / bend) * step
    return -q
