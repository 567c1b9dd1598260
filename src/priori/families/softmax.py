"""Newton's method for the coefficients of a softmax, and whether there are any: classes that a plane separates.

Minimises -Σ log p(class | x) + ½ Σ decay · coefficient². Bishop 2006, 4.3; Albert & Anderson 1984 on separation;
docs/maths/regression.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt
from scipy.special import log_softmax

from priori.errors import EstimateError

Floats = npt.NDArray[np.float64]
_DIRECT = 2000  # coefficients up to which the matrix of second derivatives is solved as it is
_STEPS = 100
_PATIENCE = 12  # steps after which a likelihood that still grows is suspected of having no maximum
_DECREMENT = 1e-20  # 2 (f - minimum) as Newton's model has it; the step taken there ends at rounding error


@dataclass(frozen=True, eq=False)
class Softmax:
    """The data, and which coefficients of which class are free."""

    inputs: Floats  # (n, p), a column of ones among them where there is an intercept
    codes: npt.NDArray[np.intp]  # (n,) the class of each row
    weight: Floats  # (n,)
    free: npt.NDArray[np.bool_]  # (K, p); the others are 0
    decay: Floats  # (K, p) precision of the prior of each

    def table(self, theta: Floats) -> Floats:
        """The coefficients by class, (K, p)."""
        table = np.zeros(self.free.shape)
        table[self.free] = theta
        return table

    def log_likelihood(self, theta: Floats) -> float:
        """Σ log p(class | x)."""
        scores = log_softmax(self.inputs @ self.table(theta).T, axis=1)
        return float(self.weight @ scores[np.arange(len(scores)), self.codes])

    def value(self, theta: Floats) -> float:
        """What is minimised."""
        return -self.log_likelihood(theta) + 0.5 * float(self.decay[self.free] @ theta**2)

    def probabilities(self, theta: Floats) -> Floats:
        """p(class | x), (n, K)."""
        table: Floats = np.exp(log_softmax(self.inputs @ self.table(theta).T, axis=1))
        return table

    def gradient(self, theta: Floats, probabilities: Floats) -> Floats:
        """First derivatives."""
        errors = probabilities.copy()
        errors[np.arange(len(errors)), self.codes] -= 1
        slopes: Floats = ((errors * self.weight[:, None]).T @ self.inputs)[self.free]
        return slopes + self.decay[self.free] * theta

    def curvature(self, probabilities: Floats) -> Floats:
        """Second derivatives: block (k, l) is Xᵀ diag(p_k (δ_kl - p_l)) X."""
        classes = np.flatnonzero(self.free.any(axis=1))
        width = self.inputs.shape[1]
        others = probabilities @ (1 - np.eye(len(self.free)))  # subtle: 1 - p would lose the digits of small ones
        blocks = np.empty((len(classes), width, len(classes), width))
        for a, k in enumerate(classes):
            for b, m in enumerate(classes[: a + 1]):
                by_row = self.weight * probabilities[:, k] * (others[:, k] if k == m else -probabilities[:, m])
                blocks[a, :, b, :] = (self.inputs * by_row[:, None]).T @ self.inputs
                blocks[b, :, a, :] = blocks[a, :, b, :].T
        size = len(classes) * width
        kept = self.free[classes].ravel()
        matrix: Floats = blocks.reshape(size, size)[np.ix_(kept, kept)]
        matrix[np.diag_indices_from(matrix)] += self.decay[self.free]
        return matrix

    def curved(self, probabilities: Floats, along: Floats) -> Floats:
        """The second derivatives times a vector, without the matrix."""
        moves = self.inputs @ self.table(along).T
        moves -= (probabilities * moves).sum(axis=1, keepdims=True)
        slopes: Floats = ((probabilities * moves * self.weight[:, None]).T @ self.inputs)[self.free]
        return slopes + self.decay[self.free] * along


def moved(table: Floats, origin: Floats, free: npt.NDArray[np.bool_]) -> Floats:
    """Coefficients (..., R, p), the intercept last, about zero from those about an origin (and back, from minus it).

    Intercepts stay relative to the first class's where that is 0.
    """
    intercept = table[..., -1] - table[..., :-1] @ origin
    if free[0].any() and not free[0, -1]:
        intercept = intercept - intercept[..., :1]
    return np.concatenate([table[..., :-1], intercept[..., None]], axis=-1)


def minimum(task: Softmax, names: Sequence[str]) -> Floats:
    """The coefficients, by Newton's method with steps halved until they descend; from any start it converges."""
    theta = np.zeros(int(task.free.sum()))
    value = task.value(theta)
    flat = bool((task.decay[:, : len(names)][task.free[:, : len(names)]] == 0).any())
    for step in range(_STEPS):
        if flat and step == _PATIENCE:
            refuse_separated(task, names)
        probabilities = task.probabilities(theta)
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
        share, slack = 1.0, 1e-13 * (1 + abs(value))
        while (moved := task.value(theta + share * direction)) > value - 1e-4 * share * decrement + slack:
            share /= 2
        theta, value = theta + share * direction, moved
        if decrement <= _DECREMENT * max(1.0, float(task.weight.max(initial=0.0))):
            return theta
    raise EstimateError(f"the coefficients have not settled after {_STEPS} steps; scale the columns, or leave some out")


def _newton(task: Softmax, probabilities: Floats, gradient: Floats) -> Floats:
    """The second derivatives' inverse times the gradient."""
    if len(gradient) <= _DIRECT:
        return solve_scaled(task.curvature(probabilities), gradient)
    from scipy.sparse.linalg import LinearOperator, cg

    size = (len(gradient), len(gradient))
    diagonal = ((probabilities * (1 - probabilities) * task.weight[:, None]).T @ task.inputs**2 + task.decay)[task.free]
    matrix = LinearOperator(size, matvec=partial(task.curved, probabilities))
    solution: Floats = cg(matrix, gradient, rtol=1e-8, M=LinearOperator(size, matvec=lambda v: v / diagonal))[0]
    return solution


def solve_scaled(matrix: Floats, vector: Floats) -> Floats:
    """Cholesky's method on the matrix scaled to a diagonal of ones; LinAlgError where it is not positive."""
    scale = np.sqrt(np.diag(matrix))
    if not (scale > 0).all():
        raise np.linalg.LinAlgError("not positive definite")
    lower = np.linalg.cholesky(matrix / np.outer(scale, scale))
    solution: Floats = np.linalg.solve(lower.T, np.linalg.solve(lower, vector / scale)) / scale
    return solution


def refuse_separated(task: Softmax, names: Sequence[str]) -> None:
    """Refuse classes that planes part (touching allowed): then the likelihood grows for ever along their normals.

    A linear programme finds them: no row on the wrong side, and as far on the right one as a box allows.
    """
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    (size, width), classes = task.inputs.shape, len(task.free)
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
    size = np.abs(found.x.reshape(classes - 1, width)[:, : len(names)]).max(axis=0)
    columns = [name for name, share in zip(names, size, strict=True) if share > 1e-6 * size.max()]
    by = f"column {columns[0]}" if len(columns) == 1 else f"columns {', '.join(columns[:6])}"
    raise EstimateError(
        f"the classes are separated by {by}{' and others' if len(columns) > 6 else ''}, so the likelihood has no "
        "maximum; give a finite weight_variance"
    )
