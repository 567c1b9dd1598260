"""The smoothing of least loss: alpha chosen by documents that are left out, or by the evidence.

The loss of the left-out labels is a smooth function of log alpha (METHODS 3): a grid, then a parabola through the
lowest point and its neighbours. Each alpha is judged with the scale that suits it best, for it is the calibrated
probabilities that will be used; uncalibrated ones are judged as they are.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

GRID = tuple(10.0**exponent for exponent in (-3, -2.5, -2, -1.5, -1, -0.5, 0, 0.5, 1))
MAP_GRID = tuple(1 + alpha for alpha in GRID)  # below 1 a word without counts has no mode
# What real corpora have in common, as a normal prior of log alpha: it counts where documents are few.
CENTRE = math.log(0.1)
SPREAD = 0.7 * math.log(10)


@dataclass(frozen=True)
class Curve:
    """Losses by alpha, in the order of alpha; and which was chosen."""

    alphas: tuple[float, ...]
    losses: tuple[float, ...]
    chosen: float


def penalty(alpha: float, least: float = 0.0) -> float:
    """What an alpha costs before any document is looked at."""
    return 0.5 * ((math.log(alpha - least) - CENTRE) / SPREAD) ** 2


def choose(loss: Callable[[float], float], least: float = 0.0) -> Curve:
    """The alpha of least `loss`, a sum over documents, above `least`."""
    found = {alpha: loss(alpha) for alpha in (MAP_GRID if least else GRID)}

    def cost(alpha: float) -> float:
        return found[alpha] + penalty(alpha, least)

    best = min(found, key=cost)
    middle = _lowest_of_parabola([(math.log(alpha - least), cost(alpha)) for alpha in sorted(found)])
    if middle is not None:
        alpha = least + math.exp(middle)
        found[alpha] = loss(alpha)
        best = min(best, alpha, key=cost)
    alphas = tuple(sorted(found))
    return Curve(alphas, tuple(found[alpha] for alpha in alphas), best)


def _lowest_of_parabola(points: list[tuple[float, float]]) -> float | None:
    """Where the parabola through the lowest point and its neighbours is lowest; None at an edge."""
    at = min(range(len(points)), key=lambda i: points[i][1])
    if at in (0, len(points) - 1):
        return None
    (x0, y0), (x1, y1), (x2, y2) = points[at - 1 : at + 2]
    if not all(math.isfinite(y) for y in (y0, y1, y2)):
        return None
    below, above = (y1 - y0) / (x1 - x0), (y2 - y1) / (x2 - x1)
    if above <= below:  # a line: every point is as low
        return None
    return 0.5 * (x0 + x1) - 0.5 * below * (x2 - x0) / (above - below)
