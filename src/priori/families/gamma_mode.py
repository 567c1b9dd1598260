"""The most probable shape of a gamma distribution, by Newton's method in 1/a within bounds that always hold."""

import math

from priori.errors import EstimateError
from priori.families.gamma_shape import ShapePosterior
from priori.families.special import log_minus_digamma


def most_probable(of: ShapePosterior) -> tuple[float, float]:
    """Shape and rate where their density is largest together; under the flat prior, the maximum of the likelihood.

    Given a, the best rate is (rate_shape - 1 + n a) / (rate_rate + n mean). What is left is concave in a, with slope
    n [log a - ψ(a)] - gap + n log[(1 + c/(n a)) / (1 + rate_rate/(n mean))] + (shape_shape - 1) / a - shape_rate,
    c = rate_shape - 1.
    """
    data, s, c, d = of.data, of.shape_shape - 1, of.rate_shape - 1, of.rate_rate
    _refuse(of)
    if data.n == 0:
        return s / of.shape_rate, c / d
    n, mean, time = data.n, data.mean, d + data.n * data.mean
    # subtle: 1/2a < log a - ψ(a) < 1/a, so the slope is above 0 at `low` and below at `high`
    low, high = (n / 2 + s) / of.pull, (n + s + c) / of.pull
    share = of.pull / n
    a = min(max((3 - share + math.sqrt((share - 3) ** 2 + 24 * share)) / (12 * share), low), high)  # Minka 2002
    for _ in range(200):
        value, bend = log_minus_digamma(a)
        apart = (c * mean - a * d) / (a * time)
        of_rate = math.log1p(apart) if abs(apart) < 0.5 else math.log(n + c / a) + math.log(mean) - math.log(time)
        slope = n * (value + of_rate) + s / a - of.shape_rate - data.gap
        curvature = n * (bend - c / (a * (n * a + c))) - s / a**2
        low, high = (a, high) if slope > 0 else (low, a)
        inverse = 1 / a + slope / (a * a * curvature)
        better = 1 / inverse if inverse > 0 else math.inf
        # subtle: Newton squares the error, so a step of 1e-8 leaves rounding only; waiting for none would wait for ever
        done = abs(better - a) <= 1e-8 * a
        if not done and not low <= better <= high:
            better = math.sqrt(low * high) if low > 0 else high / 2
        a = better
        if done:
            break
    return a, (c + n * a) / time


def _refuse(of: ShapePosterior) -> None:
    """Name what has no mode."""
    if of.rate_shape < 1 or (of.data.n == 0 and of.rate_shape == 1):
        raise EstimateError(
            "the density has no mode: with so small a rate_shape it is largest where the rate goes to 0; use "
            "rate_shape > 1, or the mean"
        )
    if of.data.n < 2 * (1 - of.shape_shape) or (of.data.n == 0 and of.shape_shape == 1):
        raise EstimateError(
            "the density may have no mode: with so small a shape_shape and so few data it is largest where the shape "
            "goes to 0; use shape_shape > 1, or the mean"
        )
    if of.pull <= 0 or (of.data.n == 0 and of.rate_rate == 0):
        raise EstimateError(
            "the observations are all equal, or there are no two, so the density grows with the shape without bound; "
            "use a prior with shape_rate > 0, or data that differ"
        )
