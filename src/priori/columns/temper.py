"""How far each column may be believed: powers of p(x_j | y), fitted on rows that are left out.

Columns that repeat each other are counted as if each were news, so p(y) Π p(x_j | y) is too sure of itself. Tempered
it is p(y) Π p(x_j | y)^t_j: naive Bayes with attribute weights (Zaidi, Cerquides, Carman & Webb 2013), here by the log
loss of rows that are left out one at a time, which the sums give without refits. First one power t for all columns is
fitted, with log t about log 2 / (1 + √d) of d columns (what real tables had in common); then those of the columns about
it. Both times the prior is normal, of deviation ½. t_j = 1 is naive Bayes itself.
"""

import math

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize, minimize_scalar
from scipy.special import logsumexp

Floats = npt.NDArray[np.float64]

LEAST, MOST = 0.01, 2.0  # of the power for all columns
SPREAD = 0.5
ROOM = 30_000_000  # scores of rows, classes and columns that are looked at


def rule(columns: int) -> float:
    """The power for so many columns where no rows say more."""
    return 2 / (1 + math.sqrt(max(columns, 1)))


def fitted(log_prior: Floats, scores: Floats, group: npt.NDArray[np.int32], weight: Floats) -> Floats:
    """The powers under which rows that were left out have the most probable labels, (d,).

    log_prior (n, K) and scores (n, K, d): log p(y) and log p(x_j | y), each without the row itself.
    """
    columns = scores.shape[2]
    own = np.arange(len(group)), group
    there = np.isfinite(scores).all(axis=(1, 2)) & np.isfinite(log_prior[own])
    start = np.full(columns, rule(columns))
    if len(np.unique(group[there])) < 2:  # rows of one class do not tell it from others
        return start
    few = _Rows(log_prior[there], scores[there], group[there], weight[there])
    t = _one_power(few, rule(columns))
    found = minimize(
        few.loss, np.full(columns, t), args=(t,), jac=True, method="L-BFGS-B", bounds=[(0.0, None)] * columns
    )
    powers: Floats = found.x
    return powers


class _Rows:
    """Rows that were left out, and the loss of their labels."""

    def __init__(self, log_prior: Floats, scores: Floats, group: npt.NDArray[np.int32], weight: Floats) -> None:
        self.log_prior = log_prior
        self.scores = scores
        self.own = np.arange(len(group)), group
        self.weight = weight
        self.together: Floats = scores.sum(axis=2)

    def loss_of_one(self, t: float) -> float:
        """Σ w log p(y | x) of all columns at one power."""
        joint = self.log_prior + t * self.together
        return float(self.weight @ (logsumexp(joint, axis=1) - joint[self.own]))

    def loss(self, powers: Floats, t: float) -> tuple[float, Floats]:
        """The same of a power for each column, with the prior about t, and its gradient; convex in the powers."""
        joint = self.log_prior + self.scores @ powers
        total = logsumexp(joint, axis=1)
        posterior = np.exp(joint - total[:, None]) * self.weight[:, None]
        expected = np.einsum("nk,nkd->d", posterior, self.scores) - self.weight @ self.scores[self.own]
        away = (powers - t) / SPREAD**2
        value = float(self.weight @ (total - joint[self.own])) + 0.5 * float(away @ (powers - t))
        return value, expected + away


def _one_power(rows: _Rows, about: float) -> float:
    def loss(log_t: float) -> float:
        return rows.loss_of_one(math.exp(log_t)) + 0.5 * ((log_t - math.log(about)) / SPREAD) ** 2

    found = minimize_scalar(loss, bounds=(math.log(LEAST), math.log(MOST)), method="bounded", options={"xatol": 1e-6})
    return math.exp(float(found.x))
