"""Families compared on the same data: likelihood, AIC, BIC, evidence, posterior probability, what each predicts of
observations that are left out, and their average.

p(m | X) ∝ p(X | m) p(m), with p(X | m) the evidence; p(x | X) = Σ p(x | X, m) p(m | X). Lecture 004.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from priori.data.folds import folds as deal
from priori.data.folds import group_numbers
from priori.errors import DataError, EstimateError
from priori.estimation.distribution import Absent, Estimate, attempt, estimate
from priori.estimation.leave_one_out import LeftOut, Observed
from priori.families import Family
from priori.families.base import DISCRETE
from priori.families.bayes_rule import bayes
from priori.families.mixture import Mixture
from priori.families.registry import FAMILIES, family_named
from priori.formatting import grid

Candidate = str | Family[Any] | type[Family[Any]]
_HEADS = {
    "log_likelihood": "log-likelihood",
    "free_parameters": "parameters",
    "aic": "AIC",
    "bic": "BIC",
    "log_evidence": "log evidence",
    "probability": "probability",
    "leave_one_out": "leave-one-out",
    "k_fold": "k-fold",
}


@dataclass(frozen=True, eq=False)
class Row:
    """One model among those compared."""

    name: str
    estimate: Estimate
    probability: float | Absent  # p(m | X)
    left_out: Mapping[str, LeftOut | Absent] = field(default_factory=dict)  # leave_one_out, and k_fold where asked for

    def numbers(self) -> dict[str, float | Absent]:
        """What the models are compared by."""
        found = self.estimate
        return {
            "log_likelihood": found.log_likelihood,
            "free_parameters": found.free_parameters,
            "aic": found.aic,
            "bic": found.bic,
            "log_evidence": found.log_evidence,
            "probability": self.probability,
            **self._left_out(),
        }

    def _left_out(self) -> dict[str, float | Absent]:
        """Σ log p of what was left out, and its standard error."""
        numbers: dict[str, float | Absent] = {}
        for name, found in self.left_out.items():
            numbers[name] = found if isinstance(found, Absent) else found.total
            numbers[f"{name}_error"] = found if isinstance(found, Absent) else attempt(partial(getattr, found, "error"))
        return {name: _finite(value) for name, value in numbers.items()}

    def cells(self) -> dict[str, str]:
        """The same as a table has it, a standard error beside its number."""
        numbers = self.numbers()
        cells = {name: _cell(name, value) for name, value in numbers.items() if not name.endswith("_error")}
        for name in self.left_out:
            error = numbers[f"{name}_error"]
            cells[name] += "" if isinstance(error, Absent) else f" ± {error:.2f}"
        return cells

    def to_json(self) -> dict[str, Any]:
        """Names and numbers; null for what does not exist, and `absent` says why."""
        numbers = self.numbers()
        return {
            "name": self.name,
            "prior": str(self.estimate.prior),
            **{name: None if isinstance(value, Absent) else value for name, value in numbers.items()},
            "absent": {name: value.reason for name, value in numbers.items() if isinstance(value, Absent)},
        }


@dataclass(frozen=True, eq=False)
class Ranking:
    """Models in the order of their probability, best first; those without evidence stand last."""

    rows: tuple[Row, ...]
    refused: dict[str, str]  # candidates whose unit prior does not exist for these data, and why

    @property
    def best(self) -> Row:
        """The most probable one."""
        return self.rows[0]

    def averaged(self) -> list[Row]:
        """The models that have a probability, and a predictive to be averaged by it."""
        rows = [row for row in self.rows if not isinstance(row.probability, Absent)]
        if not rows:
            raise EstimateError(f"no model has evidence, so there is no average; {self.rows[0].probability}")
        for row in rows:
            if isinstance(row.estimate.predictive, Absent):
                raise EstimateError(f"{row.name} has no predictive: {row.estimate.predictive.reason}")
        return rows

    def to_json(self) -> dict[str, Any]:
        """The models, best first, and why others are left out."""
        return {"ranking": [row.to_json() for row in self.rows], "refused": self.refused}

    def __str__(self) -> str:
        cells = [row.cells() for row in self.rows]
        table = [("model", *(_HEADS[name] for name in cells[0]))]
        table += [(row.name, *each.values()) for row, each in zip(self.rows, cells, strict=True)]
        left_out = [f"{name} is left out: {why}" for name, why in self.refused.items()]
        return "\n".join([grid(table), *left_out])


@dataclass(frozen=True, eq=False)
class Comparison(Ranking):
    """Families in the order of their probability."""

    def average(self) -> Mixture:
        """Bayesian model averaging: the predictives, each with the probability of its model."""
        rows: list[Any] = self.averaged()
        return Mixture([row.probability for row in rows], [row.estimate.predictive for row in rows])


def compare(
    candidates: Mapping[str, Candidate] | Sequence[Candidate],
    X: Any,
    weights: Any = None,
    probabilities: Mapping[str, float] | None = None,
    *,
    folds: int | None = None,
    seed: int = 0,
    groups: Any = None,
) -> Comparison:
    """Compare families (by name or class, under their unit priors) and priors on the same data.

    Leave-one-out is the sum of log p(x | all others), each observation (or each of the `groups`) being left out in
    turn; `folds` adds the same by k folds, dealt by the seed.

    >>> from priori.families import DirichletCategorical
    >>> dice = {"fair": DirichletCategorical(100, values=(1, 2, 3)), "any": DirichletCategorical(1, values=(1, 2, 3))}
    >>> print(compare(dice, [1, 2, 3, 1, 2, 3]))
    model  log-likelihood  parameters  AIC    BIC    log evidence  probability  leave-one-out
    fair   -6.59           2           17.18  16.77  -6.61         0.7722       -6.63 ± 0.00
    any    -6.59           2           17.18  16.77  -7.83         0.2278       -8.32 ± 0.00
    >>> compare(["normal", "exponential"], [0.1, 2.5, 0.4, 0.9]).best.name
    'exponential'
    """
    families = _families(candidates)
    _refuse_densities_beside_probabilities(families)
    estimates: dict[str, Callable[[], Estimate]] = {
        name: partial(estimate, of, X, None, weights)
        if isinstance(of, type)
        else partial(estimate, type(of), X, of, weights)
        for name, of in families.items()
    }

    def left_out(_: str, found: Estimate) -> dict[str, LeftOut | Absent]:
        observed = Observed.of(found.prior, X, weights=weights)
        size = len(observed.weight)
        together = None if groups is None else group_numbers(groups, size)
        dealt = None if folds is None else deal(size, folds, seed, together)
        judged = {
            "leave_one_out": attempt(
                lambda: observed.alone() if together is None else observed.together(together, group=together)
            )
        }
        if dealt is not None:
            judged["k_fold"] = attempt(lambda: observed.together(dealt, group=together))
        return judged

    return Comparison(*ranked(estimates, probabilities, left_out))


def ranked(
    estimates: Mapping[str, Callable[[], Estimate]],
    probabilities: Mapping[str, float] | None,
    left_out: Callable[[str, Estimate], Mapping[str, LeftOut | Absent]] = lambda name, found: {},
) -> tuple[tuple[Row, ...], dict[str, str]]:
    """The models that can be estimated, the most probable first, and why others cannot; `left_out` judges each."""
    found: dict[str, Estimate] = {}
    refused: dict[str, str] = {}
    for name, made in estimates.items():
        try:
            found[name] = made()
        except EstimateError as error:
            refused[name] = str(error)
    if not found:
        raise EstimateError("; ".join(f"{name}: {why}" for name, why in refused.items()))
    evidence = {name: found[name].log_evidence if name in found else Absent(refused[name]) for name in estimates}
    of_models = _posterior(evidence, probabilities)
    rows = (Row(name, each, of_models[name], left_out(name, each)) for name, each in found.items())
    return tuple(sorted(rows, key=_rank)), refused


def _families(candidates: object) -> dict[str, Family[Any] | type[Family[Any]]]:
    """Candidates by name, names of families made families."""
    if not isinstance(candidates, Iterable) or isinstance(candidates, str):
        raise DataError(f"{candidates!r} is no list of models; give names of families, families or priors")
    named: dict[str, Any] = {}
    for name, of in candidates.items() if isinstance(candidates, Mapping) else ((None, of) for of in candidates):
        family: Any = family_named(of) if isinstance(of, str) else of
        if not (isinstance(family, Family) or (isinstance(family, type) and issubclass(family, Family))):
            raise DataError(
                f"{of!r} is no family and no prior; give those, or names ({', '.join(FAMILIES)}); regressions go to "
                "compare_regressions"
            )
        as_named = family.name if name is None else name
        if as_named in named:
            raise DataError(f"two models are named {as_named!r}; give a mapping that names each differently")
        named[as_named] = family
    return named


def _cell(name: str, value: float | Absent) -> str:
    if isinstance(value, Absent):
        return "-"
    return f"{value:.{0 if name == 'free_parameters' else 4 if name == 'probability' else 2}f}"


def _finite(value: float | Absent) -> float | Absent:
    """A number that JSON has."""
    return Absent("an observation is impossible without itself") if value == -math.inf else value


def _rank(row: Row) -> tuple[bool, float]:
    return (True, 0.0) if isinstance(row.probability, Absent) else (False, -row.probability)


def _posterior(
    log_evidence: Mapping[str, float | Absent], probabilities: Mapping[str, float] | None
) -> dict[str, float | Absent]:
    """p(m | X); the evidences need only their ratios, so the largest becomes 1."""
    of_prior = probabilities if isinstance(probabilities, Mapping) else {}
    possible = {name: value for name, value in log_evidence.items() if of_prior.get(name, 1)}
    largest = max((value for value in possible.values() if not isinstance(value, Absent)), default=0.0)
    if largest == -math.inf:
        raise EstimateError("the data have probability 0 under every model; add a model that allows them")
    relative = {
        name: 0.0 if isinstance(value, Absent) or name not in possible else math.exp(value - largest)
        for name, value in log_evidence.items()
    }
    if not any(relative.values()):
        return dict(log_evidence)
    posterior = bayes("uniform" if probabilities is None else probabilities, relative).posterior
    return {name: value if isinstance(value, Absent) else posterior[name] for name, value in log_evidence.items()}


def _refuse_densities_beside_probabilities(candidates: Mapping[str, Any]) -> None:
    if not candidates:
        raise DataError("there are no models to compare; give at least one")
    discrete = [name for name, family in candidates.items() if family.support in DISCRETE]
    continuous = [name for name in candidates if name not in discrete]
    if discrete and continuous:
        raise DataError(
            f"{discrete[0]} gives the data probabilities and {continuous[0]} gives them densities, which do not "
            "compare; compare families of one kind"
        )
