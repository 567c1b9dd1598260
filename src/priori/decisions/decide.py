"""From probabilities to decisions: argmin over d of Σ_c L(d, c) p(c | x) (lectures 000 and 004).

A policy does this for all rows: thresholds first, then least expected loss, under the class prior of the place of use.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from priori.decisions.losses import Loss, places
from priori.decisions.posteriors import checked_prior, read_posterior
from priori.decisions.prior_shift import PriorEstimate, estimated_prior, reweighted
from priori.decisions.thresholds import Threshold
from priori.errors import DataError

Floats = npt.NDArray[np.float64]
Rule: TypeAlias = Literal["bayes", "map", "ml"]

FEWEST = 30  # rows for an estimate of the class prior: of fewer the standard error of a share may be above 0.09


@dataclass(frozen=True, eq=False)
class Decisions:
    """What to do with each row, and what that is expected to cost."""

    actions: npt.NDArray[np.object_]  # (n,), by name
    index: npt.NDArray[np.intp]  # (n,), the place of the action in the loss
    expected_loss: npt.NDArray[np.float64]  # (n,)
    rejected: npt.NDArray[np.bool_]  # (n,)
    labels: tuple[Any, ...]  # the classes, in the order of the posterior
    thresholds: Mapping[Any, Threshold] = field(default_factory=dict)  # by label, where some were asked for
    prior: PriorEstimate | None = None  # in the order of the labels, where it was estimated from the rows

    def __len__(self) -> int:
        return len(self.index)

    def to_json(self) -> dict[str, Any]:
        """Plain values, one for each row."""
        document: dict[str, Any] = {
            "labels": list(self.labels),
            "actions": self.actions.tolist(),
            "expected_loss": self.expected_loss.tolist(),
            "rejected": self.rejected.tolist(),
        }
        if self.thresholds:
            document["thresholds"] = {str(label): threshold.to_json() for label, threshold in self.thresholds.items()}
        return document if self.prior is None else document | {"prior": self.prior.to_json()}


def decide(
    posterior: Any,
    loss: Any = None,
    reject: float | None = None,
    *,
    labels: Iterable[Any] | None = None,
    rule: Rule = "bayes",
    prior: Any = None,
) -> Decisions:
    """The action of least expected loss for each row; the first of equals.

    posterior: p(c | x), (n, K) or one row; {label: p}, or a list of them, or of what `priori classify` prints.
    loss:      {decision: {truth: cost}}, a matrix, a Loss; None: 0 if right, 1 if wrong. See `Loss.of`.
    reject:    the cost of refusing an answer: a further action of that name.
    labels:    of the columns; those of the mappings, or 0..K-1.
    rule:      "bayes" as above; "map": argmax p(c | x), the 0/1 loss; "ml": argmax p(x | c), the 0/1 loss under equal
               class priors, which divides the posterior by its `prior` (in the order of the labels, or {label: p}).

    >>> decide({"ham": 0.2, "spam": 0.8}, {"spam": {"ham": 10}}).actions.tolist()
    ['ham']
    >>> decide([[0.2, 0.8], [0.45, 0.55]], reject=0.3, labels=["ham", "spam"]).actions.tolist()
    ['spam', 'reject']
    """
    if rule not in get_args(Rule):
        raise DataError(f"rule={rule!r} is none; give 'bayes', 'map' or 'ml'")
    if rule != "bayes" and loss is not None:
        raise DataError(f"rule={rule!r} is that of the 0/1 loss; leave loss away, or decide by 'bayes'")
    if (prior is None) == (rule == "ml"):
        said = "needs the class prior of the posterior; give prior=" if prior is None else "has no use for a prior"
        raise DataError(f"rule={rule!r} {said}")
    rows, names = read_posterior(posterior, labels)
    if rule == "ml":
        old = checked_prior(prior, names, positive=True)
        rows = reweighted(rows, old, np.full(len(names), 1 / len(names)))
    table = Loss.of(loss, names)
    if reject is not None:
        table = table.with_reject(reject)
    return taken(table, rows, table.best(rows))


def taken(loss: Loss, posterior: npt.NDArray[np.float64], best: npt.NDArray[np.intp]) -> Decisions:
    """The decisions for these actions, by their places in the loss."""
    actions = np.empty(len(loss.actions), dtype=object)
    actions[:] = loss.actions
    return Decisions(
        actions=actions[best],
        index=best,
        expected_loss=(posterior * loss.matrix[best]).sum(axis=1),
        rejected=loss.rejects[best],
        labels=loss.labels,
    )


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
