"""Families compared on the same data: likelihood, AIC, BIC, evidence, posterior probability, and their average.

p(m | X) ∝ p(X | m) p(m), with p(X | m) the evidence; p(x | X) = Σ p(x | X, m) p(m | X). Lecture 004.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from priori.errors import DataError, EstimateError
from priori.estimation import Absent, Estimate, estimate
from priori.families import Family
from priori.families.base import DISCRETE
from priori.families.discrete import bayes
from priori.families.mixture import Mixture

Candidate = Family[Any] | type[Family[Any]]


@dataclass(frozen=True, eq=False)
class Row:
    """One model among those compared."""

    name: str
    estimate: Estimate
    probability: float | Absent  # p(m | X)

    def to_json(self) -> dict[str, Any]:
        """Names and numbers; null for what does not exist, and `absent` says why."""
        found = self.estimate
        numbers = {
            "log_likelihood": found.log_likelihood,
            "free_parameters": found.free_parameters,
            "aic": found.aic,
            "bic": found.bic,
            "log_evidence": found.log_evidence,
            "probability": self.probability,
        }
        return {
            "name": self.name,
            "prior": str(found.prior),
            **{name: None if isinstance(value, Absent) else value for name, value in numbers.items()},
            "absent": {name: value.reason for name, value in numbers.items() if isinstance(value, Absent)},
        }


@dataclass(frozen=True, eq=False)
class Comparison:
    """Models in the order of their probability, best first; those without evidence stand last."""

    rows: tuple[Row, ...]
    refused: dict[str, str]  # candidates whose unit prior does not exist for these data, and why

    @property
    def best(self) -> Row:
        """The most probable one."""
        return self.rows[0]

    def average(self) -> Mixture:
        """Bayesian model averaging: the predictives, each with the probability of its model."""
        weights, predictives = [], []
        for row in self.rows:
            if isinstance(row.probability, Absent):
                continue
            if isinstance(row.estimate.predictive, Absent):
                raise EstimateError(f"{row.name} has no predictive: {row.estimate.predictive.reason}")
            weights.append(row.probability)
            predictives.append(row.estimate.predictive)
        if not weights:
            raise EstimateError(f"no model has evidence, so there is no average; {self.rows[0].probability}")
        return Mixture(weights, predictives)

    def to_json(self) -> dict[str, Any]:
        """The models, best first, and why others are left out."""
        return {"ranking": [row.to_json() for row in self.rows], "refused": self.refused}


def compare(
    candidates: Mapping[str, Candidate],
    X: Any,
    weights: Any = None,
    probabilities: Mapping[str, float] | None = None,
) -> Comparison:
    """Compare priors (or families, under their unit priors) on the same data.

    >>> from priori.families import DirichletCategorical
    >>> dice = {"fair": DirichletCategorical(100, values=(1, 2, 3)), "any": DirichletCategorical(1, values=(1, 2, 3))}
    >>> [(row.name, round(row.probability, 3)) for row in compare(dice, [1, 2, 3, 1, 2, 3]).rows]
    [('fair', 0.772), ('any', 0.228)]
    """
    _refuse_densities_beside_probabilities(candidates)
    found: dict[str, Estimate] = {}
    refused: dict[str, str] = {}
    for name, of in candidates.items():
        try:
            found[name] = estimate(of, X, None, weights) if isinstance(of, type) else estimate(type(of), X, of, weights)
        except EstimateError as error:
            refused[name] = str(error)
    if not found:
        raise EstimateError("; ".join(f"{name}: {why}" for name, why in refused.items()))
    evidence = {name: found[name].log_evidence if name in found else Absent(refused[name]) for name in candidates}
    of_models = _posterior(evidence, probabilities)
    rows = (Row(name, each, of_models[name]) for name, each in found.items())
    return Comparison(tuple(sorted(rows, key=_rank)), refused)


def _rank(row: Row) -> tuple[bool, float]:
    return (True, 0.0) if isinstance(row.probability, Absent) else (False, -row.probability)


def _posterior(
    log_evidence: Mapping[str, float | Absent], probabilities: Mapping[str, float] | None
) -> dict[str, float | Absent]:
    """p(m | X); the evidences need only their ratios, so the largest becomes 1."""
    largest = max((value for value in log_evidence.values() if not isinstance(value, Absent)), default=0.0)
    if largest == -math.inf:
        raise EstimateError("the data have probability 0 under every model; add a model that allows them")
    relative = {
        name: 0.0 if isinstance(value, Absent) else math.exp(value - largest) for name, value in log_evidence.items()
    }
    if not any(relative.values()):
        return dict(log_evidence)
    posterior = bayes("uniform" if probabilities is None else probabilities, relative).posterior
    return {name: value if isinstance(value, Absent) else posterior[name] for name, value in log_evidence.items()}


def _refuse_densities_beside_probabilities(candidates: Mapping[str, Candidate]) -> None:
    if not candidates:
        raise DataError("there are no models to compare; give at least one")
    discrete = [name for name, family in candidates.items() if family.support in DISCRETE]
    continuous = [name for name in candidates if name not in discrete]
    if discrete and continuous:
        raise DataError(
            f"{discrete[0]} gives the data probabilities and {continuous[0]} gives them densities, which do not "
            "compare; compare families of one kind"
        )
