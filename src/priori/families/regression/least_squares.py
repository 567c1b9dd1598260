"""Least squares with a penalty, from the moments of pairs (x, t) alone: the core of linear regression.

Minimises Σ (t - w₀ - wᵀx)² + α |w|² + α₀ w₀². A penalty is data one imagines: α₀ rows at the origin, and a scatter of α
in every column. Then A w = g, with A the scatter of the inputs and g that of inputs and target, imagined ones included.
docs/maths/regression.md has the derivation and the limits.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from priori.errors import DataError, EstimateError
from priori.formatting import SHOWN, said
from priori.statistics.observations import as_numbers, as_weights
from priori.statistics.vector_moments import VectorMoments, matrix

Floats = npt.NDArray[np.float64]
Intercept = Literal["flat", "penalised"] | None

ROUNDING = 2.0**-53  # of one operation
KEPT = 1e-3  # the largest relative error that an estimate may have: three digits
UNEQUAL = 4 * 2 * ROUNDING  # values nearer to each other than this share of their mean are equal but for rounding
_BELOW = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


@dataclass(frozen=True, eq=False)
class LeastSquares:
    """The minimum, and how the cost grows around it."""

    n: float  # rows, imagined ones included; infinite where there is no intercept: it is certain
    origin: Floats  # (d,) the mean of their inputs
    weights: Floats  # (d,)
    intercept: float
    residual: float  # the minimum: squared errors and penalty
    rounding: float  # a residual below it is rounding error
    root: Floats  # (d, d), rootᵀ root = A⁻¹
    log_det: float  # log |A|

    def leverage(self, X: Floats) -> Floats:
        """The variance of wᵀx + w₀ for each row, in units of the noise: 1/n + (x - origin)ᵀ A⁻¹ (x - origin)."""
        spread = (X - self.origin) @ self.root.T
        leverage: Floats = np.einsum("ij,ij->i", spread, spread) + 1 / self.n
        return leverage

    def excess(self, weights: Floats, intercept: Floats) -> Floats:
        """What other coefficients cost above the minimum: weights (..., d), intercept (...)."""
        away = weights - self.weights
        cost: Floats = np.square(np.linalg.solve(self.root.T, away[..., None])).sum(axis=(-2, -1))
        if math.isinf(self.n):
            return cost
        return cost + self.n * (intercept - self.intercept + away @ self.origin) ** 2

    def draw(self, noise: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Normal draws of the weights and the intercept; `noise` has the standard deviation of one target for each."""
        away = rng.standard_normal((len(noise), len(self.weights))) @ self.root * noise[:, None]
        jitter = rng.standard_normal(len(noise)) * noise / math.sqrt(self.n)
        return self.weights + away, self.intercept + jitter - away @ self.origin

    def variances(self) -> tuple[Floats, float]:
        """Of each weight and of the intercept, in units of the noise."""
        return np.square(self.root).sum(axis=0), float(self.leverage(np.zeros((1, len(self.weights))))[0])


def least_squares(
    stats: VectorMoments, penalty: float = 0.0, intercept: Intercept = "flat", names: Sequence[str] = ()
) -> LeastSquares:
    """Solve; an EstimateError where less than three digits of the weights would be left."""
    n, mean, scatter = _pooled(stats, penalty, intercept)
    inputs, target = scatter[:-1, :-1], float(scatter[-1, -1])
    if not np.isfinite(scatter).all():
        raise DataError("the squares of the data exceed the largest floating-point number; scale the data down")
    scale = _scale(stats, inputs, names)
    correlation = inputs / np.outer(scale, scale)
    refuse_repeats(correlation, names, stats.n)
    lower = np.linalg.cholesky(correlation)
    root = np.linalg.solve(lower, np.diag(1 / scale))
    explained = root @ scatter[:-1, -1]
    weights = root.T @ explained
    residual = max(target - float(explained @ explained), 0.0)  # the Schur complement of A, the last Cholesky pivot
    reach = math.sqrt(max(target, 0.0)) + float(np.abs(weights) @ scale)
    rounding = max(
        (len(mean) + 1) * ROUNDING / KEPT * reach**2,
        stats.n * (UNEQUAL * (abs(stats.mean[-1]) + float(np.abs(weights * stats.mean[:-1]).sum()))) ** 2,
    )
    log_det = 2 * float(np.log(np.diag(lower)).sum() + np.log(scale).sum())
    constant = 0.0 if intercept is None else float(mean[-1] - weights @ mean[:-1])
    return LeastSquares(n, mean[:-1], weights, constant, residual, rounding, root, log_det)


def known_intercept(intercept: Intercept) -> Intercept:
    """One of the three, or a DataError."""
    if intercept not in ("flat", "penalised", None):
        raise DataError(f"intercept={intercept!r} is not known; give 'flat', 'penalised' or None")
    return intercept


def likely_precision(stats: VectorMoments, intercept: Intercept = "flat", names: Sequence[str] = ()) -> float:
    """The maximum-likelihood precision of the noise, n / Σ (t - w₀ - wᵀx)²."""
    best = least_squares(stats, 0.0, intercept, names)
    refuse_perfect(best.residual, best.rounding)
    return stats.n / best.residual


def refuse_perfect(residual: float, rounding: float) -> None:
    """Refuse a noise of zero, or one that rounding hides."""
    if residual <= rounding:
        raise EstimateError(
            "the columns fit the targets exactly but for rounding, so the precision of the noise has no bound; give a "
            "prior that knows it (precision=... of linear-weights, NormalRegression), or one of linear "
            "(NormalGammaRegression) with a larger rate"
        )


def refuse_repeats(correlation: Floats, names: Sequence[str], rows: float) -> None:
    """Refuse a matrix in whose solution, with relative error κ d 2⁻⁵³, less than three digits would be right."""
    size = len(correlation)
    if size == 0:
        return
    eigenvalues = np.linalg.eigvalsh(correlation)
    if eigenvalues[0] * KEPT > eigenvalues[-1] * size * ROUNDING:
        return
    if 0 <= rows <= size:
        raise EstimateError(
            f"rows of weight {rows:g} leave {size} coefficients open; add rows, leave columns out, or give a smaller "
            "weight_variance (a larger penalty)"
        )
    worst = np.abs(np.linalg.eigh(correlation)[1][:, 0])
    places = np.flatnonzero(worst >= worst.max() / 4)
    columns = [names[place] if names else str(place) for place in places.tolist()]
    shown = ", ".join(columns[:6]) + (", ..." if len(columns) > 6 else "")
    raise EstimateError(
        f"columns {shown} nearly repeat each other, so their weights are not determined to three digits; give a "
        "smaller weight_variance (a larger penalty), or leave one of them out"
    )


def _pooled(stats: VectorMoments, penalty: float, intercept: Intercept) -> tuple[float, Floats, Floats]:
    """Weight, mean and scatter of the rows and of those that the penalty imagines."""
    imagined = VectorMoments(penalty if intercept == "penalised" else 0.0, 0 * stats.mean, 0 * stats.scatter)
    if intercept is None:  # so many rows at the origin that the line goes through it
        n, mean, scatter = math.inf, 0 * stats.mean, stats.scatter + stats.n * np.outer(stats.mean, stats.mean)
    else:
        total = imagined + stats
        n, mean, scatter = total.n, total.mean, total.scatter.copy()
    places = np.arange(len(mean) - 1)
    scatter[places, places] += penalty
    return n, mean, scatter


def _scale(stats: VectorMoments, inputs: Floats, names: Sequence[str]) -> Floats:
    """The size of each column; one that does not vary is refused."""
    size = np.diag(inputs)
    flat = np.flatnonzero(size <= stats.n * (UNEQUAL * stats.mean[:-1]) ** 2)
    if len(flat) and stats.n == 0:
        raise EstimateError("without data every weight is equally probable under the flat prior; add data")
    if len(flat):
        name = names[int(flat[0])] if names else flat[0]
        raise EstimateError(
            f"column {name} does not vary, so its weight is not determined; leave it out, or give a finite "
            "weight_variance (a penalty above 0)"
        )
    scale: Floats = np.sqrt(size)
    return scale


# --- pairs of inputs and targets: checked, counted and printed --------------------------------------------------------


def pair_moments(X: Any, t: Any, weights: Any = None) -> VectorMoments:
    """The moments of the columns of X with t as the last one, without those rows that have no target."""
    inputs, targets = matrix(X), column(t)
    missing = np.isnan(targets)
    if missing.any():
        weights = np.where(missing, 0.0, as_weights(weights, len(targets)))
    return VectorMoments.joined((inputs, targets[:, None]), weights)


def column(t: Any) -> Floats:
    """Targets in one row."""
    targets = as_numbers(t).astype(np.float64, copy=False)
    if targets.ndim != 1:
        raise DataError(f"the targets have {targets.ndim} dimensions, where one is wanted; give one for each row")
    return targets


def rows_of(X: Any, width: int) -> Floats:
    """The inputs of a model with `width` columns, all there."""
    inputs = matrix(X).astype(np.float64, copy=False)
    if inputs.shape[1] != width:
        raise DataError(f"the rows have {inputs.shape[1]} columns, the model {width}; give the columns it learned from")
    if not np.isfinite(inputs).all():
        row = int(np.flatnonzero(~np.isfinite(inputs).all(axis=1))[0])
        raise DataError(f"row {row} has an input that is missing or infinite; leave the row out, or fill it in")
    return inputs


def pairs_of(X: Any, t: Any, width: int) -> tuple[Floats, Floats, npt.NDArray[np.bool_]]:
    """Inputs and targets of the pairs that have one, and where those are."""
    inputs, targets = matrix(X), column(t)
    if len(inputs) != len(targets):
        raise DataError(f"there are {len(targets)} targets for {len(inputs)} rows; give one for each")
    there = ~np.isnan(targets)
    return rows_of(inputs if there.all() else inputs[there], width), targets[there], there


def column_names(X: Any) -> tuple[str, ...]:
    """The names that a table (pandas, Polars, Arrow) gives its columns; none where it counts them, or is no table.

    >>> import pyarrow as pa
    >>> column_names(pa.table({"age": [31], "dose": [0.5]})), column_names([[31, 0.5]])
    (('age', 'dose'), ())
    """
    arrow = hasattr(X, "column_names")  # its columns are the cells
    names: Any = X.column_names if arrow else getattr(X, "columns", ())
    plain = isinstance(names, Iterable) and all(isinstance(name, str) for name in names)
    return tuple(names) if plain else ()


def placed(place: int) -> str:
    """A column that has no name: x₀, x₁, ..."""
    return f"x{place}".translate(_BELOW)


def line(weights: Floats, intercept: float | None, names: Sequence[str]) -> str:
    """A sum of weighted columns as mathematics.

    >>> line(np.array([0.5, -2.0]), 1.0, ("age", "dose"))
    '0.5·age - 2·dose + 1'
    """
    named = names or [placed(place) for place in range(len(weights))]
    terms = [f"{said(w)}·{name}" for w, name in zip(weights, named, strict=True)]
    terms = terms[:SHOWN] + (["…"] if len(terms) > SHOWN else [])
    terms += [said(intercept)] if intercept is not None else []
    return " + ".join(terms).replace("+ -", "- ") or "0"
