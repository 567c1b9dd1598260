"""Regressions compared on the same targets, each with columns of its own: which of them tell of the target, and how.

p(m | t, X) ∝ p(t | X, m) p(m), and the average of their predictives weighted by it. Lecture 004. Folds judge them by
targets that they have not seen: Σ log p(t | x, the other folds). A linear regression reads the sum of the other folds'
moments; a logistic one has no statistics, and is fitted anew.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from priori.data.folds import Places, group_numbers, members
from priori.data.folds import folds as deal
from priori.errors import DataError, EstimateError
from priori.estimation.comparison import Ranking, ranked
from priori.estimation.distribution import Absent, Estimate, attempt
from priori.estimation.leave_one_out import LeftOut, without_each
from priori.estimation.regression import regress
from priori.families.base import Conditional
from priori.families.mixture import LinearMixture, LogisticMixture, Share
from priori.families.registry import REGRESSIONS, regression_named
from priori.families.regression.base import Regression
from priori.families.regression.least_squares import column_names, placed
from priori.families.regression.logistic import LogisticRegression
from priori.statistics.categories import as_values
from priori.statistics.observations import as_numbers, as_weights
from priori.statistics.vector_moments import matrix

Prior = Regression | LogisticRegression
Candidate = str | Prior | type[Prior]
Columns = Sequence[str | int]


@dataclass(frozen=True, eq=False)
class RegressionComparison(Ranking):
    """Regressions in the order of their probability."""

    columns: dict[str, tuple[int, ...]]  # the places of those that each reads
    width: int  # of the whole table

    def average(self) -> LinearMixture | LogisticMixture:
        """Bayesian model averaging: the predictives, each with the probability of its model."""
        rows: list[Any] = self.averaged()
        weights = np.array([row.probability for row in rows])
        share = Share(weights, tuple(self.columns[row.name] for row in rows), self.width)
        parts = tuple(row.estimate.predictive for row in rows)
        if issubclass(rows[0].estimate.family, LogisticRegression):
            return LogisticMixture(share, parts, parts[0].classes)
        return LinearMixture(share, parts)


def compare_regressions(
    candidates: Mapping[str, Candidate | tuple[Candidate, Columns]],
    X: Any,
    t: Any,
    weights: Any = None,
    probabilities: Mapping[str, float] | None = None,
    *,
    names: Sequence[str] = (),
    rng: np.random.Generator | None = None,
    folds: int | None = None,
    seed: int = 0,
    groups: Any = None,
) -> RegressionComparison:
    """Compare regressions: a name, class or prior, or (one of these, columns); without columns it reads all of X.

    Columns are places, or names: those of the table X, or `names`. Priors are "unit" where none is given. An average of
    logistic regressions of more than two classes needs rng. `folds` adds Σ log p(t | x) of targets left out by k folds,
    dealt by the seed, no group parted and labels spread evenly.

    >>> X, t = [[0.0, 5.0], [1.0, 3.0], [2.0, 4.0], [4.0, 6.0]], [1.0, 3.0, 4.5, 9.5]
    >>> ranking = compare_regressions({"both": "linear", "first": ("linear", [0]), "none": ("linear", [])}, X, t)
    >>> [row.name for row in ranking.rows]
    ['first', 'both', 'none']
    """
    if not isinstance(candidates, Mapping) or not candidates:
        raise DataError("there are no regressions to compare; give a mapping of names to regressions")
    table, heads = matrix(X), tuple(names) or column_names(X)
    if heads and len(heads) != table.shape[1]:
        raise DataError(f"there are {len(heads)} names for {table.shape[1]} columns; give one for each")
    given = {name: _read(name, of, heads, table.shape[1]) for name, of in candidates.items()}
    _refuse_unlike({name: of for name, (of, _) in given.items()})
    estimates = {
        name: partial(_estimated, of, (table[:, list(at)], t, weights), _names(of, at, heads, table.shape[1]), rng)
        for name, (of, at) in given.items()
    }
    places = {name: at for name, (_, at) in given.items()}
    group = None if groups is None else group_numbers(groups, len(table))
    dealt = None if folds is None else deal(len(table), folds, seed, group, _labels(given, t))

    def left_out(name: str, found: Estimate) -> dict[str, LeftOut | Absent]:
        if dealt is None:
            return {}
        prior: Any = found.prior
        mine = table[:, list(places[name])]
        found_without = attempt(lambda: pairs_left_out(prior, mine, t, weights, part=dealt, group=group, rng=rng))
        return {"k_fold": found_without}

    return RegressionComparison(*ranked(estimates, probabilities, left_out), places, table.shape[1])


def _labels(given: Mapping[str, tuple[Any, Any]], t: Any) -> list[Any] | None:
    """The labels, where the targets are some."""
    of = next(iter(given.values()))[0]
    return as_values(t) if of is LogisticRegression or isinstance(of, LogisticRegression) else None


def _estimated(of: Any, data: tuple[Any, Any, Any], names: list[str], rng: np.random.Generator | None) -> Estimate:
    X, t, weights = data
    if isinstance(of, type):
        return regress(of, X, t, None, weights, names=names, rng=rng)
    prior = replace(of, names=tuple(names)) if names else of
    return regress(type(of), X, t, prior, weights, names=prior.names, rng=rng)


def _read(name: str, candidate: Any, heads: tuple[str, ...], width: int) -> tuple[Any, tuple[int, ...]]:
    """A regression's class or prior, and the places of its columns: those given, those it names, or all."""
    of, columns = candidate if isinstance(candidate, tuple) and len(candidate) == 2 else (candidate, None)
    of = regression_named(of) if isinstance(of, str) else of
    if not (isinstance(of, Prior) or (isinstance(of, type) and issubclass(of, Prior))):
        raise DataError(
            f"{name} is {of!r}, which is no regression; give a prior, its class, or a name ({', '.join(REGRESSIONS)}), "
            "alone or with its columns in a tuple"
        )
    if columns is None:
        columns = of.names if heads and not isinstance(of, type) and of.names else range(width)
    if isinstance(columns, str) or not isinstance(columns, Iterable):
        raise DataError(f"the columns of {name} are {columns!r}; give a list of them")
    return of, tuple(_place(name, column, heads, width) for column in columns)


def _place(name: str, column: object, heads: tuple[str, ...], width: int) -> int:
    if column in heads:
        return heads.index(str(column))
    mask = isinstance(column, bool)  # it would be read as 0 and 1
    if isinstance(column, int | np.integer) and not mask and 0 <= column < width:
        return int(column)
    known = ", ".join(heads[:20]) if heads else f"0 to {width - 1}"
    raise DataError(f"{name} reads column {column!r}, which is not there; the columns are {known}")


def _names(of: Any, places: tuple[int, ...], heads: tuple[str, ...], width: int) -> list[str]:
    """Of the columns; where they have none, those of a part keep the places that they have in the whole."""
    if heads:
        return [heads[at] for at in places]
    own = () if isinstance(of, type) else of.names
    return list(own) if own or places == tuple(range(width)) else [placed(at) for at in places]


def _refuse_unlike(given: Mapping[str, Any]) -> None:
    """Refuse to rank what does not compare: labels beside numbers, flat intercepts beside proper ones."""
    labels = [name for name, of in given.items() if of is LogisticRegression or isinstance(of, LogisticRegression)]
    numbers = [name for name in given if name not in labels]
    if labels and numbers:
        raise DataError(f"{labels[0]} predicts labels and {numbers[0]} numbers, which do not compare; give one kind")
    flat = [name for name, of in given.items() if _flat(of)]
    proper = [name for name in given if name not in flat]
    if flat and proper:
        raise DataError(
            f"{flat[0]} has a flat intercept and {proper[0]} has none, so their evidences have different units; give "
            "all the same intercept"
        )


def _flat(of: Any) -> bool:
    """Whether nothing is known of the intercept; the unit priors leave it so."""
    if isinstance(of, type):
        return True
    seen = getattr(of, "seen", None)
    return bool(of.intercept == "flat" and (seen is None or seen.n == 0))


# --- folds left out ---------------------------------------------------------------------------------------------------


def pairs_left_out(
    prior: Prior,
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
