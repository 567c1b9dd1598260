"""One rule for all rows: thresholds first, then least expected loss, under the class prior of the place of use."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from priori.decisions.decide import Decisions, taken
from priori.decisions.losses import Loss, places
from priori.decisions.posteriors import checked_prior
from priori.decisions.prior_shift import PriorEstimate, estimated_prior, reweighted
from priori.decisions.thresholds import Threshold
from priori.errors import DataError

Floats = npt.NDArray[np.float64]

FEWEST = 30  # rows for an estimate of the class prior: of fewer the standard error of a share may be above 0.09


@dataclass(frozen=True, eq=False)
class Policy:
    """What to do with a row, given p(c | x).

    A class with a threshold is called where p(c | x) lies above it (the best of several that do), and nowhere else; the
    other rows get the best of the other actions. Thresholds are those of the posterior as it comes, before `new`.
    """

    loss: Loss
    old: Floats  # (K,), the class prior of the posterior; 0 for a class never learned
    new: Floats | None = None  # (K,), that of the place of use
    thresholds: Mapping[Any, Threshold] = field(default_factory=dict)  # by label
    estimate: PriorEstimate | None = None

    def __post_init__(self) -> None:
        if self.thresholds and set(self.loss.actions) <= set(self.thresholds):
            raise DataError("every class has a threshold, so nothing is left to do below them; give a cost of reject")

    def under(self, prior: Any) -> Self:
        """With a class prior at the place of use: in the order of the labels, or {label: p}."""
        new = checked_prior(prior, self.loss.labels)
        for k in np.flatnonzero((new > 0) & (self.old == 0))[:1]:
            raise DataError(
                f"the class prior gives {self.loss.labels[k]!r} a share, which was never learned; give it 0"
            )
        return replace(self, new=new, estimate=None)

    def estimated(self, posterior: Floats) -> Self:
        """With the class prior under which these rows are most probable, by EM."""
        if len(posterior) < FEWEST:
            raise DataError(
                f"{len(posterior)} rows are too few to estimate a class prior from; give {FEWEST} or more, or the prior"
            )
        learned = self.old > 0
        found = estimated_prior(np.ascontiguousarray(posterior[:, learned]), self.old[learned])
        prior = np.zeros(len(self.old))
        prior[learned] = found.prior
        return replace(self, new=prior, estimate=replace(found, prior=prior))

    def shifted(self, posterior: Floats) -> Floats:
        """p'(c | x) ∝ p(c | x) new_c / old_c; as it is where no prior is given."""
        if self.new is None or not len(posterior):
            return posterior
        learned = self.old > 0
        result = np.zeros_like(posterior)
        result[:, learned] = reweighted(posterior[:, learned], self.old[learned], self.new[learned])
        return result

    def decisions(self, posterior: Floats) -> Decisions:
        """Of each row of p(c | x), (n, K)."""
        rows = self.shifted(posterior)
        best = self.loss.best(rows, self._allowed(posterior))
        made = taken(self.loss, rows, best)
        return replace(made, thresholds=self.thresholds, prior=self.estimate)

    def _allowed(self, posterior: Floats) -> npt.NDArray[np.bool_] | None:
        """Which actions each row may get, (n, A)."""
        if not self.thresholds:
            return None
        guarded = np.array(places(self.loss.actions, self.thresholds), np.intp)
        column = np.array(places(self.loss.labels, self.thresholds), np.intp)
        above = posterior[:, column] > np.array([threshold.value for threshold in self.thresholds.values()])
        allowed = np.repeat(~above.any(axis=1, keepdims=True), len(self.loss.actions), axis=1)
        allowed[:, guarded] = above
        return allowed
