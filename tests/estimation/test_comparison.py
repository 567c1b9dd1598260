"""Families compared: evidence as quadrature has it, probabilities of models, and their average."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

import priori
from families.asserts import assert_refused
from priori.errors import DataError, EstimateError
from priori.estimation.automatic import auto, fitting
from priori.estimation.distribution import Absent
from priori.families import (
    BetaBernoulli,
    Categorical,
    DirichletCategorical,
    Exponential,
    GammaExponential,
    GammaPoisson,
    Mixture,
    Normal,
    NormalInverseGamma,
    NormalKnownVariance,
    NormalRegression,
    Poisson,
)
from priori.select import k_fold, leave_one_out

COUNTS = [0, 1, 1, 0, 1, 1, 1]
WAITS = [0.5, 2.0, 1.25]


def of_counts():
    """p(X | m) by quadrature over the parameter, from scipy's densities alone."""
    ones = sum(COUNTS)
    bernoulli = integrate.quad(lambda p: stats.beta.pdf(p, 2, 1.5) * p**ones * (1 - p) ** (7 - ones), 0, 1)[0]
    poisson = integrate.quad(
        lambda rate: stats.gamma.pdf(rate, 2, scale=1 / 3) * np.prod(stats.poisson.pmf(COUNTS, rate)), 0, 20
    )[0]
    return {"bernoulli": bernoulli, "poisson": poisson}


def test_probabilities_of_models_are_those_of_quadrature():
    candidates = {"bernoulli": BetaBernoulli(2, 1.5), "poisson": GammaPoisson(2, 3)}
    evidence = of_counts()
    for prior in (None, {"bernoulli": 0.2, "poisson": 0.8}):
        shares = {name: (prior or dict.fromkeys(evidence, 0.5))[name] * value for name, value in evidence.items()}
        found = priori.compare(candidates, COUNTS, probabilities=prior)
        for row in found.rows:
            assert row.probability == pytest.approx(shares[row.name] / sum(shares.values()), rel=1e-9)
            assert row.estimate.log_evidence == pytest.approx(math.log(evidence[row.name]), rel=1e-9)
        assert found.rows[0].probability >= found.rows[1].probability
        assert found.best is found.rows[0]


def test_densities_compare_too():
    rate = integrate.quad(
        lambda r: stats.gamma.pdf(r, 2, scale=0.5) * np.prod(stats.expon.pdf(WAITS, scale=1 / r)), 0, 40
    )
    mean = integrate.quad(lambda m: stats.norm.pdf(m, 1, 2) * np.prod(stats.norm.pdf(WAITS, m, 1.5)), -30, 30)
    found = priori.compare({"normal": NormalKnownVariance(2.25, 1, 4), "exponential": GammaExponential(2, 2)}, WAITS)
    by_name = {row.name: row.probability for row in found.rows}
    assert by_name["exponential"] == pytest.approx(rate[0] / (rate[0] + mean[0]), rel=1e-9)


def test_the_average_is_the_average_of_the_predictives():
    found = priori.compare({"a": GammaPoisson(2, 3), "b": BetaBernoulli(2, 1.5)}, COUNTS)
    values = [0, 1, 2, 5, None, 0.5]
    parts = np.array([np.exp(row.estimate.predictive.log_prob(values)) for row in found.rows])
    shares = np.array([row.probability for row in found.rows])
    average = found.average()
    np.testing.assert_allclose(np.exp(average.log_prob(values)), shares @ parts, rtol=1e-12, atol=1e-300)
    assert average.log_prob(values)[-1] == -np.inf and str(average).count("+") == 1
    assert np.exp(average.log_prob(np.arange(200))).sum() == pytest.approx(1, rel=1e-9)


def test_one_model_of_weight_one_is_itself():
    found = priori.compare({"a": GammaPoisson(2, 3)}, COUNTS)
    np.testing.assert_array_equal(found.average().log_prob([0, 3]), found.best.estimate.predictive.log_prob([0, 3]))
    assert found.best.probability == 1.0


@given(st.floats(0.05, 0.95), st.floats(-3, 3, allow_subnormal=False))
def test_mixtures_against_scipy(weight, x):
    """Subnormal numbers left out: scipy divides them by the scale, and what is below 0 becomes 0."""
    mixture = Mixture([weight, 1 - weight], [Normal(1, 4), Exponential(0.5)])
    parts = (stats.norm(1, 2), stats.expon(scale=2))
    frozen = mixture.freeze()
    for what in ("pdf", "cdf"):
        expected = weight * getattr(parts[0], what)(x) + (1 - weight) * getattr(parts[1], what)(x)
        assert getattr(frozen, what)(x) == pytest.approx(expected)
    assert math.exp(mixture.log_prob([x])[0]) == pytest.approx(frozen.pdf(x))
    assert frozen.mean() == pytest.approx(weight * 1 + (1 - weight) * 2)


def kolmogorov(draws, cdf):
    """√n times the largest distance of two distribution functions: above 2.7 once in a million times."""
    places = np.arange(1, len(draws) + 1) / len(draws)
    return np.sqrt(len(draws)) * np.abs(cdf(np.sort(draws)) - places).max()


def test_draws_of_a_mixture_and_a_planted_bug():
    mixture = Mixture([0.7, 0.3], [Normal(1, 4), Exponential(0.2)])
    draws = mixture.sample(20_000, np.random.default_rng(1))
    assert kolmogorov(draws, mixture.freeze().cdf) < 2.7
    swapped = Mixture([0.3, 0.7], mixture.components)
    assert kolmogorov(swapped.sample(20_000, np.random.default_rng(1)), mixture.freeze().cdf) > 2.7
    halves = abs(np.corrcoef(draws[:-1], draws[1:])[0, 1]) * np.sqrt(len(draws))
    assert halves < 6  # shuffled: one draw says nothing of the next


def test_draws_of_several_kinds_stay_what_they_are():
    mixed = Mixture([0.5, 0.5], [Categorical([1.0], values=("red",)), Poisson(2)]).sample(50, np.random.default_rng(2))
    assert {type(value) for value in mixed.tolist()} == {str, int}
    assert Mixture([0.0, 1.0], [Poisson(1), Poisson(2)]).log_prob([1]) == Poisson(2).log_prob([1])


def test_probabilities_are_not_compared_with_densities():
    with pytest.raises(DataError, match="poisson gives the data probabilities and normal gives them densities"):
        priori.compare({"poisson": GammaPoisson, "normal": NormalInverseGamma}, COUNTS)
    with pytest.raises(DataError, match="no models to compare"):
        priori.compare({}, COUNTS)
    with pytest.raises(DataError, match="'b' has a prior and no likelihood"):
        priori.compare({"a": GammaPoisson}, COUNTS, probabilities={"a": 0.5, "b": 0.5})
    with pytest.raises(DataError, match="3 weights for 2 distributions"):
        Mixture([0.5, 0.25, 0.25], [Poisson(1), Poisson(2)])


def test_a_model_without_evidence_stands_last_and_says_why():
    found = priori.compare({"flat": GammaPoisson(1, 0), "proper": GammaPoisson(2, 3)}, COUNTS)
    assert [row.name for row in found.rows] == ["proper", "flat"]
    assert found.rows[0].probability == 1.0 and isinstance(found.rows[1].probability, Absent)
    assert len(found.average().components) == 1
    written = json.loads(json.dumps(found.to_json(), allow_nan=False))["ranking"]
    assert written[1]["probability"] is None and "does not integrate" in written[1]["absent"]["probability"]
    with pytest.raises(EstimateError, match="no model has evidence"):
        priori.compare({"flat": GammaPoisson(1, 0)}, COUNTS).average()


def test_a_unit_prior_that_does_not_exist_is_left_out():
    found = priori.compare({"normal": NormalInverseGamma, "exponential": GammaExponential}, [5.0, 5.0])
    assert [row.name for row in found.rows] == ["exponential"] and "all equal" in found.refused["normal"]
    assert found.best.probability == 1.0
    with pytest.raises(EstimateError, match="normal: the observations are all equal"):
        priori.compare({"normal": NormalInverseGamma}, [5.0, 5.0])


def test_weights_are_rows():
    candidates = {"a": BetaBernoulli(2, 1.5), "b": GammaPoisson(2, 3)}
    twice = priori.compare(candidates, [0, 1], weights=[2, 3])
    rows = priori.compare(candidates, [0, 0, 1, 1, 1])
    assert [row.probability for row in twice.rows] == pytest.approx([row.probability for row in rows.rows])


@pytest.mark.parametrize(
    ("data", "kind", "names"),
    [
        ([0, 1, 1], None, ["bernoulli", "poisson"]),
        ([True, False, None], None, ["bernoulli", "poisson"]),
        ([0, 3, 1], None, ["poisson", "categorical"]),
        ([0, 300], None, ["poisson"]),
        ([-1, 3], None, ["normal"]),
        ([0.0, 2.5], None, ["normal", "exponential"]),
        ([0, 3, 1], "real", ["normal", "exponential"]),
        ([0.5, 2.5], None, ["normal", "exponential", "gamma"]),
        ([0, 3, 1], "values", ["categorical"]),
        (["a", None, "b"], None, ["categorical"]),
    ],
)
def test_families_that_fit(data, kind, names):
    assert list(fitting(data, kind)) == names
    assert sorted(row.name for row in auto(data, kind=kind).rows) == sorted(names)


def test_auto_finds_what_made_the_data():
    rng = np.random.default_rng(4)
    assert auto(rng.poisson(3.5, 500)).best.name == "poisson"
    assert auto(rng.integers(0, 6, 500)).best.name == "categorical"
    assert auto(rng.normal(10, 2, 500)).best.name == "normal"
    assert auto(rng.exponential(2.5, 500)).best.name == "exponential"
    assert auto(rng.gamma(5.5, 0.4, 500)).best.name == "gamma"
    assert auto([1] * 30 + [0] * 20).best.name == "bernoulli"


def test_a_categorical_has_not_peeked_at_which_values_there_are():
    (categorical,) = (row for row in auto([5, 5, 5]).rows if row.name == "categorical")
    by_hand = DirichletCategorical(1 / 6, values=range(6))
    assert categorical.estimate.log_evidence == by_hand.log_evidence(DirichletCategorical.statistics([5, 5, 5]))


@pytest.mark.parametrize(
    ("data", "kind", "message"),
    [
        (["a"], "real", "the data are text"),
        ([0.5], "counts", "no whole numbers from 0"),
        ([None], None, "no observations"),
        ([[1, 2], [3, 4]], None, "2 dimensions"),
        ([1, "a"], None, "no numbers"),
    ],
)
def test_what_auto_refuses(data, kind, message):
    with pytest.raises(DataError, match=message):
        auto(data, kind=kind)


def test_models_are_named_or_given_in_any_way():
    by_class = priori.compare({"normal": NormalInverseGamma, "exponential": GammaExponential}, WAITS)
    for candidates in (
        {"normal": "normal", "exponential": "exponential"},
        ["normal", "exponential"],
        ("normal", GammaExponential),
        [NormalInverseGamma, GammaExponential],
    ):
        found = priori.compare(candidates, WAITS)
        assert [(row.name, row.probability) for row in found.rows] == [
            (row.name, row.probability) for row in by_class.rows
        ]
    of_prior = priori.compare([GammaExponential(2, 2), "normal"], WAITS)
    assert {row.name for row in of_prior.rows} == {"exponential", "normal"}


@pytest.mark.parametrize(
    ("candidates", "words"),
    [
        ("normal", ["'normal' is no list of models"]),
        (GammaPoisson(2, 3), ["is no list of models"]),
        (None, ["None is no list of models"]),
        (["norml"], ["there is no family 'norml'", "poisson"]),
        ({"a": 3}, ["3 is no family and no prior", "poisson"]),
        ([NormalRegression(1.0, 1.0)], ["is no family", "compare_regressions"]),
        ([int], ["is no family"]),
        ([GammaPoisson, GammaPoisson(2, 3)], ["two models are named 'poisson'", "mapping"]),
        (["linear"], ["there is no family 'linear'"]),
        ([], ["no models to compare"]),
        ({"a": "poisson", "b": GammaPoisson}, ["names nothing"]),
    ],
)
def test_what_is_no_model_is_refused(candidates, words):
    probabilities = 0.5 if words == ["names nothing"] else None
    assert_refused(DataError, lambda: priori.compare(candidates, COUNTS, probabilities=probabilities), *words)


def test_a_comparison_prints_as_a_table():
    found = priori.compare({"flat": GammaPoisson(1, 0), "proper": GammaPoisson(2, 3), "bernoulli": "bernoulli"}, COUNTS)
    head, *lines = str(found).splitlines()
    assert head.split("  ")[0] == "model" and "log evidence" in head and len(lines) == 3
    for line, row in zip(lines, found.rows, strict=True):
        cells = line.split()
        assert cells[0] == row.name and line.startswith(cells[6], head.index("probability"))
        assert float(cells[1]) == pytest.approx(row.estimate.log_likelihood, abs=0.005)
        assert int(cells[2]) == row.estimate.free_parameters and float(cells[3]) == pytest.approx(
            row.estimate.aic, abs=0.005
        )
        assert float(cells[7]) == pytest.approx(row.left_out["leave_one_out"].total, abs=0.005) and cells[8] == "±"
    assert lines[-1].split()[5:7] == ["-", "-"]
    assert "normal is left out: " in str(priori.compare(["normal", "exponential"], [5.0, 5.0]))


def test_leave_one_out_and_folds_stand_beside_the_evidence():
    X = np.random.default_rng(2).gamma(2, 3, 40)
    found = priori.compare(["normal", "exponential", "gamma"], X, folds=5, seed=3)
    for row in found.rows:
        alone, folded = leave_one_out(row.name, X), k_fold(row.name, X, folds=5, seed=3)
        written = row.to_json()
        assert written["leave_one_out"] == pytest.approx(alone.total) and written["k_fold"] == pytest.approx(
            folded.total
        )
        assert written["leave_one_out_error"] == pytest.approx(alone.error)
        assert written["k_fold_error"] == pytest.approx(folded.error)
        assert {"log_likelihood", "free_parameters", "aic", "bic", "log_evidence", "probability"} < set(written)
    head = str(found).splitlines()[0]
    assert "leave-one-out" in head and "k-fold" in head
    assert "k_fold" not in priori.compare(["normal"], X).best.to_json()


def test_groups_are_left_out_together_in_comparisons():
    X = np.random.default_rng(2).poisson(3, 30)
    group = np.arange(30) // 3
    row = priori.compare(["poisson"], X, groups=group, folds=4).best
    assert row.left_out["leave_one_out"].total == pytest.approx(leave_one_out("poisson", X, groups=group).total)
    assert row.left_out["k_fold"].total == pytest.approx(k_fold("poisson", X, folds=4, groups=group).total)
    for name in ("leave_one_out", "k_fold"):
        sums = row.left_out[name].log_probs.reshape(10, 3).sum(axis=1)
        assert row.to_json()[f"{name}_error"] == pytest.approx(np.sqrt(10) * np.std(sums, ddof=1))
    with pytest.raises(DataError, match="10 groups for 11 folds"):
        priori.compare(["poisson"], X, groups=group, folds=11)


def test_what_cannot_be_left_out_says_why():
    found = priori.compare({"flat": GammaPoisson(1, 0)}, [3]).best.to_json()
    assert found["leave_one_out"] is None and "without observation 0" in found["absent"]["leave_one_out"]
    one = priori.compare({"proper": GammaPoisson(1, 1)}, [3]).best.to_json()
    assert one["leave_one_out"] < 0 and "single observation" in one["absent"]["leave_one_out_error"]
