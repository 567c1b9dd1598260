"""Linear regression of unknown precision against scikit-learn, scipy and quadrature."""

import math

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import integrate, stats
from sklearn.linear_model import Ridge

from priori.errors import DataError, EstimateError
from priori.families import NormalGammaRegression, NormalRegression

RNG = np.random.default_rng(4)
X = RNG.normal([3.0, -1.0], [1.0, 2.0], (15, 2))
T = X @ [1.5, -0.7] + 4 + RNG.normal(0, 0.6, 15)
STATS = NormalGammaRegression.statistics(X, T)
PRIOR = (0.7, 2.5, 1.2)  # penalty, shape, rate


def with_ones(X):
    return np.column_stack([X, np.ones(len(X))])


def test_the_weights_are_ridge_with_that_penalty():
    flat = NormalGammaRegression(*PRIOR).posterior(STATS)
    peer = Ridge(0.7).fit(X, T)
    for model in (flat.mode(), flat.mean()):
        np.testing.assert_allclose([*model.weights, model.intercept], [*peer.coef_, peer.intercept_], rtol=1e-10)
    penalised = NormalGammaRegression(*PRIOR, "penalised").posterior(STATS).mode()
    peer = Ridge(0.7, fit_intercept=False).fit(with_ones(X), T)
    np.testing.assert_allclose([*penalised.weights, penalised.intercept], peer.coef_, rtol=1e-10)


@pytest.mark.parametrize("intercept", ["penalised", None])
def test_the_evidence_is_a_student_density(intercept):
    """With all parameters integrated out, t is multivariate Student: 2a, scale matrix b/a (I + X Xᵀ / α)."""
    penalty, shape, rate = PRIOR
    design = with_ones(X) if intercept else X
    scale = rate / shape * (np.eye(15) + design @ design.T / penalty)
    direct = stats.multivariate_t(shape=scale, df=2 * shape).logpdf(T)
    assert NormalGammaRegression(*PRIOR, intercept).log_evidence(STATS) == pytest.approx(direct, rel=1e-10)


@pytest.mark.parametrize("intercept", ["flat", "penalised", None])
def test_the_evidence_averages_those_of_known_precision(intercept):
    """∫ Gamma(β) p(t | β) dβ, with the prior variance of the weights 1 / (β α)."""
    penalty, shape, rate = PRIOR
    evidence = NormalGammaRegression(*PRIOR, intercept).log_evidence(STATS)

    def integrand(precision):
        known = NormalRegression(1 / (precision * penalty), precision, intercept).log_evidence(STATS)
        return math.exp(known + stats.gamma.logpdf(precision, shape, scale=1 / rate) - evidence)

    total, _ = integrate.quad(integrand, 0, 60, points=[1, 3, 6], limit=200, epsabs=1e-10)
    assert total == pytest.approx(1, abs=1e-7)


def test_a_flat_intercept_is_the_limit_of_wide_ones():
    penalty, shape, rate = PRIOR
    for width in (1e4, 1e6):  # in units of the noise: w₀ | β ~ 𝒩(0, width / β)
        scale = rate / shape * (np.eye(15) + X @ X.T / penalty + width)
        wide = stats.multivariate_t(shape=scale, df=2 * shape).logpdf(T)
        # a density E[√β] / √(2π width) of the intercept near 0, β being the posterior's, where the flat measure has 1
        posterior = NormalGammaRegression(*PRIOR).posterior(STATS).marginals()["precision"]
        a, b = posterior.args[0], 1 / posterior.kwds["scale"]
        root = math.exp(math.lgamma(a + 0.5) - math.lgamma(a)) / math.sqrt(b)
        flat = NormalGammaRegression(*PRIOR).log_evidence(STATS)
        assert abs(wide - (flat + math.log(root) - 0.5 * math.log(2 * math.pi * width))) < 100 / width


@pytest.mark.parametrize("intercept", ["flat", "penalised", None])
def test_the_predictive_is_the_ratio_of_evidences(intercept):
    posterior = NormalGammaRegression(*PRIOR, intercept).posterior(STATS)
    new, targets = np.random.default_rng(8).normal(0, 3, (5, 2)), np.random.default_rng(8).normal(0, 3, 5)
    predictive = posterior.predictive()
    ratios = [
        posterior.log_evidence(NormalGammaRegression.statistics(new[i : i + 1], targets[i : i + 1])) for i in range(5)
    ]
    np.testing.assert_allclose(predictive.log_prob(new, targets), ratios, rtol=1e-8)
    np.testing.assert_allclose(predictive.log_prob(new, targets), predictive.freeze(new).logpdf(targets), rtol=1e-10)
    draws = predictive.sample(np.repeat(new[:1], 4000, axis=0), np.random.default_rng(5))
    assert stats.kstest(draws, predictive.freeze(new[:1]).cdf).pvalue > 1e-6


def test_reference_analysis_gives_the_classical_intervals():
    """Under p ∝ 1/β (α = a = b = 0) credible intervals are statsmodels' confidence intervals, t with n - d - 1."""
    posterior = NormalGammaRegression(0.0, 0.0, 0.0).posterior(STATS)
    peer = sm.OLS(T, with_ones(X)).fit()
    intervals = [posterior.interval(0.9)[name] for name in ("weights[0]", "weights[1]", "intercept")]
    np.testing.assert_allclose(intervals, peer.conf_int(0.1), rtol=1e-9)
    predicted = peer.get_prediction([[1.0, 2.0, 1.0]]).conf_int(obs=True, alpha=0.1)
    np.testing.assert_allclose(posterior.predictive().freeze([[1.0, 2.0]]).interval(0.9), predicted.T, rtol=1e-9)


def test_the_density_integrates_to_one():
    """Over (w, β) with one column and no intercept."""
    stats_ = NormalGammaRegression.statistics(X[:4, 0], T[:4])
    posterior = NormalGammaRegression(0.7, 2.5, 1.2, None).posterior(stats_)
    total, _ = integrate.dblquad(
        lambda w, b: math.exp(posterior.log_prob(weights=[w], precision=b)), 0, 8, -3, 6, epsabs=1e-8
    )
    assert total == pytest.approx(1, abs=1e-6)
    assert posterior.log_prob(weights=[1.0], precision=-1.0) == -np.inf


def test_the_joint_mode():
    """β at the mode of (w, w₀, β) is not that of its marginal: found by a search over the joint density."""
    from scipy.optimize import minimize_scalar

    posterior = NormalGammaRegression(*PRIOR, "penalised").posterior(STATS)
    mode = posterior.mode()
    best = minimize_scalar(
        lambda b: -float(posterior.log_prob(weights=mode.weights, intercept=mode.intercept, precision=b)),
        bounds=(0.01, 50), method="bounded", options={"xatol": 1e-10},
    )  # fmt: skip
    assert mode.precision == pytest.approx(best.x, rel=1e-6)


def test_what_does_not_exist_is_refused():
    with pytest.raises(DataError, match="penalty=-1"):
        NormalGammaRegression(-1, 1, 1)
    with pytest.raises(EstimateError, match="the evidence does not exist"):
        NormalGammaRegression(0.0, 1.0, 0.0).log_evidence(STATS)
    with pytest.raises(EstimateError, match="has no mode"):
        NormalGammaRegression(1.0, 0.4, 0.3, None, names=("x",)).mode()
    two = NormalGammaRegression.statistics(X[:2], T[:2])
    with pytest.raises(EstimateError, match="rows of weight 2 leave 2"):
        NormalGammaRegression.maximum_likelihood(two)
    three = NormalGammaRegression.statistics(X[:3], T[:3])  # as many as coefficients: nothing is left for the noise
    with pytest.raises(EstimateError, match="exactly but for rounding"):
        NormalGammaRegression.maximum_likelihood(three)
    with pytest.raises(EstimateError, match="the predictive does not exist"):
        NormalGammaRegression(0.0, 1.0, 0.0).posterior(three).predictive()
