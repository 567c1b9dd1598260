"""Estimates of all three schools side by side."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import priori
from families.cases import CASES
from priori.errors import DataError, EstimateError
from priori.estimation.description import by_name
from priori.estimation.distribution import Absent
from priori.families import (
    BetaBernoulli,
    DirichletCategorical,
    DirichletMultinomial,
    GammaPoisson,
    LogisticRegression,
    NormalGammaRegression,
    NormalInverseGamma,
    NormalKnownVariance,
)
from priori.families.registry import FAMILIES, REGRESSIONS

COINS = [1] * 55 + [0] * 45  # lecture 003
every_case = pytest.mark.parametrize("case", [case for case in CASES if not case.family.known], ids=str)
TORONTO = [-2.5, -9.9, -12.1, -8.9, -6.0, -4.8, 2.4]


def conditioned(model):
    """How much of a rounding a covariance makes: 1 for numbers, else the condition of the correlations."""
    if not hasattr(model, "covariance"):
        return 1.0
    sizes = np.sqrt(np.diag(model.covariance))
    return float(np.linalg.cond(model.covariance / np.outer(sizes, sizes)))


@every_case
@given(data=st.data())
def test_it_is_what_the_family_says(case, data):
    """Every part against the family's own words, whatever the data and the prior; and it is JSON without NaN."""
    X, prior = data.draw(case.data), data.draw(case.prior)
    found = priori.estimate(case.family, X, prior)
    stats = found.statistics
    posterior = prior.posterior(stats)
    assert str(found.posterior) == str(posterior)
    assert found.log_evidence == prior.log_evidence(stats)
    for mine, theirs in (
        (found.map, posterior.mode),
        (found.mean, posterior.mean),
        (found.predictive, posterior.predictive),
    ):
        try:
            assert str(mine) == str(theirs())
        except EstimateError as error:
            assert mine == Absent(str(error)) and not mine
    if found.ml:
        rounding = 1e-9 + len(X) * 1e-14 * conditioned(found.ml)
        assert found.log_likelihood == pytest.approx(found.ml.score(X), rel=rounding, abs=rounding)
        assert found.aic == pytest.approx(2 * found.free_parameters - 2 * found.log_likelihood)
        assert found.bic == pytest.approx(found.free_parameters * math.log(found.n) - 2 * found.log_likelihood)
    else:
        assert isinstance(found.aic, Absent) and isinstance(found.bic, Absent)
    written = json.loads(json.dumps(found.to_json(), allow_nan=False))
    assert all(written[name] is None for name in written["absent"])


@every_case
@given(data=st.data())
def test_every_interval_has_its_parameter(case, data):
    X, prior = data.draw(case.data), data.draw(case.prior)
    found = priori.estimate(case.family, X, prior, mass=0.8)
    rows = {row.name: row for row in found.parameters()}
    if found.interval:
        assert [name for name in rows if name not in found.interval] in ([], ["covariance[0,1]"])
        for name, (low, high) in found.interval.items():
            assert low <= high and rows[name].interval == (low, high)
    if found.mean:
        assert all(row.mean is not None for row in rows.values())


def test_the_lectures_numbers():
    found = priori.estimate("bernoulli", COINS, BetaBernoulli(3, 2))
    assert found.ml.probability == pytest.approx(0.55)
    assert found.map.probability == pytest.approx((55 + 3 - 1) / (100 + 3 + 2 - 2))
    assert found.posterior == BetaBernoulli(3 + 55, 2 + 45)
    known = priori.estimate("normal-mean", TORONTO, "flat", known={"variance": 25})
    assert known.ml.mean == pytest.approx(sum(TORONTO) / 7) and known.known == {"variance": 25}
    assert [row.name for row in known.parameters()] == ["mean"]
    assert math.sqrt(priori.estimate("normal", TORONTO).ml.variance) == pytest.approx(4.552, abs=5e-4)


@pytest.mark.parametrize("name", ["linear-weights", "linear"])
def test_regressions_are_what_they_say(name):
    """Least squares as numpy has it; the rest in the words of the regression itself."""
    X, t = np.array([[0.0, 40], [1, 35], [2, 50], [4, 45], [5, 30]]), np.array([1.0, 3.5, 4, 9.5, math.nan])
    weights = [1.0, 2, 1, 3, 1]
    found = priori.regress(name, X, t, weights=weights, names=["dose", "age"])
    rows = np.repeat(np.column_stack([X, np.ones(5)])[:4], [1, 2, 1, 3], axis=0)
    solved = np.linalg.lstsq(rows, np.repeat(t[:4], [1, 2, 1, 3]), rcond=None)[0]
    np.testing.assert_allclose([*found.ml.weights, found.ml.intercept], solved, rtol=1e-9)
    assert (found.n, found.missing) == (7, 1)
    stats = REGRESSIONS[name].statistics(X, t, weights)
    assert found.log_evidence == found.prior.log_evidence(stats)
    assert found.log_likelihood == pytest.approx(found.ml.score(X, t, weights))
    assert str(found.map) == str(found.prior.posterior(stats).mode())
    assert {"weights[dose]", "weights[age]", "intercept", "precision"} == {row.name for row in found.parameters()}
    json.dumps(found.to_json(), allow_nan=False)
    again = priori.regress(name, X, t, found.prior, weights, names=["dose", "age"])
    assert str(again.posterior) == str(found.posterior)
    assert str(priori.regress(name, X, t, "flat", weights).map.weights) == str(found.ml.weights)


ROWS = np.array([[0.5, 40], [1, 35], [2, 50], [4, 45], [5, 30], [3, 60], [2.5, 41], [1.5, 52]])
LABELS = ["no", "yes", "no", "yes", "yes", None, "no", "yes"]


def test_logistic_regression():
    """ML against statsmodels; the rest in the words of the regression itself."""
    from statsmodels.api import Logit, add_constant

    prior = LogisticRegression(4.0, names=("dose", "age"))
    found = priori.regress("logistic", ROWS, LABELS, prior)
    there = [place for place, label in enumerate(LABELS) if label]
    oracle = Logit([LABELS[place] == "yes" for place in there], add_constant(ROWS[there])).fit(disp=False)
    np.testing.assert_allclose([*found.ml.intercept, *found.ml.weights[0]], oracle.params, rtol=1e-6)
    assert found.log_likelihood == pytest.approx(oracle.llf) and found.aic == pytest.approx(oracle.aic)
    assert found.bic == pytest.approx(oracle.bic) and (found.n, found.missing) == (7, 1)
    posterior = prior.posterior(ROWS, LABELS)
    assert found.log_evidence == posterior.log_evidence() and str(found.map) == str(posterior.mode())
    assert [row.name for row in found.parameters()] == ["weights[dose]", "weights[age]", "intercept"]
    json.dumps(found.to_json(), allow_nan=False)
    flat = priori.regress("logistic", ROWS, LABELS, "flat", names=["dose", "age"])
    assert str(flat.map) == str(found.ml) and "no evidence" in flat.log_evidence.reason


def test_logistic_regression_of_three_classes_and_of_separate_ones():
    labels = ["a", "b", "c", "b", "a", "c", "b", "a"]
    prior = LogisticRegression(2.0)
    found = priori.regress("logistic", ROWS, labels, prior)
    names = {row.name for row in found.parameters()}
    assert names == {f"weights[{c}, {x}]" for c in "abc" for x in (0, 1)} | {f"intercept[{c}]" for c in "abc"}
    assert "give rng" in found.predictive.reason
    drawn = priori.regress("logistic", ROWS, labels, prior, rng=np.random.default_rng(1))
    assert drawn.predictive.probabilities(ROWS).sum(axis=1) == pytest.approx(1)
    json.dumps(drawn.to_json(), allow_nan=False)
    apart = priori.regress("logistic", [[1.0], [2.0], [5.0], [6.0]], list("aabb"), prior)
    assert "separated" in apart.ml.reason and apart.map
    unit = priori.regress("logistic", ROWS, labels).prior
    assert unit.weight_variance == pytest.approx(4 / ROWS.var(axis=0).min())
    with pytest.raises(DataError, match="there is no 'wide' prior"):
        priori.regress("logistic", ROWS, labels, "wide")


def test_what_regressions_refuse():
    with pytest.raises(DataError, match="there is no regression 'cubic'; the regressions are linear"):
        priori.regress("cubic", [[1.0]], [1.0])
    with pytest.raises(DataError, match="is no prior of linear-weights; give a NormalRegression"):
        priori.regress("linear-weights", [[1.0]], [1.0], NormalGammaRegression(1, 1, 1))
    with pytest.raises(DataError, match="there are no observations"):
        priori.regress("linear-weights", [[1.0]], [math.nan])


def test_priors_by_name():
    assert priori.estimate("poisson", [3, 0, 4]).prior == GammaPoisson.unit(GammaPoisson.statistics([3, 0, 4]))
    flat = priori.estimate("poisson", [3, 0, 4], "flat")
    assert str(flat.map) == str(flat.ml) == "Poisson(λ=2.3333)"
    assert "does not integrate" in flat.log_evidence.reason and flat.to_json()["log_evidence"] is None
    assert priori.estimate("normal-mean", TORONTO, NormalKnownVariance(4, 0, 1)).known == {"variance": 4}


def test_what_is_missing_is_counted_and_weights_are_rows():
    assert priori.estimate("normal", [1.0, None, 2.0, math.nan]).missing == 2
    assert priori.estimate("categorical", ["a", None, "b"]).missing == 1
    rows = [[1, 2], [math.nan, math.nan], [0, 4]]
    assert priori.estimate("multinomial", rows).missing == 1
    prior = NormalInverseGamma(0, 1, 2, 3)
    weighted = priori.estimate("normal", [1.0, 5.0], prior, weights=[2, 1])
    assert weighted.n == 3
    assert weighted.bic == pytest.approx(priori.estimate("normal", [1.0, 1.0, 5.0], prior).bic)


def test_values_that_only_the_prior_knows_are_part_of_the_model():
    found = priori.estimate("categorical", list("abba"), DirichletCategorical({"c": 1, "b": 2, "a": 3}))
    assert {row.name: row.ml for row in found.parameters()} == {
        "probabilities[c]": 0.0, "probabilities[b]": 0.5, "probabilities[a]": 0.5,
    }  # fmt: skip
    assert found.free_parameters == 2


def test_names_of_places_come_from_the_prior():
    found = priori.estimate("multinomial", [[1, 2], [3, 4]], DirichletMultinomial(2, values=("x", "y")))
    assert {row.name: row.ml for row in found.parameters()} == {"probabilities[x]": 0.4, "probabilities[y]": 0.6}
    one = priori.estimate("multinomial", [[1], [3]], DirichletMultinomial(2, values=("x",)))
    assert [(row.name, row.ml, row.interval) for row in one.parameters()] == [("probabilities[x]", 1.0, None)]
    assert by_name(Absent("nothing there")) == {}


def test_all_equal_has_no_maximum_and_says_so():
    found = priori.estimate("normal", [5.0, 5.0, 5.0], NormalInverseGamma(0, 1, 2, 3))
    assert "all equal" in found.ml.reason and found.aic == found.log_likelihood == found.ml
    assert found.map.mean == 3.75 and math.isfinite(found.log_evidence)
    with pytest.raises(EstimateError, match="give one with scale > 0"):
        priori.estimate("normal", [5.0, 5.0, 5.0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("norma", [1.0]), "there is no family 'norma'; the families are bernoulli, "),
        (("normal", []), "there are no observations"),
        (("normal", [None, math.nan]), "2 are missing"),
        (("normal", [1.0, 2.0], "wide"), "there is no prior 'wide'; give 'unit', 'flat', or a NormalInverseGamma"),
        (("normal", [1.0, 2.0], BetaBernoulli(1, 1)), "is no prior of normal; give a NormalInverseGamma"),
        (("normal-mean", [1.0]), "the variance of normal-mean is not estimated but known; give it"),
        (("poisson", [1, -1]), "-1 is no count"),
    ],
)
def test_what_is_refused(arguments, message):
    with pytest.raises(DataError, match=message):
        priori.estimate(*arguments)
    with pytest.raises(DataError, match="does not take a known variance"):
        priori.estimate("normal", [1.0, 2.0], known={"variance": 2.0})
    with pytest.raises(DataError, match="mass"):
        priori.estimate("normal", [1.0, 2.0], mass=2)


def test_every_family_has_a_name_and_a_support():
    assert all(family.name == name and family.support for name, family in FAMILIES.items())
    assert {case.family.name for case in CASES} <= set(FAMILIES)
    assert all(getattr(priori.families, name) is not None for name in priori.families.__all__)
    assert np.all([name in dir(priori.families) for name in priori.families.__all__])
    with pytest.raises(AttributeError):
        _ = priori.families.Cauchy
