"""The class prior where a model is used is not that of its training data: known, or found from unlabelled data.

p'(c | x) ∝ p(c | x) new_c / old_c, as p(x | c) stays. Saerens, Latinne & Decaestecker 2002, equations 2.4 and 2.9.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from priori.decisions.posteriors import checked_posterior, checked_prior
from priori.errors import DataError

Floats = npt.NDArray[np.float64]


def reweighted(posterior: Any, old: Any, new: Any) -> Floats:
    """p'(c | x) ∝ p(c | x) new_c / old_c: (n, K).

    >>> reweighted([0.5, 0.5], [0.5, 0.5], [0.9, 0.1]).round(9).tolist()
    [[0.9, 0.1]]
    """
    rows = checked_posterior(posterior)
    labels = tuple(range(rows.shape[1]))
    before = checked_prior(old, labels, "the old class prior", positive=True)
    after = checked_prior(new, labels, "the new class prior")
    with np.errstate(divide="ignore"):  # the logarithm of 0 is -inf, and meant
        logs = np.log(rows) + np.log(after) - np.log(before)
    top = logs.max(axis=1, keepdims=True)
    if np.isneginf(top).any():
        row = int(np.isneginf(top).argmax())
        raise DataError(f"row {row} is possible only in classes to which the new class prior gives 0; give them more")
    shares = np.exp(logs - top)
    result: Floats = shares / shares.sum(axis=1, keepdims=True)
    return result


@dataclass(frozen=True, eq=False)
class PriorEstimate:
    """The class prior under which unlabelled data are most probable, and how it was found."""

    prior: Floats  # (K,)
    log_likelihood: Floats  # Σ_i log p(x_i) under the prior after each step, from the old one on, up to a constant
    converged: bool

    @property
    def iterations(self) -> int:
        """The steps that were taken."""
        return len(self.log_likelihood) - 1

    @property
    def p_value(self) -> float:
        """How often data without a shift look as shifted as these: 2 (l(new) - l(old)) against χ² of K - 1 (section 3).

        It takes the posterior and the old prior to be exact; on the border, where a class vanishes, it is too large.
        """
        return self.p_value_over(1.0)

    def p_value_over(self, variance: float) -> float:
        """The same where old and new differ by chance with so many times the variance that the new data alone give.

        m documents from which the old prior was learned make it 1 + n / m: the likelihood ratio is, near its top, the
        square of Σ_i (p(c | x_i) / old_c - 1) over its variance n σ². That sum is 0 on average where `old` is the mean
        posterior of all documents; but it is that of the m, which lies off by σ² / m, n times over: n σ² (1 + n / m).
        """
        from scipy.special import chdtrc

        if len(self.prior) == 1:
            return 1.0
        gained = 2 * (self.log_likelihood[-1] - self.log_likelihood[0])
        return float(chdtrc(len(self.prior) - 1, gained / variance))

    def to_json(self) -> dict[str, Any]:
        """Plain values, by name."""
        return {
            "prior": self.prior.tolist(),
            "iterations": self.iterations,
            "converged": self.converged,
            "log_likelihood": self.log_likelihood.tolist(),
            "p_value": self.p_value,
        }


def estimated_prior(posterior: Any, old: Any, *, iterations: int = 1000, tolerance: float = 1e-9) -> PriorEstimate:
    """The class prior of unlabelled data, by EM from their posterior under the old one; the likelihood never falls.

    new_c ← mean_i p(c | x_i) r_c / Σ_k p(k | x_i) r_k with r = new / old, until no share moves by more than the
    tolerance, or rounding hides what is gained.

    >>> found = estimated_prior([[0.9, 0.1]] * 3 + [[0.1, 0.9]], [0.5, 0.5])
    >>> found.prior.round(6).tolist(), found.converged
    ([0.8125, 0.1875], True)
    """
    rows = checked_posterior(posterior)
    before = checked_prior(old, tuple(range(rows.shape[1])), "the old class prior", positive=True)
    if len(rows) == 0:
        raise DataError("no rows tell nothing about the class prior; give one or more")
    if iterations < 1 or not tolerance >= 0:
        raise DataError(f"iterations={iterations!r}, tolerance={tolerance!r} end nowhere; give at least 1, and from 0")
    prior, converged = before / before.sum(), False
    mixture = rows @ (prior / before)
    curve = [float(np.log(mixture).sum())]
    for _ in range(iterations):
        ahead = (rows / mixture[:, None]).mean(axis=0) * prior / before
        ahead /= ahead.sum()
        mixture = rows @ (ahead / before)
        reached = float(np.log(mixture).sum())
        if reached < curve[-1]:  # subtle: by rounding alone, at the top; that step is not taken
            converged = True
            break
        moved = float(np.abs(ahead - prior).max())
        prior = ahead
        curve.append(reached)
        if moved <= tolerance:
            converged = True
            break
    return PriorEstimate(prior, np.array(curve), converged)
