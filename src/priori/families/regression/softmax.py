"""Newton's method for the coefficients of a softmax, and whether there are any: classes that a plane separates.

Minimises -Σ log p(class | x) + ½ Σ decay · coefficient². Bishop 2006, 4.3; Albert & Anderson 1984 on separation;
docs/maths/regression.md.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt
from scipy.special import log_softmax

from priori.errors import EstimateError
from priori.families.regression.least_squares import refuse_repeats

Floats = npt.NDArray[np.float64]
DIRECT = 2000  # coefficients up to which the matrix of second derivatives is solved as it is
_STEPS = 100
_PATIENCE = 12  # steps after which a likelihood that still grows is suspected of having no maximum
_DECREMENT = 1e-20  # 2 (f - minimum) as Newton's model has it; the step taken there ends at rounding error
_MOVED = 1e-3  # of any log-odds, by the last step: the next one moves by its square, unless the descent has no end
_STALLED = 1e-8  # below it, 1e-4 standard deviations from the mode, a decrement that falls no more is rounding error


@dataclass(frozen=True, eq=False)
class Softmax:
    """The data, and the coefficients that are free: those of the classes are basis @ (R, p) numbers."""

    inputs: Floats  # (n, p), a column of ones last where there is an intercept
    codes: npt.NDArray[np.intp]  # (n,) the class of each row
    weight: Floats  # (n,)
    basis: Floats  # (K, R), orthonormal columns; R = K - 1, for only differences between classes matter
    decay: Floats  # (p,) precision of the prior of each

    @property
    def even(self) -> bool:
        """Whether every class has coefficients of its own, or the first has none."""
        return bool(self.basis[0].any())

    @property
    def penalties(self) -> Floats:
        """The decay of each free coefficient, (R p,)."""
        return np.tile(self.decay, self.basis.shape[1])

    def table(self, theta: Floats) -> Floats:
        """The coefficients by class, (K, p)."""
        return self.basis @ theta.reshape(-1, len(self.decay))

    def log_probabilities(self, theta: Floats) -> Floats:
        """log p(class | x), (n, K)."""
        scores = self.table(theta) @ self.inputs.T  # subtle: five times as fast as inputs @ table.T, for few classes
        log_table: Floats = log_softmax(scores.T, axis=1)
        return log_table

    def log_likelihood(self, log_table: Floats) -> float:
        """Σ log p(class | x)."""
        return float(self.weight @ log_table[np.arange(len(self.codes)), self.codes])

    def value(self, theta: Floats, log_table: Floats) -> float:
        """What is minimised."""
        return -self.log_likelihood(log_table) + 0.5 * float(np.square(np.sqrt(self.penalties) * theta).sum())

    def gradient(self, theta: Floats, probabilities: Floats) -> Floats:
        """First derivatives."""
        errors = probabilities.copy()
        errors[np.arange(len(errors)), self.codes] -= 1
        slopes: Floats = (errors @ self.basis * self.weight[:, None]).T @ self.inputs
        return slopes.ravel() + self.penalties * theta

    def curvature(self, probabilities: Floats) -> Floats:
        """Second derivatives: block (r, s) is Xᵀ diag(c) X, with c the covariance of basis_r and basis_s under p."""
        rank, width = self.basis.shape[1], len(self.decay)
        means = probabilities @ self.basis
        blocks = np.empty((rank, width, rank, width))
        for r in range(rank):
            away = probabilities * (self.basis[:, r] - means[:, r : r + 1])
            for s in range(r + 1):
                # subtle: the second factor need not be centred, but small probabilities keep their digits if it is
                by_row = self.weight * np.einsum("nk,nk->n", away, self.basis[:, s] - means[:, s : s + 1])
                blocks[r, :, s, :] = (self.inputs * by_row[:, None]).T @ self.inputs
                blocks[s, :, r, :] = blocks[r, :, s, :].T
        matrix = blocks.reshape(rank * width, rank * width)
        matrix[np.diag_indices_from(matrix)] += self.penalties
        return matrix

    def curved(self, probabilities: Floats, along: Floats) -> Floats:
        """The second derivatives times a vector, without the matrix."""
        moves = self.inputs @ self.table(along).T
        moves -= (probabilities * moves).sum(axis=1, keepdims=True)
        slopes: Floats = ((probabilities * moves) @ self.basis * self.weight[:, None]).T @ self.inputs
        return slopes.ravel() + self.penalties * along


def moved(table: Floats, origin: Floats, centred: bool) -> Floats:
    """Coefficients (..., K, p), the intercept last, about zero from those about an origin (and back, from minus it).

    Intercepts of all classes may move together; `centred` ones sum to 0.
    """
    intercept = table[..., -1] - table[..., :-1] @ origin
    if centred:
        intercept = intercept - intercept.mean(axis=-1, keepdims=True)
    return np.concatenate([table[..., :-1], intercept[..., None]], axis=-1)


def minimum(task: Softmax, names: Sequence[str]) -> Floats:
    """The coefficients, by Newton's method with steps halved until they descend; from any start it converges."""
    theta = np.zeros(len(task.penalties))
    log_table = task.log_probabilities(theta)
    value, last = task.value(theta, log_table), np.inf
    flat = bool((task.decay[: len(names)] == 0).any())
    reach = np.abs(task.inputs).max(axis=0, initial=0.0)
    for step in range(_STEPS):
        if flat and step == _PATIENCE:
            refuse_separated(task, names)
        probabilities = np.exp(log_table)
        gradient = task.gradient(theta, probabilities)
        try:
            direction = -_newton(task, probabilities, gradient)
        except np.linalg.LinAlgError as error:
            refuse_separated(task, names)
            raise EstimateError(
                "the classes are all but separated, so the weights are not determined to three digits; give a finite "
                "weight_variance"
            ) from error
        decrement = -float(gradient @ direction)
        slack = 1e-13 * (1 + abs(value))  # rounding of the value itself
        for share in 0.5 ** np.arange(100):
            tried: Floats = theta + share * direction
            log_table = task.log_probabilities(tried)
            now = task.value(tried, log_table)
            if now <= value - 1e-4 * share * decrement + slack:
                break
        moved = float((np.abs(task.table(tried - theta)) @ reach).max(initial=0.0))
        theta, value = tried, now
        # subtle: between separated classes each decrement is 1/e of the last, and no sign of rounding
        if decrement <= _DECREMENT or (decrement <= _STALLED and decrement > last / 2):
            if moved > _MOVED:
                _refuse_adrift(task, names)
            return theta
        last = decrement
    raise EstimateError(
        f"the coefficients have not settled after {_STEPS} steps, as where columns are far from zero; centre them "
        "(intercept='flat' does), or give a smaller weight_variance"
    )


def settled(task: Softmax, probabilities: Floats, names: Sequence[str]) -> tuple[Floats, Floats]:
    """The second derivatives at the mode, as scale and correlation; refused where they leave less than three digits."""
    matrix = task.curvature(probabilities)
    scale = np.sqrt(np.diag(matrix))
    correlation = matrix / np.outer(scale, scale)
    columns = [*names, "intercept"][: len(task.decay)]
    refuse_repeats(correlation, columns * task.basis.shape[1], np.inf)
    return scale, correlation


def _newton(task: Softmax, probabilities: Floats, gradient: Floats) -> Floats:
    """The second derivatives' inverse times the gradient."""
    if len(gradient) <= DIRECT:
        return _solve(task.curvature(probabilities), gradient, bool((task.decay > 0).any()))
    from scipy.sparse.linalg import LinearOperator, cg

    size = (len(gradient), len(gradient))
    spread = probabilities @ task.basis**2 - (probabilities @ task.basis) ** 2
    diagonal = ((spread * task.weight[:, None]).T @ task.inputs**2 + task.decay).ravel()
    matrix = LinearOperator(size, matvec=partial(task.curved, probabilities))
    solution: Floats = cg(matrix, gradient, rtol=1e-8, M=LinearOperator(size, matvec=lambda v: v / diagonal))[0]
    return solution


def _solve(matrix: Floats, vector: Floats, proper: bool) -> Floats:
    """The solution for the matrix scaled to a diagonal of ones; LinAlgError where it is not positive.

    Under a proper prior it is; where rounding hides that on the way, a step that descends is good enough.
    """
    scale = np.sqrt(np.diag(matrix))
    if not (scale > 0).all():
        raise np.linalg.LinAlgError("not positive definite")
    scaled, wanted = matrix / np.outer(scale, scale), vector / scale
    try:
        lower = np.linalg.cholesky(scaled)
    except np.linalg.LinAlgError:
        if not proper:
            raise
        values, vectors = np.linalg.eigh(scaled)
        values = np.maximum(values, len(values) * 2**-52 * values[-1])
        step: Floats = (vectors @ (vectors.T @ wanted / values)) / scale
        return step
    solution: Floats = np.linalg.solve(lower.T, np.linalg.solve(lower, wanted)) / scale
    return solution


def _refuse_adrift(task: Softmax, names: Sequence[str]) -> None:
    """Name what a prior is too weak to hold before rounding does: columns that repeat each other, separated classes."""
    columns = task.inputs[:, : len(names)] * np.sqrt(task.weight)[:, None]
    sizes = np.sqrt(np.square(columns).sum(axis=0))
    if (sizes > 0).all():
        refuse_repeats(columns.T @ columns / np.outer(sizes, sizes), names, math.inf)
    refuse_separated(task, names)


def refuse_separated(task: Softmax, names: Sequence[str]) -> None:
    """Refuse classes that planes part (touching allowed): then the likelihood grows for ever along their normals.

    A linear programme finds them: no row on the wrong side, and as far on the right one as a box allows.
    """
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    width, classes = len(task.decay), len(task.basis)
    scale = np.abs(task.inputs).max(axis=0)
    inputs = task.inputs / np.where(scale > 0, scale, 1.0)
    row, other = np.nonzero(np.arange(classes) != task.codes[:, None])
    places = np.stack([task.codes[row], other], axis=1)[:, :, None] * width + np.arange(width)
    margins = csr_array(
        (
            np.stack([inputs[row], -inputs[row]], axis=1).ravel(),
            places.ravel(),
            np.arange(0, 2 * width * len(row) + 1, 2 * width),
        ),
        shape=(len(row), classes * width),
    )[:, width:]  # only differences of classes count: the first one's coefficients are 0
    found = linprog(-margins.sum(axis=0), A_ub=-margins, b_ub=np.zeros(len(row)), bounds=(-1, 1), method="highs")
    if found.status != 0 or np.abs(found.x).max(initial=0.0) < 0.5:  # subtle: a cone has its optimum at 0 or on the box
        return
    sizes = np.abs(found.x.reshape(classes - 1, width)[:, : len(names)]).max(axis=0)
    columns = [name for name, share in zip(names, sizes, strict=True) if share > 1e-6 * sizes.max()]
    by = f"column {columns[0]}" if len(columns) == 1 else f"columns {', '.join(columns[:6])}"
    raise EstimateError(
        f"the classes are separated by {by}{' and others' if len(columns) > 6 else ''}, so the likelihood has no "
        "maximum; give a finite weight_variance, not too large"
    )
