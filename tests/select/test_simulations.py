"""Known truths: their posteriors by Bayes' theorem, and the best accuracy by formula, quadrature and draws."""

import numpy as np
import pytest
from scipy import stats

from priori.errors import DataError
from priori.select.simulations import KINDS, simulate, truth_of

RATES = {  # of class 0 and 1
    "skewed": (np.r_[[0.2] * 2, [1.4] * 6], np.ones(8)),
    "poisson": (np.linspace(0.3, 3.0, 8), np.linspace(0.9, 2.0, 8)),
}


def log_density(kind, X, k):
    if kind == "skewed":
        return stats.expon(scale=1 / RATES[kind][k]).logpdf(X).sum(axis=1)
    if kind == "poisson":
        return stats.poisson(RATES[kind][k]).logpmf(X).sum(axis=1)
    truth, places = truth_of(kind), np.arange(8)
    covariance = 0.6 ** np.abs(places[:, None] - places)
    gap = covariance @ truth.weights
    return stats.multivariate_normal((k - 0.5) * gap, covariance).logpdf(X)


@pytest.mark.parametrize("kind", KINDS)
def test_the_posterior_is_bayes_theorem(kind):
    X, _ = truth_of(kind).sample(300, np.random.default_rng(1))
    odds = log_density(kind, X, 1) - log_density(kind, X, 0)
    np.testing.assert_allclose(truth_of(kind).posterior(X), 1 / (1 + np.exp(-odds)), rtol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_are_drawn_from_the_truth(kind):
    """Labels against the posterior: Σ (y - p) has mean 0 and variance Σ p (1 - p); 6 deviations: one run in 5e8."""
    truth = truth_of(kind)
    X, y = truth.sample(100_000, np.random.default_rng(2))
    for way in (np.ones(len(y)), *X.T):
        p = truth.posterior(X)
        z = way @ (y - p) / np.sqrt(way**2 @ (p * (1 - p)))
        assert abs(z) < 6
    wrong = truth.posterior(X * 1.1)  # a planted error
    assert max(abs(way @ (y - wrong)) / np.sqrt(way**2 @ (wrong * (1 - wrong))) for way in X.T) > 6


def test_two_gaussians_have_the_closed_form():
    truth, drawn = truth_of("gaussian"), simulate("gaussian", 10)
    places = np.arange(8)
    covariance = 0.6 ** np.abs(places[:, None] - places)
    distance = np.sqrt(truth.weights @ covariance @ truth.weights)
    assert drawn.accuracy == pytest.approx(stats.norm.cdf(distance / 2), rel=1e-12)
    assert drawn.standard_error == 0
    mean, error = truth.optimum(np.random.default_rng(3))
    assert abs(mean - drawn.accuracy) < 6 * error
    assert error < 1e-3


def test_exponential_columns_against_quadrature():
    """Sums of columns of the same rates are sufficient: gamma variables of shape 2 and 6, ∫∫ max(f_0, f_1) / 2."""
    a, b = np.linspace(0, 150, 6001), np.linspace(0, 40, 2001)
    heights = [
        np.outer(stats.gamma(2, scale=1 / first).pdf(a), stats.gamma(6, scale=1 / second).pdf(b))
        for first, second in ((0.2, 1.4), (1.0, 1.0))
    ]
    exact = np.trapezoid(np.trapezoid(np.maximum(*heights) / 2, b, axis=1), a)
    drawn = simulate("skewed", 10)
    assert abs(drawn.accuracy - exact) < 6 * drawn.standard_error + 1e-4  # of the grid


@pytest.mark.parametrize("kind", KINDS)
def test_the_true_decision_reaches_the_optimum_and_no_other_does(kind):
    truth, drawn = truth_of(kind), simulate(kind, 10)
    X, y = truth.sample(100_000, np.random.default_rng(4))
    error = np.hypot(0.5 / np.sqrt(len(y)), drawn.standard_error)
    assert abs(((truth.posterior(X) > 0.5) == y).mean() - drawn.accuracy) < 6 * error
    assert ((truth.posterior(X) > 0.9) == y).mean() < drawn.accuracy - 6 * error


def test_the_same_seed_draws_the_same_rows():
    first, again, other = simulate("poisson", 50, 1), simulate("poisson", 50, 1), simulate("poisson", 50, 2)
    assert (first.X == again.X).all() and (first.y == again.y).all() and first.accuracy == again.accuracy
    assert not (first.X == other.X).all()


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(DataError, match="at least 2"):
        simulate("gaussian", 1)
    with pytest.raises(DataError, match="choose gaussian, skewed, poisson"):
        simulate("cauchy", 10)
