"""Rows far from all that was learned: posteriors that still sum to 1 and have the digits they can have."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.special import log_softmax
from scipy.stats import t

from columns.gaussian_data import KINDS, by_class, labelled
from model.estimators import discriminant
from priori.columns.joint.gaussian import class_gaussians
from priori.columns.joint.settings import GaussianSettings
from priori.errors import EstimateError
from priori.model.posterior import normalized

X, CODES = labelled(60)
nan = np.nan


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("far", [1e5, 1e8, 1e9, 1e20, 1e150, 1e308])
def test_posteriors_sum_to_1_however_far_a_row_is(kind, far):
    model = discriminant(covariance=kind, estimate="bayes").fit(X, CODES)
    rows = far * np.array([[1.0, 0, 0], [0.3, -1, 0.2], [nan, 1, nan]])
    np.testing.assert_allclose(model.predict_proba(rows).sum(axis=1), 1, rtol=1e-12)
    if "shared" in kind:
        model = discriminant(covariance=kind).fit(X, CODES)
        np.testing.assert_allclose(model.predict_proba(rows).sum(axis=1), 1, rtol=1e-12)


@pytest.mark.parametrize("kind", ["shared", "shared_diagonal"])
@pytest.mark.parametrize("far", [1.0, 1e5, 1e9])
def test_the_logistic_regression_is_the_same_however_far_a_row_is(kind, far):
    model = discriminant(covariance=kind).fit(X, CODES)
    rows = far * np.random.default_rng(1).normal(size=(20, 3))
    linear = model.to_logistic()
    np.testing.assert_allclose(model.predict_proba(rows), linear.posterior(rows), rtol=0, atol=1e-10)


def test_far_rows_have_the_linear_scores_of_exact_fractions():
    """Two classes at 0 and 1 of variance 1/4 (scatter 1 of 4 rows): log-odds 4 (x - 1/2), at distances where the
    squares alone have lost them."""
    model = class_gaussians(
        by_class(np.array([[-0.5], [0.5], [0.5], [1.5]]), np.array([0, 0, 1, 1]), 2), GaussianSettings()
    )
    for x in (1e5 + 0.1, 1e10 + 0.5):
        scores = model.log_scores(np.array([[x]]))[0]
        assert scores[1] - scores[0] == pytest.approx(float(4 * (Fraction(x) - Fraction(1, 2))), rel=1e-14)


@pytest.mark.parametrize("kind", KINDS)
def test_scores_differ_from_log_probabilities_by_what_all_classes_share(kind):
    rows = np.vstack([X[:9], np.where(np.random.default_rng(0).random((30, 3)) < 0.4, nan, X[:30])])
    model = class_gaussians(by_class(X, CODES), GaussianSettings(kind))
    expected = log_softmax(model.log_prob(rows), axis=1)
    np.testing.assert_allclose(log_softmax(model.log_scores(rows), axis=1), expected, atol=1e-11)
    endless = model.log_scores(np.array([[np.inf, 0.0, 0.0]]))
    assert (endless == -np.inf).all()


@pytest.mark.parametrize("kind", ["full", "diagonal"])
def test_a_t_is_scored_where_squares_are_too_large_for_a_number(kind):
    """log p falls by (degrees + 1) log 10 for each power of ten: scipy's t where it still has numbers, then that."""
    model = class_gaussians(by_class(X[:, :1], CODES), GaussianSettings(kind, "bayes"))
    far = model.log_prob(np.array([[1e100], [1e160], [-1e300]]))
    for k in range(3):
        scale = np.sqrt(model.spreads[k].item() * model.inflation[k])
        exact = t(model.degrees[k], model.means[k, 0], scale).logpdf(1e100)
        slope = (model.degrees[k] + 1) * np.log(10)
        np.testing.assert_allclose(far[:, k], exact - slope * np.array([0, 60, 200]), rtol=1e-12)


def test_what_is_shared_by_all_classes_costs_no_digits():
    joint = np.array([[-1e20, -1e20], [-1e16, -1e16 - 4], [0.0, -np.inf]])
    np.testing.assert_allclose(
        np.exp(normalized(joint)), [[0.5, 0.5], [1 / (1 + np.exp(-4)), 1 / (1 + np.exp(4))], [1, 0]]
    )
    with pytest.raises(EstimateError, match=r"row 8 is impossible in every class.*leave out the column"):
        normalized(np.full((1, 2), -np.inf), 7)
