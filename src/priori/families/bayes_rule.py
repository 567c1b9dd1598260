"""Bayes' rule over a few hypotheses: p(h | x) = p(x | h) p(h) / p(x), with p(x) the sum over all h. Lecture 000."""

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from priori.errors import DataError, EstimateError
from priori.formatting import grid, said
from priori.validation import number

Hypothesis = Hashable
Outcome = Hashable
Prior = Mapping[Any, float] | Sequence[float] | str  # "uniform", or the probability of each hypothesis
Numbers = Mapping[Any, float] | Sequence[float]
Tables = Mapping[Any, Numbers] | Sequence[Numbers]
_SLACK = 1e-9  # how far from 1 the sum of probabilities may be rounded


@dataclass(frozen=True)
class Bayes:
    """What some data say of hypotheses."""

    prior: dict[Hypothesis, float]  # p(h)
    likelihood: dict[Hypothesis, float]  # p(data | h)
    joint: dict[Hypothesis, float]  # p(data, h)
    evidence: float  # p(data), the total probability; it normalises the posterior (partition function)
    log_evidence: float  # finite where the evidence of many observations is too small for a number
    posterior: dict[Hypothesis, float]  # p(h | data)

    def to_json(self) -> dict[str, Any]:
        """Names and numbers."""
        columns = {name: _named(getattr(self, name)) for name in ("prior", "likelihood", "joint", "posterior")}
        return {**columns, "evidence": self.evidence, "log_evidence": self.log_evidence}

    def __str__(self) -> str:
        rows = [(str(h), *map(said, (p, self.likelihood[h], self.joint[h], self.posterior[h])))
                for h, p in self.prior.items()]  # fmt: skip
        table = grid([("h", "p(h)", "p(data | h)", "p(data, h)", "p(h | data)"), *rows])
        return f"{table}\np(data) = {said(self.evidence)}, log p(data) = {said(self.log_evidence)}"


@dataclass(frozen=True)
class BayesTable:
    """What every outcome would say of hypotheses."""

    prior: dict[Hypothesis, float]  # p(h)
    likelihood: dict[Hypothesis, dict[Outcome, float]]  # p(x | h)
    joint: dict[Hypothesis, dict[Outcome, float]]  # p(x, h)
    evidence: dict[Outcome, float]  # p(x)
    posterior: dict[Outcome, dict[Hypothesis, float]]  # p(h | x), of the outcomes that are possible

    def given(self, observed: Outcome | list[Outcome]) -> Bayes:
        """The posterior once an outcome has been seen, or several, each drawn anew (in this order)."""
        outcomes = observed if isinstance(observed, list) else [observed]
        unknown = next((outcome for outcome in outcomes if outcome not in self.evidence), None)
        if unknown is not None:
            raise EstimateError(
                f"{unknown!r} was observed, which no hypothesis knows; the outcomes are {list(self.evidence)[:20]}"
            )
        return _rule(self.prior, {h: [table[x] for x in outcomes] for h, table in self.likelihood.items()})

    def to_json(self) -> dict[str, Any]:
        """Names and numbers."""
        return {
            "prior": _named(self.prior),
            "likelihood": {str(h): _named(table) for h, table in self.likelihood.items()},
            "joint": {str(h): _named(table) for h, table in self.joint.items()},
            "evidence": _named(self.evidence),
            "posterior": {str(x): _named(column) for x, column in self.posterior.items()},
        }

    def __str__(self) -> str:
        outcomes = list(self.evidence)
        joint = [(str(h), *(said(row[x]) for x in outcomes), said(self.prior[h])) for h, row in self.joint.items()]
        total = ("p(x)", *(said(p) for p in self.evidence.values()), "1")
        posterior = [
            (str(h), *(said(self.posterior[x][h]) if x in self.posterior else "-" for x in outcomes), "")
            for h in self.prior
        ]
        names = [str(x) for x in outcomes]
        return grid([("p(x, h)", *names, "p(h)"), *joint, total, ("p(h | x)", *names, ""), *posterior])


@overload
def bayes(prior: Prior, likelihood: Numbers) -> Bayes: ...
@overload
def bayes(prior: Prior, likelihood: Tables) -> BayesTable: ...
@overload
def bayes(prior: Prior, likelihood: Tables, observed: Any) -> Bayes: ...
def bayes(prior: Prior, likelihood: Numbers | Tables, observed: Any = None) -> Bayes | BayesTable:
    """From p(h) and p(data | h) the evidence, the joint and the posterior.

    The likelihood is a number for each hypothesis, or a table of its outcomes; with tables and nothing observed (an
    outcome, or a list of them), the whole is given. A list in the place of a mapping names its places: 0, 1, ... Films
    are action, sci-fi or romance, books the last two:

    >>> kinds = {"film": {"action": 1/3, "sci-fi": 1/3, "romance": 1/3}, "book": {"sci-fi": 1/2, "romance": 1/2}}
    >>> print(bayes("uniform", kinds, observed="sci-fi"))
    h     p(h)  p(data | h)  p(data, h)  p(h | data)
    film  0.5   0.33333      0.16667     0.4
    book  0.5   0.5          0.25        0.6
    p(data) = 0.41667, log p(data) = -0.87547
    """
    given = _by_name(likelihood, "the likelihood")
    if not given:
        raise DataError("there are no hypotheses; give the likelihood of at least one")
    tables = {h: isinstance(of, Mapping) or _listed(of) for h, of in given.items()}
    beliefs = _prior(prior, list(given))
    if not any(tables.values()):
        if observed is not None:
            raise DataError("the likelihood is a number already; give a table of outcomes to say what was observed")
        return _rule(beliefs, {h: [number(p, f"the likelihood of {h!r}", 0)] for h, p in given.items()})
    odd = next((h for h, is_table in tables.items() if not is_table), None)
    if odd is not None:
        raise DataError(f"the likelihood of {odd!r} is no table, but others are; give all as tables, or as numbers")
    outcomes = {h: _by_name(of, f"the table of {h!r}") for h, of in given.items()}
    whole = _table(beliefs, {h: {x: number(p, f"p({x} | {h})", 0, high=1) for x, p in of.items()}
                             for h, of in outcomes.items()})  # fmt: skip
    return whole if observed is None else whole.given(observed)


def _by_name(of: Any, what: str) -> Mapping[Any, Any]:
    """A mapping, or what a list has by place."""
    if isinstance(of, Mapping):
        return of
    if not _listed(of):
        raise DataError(f"{what} is {of!r}, which names nothing; give a mapping of names to numbers, or a list")
    return dict(enumerate(of.tolist() if hasattr(of, "tolist") else of))


def _listed(of: Any) -> bool:
    return of.ndim > 0 if isinstance(of, np.ndarray) else isinstance(of, Sequence) and not isinstance(of, str | bytes)


def _prior(prior: Prior, hypotheses: Sequence[Hypothesis]) -> dict[Hypothesis, float]:
    if isinstance(prior, str):
        if prior != "uniform":
            raise DataError(f"there is no prior {prior!r}; give 'uniform', or the probability of each hypothesis")
        return {h: 1 / len(hypotheses) for h in hypotheses}
    prior = _by_name(prior, "the prior")
    lonely = next((h for h in (*prior, *hypotheses) if h not in prior or h not in hypotheses), None)
    if lonely is not None:
        has, lacks = ("prior", "likelihood") if lonely in prior else ("likelihood", "prior")
        raise DataError(f"{lonely!r} has a {has} and no {lacks}; give both for each hypothesis")
    beliefs = {h: number(prior[h], f"the prior of {h!r}", 0, high=1) for h in hypotheses}
    _refuse_sum(beliefs.values(), "the prior")
    return beliefs


def _refuse_sum(probabilities: Iterable[float], what: str) -> None:
    total = math.fsum(probabilities)
    if abs(total - 1) > _SLACK:
        raise DataError(f"{what} sums to {total:.10g}; give probabilities that sum to 1")


def _rule(prior: dict[Hypothesis, float], factors: dict[Hypothesis, list[float]]) -> Bayes:
    """Bayes' rule; the likelihood of a hypothesis is the product of its factors."""
    products = {h: _product([p, *factors[h]]) for h, p in prior.items()}
    possible = [exponent for mantissa, exponent in products.values() if mantissa]
    if not possible:
        raise EstimateError(
            "what was observed has probability 0 under every hypothesis, so no posterior exists; "
            "add a hypothesis that allows it, or give the outcome some probability"
        )
    scale = max(possible)
    scaled = {h: math.ldexp(mantissa, exponent - scale) for h, (mantissa, exponent) in products.items()}
    total = math.fsum(scaled.values())
    return Bayes(
        prior=prior,
        likelihood={h: math.ldexp(*_product(of)) for h, of in factors.items()},
        joint={h: math.ldexp(*product) for h, product in products.items()},
        evidence=math.ldexp(total, scale),
        log_evidence=math.log(total) + scale * math.log(2),
        posterior={h: p / total for h, p in scaled.items()},
    )


def _product(factors: Iterable[float]) -> tuple[float, int]:
    """A product as mantissa and exponent of two: of many probabilities it is too small for one number."""
    mantissa, exponent = 1.0, 0
    for factor in factors:
        part, shift = math.frexp(factor)  # subtle: of both, so that not even a subnormal factor loses its digits
        mantissa, carry = math.frexp(mantissa * part)
        exponent += shift + carry
    return (mantissa, exponent) if mantissa else (0.0, 0)


def _table(prior: dict[Hypothesis, float], likelihood: dict[Hypothesis, dict[Outcome, float]]) -> BayesTable:
    for h, table in likelihood.items():
        _refuse_sum(table.values(), f"the table of {h!r}")
    outcomes = list(dict.fromkeys(x for table in likelihood.values() for x in table))
    full = {h: {x: table.get(x, 0.0) for x in outcomes} for h, table in likelihood.items()}
    joint = {h: {x: prior[h] * p for x, p in table.items()} for h, table in full.items()}
    evidence = {x: math.fsum(joint[h][x] for h in prior) for x in outcomes}
    posterior = {x: {h: joint[h][x] / p for h in prior} for x, p in evidence.items() if p}
    return BayesTable(prior, full, joint, evidence, posterior)


def _named(column: Mapping[Any, float]) -> dict[str, float]:
    return {str(name): value for name, value in column.items()}
