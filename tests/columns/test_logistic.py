"""Class Gaussians of one covariance are a logistic regression (lecture 002)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from columns.gaussian_data import by_class, labelled, posterior
from priori.columns.joint.gaussian import class_gaussians
from priori.columns.joint.settings import GaussianSettings
from priori.errors import DataError, EstimateError

KINDS = ["shared", "shared_diagonal"]


@settings(deadline=None, max_examples=150)
@given(
    st.integers(0, 2**31), st.integers(1, 4), st.integers(1, 6), st.sampled_from(KINDS),
    st.sampled_from(["ml", "unbiased", "map"]), st.sampled_from([0.0, 3.0, -1e4]),
)  # fmt: skip
def test_posteriors_are_equal(seed, classes, d, kind, estimate, offset):
    rng = np.random.default_rng(seed)
    codes = np.concatenate([np.arange(classes).repeat(d + 2), rng.integers(0, classes, 10)])
    rows = rng.normal(size=(classes, d))[codes] * 2 + rng.normal(size=(len(codes), d)) + offset
    log_prior = np.log(rng.dirichlet(np.ones(classes)))
    model = class_gaussians(by_class(rows, codes, classes), GaussianSettings(kind, estimate))
    fresh = rng.normal(size=(20, d)) * 3 + offset
    logistic = model.to_logistic(log_prior)
    expected = posterior(model.log_prob(fresh), log_prior)
    np.testing.assert_allclose(logistic.posterior(fresh), expected, rtol=0, atol=1e-10)
    scores = fresh @ logistic.weights.T + logistic.intercepts
    np.testing.assert_allclose(posterior(scores, 0.0), expected, atol=1e-10 if abs(offset) < 10 else 1e-4)


def test_two_classes_have_the_weights_of_the_lecture():
    """w = Σ⁻¹ (μ₁ - μ₀), b = -½ (μ₁ᵀ Σ⁻¹ μ₁ - μ₀ᵀ Σ⁻¹ μ₀) + log φ / (1 - φ)."""
    X, codes = labelled(50, classes=2)
    model = class_gaussians(by_class(X, codes, 2), GaussianSettings("shared"))
    (zero, one), phi = model.means, 0.3
    inverse = np.linalg.inv(model.covariances[0])
    weights, intercept = model.to_logistic(np.log([1 - phi, phi])).binary()
    np.testing.assert_allclose(weights, inverse @ (one - zero), rtol=1e-11)
    expected = -0.5 * (one @ inverse @ one - zero @ inverse @ zero) + np.log(phi / (1 - phi))
    assert intercept == pytest.approx(expected, rel=1e-11)
    fresh = np.random.default_rng(0).normal(size=(9, 3))
    sigmoid = 1 / (1 + np.exp(-(fresh @ weights + intercept)))
    np.testing.assert_allclose(posterior(model.log_prob(fresh), np.log([1 - phi, phi]))[:, 1], sigmoid, atol=1e-12)


@pytest.mark.parametrize("classes", [2, 3])
def test_scikit_learns_logistic_regression_has_the_same_posterior(classes):
    X, codes = labelled(60, classes=classes)
    logistic = class_gaussians(by_class(X, codes, classes), GaussianSettings()).to_logistic(np.zeros(classes))
    theirs = logistic.to_sklearn()
    np.testing.assert_allclose(theirs.predict_proba(X), logistic.posterior(X), atol=1e-12)
    np.testing.assert_array_equal(theirs.predict(X), logistic.posterior(X).argmax(axis=1))


def test_a_large_offset_costs_the_logistic_nothing():
    X, codes = labelled(60)
    fresh = np.random.default_rng(1).normal(size=(20, 3)) + 1e8
    model = class_gaussians(by_class(X + 1e8, codes), GaussianSettings())
    ours = model.to_logistic(np.zeros(3)).posterior(fresh)
    np.testing.assert_allclose(ours, posterior(model.log_prob(fresh), 0.0), atol=1e-10)


def test_a_class_that_cannot_be_stays_impossible():
    X, codes = labelled(60)
    logistic = class_gaussians(by_class(X, codes), GaussianSettings()).to_logistic([0.0, -np.inf, 0.0])
    assert (logistic.posterior(X)[:, 1] == 0).all()
    np.testing.assert_allclose(logistic.posterior(X).sum(axis=1), 1, rtol=1e-12)


def test_what_is_not_logistic_says_why():
    X, codes = labelled(60)
    moments = by_class(X, codes)
    for kind in ("full", "diagonal"):
        with pytest.raises(EstimateError, match="quadratic and not logistic; use covariance='shared'"):
            class_gaussians(moments, GaussianSettings(kind)).to_logistic(np.zeros(3))
    with pytest.raises(EstimateError, match="is a t, whose posterior is not logistic; use estimate='map'"):
        class_gaussians(moments, GaussianSettings("shared", "bayes")).to_logistic(np.zeros(3))
    model = class_gaussians(moments, GaussianSettings())
    with pytest.raises(DataError, match="the log prior of 3 classes"):
        model.to_logistic(np.zeros(2))
    logistic = model.to_logistic(np.zeros(3))
    with pytest.raises(EstimateError, match="3 classes, not two"):
        logistic.binary()
    with pytest.raises(DataError, match="missing or infinite"):
        logistic.posterior([[np.nan, 0, 0]])
    with pytest.raises(EstimateError, match="one class"):
        class_gaussians(moments[:1], GaussianSettings()).to_logistic([0.0]).to_sklearn()
