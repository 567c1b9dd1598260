"""Bayes' rule over a few hypotheses."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import priori
from priori.errors import DataError, EstimateError

KINDS = {
    "film": {"action": 1 / 3, "sci-fi": 1 / 3, "romance": 1 / 3},
    "book": {"sci-fi": 1 / 2, "romance": 1 / 2},
}  # lecture 000
weights = st.lists(st.integers(0, 9), min_size=3, max_size=3).filter(any)


def shares(numbers):
    return [Fraction(number, sum(numbers)) for number in numbers]


def test_films_and_books():
    assert priori.bayes("uniform", KINDS, "sci-fi").posterior["film"] == pytest.approx(0.4)
    five_kinds_alike = priori.bayes({"film": 3 / 5, "book": 2 / 5}, KINDS, "sci-fi")
    assert five_kinds_alike.posterior["film"] == pytest.approx(0.5)
    assert five_kinds_alike.evidence == pytest.approx(2 / 5)
    whole = priori.bayes("uniform", KINDS)
    assert whole.posterior["action"] == {"film": 1.0, "book": 0.0}
    assert whole.joint["book"] == {"action": 0.0, "sci-fi": 0.25, "romance": 0.25}
    assert sum(whole.evidence.values()) == pytest.approx(1)
    assert whole.given("sci-fi") == priori.bayes("uniform", KINDS, "sci-fi")


@given(weights, st.lists(weights, min_size=3, max_size=3), st.lists(st.integers(0, 2), min_size=1, max_size=6))
def test_it_is_exact_arithmetic(prior, tables, observed):
    """Against fractions: joint, evidence, posterior; all at once or one observation after the other."""
    beliefs, rows = shares(prior), [shares(row) for row in tables]
    joint = [p * math.prod(row[x] for x in observed) for p, row in zip(beliefs, rows, strict=True)]
    given_prior = {h: float(p) for h, p in enumerate(beliefs)}
    likelihood = {h: {x: float(p) for x, p in enumerate(row)} for h, row in enumerate(rows)}
    if not sum(joint):
        with pytest.raises(EstimateError, match="probability 0 under every hypothesis"):
            priori.bayes(given_prior, likelihood, observed)
        return
    found = priori.bayes(given_prior, likelihood, observed)
    assert list(found.joint.values()) == pytest.approx([float(p) for p in joint], rel=1e-14)
    assert found.evidence == pytest.approx(float(sum(joint)), rel=1e-14)
    assert math.exp(found.log_evidence) == pytest.approx(float(sum(joint)), rel=1e-13)
    assert list(found.posterior.values()) == pytest.approx([float(p / sum(joint)) for p in joint], rel=1e-14)
    step = given_prior
    for outcome in observed:
        step = priori.bayes(step, likelihood, outcome).posterior
    assert list(step.values()) == pytest.approx(list(found.posterior.values()), rel=1e-12, abs=1e-300)


def test_many_observations_do_not_underflow():
    """55 heads of 100, forty times over: the ratio of two products that are both 0 as numbers."""
    coins = {"fair": {"heads": 0.5, "tails": 0.5}, "bent": {"heads": 0.55, "tails": 0.45}}
    found = priori.bayes({"fair": 0.9, "bent": 0.1}, coins, (["heads"] * 55 + ["tails"] * 45) * 40)
    logs = [math.log(0.9) + 4000 * math.log(0.5), math.log(0.1) + 2200 * math.log(0.55) + 1800 * math.log(0.45)]
    assert found.evidence == found.likelihood["bent"] == 0.0
    assert found.posterior["fair"] == pytest.approx(1 / (1 + math.exp(logs[1] - logs[0])), rel=1e-9)
    assert found.log_evidence == pytest.approx(max(logs) + math.log1p(math.exp(-abs(logs[0] - logs[1]))), rel=1e-12)


def test_a_density_is_a_likelihood_too_and_tiny_numbers_keep_their_ratio():
    assert priori.bayes({"a": 0.25, "b": 0.75}, {"a": 6.0, "b": 1.0}).posterior["a"] == pytest.approx(2 / 3)
    tiny = priori.bayes({"a": 0.25, "b": 0.75}, {"a": 3e-320, "b": 1e-320})
    assert tiny.posterior["a"] == pytest.approx(0.5, rel=1e-3) and math.isfinite(tiny.log_evidence)


@pytest.mark.parametrize(
    ("prior", "likelihood", "observed", "error", "message"),
    [
        ({"a": 0.5, "b": 0.4}, {"a": 1, "b": 1}, None, DataError, "the prior sums to 0.9; "),
        ("flat", {"a": 1}, None, DataError, "there is no prior 'flat'"),
        ({"a": 1}, {"a": 1, "b": 1}, None, DataError, "'b' has a likelihood and no prior"),
        ({"a": 0.5, "b": 0.5}, {"a": 1}, None, DataError, "'b' has a prior and no likelihood"),
        ("uniform", {}, None, DataError, "there are no hypotheses"),
        ("uniform", {"a": -1}, None, DataError, "the likelihood of 'a'=-1 cannot be"),
        ("uniform", {"a": math.nan}, None, DataError, "the likelihood of 'a'=nan cannot be"),
        ("uniform", {"a": {"x": 0.6, "y": 0.3}}, None, DataError, "the table of 'a' sums to 0.9"),
        ("uniform", {"a": {"x": 1.5, "y": -0.5}}, None, DataError, r"p\(x \| a\)=1.5 cannot be"),
        ("uniform", {"a": {"x": 1}, "b": 1}, None, DataError, "the likelihood of 'b' is no table"),
        ("uniform", {"a": 1}, "x", DataError, "is a number already"),
        ("uniform", {"a": 0, "b": 0}, None, EstimateError, "probability 0 under every hypothesis"),
        (0.5, [0.1, 0.2], None, DataError, "the prior is 0.5, which names nothing; give a mapping"),
        ({0.5, 0.4}, [0.1, 0.2], None, DataError, "the prior is .*, which names nothing"),
        ("uniform", "ab", None, DataError, "the likelihood is 'ab', which names nothing"),
        ("uniform", np.array(0.5), None, DataError, "names nothing"),
        ("uniform", [[0.1, 0.9], 0.3], None, DataError, "the likelihood of 1 is no table"),
        ([0.5, 0.5], {"a": 0.1, "b": 0.2}, None, DataError, "0 has a prior and no likelihood"),
        ("uniform", {"a": {"x": 1}}, "y", EstimateError, "'y' was observed, which no hypothesis knows"),
    ],
)
def test_what_is_refused(prior, likelihood, observed, error, message):
    with pytest.raises(error, match=message):
        priori.bayes(prior, likelihood, observed)


def test_an_impossible_outcome_has_no_posterior():
    whole = priori.bayes("uniform", {"a": {"x": 1, "y": 0}, "b": {"x": 1}})
    assert whole.evidence["y"] == 0 and "y" not in whole.posterior
    assert whole.to_json()["posterior"] == {"x": {"a": 0.5, "b": 0.5}}
    assert "-" in str(whole)


def test_lists_name_their_places():
    assert priori.bayes([0.25, 0.75], [0.1, 0.2]) == priori.bayes({0: 0.25, 1: 0.75}, {0: 0.1, 1: 0.2})
    tables = [[0.1, 0.9], [0.2, 0.8]]
    named = priori.bayes({0: 0.25, 1: 0.75}, {0: {0: 0.1, 1: 0.9}, 1: {0: 0.2, 1: 0.8}})
    assert priori.bayes([0.25, 0.75], tables) == priori.bayes(np.array([0.25, 0.75]), np.array(tables)) == named
    assert priori.bayes((0.25, 0.75), tables, [0, 0]) == named.given([0, 0])
    mixed = priori.bayes("uniform", {"a": [0.1, 0.9], "b": [0.2, 0.8]}, 1)
    assert mixed.posterior["a"] == pytest.approx(9 / 17)
