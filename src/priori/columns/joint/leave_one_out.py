"""Exact leave-one-out of class Gaussians: each row is taken out of its class before it is scored, without refits.

Without a row of weight w: κ' = κ - w, m' = m - w/κ' δ, A' = A - w κ/κ' δδᵀ with δ = x - m, and a divisor less by w. So
A'⁻¹ and |A'| follow from one factorization of A (Sherman & Morrison 1950, and the determinant lemma), in O(d² + K d)
per row. docs/maths/discriminant.md.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from priori.columns.joint.covariance import ClassSums, class_sums, oracle_approximating
from priori.columns.joint.gaussian import class_gaussians, log_density, read
from priori.columns.joint.settings import GaussianSettings, NiwPrior, checked, name_of
from priori.errors import DataError, EstimateError
from priori.families.numerics.matrices import LEAST_SHARE, as_rows, factored, log_determinant, whitened
from priori.statistics import VectorMoments
from priori.statistics.base import LOST, settled
from priori.statistics.observations import as_weights

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]


def leave_one_out(
    X: Any,
    codes: Any,
    moments: Sequence[VectorMoments],
    settings: GaussianSettings,
    *,
    weights: Any = None,
    labels: Sequence[object] | None = None,
    without: Callable[[int], Sequence[VectorMoments]] | None = None,
) -> Floats:
    """log p(x_i | k) with row i taken out of its class `codes[i]`, (n, K).

    Rows in no class (a code below 0), of no weight or missing in part are in no statistics, and are scored as new ones.
    The prior stays as it was placed by all rows. `without` gives the statistics without row i where they are known
    exactly: they are read for rows that leave next to nothing of a variance, so that its difference has lost digits.
    """
    moments = checked(moments)
    rows = as_rows(X, len(moments[0].mean))
    own, weight = _codes(codes, len(rows), len(moments)), as_weights(weights, len(rows))
    sums = class_sums(moments, settings, labels)
    result = read(sums, settings, labels).log_prob(rows)
    inside = (own >= 0) & (weight > 0) & np.isfinite(rows).all(axis=1)
    weights_of = np.array([stats.n for stats in moments])
    others: Floats = settled(weights_of[own] - weight, float(weights_of.max()))  # of the class without the row
    for group in range(len(sums.weights)):
        members = np.array(sums.members(group))
        at = np.flatnonzero(inside & np.isin(own, members))
        if len(at):
            taken = _taken(
                at,
                rows[at],
                own[at],
                weight=weight[at],
                others=others[at],
                sums=sums,
                group=group,
                labels=labels,
            )
            with np.errstate(invalid="ignore", divide="ignore"):  # of what is lost, which is refused or read anew
                scores, shares = (_by_column if settings.diagonal else _by_row)(taken, settings, sums, group)
            result[np.ix_(at, members)] = scores
            if without is None:
                taken.refuse_singular(shares, LEAST_SHARE * (1 if settings.diagonal else rows.shape[1]))
            else:
                for row in at[~(shares >= LOST)]:
                    result[row] = _anew(row, rows, without(int(row)), _placed(settings, sums), labels)
    return result


def _placed(settings: GaussianSettings, sums: ClassSums) -> GaussianSettings:
    """With the prior where it is."""
    prior = sums.prior
    if prior is None:
        return settings
    return replace(settings, prior=NiwPrior(prior.kappa, prior.nu, prior.location, prior.scale))


def _anew(
    row: int, rows: Floats, left: Sequence[VectorMoments], settings: GaussianSettings, labels: Sequence[object] | None
) -> Floats:
    try:
        return np.asarray(class_gaussians(left, settings, labels).log_prob(rows[row : row + 1])[0])
    except EstimateError as error:
        raise EstimateError(f"without row {row}: {error}") from error


@dataclass(frozen=True, eq=False)
class Taken:
    """Rows of the classes of one covariance, each of which is taken out."""

    at: Places  # where they stand in the data
    rows: Floats  # (n, d)
    own: Places  # (n,)
    away: Floats  # (n, d): δ
    ratio: Floats  # (n,): κ / κ', so x - m' = ratio δ
    drop: Floats  # (n,): w κ / κ'
    left: Floats  # (n,): κ'
    weight: Floats  # (n,): w
    divisor: Floats  # (n,): of A'

    def inflation(self, k: int, sums: ClassSums, settings: GaussianSettings) -> Floats:
        """What the scale of class k is multiplied by, (n,), without the row where k is its class."""
        kappas = np.where(self.own == k, self.left, sums.kappas[k])
        return 1 + 1 / kappas if settings.integrated else np.ones_like(kappas)

    def refuse_singular(self, shares: Floats, least: float) -> None:
        """Where next to nothing is left of a variance without a row, rounding is all there is of it."""
        if (shares <= least).any():
            raise EstimateError(
                f"without row {self.at[int(shares.argmin())]} the covariance is singular; add rows, use "
                "estimate='bayes', or leave the row out"
            )


def _taken(
    at: Places,
    rows: Floats,
    own: Places,
    *,
    weight: Floats,
    others: Floats,
    sums: ClassSums,
    group: int,
    labels: Sequence[object] | None,
) -> Taken:
    """Refuses rows that their class does not hold, or does not have an estimate without."""
    left, divisor = others + (0.0 if sums.prior is None else sums.prior.kappa), sums.divisors[group] - weight
    bad = int(np.minimum(others, np.minimum(left, divisor)).argmin())
    if others[bad] < 0:
        raise DataError(
            f"row {at[bad]} has weight {weight[bad]:g}, and all rows of {name_of(int(own[bad]), labels)} together "
            "less; give the statistics that hold the rows"
        )
    if min(left[bad], divisor[bad]) <= 0:
        raise EstimateError(
            f"without row {at[bad]} {name_of(int(own[bad]), labels)} has too few rows for an estimate; add rows, or "
            "use estimate='bayes'"
        )
    ratio = sums.kappas[own] / left
    return Taken(at, rows, own, rows - sums.means[own], ratio, weight * ratio, left, weight, divisor)


def _by_row(taken: Taken, settings: GaussianSettings, sums: ClassSums, group: int) -> tuple[Floats, Floats]:
    """Scores, and how much is left of |A|."""
    turn, of_turn, levels, drop, kept = _basis(taken, settings, sums, group)
    d, divisor = taken.rows.shape[1], taken.divisor
    turned, means = turn(taken.away), turn(sums.means - sums.means.mean(axis=0))
    share = 1 - drop * (turned**2 / levels).sum(axis=1)  # |A'| / |A|
    of_scale = of_turn + np.log(levels).sum(axis=1) + np.log(share) - d * np.log(divisor)
    degrees = divisor if settings.integrated else None
    scores = []
    for k in sums.members(group):
        # T (x - m_k) is T δ and T (m_own - m_k): rows are turned once, not once per class
        away = np.where(
            (taken.own == k)[:, None], turned * taken.ratio[:, None], turned + (means[taken.own] - means[k])
        )
        squares = (away**2 / levels).sum(axis=1) + drop / share * (away * turned / levels).sum(axis=1) ** 2
        inflation = taken.inflation(k, sums, settings)
        scores.append(log_density(d, squares * divisor / inflation, degrees) - 0.5 * (of_scale + d * np.log(inflation)))
    return np.stack(scores, axis=1), np.where(levels.min(axis=1) > 0, np.minimum(share, kept), 0.0)


def _basis(
    taken: Taken, settings: GaussianSettings, sums: ClassSums, group: int
) -> tuple[Any, float, Floats, Floats, Floats]:
    """A turn T in which A' is diag(levels) - drop T δδᵀ Tᵀ, -log |T Tᵀ|, levels (n or 1, d), drop, and how much is left
    of the trace, where that is read."""
    scatter, d = sums.scatters[group], taken.rows.shape[1]
    if settings.shrinkage is None:
        lower, _ = factored(scatter)
        return lambda rows: whitened(lower, rows), log_determinant(lower), np.ones((1, d)), taken.drop, np.ones(1)
    # subtle: shrinkage changes with the row, but adds a multiple of the identity, which no rotation changes
    values, vectors = np.linalg.eigh(scatter)
    values = np.maximum(values, 0.0)
    turned = taken.away @ vectors
    lengths = (turned**2).sum(axis=1)
    trace = values.sum() - taken.drop * lengths
    if settings.shrinkage == "auto":
        squares = (values**2).sum() - 2 * taken.drop * (turned**2 @ values) + (taken.drop * lengths) ** 2
        g = oracle_approximating(trace, squares, sums.weights[group] - taken.weight, d)
    else:
        g = np.full(len(trace), settings.shrinkage)
    levels = (1 - g)[:, None] * values + (g * trace / d)[:, None]
    return lambda rows: rows @ vectors, 0.0, levels, (1 - g) * taken.drop, trace / values.sum()


def _by_column(taken: Taken, settings: GaussianSettings, sums: ClassSums, group: int) -> tuple[Floats, Floats]:
    """Scores, and how much is left of the variance that shrinks most."""
    scatter, divisor = sums.scatters[group], taken.divisor[:, None]
    shares = 1 - taken.drop[:, None] * taken.away**2 / scatter
    degrees = divisor if settings.integrated else None
    scores = []
    for k in sums.members(group):
        mine = (taken.own == k)[:, None]
        away = np.where(mine, taken.away * taken.ratio[:, None], taken.rows - sums.means[k])
        variances = scatter * shares * taken.inflation(k, sums, settings)[:, None] / divisor
        scores.append((log_density(1, away**2 / variances, degrees) - 0.5 * np.log(variances)).sum(axis=1))
    return np.stack(scores, axis=1), shares.min(axis=1)


def _codes(codes: Any, size: int, classes: int) -> Places:
    array = np.asarray(codes)
    if array.shape != (size,) or array.dtype.kind not in "iu" or (array >= classes).any():
        raise DataError(f"the codes of {size} rows must be whole numbers below {classes}, one for each; give those")
    return array.astype(np.intp)
