"""One factor of p(x | y) as EM sees it: parameters from fractional weights, scores of all rows, and the log prior.

Every plugged-in estimate is the mode of a penalised likelihood, log p(cells | θ) + log p(θ); a posterior mean is the
mode under another prior (under alpha + 1 for a Dirichlet's alpha). `log_prior` is the logarithm of that prior at θ, up
to a constant, so that what EM ascends is

    Σ_labelled w log p(x, y) + Σ_unlabelled λ w log Σ_y p(x, y) + Σ log_prior.

docs/hidden_classes_tables.md has the priors of all estimates.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from priori.columns.base import Rows, refuse_empty_class
from priori.columns.readings import TableReadings
from priori.errors import EstimateError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Floats = npt.NDArray[np.float64]


class Fitted(NamedTuple):
    """A factor at the parameters that the weights gave."""

    scores: Floats  # (n, K): log p(cells | y), 0 where there is nothing to score
    log_prior: float  # of the parameters, up to a constant
    parameters: Mapping[str, Floats]


class HiddenFactor(ABC):
    """The cells of one part, ready to be counted with any weights."""

    @abstractmethod
    def fit(self, weights: Floats) -> Fitted:
        """The M-step of this part: from weights of rows in classes, (n, K)."""


class HiddenCounts(HiddenFactor):
    """Values, bins or terms: (N_cj + pseudo) / Σ_j (N_cj + pseudo), the mode under a Dirichlet of pseudo + 1.

    `matrix` has how often each row has each of the `slots` values; `common` is log p that all classes share.
    """

    def __init__(self, matrix: "csr_array", pseudo: float, estimate: str, empty: int = 0, common: Any = 0.0) -> None:
        if pseudo < 0:
            raise EstimateError(
                "with alpha < 1 a value without counts has no mode; use alpha >= 1, or estimate='bayes'"
            )
        self.matrix, self.turned = matrix, matrix.T.tocsr()
        self.pseudo, self.estimate, self.empty, self.common = pseudo, estimate, empty, common

    def fit(self, weights: Floats) -> Fitted:
        """Fractional counts, smoothed."""
        counts = self.turned @ weights  # (V, K)
        values = len(counts) + self.empty
        if not values:
            return silent(weights, "shares")
        totals = counts.sum(axis=0)
        if self.pseudo == 0 and len(counts):
            refuse_empty_class(totals, self.estimate)
        with np.errstate(divide="ignore"):
            below = np.log(totals + self.pseudo * values)
            table = np.log(counts + self.pseudo) - below
        log_prior = 0.0
        if self.pseudo:
            log_prior = self.pseudo * float(table.sum() + self.empty * (np.log(self.pseudo) - below).sum())
        return Fitted(_times(self.matrix, table) + self.common, log_prior, {"shares": np.exp(table).T})


def _times(matrix: "csr_array", table: Floats) -> Floats:
    """Σ_j n_ij log θ_j: what is not there is not asked, so 0 times -inf does not arise, and -inf stays -inf."""
    if np.isfinite(table).all():
        return np.asarray(matrix @ table)
    impossible = matrix @ np.isneginf(table).astype(np.float64) > 0
    return np.where(impossible, -np.inf, matrix @ np.where(np.isfinite(table), table, 0.0))


def silent(weights: Floats, name: str) -> Fitted:
    """What says nothing of any class."""
    return Fitted(np.zeros_like(weights), 0.0, {name: np.zeros((weights.shape[1], 0))})


def of_words(words: "csr_array", readings: TableReadings, pooled: Rows) -> HiddenCounts:
    """Words of texts, one multinomial for each class: all that texts of some weight have."""
    learned = words.T @ pooled.in_rows() > 0
    return HiddenCounts(words[:, learned], readings.pseudo_count, readings.estimate, int(readings.unknown == "prior"))


def of_totals(cells: Floats, readings: TableReadings) -> HiddenCounts:
    """Counts that share a total; a row in which one is missing says nothing."""
    from scipy.sparse import csr_array

    whole = np.asarray(~np.isnan(cells).any(axis=1))
    return HiddenCounts(csr_array(np.where(whole[:, None], cells, 0.0)), readings.pseudo_count, readings.estimate)


def indicators(codes: npt.NDArray[np.int64], size: int) -> "csr_array":
    """Which value each row has, (n, V); none where the code is below 0."""
    from scipy.sparse import csr_array

    there = codes >= 0
    offsets = np.append(0, np.cumsum(there))
    return csr_array((np.ones(int(there.sum())), codes[there], offsets), (len(codes), size))
