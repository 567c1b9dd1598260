"""Unit priors, each by its own definition: what one observation (or row) placed by the data is worth."""

import numpy as np
import pytest

from priori.families import (
    BetaBernoulli,
    DirichletCategorical,
    DirichletMultinomial,
    GammaExponential,
    GammaGamma,
    GammaPoisson,
    NormalGammaRegression,
    NormalInverseGamma,
    NormalInverseWishart,
    NormalKnownVariance,
    NormalRegression,
)

NUMBERS = np.array([0.4, 1.7, 0.9, 2.2, 3.1])
rng = np.random.default_rng(3)
X = rng.normal(size=(30, 2)) * [1.0, 3.0] + [5.0, -2.0]
T = X @ [1.0, -0.5] + 2 + rng.normal(size=30)


def test_counts():
    assert BetaBernoulli.unit(BetaBernoulli.statistics([1, 0, 0])) == BetaBernoulli(0.5, 0.5)
    assert DirichletCategorical.unit(DirichletCategorical.statistics("abca")).alpha.tolist() == [1 / 3] * 3
    assert DirichletMultinomial.unit(DirichletMultinomial.statistics([[1, 2, 3, 0]])).alpha.tolist() == [0.25] * 4


def test_numbers():
    """The mean of the data, one observation of it; of variances the data's own."""
    mean, variance = NUMBERS.mean(), NUMBERS.var()
    poisson = GammaPoisson.unit(GammaPoisson.statistics([3, 0, 4, 5]))
    assert (poisson.shape, poisson.rate) == (3.0, 1.0)
    exponential = GammaExponential.unit(GammaExponential.statistics(NUMBERS))
    assert (exponential.shape, exponential.rate) == (1.0, pytest.approx(mean))
    known = NormalKnownVariance.unit(NormalKnownVariance.statistics(NUMBERS), variance=2.0)
    assert (known.location, known.mean_variance) == (pytest.approx(mean), 2.0)
    normal = NormalInverseGamma.unit(NormalInverseGamma.statistics(NUMBERS))
    assert (normal.location, normal.kappa, normal.shape) == (pytest.approx(mean), 1.0, 0.5)
    assert normal.scale == pytest.approx(variance / 2)
    gamma = GammaGamma.unit(GammaGamma.statistics(NUMBERS))
    assert (gamma.data.n, gamma.data.mean) == (1.0, pytest.approx(mean))
    assert gamma.data.gap == pytest.approx(np.log(mean) - np.log(NUMBERS).mean())


def test_rows():
    normal = NormalInverseWishart.unit(NormalInverseWishart.statistics(X))
    np.testing.assert_allclose(normal.location, X.mean(axis=0))
    np.testing.assert_allclose(normal.mean().covariance, np.cov(X.T, bias=True))
    assert (normal.kappa, normal.nu) == (1.0, 4.0)


def test_regressions():
    """The penalty is what one row tells of the weight of the column that tells least; the known noise is the
    residuals', the unknown one that of a target as the data have them."""
    residuals = T - np.column_stack([X, np.ones(30)]) @ np.linalg.lstsq(np.column_stack([X, np.ones(30)]), T)[0]
    noise = float(np.mean(residuals**2))
    known = NormalRegression.unit(NormalRegression.statistics(X, T))
    assert known.precision == pytest.approx(1 / noise)
    assert known.penalty == pytest.approx(X.var(axis=0).min())
    unknown = NormalGammaRegression.unit(NormalGammaRegression.statistics(X, T))
    assert unknown.penalty == pytest.approx(X.var(axis=0).min())
    assert (unknown.shape, unknown.rate) == (0.5, pytest.approx(T.var() / 2))
