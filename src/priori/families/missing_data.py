"""Rows that are missing in part: the multivariate normal from what is there, by EM (Dempster, Laird & Rubin 1977).

E: given what is there of a row, what is missing is normal too; its mean is filled in and its covariance added to the
scatter. M: the mode of the posterior of these statistics. The log posterior of what is there never falls.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from priori.errors import DataError, EstimateError
from priori.families.multivariate_normal import MultivariateNormal, NormalInverseWishart
from priori.families.numerics.matrices import as_rows, factored, patterns, whitened
from priori.statistics import Moments, VectorMoments
from priori.statistics.observations import as_weights
from priori.statistics.vector_moments import matrix

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Completion:
    """One step: an estimate, how good it is, and the data as it expects them."""

    estimate: MultivariateNormal
    log_objective: float  # log p(what is there | estimate) + the prior's log-density but for its constant
    rows: Floats  # (n, d): what is missing filled in with its mean given the rest of the row
    stats: VectorMoments  # expected: those of the filled rows, and the covariance of what was filled in


def completions(X: Any, prior: NormalInverseWishart | None = None, weights: Any = None) -> Iterator[Completion]:
    """Yield one step of EM after the other, for ever; without a prior the flat one, so that it climbs to the maximum
    of the likelihood. Rows that are missing altogether say nothing and stay as they are."""
    rows, weight = _checked(X, weights)
    stats = _by_column(rows, weight)
    prior = NormalInverseWishart.flat(stats) if prior is None else prior
    rows = as_rows(rows, prior.dimensions)
    while True:
        estimate = prior.posterior(stats).mode()
        objective = estimate.score(rows, weight) + prior.log_kernel(estimate.mean, estimate.covariance)
        filled, stats = _expected(rows, weight, estimate)
        yield Completion(estimate, objective, filled, stats)


def complete_rows(
    X: Any,
    prior: NormalInverseWishart | None = None,
    weights: Any = None,
    *,
    tolerance: float = 1e-10,
    steps: int = 10_000,
) -> Completion:
    """EM until no mean or covariance moves by more than `tolerance` standard deviations (or than its rounding).

    >>> done = complete_rows([[1.0, 2.0], [2.0, 3.0], [3.0, 5.0], [4.0, None]])
    >>> done.rows[3].round(6).tolist(), done.estimate.mean.round(6).tolist()
    ([4.0, 6.333333], [2.5, 4.083333])
    """
    before = None
    for _, step in zip(range(steps), completions(X, prior, weights), strict=False):
        if before is not None and _moved(before.estimate, step.estimate) <= tolerance:
            return step
        before = step
    raise EstimateError(
        f"EM still moves after {steps} steps, for few data say how the columns go together; give more steps, "
        "a larger tolerance or a proper prior"
    )


def _checked(X: Any, weights: Any) -> tuple[Floats, Floats]:
    rows = matrix(X).astype(np.float64, copy=False)
    if np.isinf(rows).any():
        raise DataError("an observation is infinite, so no estimate is finite; leave it out or mark it missing (NaN)")
    return rows, as_weights(weights, len(rows))


def _by_column(rows: Floats, weight: Floats) -> VectorMoments:
    """Where EM starts: the moments of each column by itself, as if no row missed it and none were correlated."""
    weight = np.where(np.isnan(rows).all(axis=1), 0.0, weight)
    n = float(weight.sum())
    columns = [Moments.of(column, weight) for column in rows.T]
    shares = [n / column.n if column.n else 0.0 for column in columns]
    scatters = [column.scatter * share for column, share in zip(columns, shares, strict=True)]
    return VectorMoments(n, np.array([column.mean for column in columns]), np.diag(scatters))


def _expected(rows: Floats, weight: Floats, model: MultivariateNormal) -> tuple[Floats, VectorMoments]:
    """The E-step: rows filled in, and the statistics expected of them."""
    filled, unsure = rows.copy(), np.zeros_like(model.covariance)
    for there, at in patterns(rows):
        gone = np.setdiff1d(np.arange(len(model.mean)), there)
        if not len(gone):
            continue
        lower, _ = factored(model.covariance[np.ix_(there, there)])
        regression = whitened(lower, model.covariance[np.ix_(gone, there)])  # (gone, there), on whitened columns
        away = whitened(lower, rows[np.ix_(at, there)] - model.mean[there])
        filled[np.ix_(at, gone)] = model.mean[gone] + away @ regression.T
        left = model.covariance[np.ix_(gone, gone)] - regression @ regression.T
        unsure[np.ix_(gone, gone)] += weight[at].sum() * left
    stats = VectorMoments.of(filled, weight)
    return filled, VectorMoments(stats.n, stats.mean, stats.scatter + unsure)


def _moved(before: MultivariateNormal, after: MultivariateNormal) -> float:
    """How far an estimate went, in standard deviations, beyond what rounding its means may do."""
    deviations = np.sqrt(np.diag(after.covariance))
    rounding = float((np.spacing(np.abs(after.mean)) / deviations).max())
    means = np.abs(after.mean - before.mean) / deviations
    matrices = np.abs(after.covariance - before.covariance) / np.outer(deviations, deviations)
    return max(float(means.max()), float(matrices.max())) - 2 * rounding
