"""Regressions judged by the targets of folds that they have not seen: Σ log p(t | x, the other folds).

A linear regression reads the sum of the other folds' moments; a logistic one has no statistics, and is fitted anew.
"""

from typing import Any

import numpy as np

from priori.errors import EstimateError
from priori.families.base import Conditional
from priori.families.logistic_regression import LogisticRegression
from priori.families.regression import Regression
from priori.groups import Places, members
from priori.select.left_out import LeftOut, without_each
from priori.statistics.categories import as_values
from priori.statistics.observations import as_numbers, as_weights
from priori.statistics.vectors import matrix


def pairs_left_out(
    prior: Regression | LogisticRegression,
    X: Any,
    t: Any,
    weights: Any,
    *,
    part: Places,
    group: Places | None = None,
    rng: np.random.Generator | None = None,
) -> LeftOut:
    """log p(t | x) of each pair, given those of the other parts, the parameters integrated out.

    Of more than two classes that is an average over draws, which needs rng. Pairs of one `group` vary together.
    """
    table, labels = matrix(X), isinstance(prior, LogisticRegression)
    targets: Any = np.array([*as_values(t), None], dtype=object)[:-1] if labels else as_numbers(t).astype(np.float64)
    missing = np.array([value is None for value in targets], bool) if labels else np.isnan(targets)
    weight = np.where(missing, 0.0, as_weights(weights, len(table)))
    places = members(part)
    scores = np.zeros(len(table))
    for at, model in zip(places, _models(prior, (table, targets, weight), places, rng), strict=True):
        known = at[~missing[at]]
        scores[known] = model.log_prob(table[known], targets[known]) if len(known) else 0.0
    return LeftOut(scores, weight, group)


def _models(prior: Any, data: tuple[Any, Any, Any], places: list[Places], rng: np.random.Generator | None) -> Any:
    """What is predicted without each part."""
    table, targets, weight = data
    if isinstance(prior, LogisticRegression):
        for at in places:
            rest = np.setdiff1d(np.arange(len(table)), at)
            yield _told(at, lambda rest=rest: _logistic(prior, table[rest], targets[rest].tolist(), weight[rest], rng))
        return
    parts = [type(prior).statistics(table[at], targets[at], weight[at]) for at in places]
    nothing = type(prior).statistics(table[:0], targets[:0])
    for at, stats in zip(places, without_each(parts), strict=True):
        left = nothing if stats is None else stats
        yield _told(at, lambda left=left: prior.posterior(left).predictive())


def _logistic(prior: LogisticRegression, X: Any, y: Any, weight: Any, rng: np.random.Generator | None) -> Conditional:
    posterior = prior.posterior(X, y, weight)
    if len(posterior.mode().classes) > 2 and rng is None:
        raise EstimateError("it is averaged over draws; give rng")
    return posterior.predictive(rng)


def _told(at: Places, model: Any) -> Conditional:
    try:
        found: Conditional = model()
    except EstimateError as error:
        raise EstimateError(f"without row {at[0]} and those left out with it: {error}") from error
    return found
