"""Linear regression against scikit-learn, statsmodels, scipy and exact arithmetic."""

import math
from fractions import Fraction

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import integrate, stats
from sklearn.linear_model import BayesianRidge, LinearRegression, Ridge

from priori.errors import DataError, EstimateError
from priori.families import LinearModel, NormalGammaRegression, NormalRegression

RNG = np.random.default_rng(3)
X = RNG.normal([3.0, -1.0, 0.5], [1.0, 2.0, 0.3], (40, 3))
T = X @ [1.5, -0.7, 2.0] + 4 + RNG.normal(0, 0.6, 40)
STATS = NormalRegression.statistics(X, T)


def with_ones(X):
    return np.column_stack([X, np.ones(len(X))])


@pytest.mark.parametrize("intercept", ["flat", None])
def test_maximum_likelihood_is_least_squares(intercept):
    model = NormalRegression.maximum_likelihood(STATS, intercept)
    peer = LinearRegression(fit_intercept=intercept == "flat").fit(X, T)
    np.testing.assert_allclose(model.weights, peer.coef_, rtol=1e-10)
    assert model.intercept == (None if intercept is None else pytest.approx(peer.intercept_, rel=1e-10))
    np.testing.assert_allclose(model.predict(X), peer.predict(X), rtol=1e-10)
    assert 1 / model.precision == pytest.approx(np.mean((T - peer.predict(X)) ** 2), rel=1e-10)
    twin = NormalGammaRegression.maximum_likelihood(STATS, intercept)
    np.testing.assert_allclose(twin.weights, model.weights, rtol=1e-12)
    assert twin.precision == pytest.approx(model.precision, rel=1e-12)


@pytest.mark.parametrize("intercept", ["flat", None])
def test_statsmodels_agrees(intercept):
    """Parameters, log-likelihood, their covariance; AIC and BIC, where statsmodels does not count the variance."""
    design = with_ones(X) if intercept == "flat" else X
    peer = sm.OLS(T, design).fit()
    model = NormalRegression.maximum_likelihood(STATS, intercept)
    assert model.log_likelihood(STATS) == pytest.approx(peer.llf, rel=1e-12)
    assert model.score(X, T) == pytest.approx(peer.llf, rel=1e-12)
    aic = 2 * model.free_parameters - 2 * model.log_likelihood(STATS)
    bic = model.free_parameters * math.log(len(T)) - 2 * model.log_likelihood(STATS)
    assert aic == pytest.approx(peer.aic + 2, rel=1e-12)
    assert bic == pytest.approx(peer.bic + math.log(len(T)), rel=1e-12)
    # the posterior's spread under the flat prior is the standard error at that precision: peer.scale is RSS / (n - d)
    known = NormalRegression(math.inf, 1 / peer.scale, intercept).posterior(STATS)
    spread = [of.std() for of in known.marginals().values()]
    np.testing.assert_allclose(spread, peer.bse, rtol=1e-10)


def test_weights_are_frequencies():
    """They are not statsmodels' precisions: WLS has the same coefficients, and another log-likelihood and variance."""
    weights = np.random.default_rng(8).integers(1, 5, len(T))
    weighted = NormalRegression.statistics(X, T, weights)
    repeated = sm.OLS(np.repeat(T, weights), with_ones(np.repeat(X, weights, axis=0))).fit()
    model = NormalRegression.maximum_likelihood(weighted)
    np.testing.assert_allclose([*model.weights, model.intercept], repeated.params, rtol=1e-10)
    assert model.log_likelihood(weighted) == pytest.approx(repeated.llf, rel=1e-12)
    precisions = sm.WLS(T, with_ones(X), weights=weights).fit()
    np.testing.assert_allclose([*model.weights, model.intercept], precisions.params, rtol=1e-10)
    assert abs(precisions.llf - repeated.llf) > 1


@pytest.mark.parametrize(("variance", "precision"), [(0.3, 2.5), (7.0, 0.4)])
def test_the_map_is_ridge(variance, precision):
    """A penalty on the likelihood is a prior: scikit-learn's alpha is 1 / (β σ²), whatever becomes of the intercept."""
    alpha = 1 / (precision * variance)
    flat, none, penalised = (
        NormalRegression(variance, precision, intercept).posterior(STATS).mode()
        for intercept in ("flat", None, "penalised")
    )
    peer = Ridge(alpha).fit(X, T)
    np.testing.assert_allclose([*flat.weights, flat.intercept], [*peer.coef_, peer.intercept_], rtol=1e-9)
    peer = Ridge(alpha, fit_intercept=False).fit(X, T)
    np.testing.assert_allclose(none.weights, peer.coef_, rtol=1e-9)
    peer = Ridge(alpha, fit_intercept=False).fit(with_ones(X), T)
    np.testing.assert_allclose([*penalised.weights, penalised.intercept], peer.coef_, rtol=1e-9)


def test_the_map_maximises_the_penalised_likelihood():
    """The lecture's C(θ) = l(θ) - γ/2 |θ|² with γ = 1/σ²: its gradient is 0 at the mode."""
    variance, precision = 0.3, 2.5
    mode = NormalRegression(variance, precision, "penalised").posterior(STATS).mode()
    at = np.array([*mode.weights, mode.intercept])

    def penalised(theta):
        return LinearModel(theta[:-1], theta[-1], precision).log_likelihood(STATS) - theta @ theta / (2 * variance)

    for direction in np.eye(4):
        slope = (penalised(at + 1e-5 * direction) - penalised(at - 1e-5 * direction)) / 2e-5
        assert abs(slope) < 1e-5
    assert penalised(at) > penalised(at + 1e-2)


@pytest.mark.parametrize("intercept", ["penalised", None])
def test_the_evidence_is_a_normal_density(intercept):
    """With the weights integrated out, t ~ 𝒩(0, I/β + σ² X Xᵀ)."""
    design = with_ones(X) if intercept else X
    prior = NormalRegression(0.8, 1.7, intercept)
    direct = stats.multivariate_normal(cov=np.eye(len(T)) / 1.7 + 0.8 * design @ design.T).logpdf(T)
    assert prior.log_evidence(STATS) == pytest.approx(direct, rel=1e-10)


def test_the_evidence_is_bayesian_ridge_s():
    """scikit-learn's score at the hyper-parameters it starts from; it has no flat intercept in its evidence."""
    peer = BayesianRidge(
        max_iter=1, alpha_1=0, alpha_2=0, lambda_1=0, lambda_2=0, alpha_init=1.7, lambda_init=0.4, compute_score=True,
        fit_intercept=False,
    ).fit(X, T)  # fmt: skip
    assert NormalRegression(1 / 0.4, 1.7, None).log_evidence(STATS) == pytest.approx(peer.scores_[0], rel=1e-10)


@pytest.mark.parametrize("width", [1e4, 1e6])
def test_a_flat_intercept_is_the_limit_of_wide_ones(width):
    """With w₀ ~ 𝒩(0, s²), log p + log(s √2π) tends to the evidence against the flat measure, as 1/s²."""
    ones = np.ones((len(T), len(T)))
    cov = np.eye(len(T)) / 1.7 + 0.8 * X @ X.T + width * ones
    wide = stats.multivariate_normal(cov=cov).logpdf(T) + 0.5 * math.log(2 * math.pi * width)
    flat = NormalRegression(0.8, 1.7).log_evidence(STATS)
    assert abs(wide - flat) < 100 / width


def test_a_flat_intercept_is_the_evidence_of_centred_data():
    """n - 1 contrasts orthogonal to the mean carry all of it, times 1/√n."""
    contrasts = np.linalg.svd(np.eye(40) - 1 / 40)[0][:, :39].T
    cov = contrasts @ (np.eye(40) / 1.7 + 0.8 * X @ X.T) @ contrasts.T
    direct = stats.multivariate_normal(cov=cov).logpdf(contrasts @ T) - 0.5 * math.log(40)
    assert NormalRegression(0.8, 1.7).log_evidence(STATS) == pytest.approx(direct, rel=1e-10)


@pytest.mark.parametrize("intercept", ["flat", "penalised", None])
def test_the_predictive_variance(intercept):
    """1/β + xᵀ S x with S the posterior covariance, from the definition."""
    design = X if intercept is None else with_ones(X)
    penalty = np.diag([1 / 0.8] * 3 + ([] if intercept is None else [0.0 if intercept == "flat" else 1 / 0.8]))
    cov = np.linalg.inv(penalty + 1.7 * design.T @ design)
    new = np.random.default_rng(8).normal(0, 3, (5, 3))
    rows = new if intercept is None else with_ones(new)
    predictive = NormalRegression(0.8, 1.7, intercept).posterior(STATS).predictive()
    np.testing.assert_allclose(
        predictive.scale(new) ** 2, 1 / 1.7 + np.einsum("ij,jk,ik->i", rows, cov, rows), rtol=1e-9
    )
    np.testing.assert_allclose(predictive.predict(new), rows @ cov @ design.T @ T * 1.7, rtol=1e-9)
    targets = np.random.default_rng(8).normal(0, 3, 5)
    np.testing.assert_allclose(predictive.log_prob(new, targets), predictive.freeze(new).logpdf(targets), rtol=1e-12)


def test_the_predictive_integrates_to_one_and_is_sampled():
    predictive = NormalRegression(0.8, 1.7).posterior(STATS).predictive()
    row = [[1.0, 2.0, 3.0]]
    total, _ = integrate.quad(lambda t: math.exp(predictive.log_prob(row, [t])[0]), -30, 40, points=[5])
    assert total == pytest.approx(1, abs=1e-8)
    draws = predictive.sample(np.repeat(row, 4000, axis=0), np.random.default_rng(5))
    assert stats.kstest(draws, predictive.freeze(row).cdf).pvalue > 1e-6


def test_the_model_itself():
    model = LinearModel([1.5, -0.7, 2.0], 4.0, 2.5)
    np.testing.assert_allclose(model.log_prob(X, T), model.freeze(X).logpdf(T), rtol=1e-12)
    assert model.log_prob([[1.0, 2.0, 3.0]], [math.nan]) == [0.0]
    draws = model.sample(np.repeat(X[:1], 4000, axis=0), np.random.default_rng(6))
    assert stats.kstest(draws, model.freeze(X[:1]).cdf).pvalue > 1e-6
    with pytest.raises(DataError, match="precision=0"):
        LinearModel([1.0], 0.0, 0.0)


def test_squared_error_is_minus_log_p():
    """Up to β/2 and a constant: the least squares are the largest likelihood."""
    model = LinearModel([1.5, -0.7, 2.0], 4.0, 2.5)
    squares = (T - model.predict(X)) ** 2
    np.testing.assert_allclose(
        -model.log_prob(X, T), 2.5 / 2 * squares - 0.5 * math.log(2.5 / (2 * math.pi)), rtol=1e-12
    )


@pytest.mark.parametrize("intercept", ["flat", None])
def test_the_moments_match_at_the_maximum(intercept):
    """E[(x t, t, t²)] under the model is the data's; without an intercept, t itself need not match."""
    model = NormalRegression.maximum_likelihood(STATS, intercept)
    data = np.array([*(X * T[:, None]).mean(axis=0), T.mean(), (T**2).mean()])
    expected = model.expected_statistics(STATS)
    kept = [0, 1, 2, 3, 4] if intercept else [0, 1, 2, 4]
    np.testing.assert_allclose(expected[kept], data[kept], rtol=1e-10)
    b, (w, w0) = model.precision, (model.weights, model.intercept or 0.0)
    eta = model.natural_parameters()
    sufficient = np.column_stack([X * T[:, None], T, T**2]) @ eta
    normalizer = b / 2 * (X @ w + w0) ** 2 - 0.5 * math.log(b / (2 * math.pi))
    np.testing.assert_allclose(model.log_prob(X, T), sufficient - normalizer, rtol=1e-9)


def test_huge_offsets():
    """Columns with means of 1e8: to 1e-6, with the offsets exact in binary."""
    shift = np.array([1e8, -3e8, 2e8])
    grid = np.round(X * 2**20) / 2**20  # subtle: representable beside 1e8, so that the shift loses nothing
    moved = NormalRegression.statistics(grid + shift, T + 1e8)
    still = NormalRegression.statistics(grid, T)
    for prior in (NormalRegression(math.inf, 1.7), NormalRegression(0.8, 1.7)):
        near, far = prior.posterior(still), prior.posterior(moved)
        np.testing.assert_allclose(far.mode().weights, near.mode().weights, rtol=1e-6)
        np.testing.assert_allclose(far.mode().predict(grid + shift) - 1e8, near.mode().predict(grid), atol=1e-6)
    assert NormalRegression(0.8, 1.7).log_evidence(moved) == pytest.approx(
        NormalRegression(0.8, 1.7).log_evidence(still), rel=1e-6
    )
    assert NormalRegression.maximum_likelihood(moved).precision == pytest.approx(
        NormalRegression.maximum_likelihood(still).precision, rel=1e-6
    )


def exact_weights(X, t):
    """Least squares with an intercept in rational arithmetic, from the floats as they are."""
    rows = [
        [*map(Fraction, row), Fraction(1), Fraction(target)] for row, target in zip(X.tolist(), t.tolist(), strict=True)
    ]
    size = X.shape[1] + 1
    system = [[sum(row[i] * row[j] for row in rows) for j in range(size + 1)] for i in range(size)]
    for i in range(size):
        for k in range(size):
            if k != i:
                factor = system[k][i] / system[i][i]
                system[k] = [a - factor * b for a, b in zip(system[k], system[i], strict=True)]
    return np.array([float(system[i][size] / system[i][i]) for i in range(size - 1)])


def nearly_repeated(gap, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(2, 1, (30, 3))
    X[:, 2] = X[:, 0] + gap * rng.normal(size=30)
    return X, X @ [1.0, 2.0, 3.0] + rng.normal(0, 1, 30)


@pytest.mark.parametrize("seed", range(5))
def test_below_the_condition_limit_three_digits_are_right(seed):
    """κ(G) d 2⁻⁵³ < 1e-3 with G the correlations, κ(G) about 4 / gap²: d = 3 allows gaps down to about 1.3e-6."""
    for gap in (1e-1, 1e-3, 1e-5, 3e-6):
        X, t = nearly_repeated(gap, seed)
        weights = NormalRegression(math.inf, 1.0).posterior(NormalRegression.statistics(X, t)).mode().weights
        exact = exact_weights(X, t)
        assert np.abs(weights - exact).max() < 1e-3 * np.abs(exact).max()


@pytest.mark.parametrize("seed", range(5))
def test_beyond_the_condition_limit_the_columns_are_named(seed):
    for gap in (5e-7, 1e-8, 0.0):
        X, t = nearly_repeated(gap, seed)
        stats = NormalRegression.statistics(X, t)
        with pytest.raises(EstimateError, match=r"columns 0, 2 nearly repeat each other.*larger penalty.*leave one"):
            NormalRegression.maximum_likelihood(stats)
        with pytest.raises(EstimateError, match="columns a, c nearly repeat"):
            NormalRegression(math.inf, 1.0, names=("a", "b", "c")).posterior(stats).mode()
        remedied = NormalRegression(10.0, 1.0).posterior(stats).mode()
        np.testing.assert_allclose(remedied.weights, Ridge(0.1, solver="svd").fit(X, t).coef_, rtol=1e-8)


def test_hilbert_matrices_are_right_or_refused():
    """Rows of the Hilbert matrix: each size is solved to three digits, or refused."""
    verdicts = []
    for size in range(2, 13):
        X = 1 / (np.arange(20)[:, None] + np.arange(size) + 1.0)
        t = np.cos(np.arange(20.0))
        try:
            weights = NormalRegression.maximum_likelihood(NormalRegression.statistics(X, t)).weights
        except EstimateError:
            verdicts.append("refused")
            continue
        exact = exact_weights(X, t)
        assert np.abs(weights - exact).max() < 1e-3 * np.abs(exact).max()
        verdicts.append("solved")
    assert verdicts[:2] == ["solved", "solved"]
    assert verdicts[-5:] == ["refused"] * 5
    assert verdicts == sorted(verdicts, reverse=True)


@pytest.mark.parametrize("level", [0.0, 7.0, 1e8 / 3])
def test_a_column_that_does_not_vary(level):
    X = np.column_stack([np.arange(1000.0), np.full(1000, level)])
    stats = NormalRegression.statistics(X, np.sin(X[:, 0]))
    with pytest.raises(EstimateError, match="column 1 does not vary"):
        NormalRegression.maximum_likelihood(stats)
    assert NormalRegression(2.0, 3.0).posterior(stats).mode().weights[1] == pytest.approx(0, abs=1e-6)


def test_fewer_rows_than_columns():
    rows = NormalRegression.statistics(X[:3], T[:3])
    with pytest.raises(EstimateError, match="rows of weight 3 leave 3 coefficients open"):
        NormalRegression.maximum_likelihood(rows)
    assert not NormalRegression(math.inf, 1.0).posterior(rows).proper
    with pytest.raises(EstimateError, match="the evidence does not exist"):
        NormalRegression(math.inf, 1.0).log_evidence(rows)
    peer = Ridge(0.5).fit(X[:3], T[:3])
    np.testing.assert_allclose(NormalRegression(2.0, 1.0).posterior(rows).mode().weights, peer.coef_, rtol=1e-9)


@pytest.mark.parametrize("noise", [0.0, 1e-9])
def test_a_perfect_fit_has_weights_and_no_precision(noise):
    t = X @ [1.5, -0.7, 2.0] + 4 + np.random.default_rng(8).normal(0, 1, 40) * noise
    stats = NormalRegression.statistics(X, t)
    for family in (NormalRegression, NormalGammaRegression):
        with pytest.raises(EstimateError, match="fit the targets exactly but for rounding"):
            family.maximum_likelihood(stats)
    known = NormalRegression(math.inf, 1.0).posterior(stats).mode()
    np.testing.assert_allclose([*known.weights, known.intercept], [1.5, -0.7, 2.0, 4.0], rtol=1e-6)


@pytest.mark.parametrize("noise", [1e-2, 1e-4, 1e-5])
def test_small_noise_is_seen_to_three_digits(noise):
    t = X @ [1.5, -0.7, 2.0] + 4 + np.random.default_rng(8).normal(0, 1, 40) * noise
    model = NormalRegression.maximum_likelihood(NormalRegression.statistics(X, t))
    residual = t - LinearRegression().fit(X, t).predict(X)
    assert 1 / model.precision == pytest.approx(np.mean(residual**2), rel=1e-3)


def test_one_pair_and_equal_targets():
    one = NormalRegression.statistics([[2.0]], [5.0])
    assert NormalRegression(2.0, 3.0).posterior(one).mode().intercept == 5.0
    equal = NormalRegression.statistics(X, np.full(40, 1e8 / 3))
    with pytest.raises(EstimateError, match="fit the targets exactly"):
        NormalRegression.maximum_likelihood(equal)
    model = NormalGammaRegression(1.0, 2.0, 0.5).posterior(equal).mode()
    np.testing.assert_allclose(model.weights, 0, atol=1e-6)


def test_no_columns_is_a_mean():
    """Only an intercept: the null model that others are compared with."""
    stats = NormalRegression.statistics(np.zeros((40, 0)), T)
    model = NormalRegression.maximum_likelihood(stats)
    assert (model.intercept, 1 / model.precision) == (pytest.approx(T.mean()), pytest.approx(T.var()))
    assert NormalRegression(1.0, 2.0).log_evidence(stats) < NormalRegression(1.0, 2.0).log_evidence(STATS)


@pytest.mark.parametrize("family", [NormalRegression, NormalGammaRegression])
def test_the_unit_prior_is_weak_and_proper(family):
    prior = family.unit(STATS, "penalised")
    assert prior.proper
    likely, weak = family.maximum_likelihood(STATS), family.unit(STATS)
    assert weak.penalty == pytest.approx(X.var(axis=0).min())  # what one row tells of the weight it tells least of
    np.testing.assert_allclose(weak.posterior(STATS).mode().weights, likely.weights, rtol=2 / len(T))
    assert weak.log_evidence(STATS) < likely.log_likelihood(STATS)
    with pytest.raises(EstimateError, match="no column varies"):
        NormalGammaRegression.unit(NormalGammaRegression.statistics([7.0, 7.0], [1.0, 2.0]))
