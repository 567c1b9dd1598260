"""Families judged by what they have not seen: brute-force refits for every family and estimate."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from families.cases import CASES, take
from priori.errors import DataError, EstimateError
from priori.estimation.leave_one_out import Observed
from priori.families import (
    FAMILIES,
    BetaBernoulli,
    DirichletCategorical,
    GammaGamma,
    GammaPoisson,
    NormalInverseGamma,
    NormalInverseWishart,
    NormalKnownVariance,
)
from priori.select import folds, k_fold, leave_one_out

every_case = pytest.mark.parametrize("case", CASES, ids=str)
every_estimate = pytest.mark.parametrize("estimate", ["ml", "map", "mean", "bayes"])


def refit(prior, X, weights, places, estimate):
    """log p of some observations by a posterior that never saw them: statistics of the rest, from nothing."""
    family, stats = type(prior), type(prior).statistics(X, weights)
    told = {name: getattr(prior, name) for name in family.known}
    start = family.flat(family.statistics(X), **told) if estimate == "ml" else prior
    posterior = start.posterior(stats)
    model = {"ml": posterior.mode, "map": posterior.mode, "mean": posterior.mean, "bayes": posterior.predictive}
    return model[estimate]().log_prob(take(X, places))


def expected_or_none(prior, X, weights, estimate):
    """Each observation, one of its weight taken out; None where some refit does not exist."""
    found = np.zeros(len(X))
    for i in range(len(X)):
        rest = np.array(weights, np.float64)
        rest[i] -= min(1.0, rest[i])
        try:
            found[i] = refit(prior, X, rest, [i], estimate)[0]
        except EstimateError:
            return None
    return found


def drawn(case, data):
    """Observations and a prior; of a known variance, as users have it."""
    X, prior = data.draw(case.data), data.draw(case.prior)
    if isinstance(prior, NormalKnownVariance):
        prior = NormalKnownVariance(prior.variance, prior.location, prior.mean_variance)
    return X, prior


def assert_as_refitted(prior, X, weights, estimate):
    """1e-10 of the number, and of what it is a difference of: log p ~ 0 is a sum of terms about 1 and more."""
    expected = expected_or_none(prior, X, weights, estimate)
    if expected is None:
        with pytest.raises(EstimateError, match="without observation"):
            leave_one_out(prior, X, weights=weights, estimate=estimate)
        return
    found = leave_one_out(prior, X, weights=weights, estimate=estimate)
    assert not np.isnan(found.log_probs).any()
    np.testing.assert_allclose(found.log_probs, expected, rtol=1e-10, atol=1e-10)
    assert found.total == pytest.approx(np.dot(weights, expected), rel=1e-10, abs=1e-9)


@every_case
@every_estimate
@settings(max_examples=50)
@given(data=st.data())
def test_leaving_one_out_is_refitting(case, estimate, data):
    X, prior = drawn(case, data)
    assert_as_refitted(prior, X, np.ones(len(X)), estimate)


@every_case
@every_estimate
@settings(max_examples=50)
@given(data=st.data())
def test_weights_are_observations_several_times(case, estimate, data):
    X, prior = drawn(case, data)
    weights = data.draw(st.lists(st.sampled_from([1, 2, 0.5, 3]), min_size=len(X), max_size=len(X)))
    assert_as_refitted(prior, X, weights, estimate)


@every_case
@every_estimate
@settings(max_examples=50)
@given(data=st.data())
def test_groups_and_folds_are_left_out_as_a_whole(case, estimate, data):
    X, prior = drawn(case, data)
    group = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(X), max_size=len(X))))
    expected = np.zeros(len(X))
    try:
        for g in set(group.tolist()):
            mine = np.flatnonzero(group == g).tolist()
            expected[mine] = refit(prior, X, (group != g).astype(float), mine, estimate)
    except EstimateError:
        with pytest.raises(EstimateError, match="without observation"):
            leave_one_out(prior, X, estimate=estimate, groups=group)
        return
    found = leave_one_out(prior, X, estimate=estimate, groups=group).log_probs
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


DRAWS = {
    "bernoulli": lambda rng: rng.integers(0, 2, 300),
    "categorical": lambda rng: rng.choice(["a", "b", "c", "d"], 300).tolist(),
    "multinomial": lambda rng: rng.multinomial(8, [0.2, 0.3, 0.5], 300),
    "poisson": lambda rng: rng.poisson(4, 300),
    "exponential": lambda rng: rng.exponential(3, 300),
    "gamma": lambda rng: rng.gamma(2.5, 3, 300),
    "normal": lambda rng: rng.normal(5, 2, 300),
    "normal-mean": lambda rng: rng.normal(5, 2, 300),
    "multivariate-normal": lambda rng: rng.normal(size=(300, 3)) @ rng.normal(size=(3, 3)) + 7,
}


def setting(name):
    X = DRAWS[name](np.random.default_rng(3))
    known = {"variance": 4.0} if name == "normal-mean" else {}
    family = FAMILIES[name]
    return X, family, known, family.unit(family.statistics(X), **known)


@pytest.mark.parametrize("name", FAMILIES)
@every_estimate
def test_closed_forms_serve_all_of_ordinary_data(name, estimate, monkeypatch):
    """No observation of 300 is refitted; but the gamma's mode and mean have no closed form."""
    X, family, known, prior = setting(name)
    some = [0, 17, 299]
    by_hand = [refit(prior, X, np.arange(300) != i, [i], estimate)[0] for i in some]
    refits = []
    given = Observed._given
    monkeypatch.setattr(Observed, "_given", lambda self, *them: (refits.append(them), given(self, *them))[1])
    found = leave_one_out(family, X, weights=None, estimate=estimate, known=known).log_probs
    np.testing.assert_allclose(found[some], by_hand, rtol=1e-10, atol=1e-10)
    assert bool(refits) == (name == "gamma" and estimate != "bayes")


@pytest.mark.parametrize("name", FAMILIES)
def test_a_score_that_has_seen_its_observation_is_found_out(name):
    """The planted bug: forgetting to take it out. What was seen is foretold better, on the whole."""
    X, family, _, prior = setting(name)
    seen = prior.posterior(family.statistics(X)).predictive().log_prob(X)
    left_out = leave_one_out(prior, X)
    assert np.abs(seen - left_out.log_probs).max() > 1e-4
    assert seen.sum() > left_out.total


def test_folds_are_those_of_folds():
    X, _, _, prior = setting("normal")
    dealt = folds(300, 5, 9)
    found = k_fold(prior, X, folds=5, seed=9)
    np.testing.assert_allclose(found.log_probs, leave_one_out(prior, X, groups=dealt).log_probs, rtol=1e-13)
    authors = np.arange(300) // 10
    grouped = k_fold(prior, X, folds=5, groups=authors)
    by_author = leave_one_out(prior, X, groups=folds(300, 5, 0, authors))
    np.testing.assert_allclose(grouped.log_probs, by_author.log_probs, rtol=1e-13)


def test_as_many_folds_as_observations_are_leaving_one_out():
    X, _, _, prior = setting("multivariate-normal")
    np.testing.assert_allclose(
        k_fold(prior, X, folds=300).log_probs, leave_one_out(prior, X).log_probs, rtol=1e-10, atol=1e-10
    )


def test_a_fold_far_away_costs_no_digits():
    """10,000 numbers at 1e6 taken away from 100 at 0 would leave a wrong variance; sums of the others do not."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=100), 1e6 + rng.normal(size=10_000)])
    group = np.repeat([0, 1], [100, 10_000])
    prior = NormalInverseGamma(0, 1, 1, 1)
    found = leave_one_out(prior, X, groups=group).log_probs
    expected = prior.posterior(prior.statistics(X[:100])).predictive().log_prob(X[100:])
    np.testing.assert_allclose(found[100:], expected, rtol=1e-12)


def test_missing_observations_and_those_of_no_weight():
    prior = NormalInverseGamma(0, 1, 2, 3)
    X = [1.0, None, 2.5, float("nan"), 4.0, 100.0]
    found = leave_one_out(prior, X, weights=[1, 1, 1, 1, 1, 0])
    alone = leave_one_out(prior, [1.0, 2.5, 4.0])
    assert found.log_probs[[1, 3]].tolist() == [0.0, 0.0]
    np.testing.assert_allclose(found.log_probs[[0, 2, 4]], alone.log_probs, rtol=1e-12)
    fresh = prior.posterior(prior.statistics([1.0, 2.5, 4.0])).predictive().log_prob([100.0])
    np.testing.assert_allclose(found.log_probs[5], fresh[0], rtol=1e-12)
    assert found.total == pytest.approx(alone.total) and found.error == pytest.approx(alone.error)


def test_the_standard_error_is_that_of_a_sum():
    found = leave_one_out(GammaPoisson(2, 3), [0, 1, 1, 5, 2])
    assert found.error == pytest.approx(math.sqrt(5) * np.std(found.log_probs, ddof=1))
    twice = leave_one_out(GammaPoisson(2, 3), [0, 1, 5], weights=[2, 1, 3])
    repeated = leave_one_out(GammaPoisson(2, 3), [0, 0, 1, 5, 5, 5])
    assert twice.total == pytest.approx(repeated.total) and twice.error == pytest.approx(repeated.error)


def test_the_standard_error_of_groups_is_that_of_their_sums():
    rng = np.random.default_rng(7)
    group = np.repeat(np.arange(12), 5)
    X = (2 * rng.normal(size=12)[group] + rng.normal(size=60)).tolist()
    for found in (leave_one_out("normal", X, groups=group), k_fold("normal", X, folds=4, groups=group)):
        sums = found.log_probs.reshape(12, 5).sum(axis=1)
        assert found.error == pytest.approx(math.sqrt(12) * np.std(sums, ddof=1), rel=1e-12)
        assert f"± {found.error:.2f}" in str(found)
    # weights are in the sums; groups of one are observations; a group that is missing is none
    weights = rng.integers(1, 4, 60)
    found = leave_one_out("normal", X, weights=weights, groups=group)
    away = weights * (found.log_probs - found.total / weights.sum())
    assert found.error == pytest.approx(math.sqrt(12 / 11 * np.sum(away.reshape(12, 5).sum(axis=1) ** 2)), rel=1e-12)
    alone = leave_one_out("normal", X)
    assert leave_one_out("normal", X, groups=np.arange(60)).error == pytest.approx(alone.error, rel=1e-9)
    gone = leave_one_out("normal", [*X, None, None], groups=[*group.tolist(), 12, 12])
    assert gone.error == pytest.approx(leave_one_out("normal", X, groups=group).error, rel=1e-12)
    with pytest.raises(EstimateError, match="single group"):
        _ = leave_one_out("normal", [*X[:5], None], NormalInverseGamma(0, 1, 2, 3), groups=[0] * 5 + [1]).error


def test_the_standard_error_of_groups_is_how_the_total_varies():
    """Over 200 data sets of 30 groups. A standard deviation of 200 is right within 5 % (one standard error); the
    error of observations that are taken for independent is less than half of it."""
    rng = np.random.default_rng(8)
    group = np.repeat(np.arange(30), 10)
    prior = NormalInverseGamma(0, 0.01, 2, 3)
    totals, errors, naive = [], [], []
    for _ in range(200):
        found = leave_one_out(prior, 2 * rng.normal(size=30)[group] + 0.3 * rng.normal(size=300), groups=group)
        totals.append(found.total)
        errors.append(found.error)
        naive.append(math.sqrt(300) * np.std(found.log_probs, ddof=1))
    assert np.mean(errors) == pytest.approx(np.std(totals), rel=0.25)
    assert np.mean(naive) < 0.5 * np.std(totals)


def test_many_priors_at_once():
    X = [3, 1, 4, 1, 5, 9, 2, 6]
    priors = [GammaPoisson(shape, rate) for shape in (0.5, 2.0, 9.0) for rate in (0.1, 3.0)]
    observed = Observed.of(GammaPoisson, X)
    for prior, found in zip(priors, observed.under(priors), strict=True):
        np.testing.assert_array_equal(found.log_probs, leave_one_out(prior, X).log_probs)


def test_the_only_sighting_of_a_value_is_impossible_under_ml():
    found = leave_one_out("categorical", ["a", "a", "b"], estimate="ml")
    assert found.log_probs.tolist() == [math.log(1 / 2), math.log(1 / 2), -math.inf]
    assert found.total == -math.inf
    with pytest.raises(EstimateError, match="impossible without itself"):
        _ = found.error


@pytest.mark.parametrize(
    ("call", "kind", "said"),
    [
        (
            lambda: leave_one_out("normal", [1.0, 2.0], estimate="ml"),
            EstimateError,
            "without observation 0: the observations are all equal, or there is only one",
        ),
        (lambda: leave_one_out("normal", [1.0], estimate="ml"), EstimateError, "all equal"),
        (
            lambda: leave_one_out(BetaBernoulli(1, 1), [1], estimate="ml"),
            EstimateError,
            "without observation 0: without data every",
        ),
        (
            lambda: leave_one_out("multivariate-normal", np.eye(3), estimate="ml"),
            EstimateError,
            "without observation 0: the covariance is singular",
        ),
        (lambda: leave_one_out(GammaPoisson(1, 0), [3]), EstimateError, "without observation 0.*does not integrate"),
        (lambda: leave_one_out("poisson", [1, 2], estimate="best"), DataError, "estimate='best' is unknown"),
        (lambda: leave_one_out(GammaPoisson(1, 1), [1], GammaPoisson(2, 1)), DataError, "a prior already"),
        (lambda: leave_one_out("poisson", []), DataError, "no observations"),
        (lambda: leave_one_out("poisson", [1, 2], weights=[0, 0]), DataError, "all weights are 0"),
        (lambda: leave_one_out("poisson", [1, 2], groups=[1]), DataError, "1 groups for 2 rows"),
        (lambda: leave_one_out("normal-mean", [1.0, 2.0]), DataError, "variance of normal-mean is not estimated"),
        (
            lambda: leave_one_out(NormalInverseWishart([0, 0], 1, 3, np.eye(2)), [[1.0, np.nan], [0.0, 1.0]]),
            DataError,
            "row 0 is missing column 1",
        ),
        (lambda: leave_one_out(DirichletCategorical(1, ("a",)), ["b"]), Exception, "does not know"),
        (lambda: leave_one_out(GammaGamma(1, 1, 1, 1), [2.0]).error, EstimateError, "single observation"),
    ],
)
def test_refusals(call, kind, said):
    with pytest.raises(kind, match=said):
        call()
