"""Regressions compared on the same targets, each with columns of its own: which of them tell of the target, and how.

p(m | t, X) ∝ p(t | X, m) p(m), and the average of their predictives weighted by it. Lecture 004.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from priori.errors import DataError
from priori.estimation import Absent, Estimate, attempt
from priori.families.logistic_regression import LogisticRegression
from priori.families.named import REGRESSIONS, regression_named
from priori.families.pairs import column_names, placed
from priori.families.regression import Regression
from priori.families.regression_mixture import LinearMixture, LogisticMixture, Share
from priori.groups import group_numbers
from priori.regression import regress
from priori.select.compare import Ranking, ranked
from priori.select.folds import folds as deal
from priori.select.left_out import LeftOut
from priori.select.regressions_left_out import pairs_left_out
from priori.statistics.categories import as_values
from priori.statistics.vectors import matrix

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
