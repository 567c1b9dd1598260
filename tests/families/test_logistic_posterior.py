"""Laplace's posterior of a logistic regression: evidence against integrals, draws, marginals and predictives."""

import math

import numpy as np
import pytest
from scipy import integrate, stats
from scipy.linalg import helmert
from scipy.special import expit, log_expit
from sklearn.metrics import log_loss

import priori
from families.labelled import rows
from priori.families import LogisticModel, LogisticRegression
from priori.families.regression.laplace import log_mean_sigmoid


def test_draws_under_the_flat_prior_sum_to_zero():
    X, y = rows(3)
    posterior = LogisticRegression.flat().posterior(X, y)
    draws = posterior.sample(4000, np.random.default_rng(3))
    table = np.concatenate([draws["weights"], draws["intercept"][:, :, None]], axis=2)
    np.testing.assert_allclose(table.sum(axis=1), 0, atol=1e-10)
    for column, of in zip(table.reshape(4000, -1).T, posterior.marginals().values(), strict=True):
        assert stats.kstest(column, of.cdf).pvalue > 1e-6
    contrasts = np.kron(helmert(3), np.eye(4))
    centre = contrasts @ [of.mean() for of in posterior.marginals().values()]
    direct = stats.multivariate_normal(centre, contrasts @ posterior.covariance() @ contrasts.T)
    log_prob = posterior.log_prob(weights=draws["weights"][:5], intercept=draws["intercept"][:5])
    np.testing.assert_allclose(log_prob, direct.logpdf(table[:5].reshape(5, -1) @ contrasts.T), rtol=1e-6)


@pytest.mark.parametrize("size", [20, 80, 320, 1280])
def test_laplace_s_evidence_nears_the_integral(size):
    """Two coefficients, by quadrature over both: the relative error of the evidence falls as 1 / n."""
    rng = np.random.default_rng(size)
    x = rng.normal(0.3, 1, size)
    y = (rng.random(size) < expit(1.2 * x - 0.5)).astype(int)
    prior = LogisticRegression(2.0, "penalised")
    posterior = prior.posterior(x, y)
    laplace = posterior.log_evidence()
    (w,), (b,) = posterior.mode().weights[0], posterior.mode().intercept
    sd = np.sqrt(np.diag(posterior.covariance()))
    sign = 2.0 * y - 1

    def integrand(slope, constant):
        log_likelihood = log_expit(sign * (slope * x + constant)).sum()
        log_prior = stats.norm.logpdf([slope, constant], scale=math.sqrt(2)).sum()
        return math.exp(log_likelihood + log_prior - laplace)

    grid = np.linspace(-8, 8, 81)  # the trapezoidal rule is all but exact for such a hill
    ratio = sum(integrand(w + i * sd[0], b + j * sd[1]) for i in grid for j in grid) * 0.2**2 * sd[0] * sd[1]
    assert abs(math.log(ratio)) < 2 / size
    assert prior.log_evidence(x, y) == laplace


def test_a_flat_intercept_is_the_limit_of_wide_ones():
    """Against ∫ over (w, w₀) with density 1 for w₀, on offset inputs: the origin does not matter."""
    rng = np.random.default_rng(5)
    x = rng.normal(30, 1, 400)
    y = (rng.random(400) < expit(1.2 * (x - 30) - 0.5)).astype(int)
    laplace = LogisticRegression(2.0).log_evidence(x, y)
    sign = 2.0 * y - 1
    slopes, constants = np.linspace(-0.5, 3.0, 71), np.linspace(-2.0, 1.5, 71)
    total = sum(
        math.exp(log_expit(sign * (w * (x - 30) + b)).sum() + stats.norm.logpdf(w, scale=math.sqrt(2)) - laplace)
        for w in slopes
        for b in constants
    )
    assert math.log(total * 0.05**2) == pytest.approx(0, abs=2 / 400)


@pytest.mark.parametrize("classes", [2, 3])
def test_the_evidence_prefers_the_truth(classes):
    """Columns that matter against columns that do not."""
    X, y = rows(classes, 400)
    noise = np.random.default_rng(1).normal(size=X.shape)
    prior = LogisticRegression(2.0)
    assert prior.log_evidence(X, y) > prior.log_evidence(noise, y) + 5
    assert prior.log_evidence(X, y) > prior.log_evidence(np.column_stack([X, noise]), y)


@pytest.mark.parametrize("scale", [1e-3, 0.3, 0.99, 1.0, 1.01, 3.0, 9.0, 20.0, 30.0])
def test_the_mean_of_a_sigmoid(scale):
    """Both rules against a fine one, far tails included."""
    for mean in (-500.0, -200.0, -100.0, -41.0, -20.0, -3.0, 0.0, 0.5, 7.0):
        z, step = np.linspace(-40, 40, 800_001), 80 / 800_000
        f = log_expit(mean + scale * z) - 0.5 * z * z - 0.5 * math.log(2 * math.pi)
        fine = f.max() + math.log(np.exp(f - f.max()).sum() * step)
        ours = log_mean_sigmoid(np.array([mean]), np.array([scale]))[0]
        assert ours == pytest.approx(fine, rel=1e-11, abs=1e-12)


def test_the_predictive_of_two_classes_is_the_average_over_draws():
    X, y = rows(2, 30)
    posterior = LogisticRegression(5.0).posterior(X, y)
    predictive, row = posterior.predictive(), X[:1] * 3
    rng = np.random.default_rng(6)
    drawn = posterior.expect(lambda weights, intercept: expit(weights[:, 0] @ row[0] + intercept[:, 0]), rng, 100_000)
    table = predictive.probabilities(row)
    assert abs(table[0, 1] - drawn.value) < 6 * drawn.error
    assert abs(posterior.mode().probabilities(row)[0, 1] - drawn.value) > 6 * drawn.error  # plugging in is not it
    assert table.sum() == pytest.approx(1, abs=1e-13)
    np.testing.assert_allclose(predictive.log_prob(row, ["b"]), np.log(table[:, 1]))
    assert (predictive.error(row) == 0).all()
    labels = predictive.sample(np.repeat(row, 20_000, axis=0), rng)
    share = np.mean(labels == "b")
    assert abs(share - table[0, 1]) < 6 * math.sqrt(share * (1 - share) / 20_000)
    assert (predictive.predict(row) == posterior.mode().predict(row)).all()


def test_the_predictive_of_more_classes_carries_its_error():
    X, y = rows(3, 30)
    posterior = LogisticRegression(5.0).posterior(X, y)
    few = posterior.predictive(np.random.default_rng(1), 500)
    many = posterior.predictive(np.random.default_rng(2), 20_000)
    new = X[:5] * 2
    np.testing.assert_allclose(few.probabilities(new).sum(axis=1), 1)
    z = (few.probabilities(new) - many.probabilities(new)) / np.hypot(few.error(new), many.error(new))
    assert np.abs(z).max() < 6
    assert (few.error(new) > 3 * many.error(new)).all()
    assert set(few.sample(new, np.random.default_rng(3))) <= set("abc")


CONTRASTS = np.array([[1, -1, 0] / np.sqrt(2), [1, 1, -2] / np.sqrt(6)])  # of three classes, orthonormal


@pytest.mark.parametrize("intercept", ["flat", "penalised", None])
@pytest.mark.parametrize("classes", [2, 3])
def test_draws_density_and_marginals_agree(classes, intercept):
    X, y = rows(classes)
    posterior = LogisticRegression(0.7, intercept, ("x", "y", "z")).posterior(X, y)
    draws = posterior.sample(4000, np.random.default_rng(7))
    parts = [draws["weights"]] + ([draws["intercept"][:, :, None]] if intercept else [])
    table = np.concatenate(parts, axis=2).reshape(4000, -1)
    marginals, cov = posterior.marginals(), posterior.covariance()
    assert table.shape[1] == len(marginals) == len(posterior.interval())
    for column, of in zip(table.T, marginals.values(), strict=True):
        assert stats.kstest(column, of.cdf).pvalue > 1e-6
        assert stats.kstest(column + 0.2 * of.std(), of.cdf).pvalue < 1e-6
    np.testing.assert_allclose(np.sqrt(np.diag(cov)), [of.std() for of in marginals.values()], rtol=1e-10)
    log_prob = posterior.log_prob(**{name: values[:5] for name, values in draws.items()})
    width = table.shape[1] // max(classes, 2) if classes == 3 else table.shape[1]
    keep = np.kron(CONTRASTS, np.eye(width)) if classes == 3 else np.eye(width)
    if classes == 3:  # they sum to 0, so two contrasts of them have a density
        assert np.abs(draws["weights"].sum(axis=1)).max() < 1e-12
    centre = keep @ [of.mean() for of in marginals.values()]
    direct = stats.multivariate_normal(centre, keep @ cov @ keep.T)
    np.testing.assert_allclose(log_prob, direct.logpdf(table[:5] @ keep.T), rtol=1e-6)


def test_the_covariance_of_three_classes_is_the_inverse_curvature():
    """By finite differences of -log(likelihood x prior) over all nine weights, less what the classes share."""
    X, y = rows(3)
    posterior = LogisticRegression(0.7, None).posterior(X, y)
    best = posterior.mode().weights.ravel()

    def cost(theta):
        return -LogisticModel(theta.reshape(3, 3), None, ("a", "b", "c")).score(X, y) + theta @ theta / (2 * 0.7)

    step, eye = 1e-3, np.eye(9)
    curvature = np.array(
        [
            [
                cost(best + step * (eye[i] + eye[j]))
                - cost(best + step * (eye[i] - eye[j]))
                - cost(best - step * (eye[i] - eye[j]))
                + cost(best - step * (eye[i] + eye[j]))
                for j in range(9)
            ]
            for i in range(9)
        ]
    ) / (4 * step**2)
    less = np.kron(CONTRASTS.T @ CONTRASTS, np.eye(3))
    np.testing.assert_allclose(posterior.covariance(), less @ np.linalg.inv(curvature) @ less, rtol=1e-3, atol=1e-5)


def test_the_evidence_of_three_classes_is_laplace_s_over_all_weights():
    """What the classes share has its prior before and after, so leaving it out changes nothing."""
    X, y = rows(3)
    posterior = LogisticRegression(0.7, None).posterior(X, y)
    model = posterior.mode()
    log_prior = stats.norm.logpdf(model.weights, scale=math.sqrt(0.7)).sum()
    within = np.kron(CONTRASTS, np.eye(3))
    log_det = np.linalg.slogdet(within @ posterior.covariance() @ within.T)[1] + 3 * math.log(0.7)
    whole = model.score(X, y) + log_prior + 4.5 * math.log(2 * math.pi) + 0.5 * log_det
    assert posterior.log_evidence() == pytest.approx(whole, rel=1e-9)


def test_probabilities_integrate_under_the_density():
    """One coefficient: the density of Laplace's normal integrates to 1."""
    X, y = rows(2)
    posterior = LogisticRegression(0.7, None).posterior(X[:, 0], y)
    total, _ = integrate.quad(lambda w: math.exp(posterior.log_prob(weights=[[w]])), -3, 3, points=[0])
    assert total == pytest.approx(1, abs=1e-8)
    assert posterior.mean() is posterior.mode() and posterior.proper


def test_they_print_as_mathematics():
    X, y = rows(3)
    prior = LogisticRegression(0.7, names=("x", "y", "z"))
    assert str(LogisticRegression.flat()) == "w ~ flat" and str(LogisticRegression(1.0)) == "w ~ 𝒩(0, I)"
    assert str(prior) == "w ~ 𝒩(0, 0.7·I)" and not prior.proper and LogisticRegression(1.0, None).proper
    posterior = prior.posterior(X, y)
    assert str(posterior.mode()).startswith("p = softmax(a: ") and "·z" in str(posterior.mode())
    assert "~" in str(posterior)
    assert "p(b) = σ(" in str(prior.posterior(*rows(2)).mode())


@pytest.mark.parametrize("classes", [2, 3])
def test_frozen_labels_are_multinomials_of_one_trial(classes):
    X, y = rows(classes)
    posterior = LogisticRegression(0.7).posterior(X, y)
    for of in (posterior.mode(), posterior.predictive(np.random.default_rng(5), 50)):
        frozen = of.freeze(X[:7])
        shown = (y[:7, None] == np.array(of.classes)).astype(int)
        np.testing.assert_allclose(frozen.logpmf(shown), of.log_prob(X[:7], y[:7]), rtol=1e-9)
        np.testing.assert_allclose(frozen.mean(), of.probabilities(X[:7]), rtol=1e-12)
        assert np.isfinite(of.freeze(X * 100).pmf(np.eye(classes, dtype=int)[0])).all()


@pytest.mark.parametrize("classes", [2, 3])
def test_a_predictive_scores_too(classes):
    X, y = rows(classes)
    predictive = LogisticRegression(0.7).posterior(X, y).predictive(np.random.default_rng(5), 50)
    weights = np.arange(len(y)) % 3
    assert predictive.score(X, y) == pytest.approx(predictive.log_prob(X, y).sum())
    assert predictive.score(X, y, weights) == pytest.approx(
        -log_loss(y, predictive.probabilities(X), normalize=False, sample_weight=weights), rel=1e-9
    )
    odd = np.array([*y[:-1], "zebra"])
    assert predictive.score(X, odd) == -np.inf
    assert np.isfinite(predictive.score(X, odd, np.arange(len(y))[::-1]))  # impossible, but of no weight


def test_ml_and_map_stand_side_by_side():
    X, y = rows(3)
    found = priori.regress("logistic", X, y, LogisticRegression(2.0), names=("x", "y", "z"))
    table = found.parameters()
    assert len(table) == 12 and all(None not in (each.ml, each.map, each.mean, each.interval) for each in table)
    by_name = {each.name: each for each in table}
    assert by_name["weights[c, 1]"].ml == found.ml.weights[2, 1]
    assert by_name["intercept[a]"].map == found.map.intercept[0]
