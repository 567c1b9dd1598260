"""Class Gaussians against scikit-learn's discriminants, scipy's densities and the families."""

import warnings

import numpy as np
import pytest
import sklearn
from scipy import stats as scipy_stats
from sklearn.covariance import OAS
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB

from columns.gaussian_data import KINDS, by_class, labelled, posterior
from priori.columns.joint.covariance import intensity
from priori.columns.joint.gaussian import class_gaussians
from priori.columns.joint.settings import GaussianSettings, NiwPrior
from priori.families import NormalInverseGamma, NormalInverseWishart

X, CODES = labelled()
MOMENTS = by_class(X, CODES)
FRESH = np.random.default_rng(7).normal(size=(25, 3)) * 2
SHARES = np.bincount(CODES) / len(CODES)
PRIOR = NiwPrior(
    kappa=0.7, nu=6.3, location=[0.5, -0.2, 0.1], scale=[[2.0, 0.5, 0.0], [0.5, 3.0, 0.1], [0.0, 0.1, 1.0]]
)
# scikit-learn's singular value solvers divided by n - K and n_k - 1 up to 1.8, and divide by n and n_k since (#33626)
SVD = "ml" if tuple(map(int, sklearn.__version__.split(".")[:2])) >= (1, 9) else "unbiased"
nan = np.nan


@pytest.mark.parametrize(
    ("settings", "theirs"),
    [
        (GaussianSettings("shared", "ml"), LinearDiscriminantAnalysis(solver="lsqr")),
        (GaussianSettings("shared", "ml", shrinkage=0.3), LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.3)),
        (GaussianSettings("shared", "ml", shrinkage=1.0), LinearDiscriminantAnalysis(solver="lsqr", shrinkage=1.0)),
        (GaussianSettings("shared", SVD), LinearDiscriminantAnalysis(solver="svd", tol=0.0)),
        (GaussianSettings("full", SVD), QuadraticDiscriminantAnalysis()),
        (GaussianSettings("diagonal", "ml"), GaussianNB(var_smoothing=0.0)),
    ],
    ids=["shared", "shrunk", "wholly shrunk", "singular values", "quadratic", "naive Bayes"],
)
@pytest.mark.parametrize(("classes", "d"), [(3, 3), (2, 1), (3, 8)])
def test_posteriors_are_scikit_learns(settings, theirs, classes, d):
    rows, codes = labelled(120, d, classes, seed=d)
    shares = np.bincount(codes) / len(codes)
    fresh = np.random.default_rng(1).normal(size=(40, d)) * 2
    ours = class_gaussians(by_class(rows, codes, classes), settings).log_prob(fresh)
    np.testing.assert_allclose(
        posterior(ours, np.log(shares)), theirs.fit(rows, codes).predict_proba(fresh), rtol=1e-9, atol=1e-12
    )


def test_unbiased_covariances_are_numpys():
    full = class_gaussians(MOMENTS, GaussianSettings("full", "unbiased")).covariances
    for k in range(3):
        np.testing.assert_allclose(full[k], np.cov(X[k == CODES].T), rtol=1e-12)
    away = X - np.array([stats.mean for stats in MOMENTS])[CODES]
    shared = class_gaussians(MOMENTS, GaussianSettings("shared", "unbiased")).covariances
    np.testing.assert_allclose(shared[2], away.T @ away / (len(X) - 3), rtol=1e-12)
    diagonal = class_gaussians(MOMENTS, GaussianSettings("diagonal", "unbiased")).spreads
    np.testing.assert_allclose(diagonal[1], X[CODES == 1].var(axis=0, ddof=1), rtol=1e-12)


def test_the_automatic_shrinkage_is_oas_of_the_rows_about_their_class_means():
    away = X - np.array([stats.mean for stats in MOMENTS])[CODES]
    theirs = OAS(assume_centered=True).fit(away)
    ours = class_gaussians(MOMENTS, GaussianSettings("shrunk"))
    assert 0 < theirs.shrinkage_ < 1
    np.testing.assert_allclose(ours.spreads[0], theirs.covariance_, rtol=1e-12, atol=1e-14)
    full = class_gaussians(MOMENTS, GaussianSettings("full", shrinkage="auto"))
    for k in range(3):
        np.testing.assert_allclose(full.covariances[k], OAS().fit(X[k == CODES]).covariance_, rtol=1e-12, atol=1e-14)
    assert intensity("auto", np.eye(4), 10.0) == 1.0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("estimate", ["ml", "unbiased", "map", "bayes"])
def test_densities_are_scipys_whatever_is_missing(kind, estimate):
    model = class_gaussians(MOMENTS, GaussianSettings(kind, estimate, prior=PRIOR))
    rows = FRESH.copy()
    rows[::2, 1] = nan
    rows[1::4, [0, 2]] = nan
    rows[4] = nan
    scores = model.log_prob(rows)
    for k in range(3):
        group = 0 if model.shared else k
        degrees = None if model.degrees is None else model.degrees[group]
        scale = model.spreads[group] * model.inflation[k]
        for row, score in zip(rows, scores[:, k], strict=True):
            there = np.flatnonzero(~np.isnan(row))
            blocks = [[j] for j in there] if model.diagonal else [there] * bool(len(there))
            expected = 0.0
            for block in blocks:
                part = scale[block] if model.diagonal else scale[np.ix_(block, block)]
                one = scipy_stats.multivariate_normal(model.means[k, block], part)
                if degrees is not None:
                    one = scipy_stats.multivariate_t(model.means[k, block], part, degrees)
                expected += float(one.logpdf(row[block]))
            assert score == pytest.approx(expected, rel=1e-11, abs=1e-11)
    assert (scores[4] == 0).all()


def family():
    return NormalInverseWishart(PRIOR.location, PRIOR.kappa, PRIOR.nu, PRIOR.scale)


def test_one_covariance_each_is_the_normal_inverse_wishart():
    posteriors = [family().posterior(stats) for stats in MOMENTS]
    for estimate, reading in (("map", "mode"), ("bayes", "predictive")):
        ours = class_gaussians(MOMENTS, GaussianSettings("full", estimate, prior=PRIOR)).log_prob(FRESH)
        theirs = [getattr(belief, reading)().log_prob(FRESH) for belief in posteriors]
        np.testing.assert_allclose(ours, np.transpose(theirs), rtol=1e-12)


def test_a_diagonal_is_a_normal_inverse_gamma_per_column():
    """Σ_jj of an inverse-Wishart is inverse-gamma of shape (nu - d + 1) / 2."""
    shape, scales = (PRIOR.nu - 3 + 1) / 2, np.diag(PRIOR.scale) / 2
    for estimate, reading in (("map", "mode"), ("bayes", "predictive")):
        ours = class_gaussians(MOMENTS, GaussianSettings("diagonal", estimate, prior=PRIOR)).log_prob(FRESH)
        theirs = np.zeros_like(ours)
        for k, stats in enumerate(MOMENTS):
            for j in range(3):
                belief = NormalInverseGamma(PRIOR.location[j], PRIOR.kappa, shape, scales[j]).posterior(stats.column(j))
                theirs[:, k] += getattr(belief, reading)().log_prob(FRESH[:, j])
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)


def test_one_class_shared_is_the_same_as_full():
    for estimate in ("ml", "unbiased", "map", "bayes"):
        one, other = (class_gaussians(MOMENTS[:1], GaussianSettings(kind, estimate)) for kind in ("shared", "full"))
        np.testing.assert_array_equal(one.log_prob(FRESH), other.log_prob(FRESH))


def test_one_column_is_its_own_diagonal():
    moments = by_class(X[:, :1], CODES)
    for estimate in ("ml", "unbiased", "map", "bayes"):
        for whole, diagonal in (("shared", "shared_diagonal"), ("full", "diagonal")):
            one, other = (class_gaussians(moments, GaussianSettings(kind, estimate)) for kind in (whole, diagonal))
            np.testing.assert_allclose(one.log_prob(FRESH[:, :1]), other.log_prob(FRESH[:, :1]), rtol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("estimate", ["ml", "unbiased", "map", "bayes"])
def test_weights_are_repeated_rows(kind, estimate):
    times = np.random.default_rng(3).integers(0, 4, len(X))
    settings = GaussianSettings(kind, estimate)
    weighted = class_gaussians(by_class(X, CODES, weights=times.astype(float)), settings)
    repeated = class_gaussians(by_class(np.repeat(X, times, axis=0), np.repeat(CODES, times)), settings)
    np.testing.assert_allclose(weighted.log_prob(FRESH), repeated.log_prob(FRESH), rtol=1e-11)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("estimate", ["ml", "bayes"])
def test_a_large_offset_costs_only_the_digits_of_the_data(kind, estimate):
    """Rows in steps of 2^-20 stay exact at 1e8; the means are then rounded to 2^-27, and q = Σz² with them."""
    rows, fresh = np.round(X * 2**20) / 2**20, np.round(FRESH * 2**20) / 2**20
    offset = np.array([1e8, -1e8, 1e8])
    settings = GaussianSettings(kind, estimate)
    near = class_gaussians(by_class(rows, CODES), settings).log_prob(fresh)
    far = class_gaussians(by_class(rows + offset, CODES), settings).log_prob(fresh + offset)
    np.testing.assert_allclose(far, near, rtol=1e-6)


def test_free_parameters_are_means_and_covariances():
    counts = {"shared": 3 * 3 + 6, "full": 3 * (3 + 6), "diagonal": 2 * 3 * 3, "shared_diagonal": 3 * 3 + 3}
    for kind, count in counts.items():
        model = class_gaussians(MOMENTS, GaussianSettings(kind))
        assert model.free_parameters == count
        assert model.quadratic == (kind in ("full", "diagonal"))
    assert class_gaussians(MOMENTS, GaussianSettings("shared", "bayes")).quadratic


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("estimate", ["ml", "bayes"])
def test_draws_follow_the_density(kind, estimate):
    """Means, covariances and a squared length of many draws, within six standard errors."""
    model = class_gaussians(MOMENTS, GaussianSettings(kind, estimate))
    draws = model.sample(1, 100_000, np.random.default_rng(5))
    root = np.sqrt(len(draws))
    assert (np.abs(draws.mean(axis=0) - model.means[1]) < 6 * draws.std(axis=0) / root).all()
    products = (draws - model.means[1])[:, :, None] * (draws - model.means[1])[:, None, :]
    errors = np.abs(products.mean(axis=0) - model.covariances[1])
    assert (errors < 6 * products.std(axis=0) / root).all()
    np.testing.assert_array_equal(draws[:0], model.sample(1, 0, np.random.default_rng(5)))


@pytest.mark.parametrize("unit", [1.0, 1e-5])
def test_rows_far_away_have_density_0_and_never_nan(unit):
    """In deviations of 1e-5 what is 1e308 away overflows before it is squared, as inf - inf if correlated; a t has
    numbers there too."""
    far = np.array([[np.inf, 0, 0], [0, -np.inf, nan], [1e308, -1e308, 1e308], [1e308, 1e308, -1e308], [1e200] * 3])
    moments = by_class(X * unit, CODES)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for kind in KINDS:
            for estimate in ("ml", "bayes"):
                scores = class_gaussians(moments, GaussianSettings(kind, estimate)).log_prob(far)
                assert (scores[: 4 if estimate == "ml" else 2] == -np.inf).all()
                assert estimate == "ml" or np.isfinite(scores[2:]).all()
                assert not np.isnan(scores).any()
