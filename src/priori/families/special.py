"""Differences of gamma functions that lose no digits, from the smallest arguments to the largest."""

import math
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

Floats = npt.NDArray[np.float64]

LOG_2PI = math.log(2 * math.pi)
HALF_LOG_2PI = 0.5 * LOG_2PI
LEAST = float(np.nextafter(0, 1))  # the least number above 0
_NEARER = 11.0  # the same of log a - ψ(a), whose series has more terms here
_FAR = 15.0  # from here on the first terms of the series at infinity are right to rounding


def stirling(a: Floats) -> Floats:
    """log Γ(a) - [(a - ½) log a - a + ½ log 2π], what Stirling's formula leaves: about 1 / 12a.

    >>> [f"{value:.7f}" for value in stirling(np.array([1.0, 100.0]))]
    ['0.0810615', '0.0008333']
    """
    a = np.asarray(a, np.float64)
    far = np.maximum(a, _FAR)
    v = (1 / far) ** 2
    series = (1 / 12 - v * (1 / 360 - v * (1 / 1260 - v * (1 / 1680 - v * (1 / 1188 - v * 691 / 360360))))) / far
    near = np.minimum(a, _FAR)
    direct = gammaln(near) - ((near - 0.5) * np.log(near) - near + HALF_LOG_2PI)
    result: Floats = np.where(a >= _FAR, series, direct)
    return result


def log_rising(base: Any, steps: Floats) -> Floats:
    """log of Γ(base + steps) / Γ(base): the product base (base + 1) ... (base + steps - 1) for whole steps.

    >>> float(log_rising(3.0, np.array(2.0)).round(12)), float(np.log(3 * 4).round(12))
    (2.484906649788, 2.484906649788)
    """
    start, step = np.asarray(base, np.float64), np.asarray(steps, np.float64)
    # subtle: two log-gammas of a large base would cancel; what Stirling's formula leaves of each is small
    left = stirling(start + step) - stirling(start)
    return np.asarray((start + step - 0.5) * np.log1p(step / start) + step * (np.log(start) - 1) + left)


def log_minus_digamma(a: float) -> tuple[float, float]:
    """log a - ψ(a) and its derivative 1 / a - ψ'(a), each right to a few units in its last place.

    log a - ψ(a) = 1/a - log(1 + 1/a) + [the same at a + 1], all terms of one sign; from 11 on the series at infinity.
    """
    value = slope = 0.0
    while a < _NEARER:
        inverse = 1 / a
        value += inverse - math.log1p(inverse)
        slope -= inverse * inverse / (a + 1)
        a += 1
    v = 1 / (a * a)
    value += 0.5 / a + v * (
        1 / 12 - v * (1 / 120 - v * (1 / 252 - v * (1 / 240 - v * (1 / 132 - v * (691 / 32760 - v / 12)))))
    )
    slope -= v * (
        0.5 + (1 / 6 - v * (1 / 30 - v * (1 / 42 - v * (1 / 30 - v * (5 / 66 - v * (691 / 2730 - v * 7 / 6)))))) / a
    )
    return value, slope


def log_sums(scores: Floats) -> Floats:
    """log Σ_k e^score of each row, (n, 1); -inf where all are. By columns: of few of them that is faster than by rows.

    >>> log_sums(np.array([[0.0, 0.0], [-np.inf, -np.inf]])).round(6).tolist()
    [[0.693147], [-inf]]
    """
    columns = list(scores.T)
    top = columns[0]
    for column in columns[1:]:
        top = np.maximum(top, column)
    shift = np.where(np.isfinite(top), top, 0.0)
    total = np.zeros(len(scores))
    for column in columns:
        total += np.exp(column - shift)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(total) + shift)[:, None]
