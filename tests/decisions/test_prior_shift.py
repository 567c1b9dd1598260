"""Prior shift: Bayes' theorem done again, scipy's maximum, and simulated data whose class prior is known."""

import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

from priori.decisions import PriorEstimate, estimated_prior, reweighted
from priori.errors import DataError

ALARM = 1e-7  # how often a test of chance may fail without a fault
MEANS = np.array([-1.5, 0.0, 2.0])


def shares(size):
    return st.lists(st.integers(1, 50), min_size=size, max_size=size).map(lambda w: np.divide(w, sum(w)))


def posterior_of(x, means, prior):
    """Of classes N(mean, 1)."""
    joint = stats.norm.pdf(x[:, None], means) * prior
    return joint / joint.sum(axis=1, keepdims=True)


def drawn(rng, n, means, prior):
    return rng.standard_normal(n) + means[rng.choice(len(prior), n, p=prior)]


@given(st.integers(1, 5).flatmap(lambda size: st.tuples(*[shares(size)] * 2, st.lists(shares(size), min_size=1))))
def test_the_theorem_of_bayes_done_again(given):
    """p(c | x) from likelihoods under the old prior, reweighted, is that of the same likelihoods under the new one."""
    old, new, likelihoods = given
    likelihoods = np.array(likelihoods)
    under_old, under_new = (likelihoods * p / (likelihoods * p).sum(axis=1, keepdims=True) for p in (old, new))
    np.testing.assert_allclose(reweighted(under_old, old, new), under_new, rtol=1e-12)
    np.testing.assert_allclose(reweighted(reweighted(under_old, old, new), new, old), under_old, rtol=1e-12)


def test_a_class_that_is_gone_has_no_share():
    found = reweighted([0.25, 0.25, 0.5], [0.2, 0.4, 0.4], [0.5, 0.5, 0])
    np.testing.assert_allclose(found, [[2 / 3, 1 / 3, 0]], rtol=1e-14)


def test_tiny_numbers_stay_numbers():
    found = reweighted([[1e-300, 1.0], [0.0, 1.0]], [1e-300, 1.0], [1.0, 1e-300])
    np.testing.assert_allclose(found, [[1.0, 1e-300], [0.0, 1.0]], rtol=1e-12)


def by_scipy(rows, old):
    """The maximum over the share of the first of two classes."""

    def loss(share):
        return -np.log(rows @ (np.array([share, 1 - share]) / old)).sum()

    return optimize.minimize_scalar(loss, bounds=(0, 1), method="bounded", options={"xatol": 1e-10}).x


@given(st.lists(st.integers(1, 99), min_size=1, max_size=30), st.integers(1, 9))
def test_two_classes_as_scipy_finds_them(percents, tenths):
    rows = np.array([[p / 100, 1 - p / 100] for p in percents])
    old = np.array([tenths / 10, 1 - tenths / 10])
    found = estimated_prior(rows, old, iterations=100_000, tolerance=1e-12)
    best = by_scipy(rows, old)
    # the likelihood is flat to the root of the rounding about its maximum; at the border EM is slow
    values = [np.log(rows @ (np.array([q, 1 - q]) / old)).sum() for q in (found.prior[0], best)]
    assert values[0] == pytest.approx(values[1], abs=1e-6)
    assert found.log_likelihood[-1] == pytest.approx(values[0], abs=1e-9)


def test_two_kinds_of_rows_in_closed_form():
    """Rows of p = (a, 1 - a) and (1 - a, a), m and n - m times: the mixture of the first kind must be m / n."""
    a, m, n = 0.9, 13, 20
    found = estimated_prior([[a, 1 - a]] * m + [[1 - a, a]] * (n - m), [0.5, 0.5], tolerance=1e-14)
    # likelihoods ∝ rows, so a q + (1 - a) (1 - q) = m / n
    assert found.prior[0] == pytest.approx((m / n - (1 - a)) / (2 * a - 1), rel=1e-7)  # the root of the rounding


def test_three_classes_as_scipy_finds_them():
    rng = np.random.default_rng(1)
    old = np.array([0.5, 0.3, 0.2])
    rows = posterior_of(drawn(rng, 300, MEANS, [0.1, 0.3, 0.6]), MEANS, old)

    def loss(free):
        weights = np.exp([*free, 0.0])
        return -np.log(rows @ (weights / weights.sum() / old)).sum()

    weights = np.exp([*optimize.minimize(loss, [0.0, 0.0], method="BFGS", options={"gtol": 1e-8}).x, 0.0])
    np.testing.assert_allclose(estimated_prior(rows, old).prior, weights / weights.sum(), atol=1e-6)


@given(st.integers(1, 4).flatmap(lambda size: st.tuples(shares(size), st.lists(shares(size), min_size=1, max_size=30))))
def test_the_likelihood_never_falls(given):
    old, rows = given
    found = estimated_prior(rows, old, iterations=200, tolerance=0.0)
    assert all(before <= after for before, after in pairwise(found.log_likelihood))
    assert found.iterations <= 200
    assert found.prior.sum() == pytest.approx(1, abs=1e-12)
    direct = np.log(np.array(rows) @ (found.prior / old)).sum()
    assert found.log_likelihood[-1] == pytest.approx(direct, abs=1e-10)


def test_the_truth_is_recovered():
    """Within the spread that the information of the data leaves: mean of squared slopes of log p(x)."""
    rng = np.random.default_rng(2)
    old, new, n = np.array([0.5, 0.5]), np.array([0.9, 0.1]), 20_000
    means = np.array([-1.0, 1.0])
    x = drawn(rng, n, means, new)
    rows = posterior_of(x, means, old)
    found = estimated_prior(rows, old)
    ratio = rows / old
    slope = (ratio[:, 0] - ratio[:, 1]) / (ratio @ new)
    spread = 1 / np.sqrt((slope**2).sum())
    far = -stats.norm.ppf(ALARM) * spread
    assert abs(found.prior[0] - new[0]) < far
    assert abs(rows.mean(axis=0)[0] - new[0]) > 5 * far  # the planted fault: the mean posterior, which is biased
    assert found.p_value < ALARM


def p_values(faulty=1.0, samples=400):
    rng, old = np.random.default_rng(3), np.array([0.4, 0.3, 0.3])
    found = []
    for _ in range(samples):
        estimate = estimated_prior(posterior_of(drawn(rng, 400, MEANS, old), MEANS, old), old)
        found.append(PriorEstimate(estimate.prior, faulty * estimate.log_likelihood, True).p_value)
    return stats.kstest(found, "uniform").pvalue


def test_without_a_shift_the_p_value_is_uniform():
    assert p_values() > 1e-6


def test_half_the_statistic_would_be_caught():
    """The planted fault: l(new) - l(old) without its factor of 2."""
    assert p_values(faulty=0.5) < 1e-6


def fires(variance, repetitions=1500, learned=100, new=400):
    """How often p < 0.05 where both mixes are drawn from one, and documents are told apart for certain."""
    rng, times = np.random.default_rng(3), 0
    for old, now in zip(*(rng.binomial(n, 0.4, repetitions) for n in (learned, new)), strict=True):
        posterior = np.repeat(np.eye(2), [new - now, now], axis=0)
        found = estimated_prior(posterior, [1 - old / learned, old / learned])
        times += found.p_value_over(variance) < 0.05
    return times


def test_an_old_prior_that_was_learned_is_one_of_chance_too():
    low, high = stats.binom.interval(1 - 1e-7, 1500, 0.05)
    assert low <= fires(1 + 400 / 100) <= high
    assert fires(1.0) > high  # the planted fault: as if it were known


def test_one_class_cannot_shift():
    found = estimated_prior(np.ones((3, 1)), [1.0])
    assert (found.prior.tolist(), found.p_value, found.converged) == ([1.0], 1.0, True)


def test_too_few_steps_are_owned_up_to():
    rows = [[0.9, 0.1]] * 9 + [[0.4, 0.6]]
    found = estimated_prior(rows, [0.5, 0.5], iterations=2)
    assert (found.iterations, found.converged) == (2, False)
    assert json.loads(json.dumps(found.to_json(), allow_nan=False))["converged"] is False


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: reweighted([0.5, 0.5], [1.0, 0.0], [0.5, 0.5]), "the old class prior gives class 1 probability 0"),
        (lambda: reweighted([0.5, 0.5], [0.5, 0.5], [0.5, 0.6]), "the new class prior .* is no distribution"),
        (lambda: reweighted([0.5, 0.5], [0.5, 0.5], [1.0]), "the new class prior is of shape"),
        (lambda: reweighted([0.5, np.nan], [0.5, 0.5], [0.5, 0.5]), "row 0 of the posterior is no distribution"),
        (lambda: reweighted([[0.5, 0.5], [1, 0]], [0.5, 0.5], [0, 1]), "row 1 is possible only in classes"),
        (lambda: estimated_prior([0.5, 0.5], [0.0, 1.0]), "the old class prior gives class 0 probability 0"),
        (lambda: estimated_prior([0.5, 0.5], [np.nan, 1.0]), "is no distribution"),
        (lambda: estimated_prior(np.empty((0, 2)), [0.5, 0.5]), "no rows tell nothing"),
        (lambda: estimated_prior([0.5, 0.5], [0.5, 0.5], iterations=0), "end nowhere"),
        (lambda: estimated_prior([0.5, 0.5], [0.5, 0.5], tolerance=np.nan), "end nowhere"),
    ],
)
def test_what_no_prior_can_be(call, words):
    with pytest.raises(DataError, match=words) as found:
        call()
    assert "\n" not in str(found.value)
