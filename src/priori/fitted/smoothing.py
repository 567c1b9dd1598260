"""The smoothing of least loss: alpha chosen by documents that are left out, or by the evidence.

The loss of the left-out labels is a smooth function of log alpha: three alphas from 0.01, more beyond the
upper edge until the lowest has a neighbour there, then parabolas through these three, each with the lowest point of the
one before. Each alpha is judged with the calibration that suits it best, for it is the calibrated probabilities that
will be used.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

# Under an alpha below 0.01 a word seen once is a hundred times likelier in its class: documents that quote each other
# (threads, forwarded mail) seem to say so when one of them is left out, and new ones do not.
LEAST = 0.01
START = (LEAST, 0.1, 1.0)
_STEP, _MOST = 10.0, 6  # beyond the upper edge, and how many alphas that may take
_PARABOLAS, _CLOSE = 3, 0.1  # and how near, in log alpha, one need not look again
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
    found: dict[float, float] = {}

    def look(above: float) -> None:
        found[least + above] = loss(least + above)

    def cost(alpha: float) -> float:
        return found[alpha] + penalty(alpha, least)

    for above in START:
        look(above)
    while (best := min(found, key=cost)) == max(found) and len(found) < _MOST:
        look((best - least) * _STEP)  # beyond the edge it may be lower still
    if best == min(found):
        look((best - least) * _STEP**0.5)  # so that the lowest may have neighbours
    for _ in range(_PARABOLAS):
        lowest = _lowest_of_parabola([(math.log(alpha - least), cost(alpha)) for alpha in sorted(found)])
        if lowest is None or min(abs(lowest - math.log(alpha - least)) for alpha in found) < _CLOSE:
            break
        look(math.exp(lowest))
    best = min(found, key=cost)
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
