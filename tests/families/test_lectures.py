"""The lectures' own numbers (003: coin and temperatures; 004: MAP, posterior, smoothing), slips corrected."""

import numpy as np
import pytest
from sklearn.metrics import log_loss, mean_squared_error

from priori.families import (
    Bernoulli,
    BetaBernoulli,
    DirichletCategorical,
    Normal,
    NormalInverseGamma,
    NormalKnownVariance,
)
from priori.statistics import Successes

COIN = [1] * 55 + [0] * 45
TORONTO = [-2.5, -9.9, -12.1, -8.9, -6.0, -4.8, 2.4]


def test_the_coin():
    """55 heads and 45 tails: θ = 0.55, L(0.5) = 7.9e-31, l(0.5) = -69.31 (003, slides 3 to 6)."""
    flips = BetaBernoulli.statistics(COIN)
    assert flips == Successes(55, 45)
    assert BetaBernoulli.maximum_likelihood(flips).probability == pytest.approx(0.55, rel=1e-15)
    fair = Bernoulli(0.5).log_likelihood(flips)
    assert round(fair, 2) == -69.31
    assert f"{np.exp(fair):.1e}" == "7.9e-31"


@pytest.mark.parametrize("theta", [0.5, 0.55, 0.9])
def test_minus_the_log_likelihood_is_the_cross_entropy(theta):
    """003, slide 7 (the sum covers both terms): -Σ t log θ + (1 - t) log(1 - θ)."""
    t = np.array(COIN)
    loss = -np.sum(t * np.log(theta) + (1 - t) * np.log(1 - theta))
    model = Bernoulli(theta)
    for ours in (model.log_likelihood(BetaBernoulli.statistics(COIN)), model.score(COIN)):
        assert -ours == pytest.approx(loss, rel=1e-13)
        assert -ours == pytest.approx(log_loss(t, np.full(100, theta), normalize=False), rel=1e-13)


def test_the_temperatures_of_toronto():
    """Mean -5.971 with σ = 5 known; then σ = 4.552 (003, slides 9 to 11)."""
    stats = NormalInverseGamma.statistics(TORONTO)
    known = NormalKnownVariance.maximum_likelihood(stats, variance=5**2)
    assert round(known.mean, 3) == -5.971
    both = NormalInverseGamma.maximum_likelihood(stats)
    assert both.mean == known.mean
    assert round(np.sqrt(both.variance), 3) == 4.552
    assert both.variance == pytest.approx(np.var(TORONTO), rel=1e-14)
    assert (known.free_parameters, both.free_parameters) == (1, 2)


def test_squared_error_is_minus_log_p():
    """003, slide 14: -log 𝒩(t; y, σ²) is (y - t)² / (2σ²), and a constant."""
    y, variance = -4.2, 25.0
    errors = len(TORONTO) * mean_squared_error(TORONTO, [y] * len(TORONTO))
    constant = len(TORONTO) * 0.5 * np.log(2 * np.pi * variance)
    assert -Normal(y, variance).score(TORONTO) == pytest.approx(errors / (2 * variance) + constant, rel=1e-14)


@pytest.mark.parametrize(("a", "b"), [(2, 2), (1, 3.5), (7.25, 1.5)])
def test_beta(a, b):
    """Posterior Beta(a + N1, b + N0), its mode (n1 + a - 1) / (n + a + b - 2) (004)."""
    posterior = BetaBernoulli(a, b).posterior(BetaBernoulli.statistics(COIN))
    assert posterior == BetaBernoulli(a + 55, b + 45)
    assert posterior.mode().probability == pytest.approx((55 + a - 1) / (100 + a + b - 2), rel=1e-15)
    grid = np.linspace(0, 1, 100_001)
    best = grid[np.argmax(posterior.log_prob(probability=grid))]
    assert posterior.mode().probability == pytest.approx(best, abs=1e-5)


@pytest.mark.parametrize("a", [1, 0.5, 3.25])
def test_dirichlet_smoothing(a):
    """(m_j + a) / (a V + N) (004)."""
    words = list("the cat and the hat")
    values = sorted({*words, "z"})
    mean = DirichletCategorical(a, values).posterior(DirichletCategorical.statistics(words)).mean()
    for value, probability in zip(values, mean.probabilities, strict=True):
        assert probability == pytest.approx((words.count(value) + a) / (a * len(values) + len(words)), rel=1e-15)
