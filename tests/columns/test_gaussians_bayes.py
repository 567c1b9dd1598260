"""Integrated-out class Gaussians against quadrature, Monte Carlo, the chain rule and the families."""

import numpy as np
import pytest
from scipy import integrate, stats

from columns.gaussian_data import KINDS, by_class, labelled
from priori.columns.joint.covariance import log_evidence
from priori.columns.joint.gaussian import class_gaussians
from priori.columns.joint.settings import GaussianSettings, NiwPrior
from priori.families import NormalInverseGamma, NormalInverseWishart
from priori.statistics import VectorMoments

X, CODES = labelled(24)
MOMENTS = by_class(X, CODES)
PRIOR = NiwPrior(
    kappa=0.7, nu=6.3, location=[0.5, -0.2, 0.1], scale=[[2.0, 0.5, 0.0], [0.5, 3.0, 0.1], [0.0, 0.1, 1.0]]
)


def test_the_shared_predictive_is_the_integral_over_means_and_variance():
    """One column, two classes: means integrated in closed form given σ², σ² by quadrature over Bayes' rule itself."""
    classes = [np.array([0.1, 1.3, 0.4]), np.array([2.2, 3.1])]
    prior = NiwPrior(kappa=0.6, nu=2.5, location=[1.0], scale=[[1.7]])

    def joint(variance, extra, k):
        """p(σ²) p(rows | σ²) with one more row in class k; each class's rows are jointly normal given σ²."""
        density = stats.invgamma(2.5 / 2, scale=1.7 / 2).pdf(variance)
        for place, known in enumerate(classes):
            rows = np.append(known, extra) if place == k else known
            covariance = variance * (np.eye(len(rows)) + 1 / 0.6)
            density *= stats.multivariate_normal(np.full(len(rows), 1.0), covariance).pdf(rows)
        return density

    def integral(extra, k):
        return integrate.quad(lambda u: joint(np.exp(u), extra, k) * np.exp(u), -12, 12, epsabs=0, epsrel=1e-10)[0]

    moments = [VectorMoments.of(rows[:, None]) for rows in classes]
    ours = class_gaussians(moments, GaussianSettings("shared", "bayes", prior=prior)).log_prob(np.array([[0.7], [4.0]]))
    without = integral([], 0)
    for row, x in enumerate((0.7, 4.0)):
        for k in range(2):
            assert ours[row, k] == pytest.approx(np.log(integral([x], k) / without), rel=1e-8)
    assert log_evidence(moments, GaussianSettings("shared", prior=prior)) == pytest.approx(np.log(without), rel=1e-8)


def test_the_shared_predictive_in_two_columns_is_the_mean_over_posterior_draws():
    """Σ from scipy's inverse-Wishart, means given Σ from their normals; six standard errors see nu off by one."""
    moments = by_class(X[:, :2], CODES)
    scale, location = np.array([[2.0, 0.5], [0.5, 3.0]]), np.array([0.5, -0.2])
    grown = scale.copy()
    for one in moments:
        away = one.mean - location
        grown += one.scatter + 0.7 * one.n / (0.7 + one.n) * np.outer(away, away)
    rng = np.random.default_rng(11)
    draws = stats.invwishart(4.3 + 24, grown).rvs(60_000, random_state=rng)
    k, x = 1, np.array([1.5, 0.5])
    kappa = 0.7 + moments[k].n
    center = (0.7 * location + moments[k].n * moments[k].mean) / kappa
    means = center + np.einsum("sij,sj->si", np.linalg.cholesky(draws / kappa), rng.normal(size=(len(draws), 2)))
    squares = np.einsum("si,sij,sj->s", x - means, np.linalg.inv(draws), x - means)
    densities = np.exp(-0.5 * squares - 0.5 * np.linalg.slogdet(2 * np.pi * draws)[1])
    error = densities.std() / np.sqrt(len(densities))
    ours, planted = (
        np.exp(class_gaussians(moments, GaussianSettings("shared", "bayes", prior=prior)).log_prob(x[None])[0, k])
        for prior in (NiwPrior(0.7, 4.3, location, scale), NiwPrior(0.7, 5.3, location, scale))
    )
    assert abs(densities.mean() - ours) < 6 * error
    assert abs(densities.mean() - planted) > 6 * error


@pytest.mark.parametrize("kind", KINDS)
def test_the_evidence_is_the_product_of_predictives_row_by_row(kind):
    settings = GaussianSettings(kind, "bayes", prior=PRIOR)
    moments = [VectorMoments.zero(3)] * 3
    total = 0.0
    for row, code in zip(X, CODES, strict=True):
        total += class_gaussians(moments, settings).log_prob(row[None])[0, code]
        moments[code] = moments[code] + VectorMoments.of(row[None])
    assert log_evidence(MOMENTS, settings) == pytest.approx(total, rel=1e-11)
    empty = [VectorMoments.zero(3)] * 3
    assert log_evidence(empty, settings) == 0.0


def test_the_evidence_of_covariances_of_their_own_is_the_families():
    wide = NormalInverseWishart(PRIOR.location, PRIOR.kappa, PRIOR.nu, PRIOR.scale)
    expected = sum(wide.log_evidence(one) for one in MOMENTS)
    assert log_evidence(MOMENTS, GaussianSettings("full", prior=PRIOR)) == pytest.approx(expected, rel=1e-12)
    shape, scales = (PRIOR.nu - 3 + 1) / 2, np.diag(PRIOR.scale) / 2
    expected = sum(
        NormalInverseGamma(PRIOR.location[j], PRIOR.kappa, shape, scales[j]).log_evidence(one.column(j))
        for one in MOMENTS
        for j in range(3)
    )
    assert log_evidence(MOMENTS, GaussianSettings("diagonal", prior=PRIOR)) == pytest.approx(expected, rel=1e-12)


def test_the_mode_of_a_shared_covariance_is_where_the_joint_density_peaks():
    """log p(rows, means, σ²) of one column and two classes, from scipy's densities: no step away from it is higher."""
    classes = [np.array([0.1, 1.3, 0.4]), np.array([2.2, 3.1])]
    prior = NiwPrior(kappa=0.6, nu=2.5, location=[1.0], scale=[[1.7]])
    moments = [VectorMoments.of(rows[:, None]) for rows in classes]
    model = class_gaussians(moments, GaussianSettings("shared", "map", prior=prior))

    def joint(first, second, variance):
        result = stats.invgamma(2.5 / 2, scale=1.7 / 2).logpdf(variance)
        for mean, rows in zip((first, second), classes, strict=True):
            result += stats.norm(1.0, np.sqrt(variance / 0.6)).logpdf(mean)
            result += stats.norm(mean, np.sqrt(variance)).logpdf(rows).sum()
        return result

    peak = np.array([*model.means[:, 0], model.spreads[0, 0, 0]])
    for step in 1e-3 * np.vstack([np.eye(3), -np.eye(3)]):
        assert joint(*(peak + step)) < joint(*peak)
    gradient = [(joint(*(peak + s)) - joint(*(peak - s))) / 2e-5 for s in 1e-5 * np.eye(3)]
    np.testing.assert_allclose(gradient, 0, atol=1e-6)


def test_the_prior_that_is_read_off_the_data_is_as_stated():
    within = sum(np.diag(one.scatter) for one in MOMENTS) / len(X)
    for diagonal, worth in ((False, 3), (True, 1)):
        prior = NiwPrior().at(MOMENTS, diagonal=diagonal)
        np.testing.assert_allclose(prior.location, X.mean(axis=0), rtol=1e-12)
        np.testing.assert_allclose(prior.mean().covariance, np.diag(within), rtol=1e-12)
        assert (prior.kappa, prior.nu) == (0.01, 3 + 1 + worth)
    np.testing.assert_allclose(NiwPrior(nu=9.0).at(MOMENTS).mean().covariance, np.diag(within), rtol=1e-12)


def test_units_of_measurement_do_not_matter_under_the_prior_that_is_read_off():
    units, offset = np.array([1e-6, 1.0, 1e5]), np.array([3.0, -2.0, 7.0])
    fresh = np.random.default_rng(2).normal(size=(9, 3))
    for kind in KINDS:
        settings = GaussianSettings(kind, "bayes")
        one = class_gaussians(MOMENTS, settings).log_prob(fresh)
        other = class_gaussians(by_class(X * units + offset, CODES), settings).log_prob(fresh * units + offset)
        np.testing.assert_allclose(other + np.log(units).sum(), one, rtol=1e-7)


@pytest.mark.parametrize("kind", KINDS)
def test_fewer_rows_than_columns_and_classes_of_one_row_or_none_are_legal(kind):
    rows, codes = labelled(8, d=20, classes=3)
    moments = [*by_class(rows, codes), VectorMoments.of(rows[:1]), VectorMoments.zero(20)]
    for estimate in ("map", "bayes"):
        model = class_gaussians(moments, GaussianSettings(kind, estimate))
        assert np.isfinite(model.log_prob(rows)).all()
        assert np.isfinite(log_evidence(moments, GaussianSettings(kind, estimate)))


@pytest.mark.parametrize("kind", KINDS)
def test_many_rows_make_bayes_the_maximum_of_the_likelihood(kind):
    """Both go to the same limit as 1/n: at 30,000 rows what is left is of the order d/n each."""
    rows, codes = labelled(30_000)
    moments, fresh = by_class(rows, codes), rows[:50]
    ml, bayes = (class_gaussians(moments, GaussianSettings(kind, estimate)) for estimate in ("ml", "bayes"))
    np.testing.assert_allclose(bayes.log_prob(fresh), ml.log_prob(fresh), atol=0.02)
