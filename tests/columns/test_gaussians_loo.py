"""Leave-one-out of class Gaussians against as many refits."""

import numpy as np
import pytest

from columns.gaussian_data import KINDS, by_class, labelled
from model.estimators import discriminant
from priori.columns.base import Rows
from priori.columns.joint.gaussian import class_gaussians
from priori.columns.joint.leave_one_out import leave_one_out
from priori.columns.joint.settings import GaussianSettings, NiwPrior
from priori.errors import DataError, EstimateError
from priori.statistics import VectorMoments

X, CODES = labelled(40)
MOMENTS = by_class(X, CODES)
nan = np.nan


def placed(moments, kind):
    """The prior that is read off all rows, as numbers, so that refits have the same."""
    prior = NiwPrior().at(moments, diagonal="diagonal" in kind)
    return NiwPrior(prior.kappa, prior.nu, prior.location, prior.scale)


def refits(rows, codes, settings, weights=None, classes=3):
    weights = np.ones(len(rows)) if weights is None else weights
    scores = []
    for row in range(len(rows)):
        left = np.arange(len(rows)) != row
        model = class_gaussians(by_class(rows[left], codes[left], classes, weights[left]), settings)
        scores.append(model.log_prob(rows[row : row + 1])[0])
    return np.array(scores)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("estimate", ["ml", "unbiased", "map", "bayes"])
def test_it_is_as_many_refits(kind, estimate):
    settings = GaussianSettings(kind, estimate, prior=placed(MOMENTS, kind))
    ours = leave_one_out(X, CODES, MOMENTS, settings)
    np.testing.assert_allclose(ours, refits(X, CODES, settings), rtol=1e-10)
    assert np.abs(ours - class_gaussians(MOMENTS, settings).log_prob(X)).max() > 0.01
    as_read = GaussianSettings(kind, estimate)
    np.testing.assert_allclose(leave_one_out(X, CODES, MOMENTS, as_read), ours, rtol=1e-12)


@pytest.mark.parametrize("kind", ["shared", "full"])
@pytest.mark.parametrize("estimate", ["ml", "unbiased"])
@pytest.mark.parametrize("shrinkage", [0.0, 0.3, 1.0, "auto"])
def test_shrinkage_is_read_again_without_each_row(kind, estimate, shrinkage):
    settings = GaussianSettings(kind, estimate, shrinkage=shrinkage)
    np.testing.assert_allclose(leave_one_out(X, CODES, MOMENTS, settings), refits(X, CODES, settings), rtol=1e-9)


def test_shrinkage_with_fewer_rows_than_columns():
    rows, codes = labelled(18, d=25)
    for shrinkage in (0.2, "auto"):
        settings = GaussianSettings("shared", shrinkage=shrinkage)
        ours = leave_one_out(rows, codes, by_class(rows, codes), settings)
        np.testing.assert_allclose(ours, refits(rows, codes, settings), rtol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("estimate", ["ml", "bayes"])
def test_weights(kind, estimate):
    weights = np.random.default_rng(4).uniform(0.2, 3.0, len(X))
    weights[5] = 0.0
    moments = by_class(X, CODES, weights=weights)
    settings = GaussianSettings(kind, estimate, prior=placed(moments, kind))
    ours = leave_one_out(X, CODES, moments, settings, weights=weights)
    np.testing.assert_allclose(ours, refits(X, CODES, settings, weights), rtol=1e-9)


def test_a_class_that_is_its_row_but_for_rounding_is_empty_without_it():
    """0.1 + 0.2 - 0.2 is not 0.1: what the row leaves is rounding, either way."""
    for first, second in ((0.1, 0.2), (0.3, 0.1)):
        own = VectorMoments.of(X[:1], [first]) + VectorMoments.of(X[1:2], [second]) - VectorMoments.of(X[1:2], [second])
        moments = [own, *MOMENTS[1:]]
        prior = placed(MOMENTS, "shared")
        settings = GaussianSettings("shared", "bayes", prior=prior)
        ours = leave_one_out(X[:1], CODES[:1], moments, settings, weights=[first])
        fresh = class_gaussians([VectorMoments.zero(3), *MOMENTS[1:]], settings).log_prob(X[:1])
        np.testing.assert_allclose(ours, fresh, rtol=1e-9)
        with pytest.raises(EstimateError, match="class 0 has too few rows"):
            leave_one_out(X[:1], CODES[:1], moments, GaussianSettings("shared"), weights=[first])


@pytest.mark.parametrize("kind", KINDS)
def test_fewer_rows_than_columns_and_a_class_of_one_row_fall_to_the_prior(kind):
    rows, codes = labelled(10, d=15, classes=2)
    codes[-1] = 2
    moments = by_class(rows, codes)
    for estimate in ("map", "bayes"):
        settings = GaussianSettings(kind, estimate, prior=placed(moments, kind))
        ours = leave_one_out(rows, codes, moments, settings)
        np.testing.assert_allclose(ours, refits(rows, codes, settings), rtol=1e-9)


def test_one_class_and_one_column():
    rows, codes = X[:, :1], np.zeros(len(X), int)
    for kind in KINDS:
        for estimate in ("ml", "bayes"):
            moments = by_class(rows, codes, 1)
            settings = GaussianSettings(kind, estimate, prior=placed(moments, kind))
            ours = leave_one_out(rows, codes, moments, settings)
            np.testing.assert_allclose(ours, refits(rows, codes, settings, classes=1), rtol=1e-10)


@pytest.mark.parametrize("kind", KINDS)
def test_a_large_offset_keeps_the_digits_of_the_data(kind):
    """At 1e8 means are rounded to 1e-8 deviations: so exact are scores, whether downdated or refitted."""
    offset = np.array([1e8, -1e8, 1e8])
    for estimate in ("ml", "bayes"):
        settings = GaussianSettings(kind, estimate)
        near = leave_one_out(X, CODES, MOMENTS, settings)
        far = leave_one_out(X + offset, CODES, by_class(X + offset, CODES), settings)
        np.testing.assert_allclose(far, near, rtol=1e-5)


def test_nearly_singular_columns():
    """A column that is another one but for 1e-5: 1 - R² is 1e-10, known to 1e-16 / 1e-10."""
    rows = np.column_stack([X, X[:, 0] + 1e-5 * np.random.default_rng(0).normal(size=len(X))])
    settings = GaussianSettings("shared")
    ours = leave_one_out(rows, CODES, by_class(rows, CODES), settings)
    np.testing.assert_allclose(ours, refits(rows, CODES, settings), rtol=1e-4)


def test_rows_in_no_statistics_are_scored_as_new_ones():
    rows, codes = X.copy(), CODES.copy()
    rows[3, 1], rows[4], codes[7] = nan, nan, -1
    inside = np.ones(len(X), bool)
    inside[[3, 4, 7]] = False
    moments = by_class(rows[inside], codes[inside])
    for kind in KINDS:
        settings = GaussianSettings(kind)
        ours = leave_one_out(rows, codes, moments, settings)
        # of as many rows: a matrix product may add in another order where it has another number of them
        fresh = class_gaussians(moments, settings).log_prob(rows)[~inside]
        np.testing.assert_array_equal(ours[~inside], fresh)
        np.testing.assert_allclose(ours[inside], refits(rows[inside], codes[inside], settings), rtol=1e-10)


@pytest.mark.parametrize("kind", ["shared", "shared_diagonal"])
def test_a_class_that_would_be_empty_is_named(kind):
    codes = np.where(CODES == 2, 1, CODES)
    codes[9] = 2
    with pytest.raises(EstimateError, match=r"without row 9 class 'c' has too few rows.*estimate='bayes'"):
        leave_one_out(X, codes, by_class(X, codes), GaussianSettings(kind), labels=["a", "b", "c"])


def test_a_covariance_that_would_be_singular_names_the_row():
    rows = X.copy()
    rows[:, 1] = 2.0
    rows[11, 1] = 3.0
    moments = by_class(rows, CODES)
    for kind in ("shared", "shared_diagonal"):
        with pytest.raises(EstimateError, match="without row 11 the covariance is singular"):
            leave_one_out(rows, CODES, moments, GaussianSettings(kind))
        assert np.isfinite(leave_one_out(rows, CODES, moments, GaussianSettings(kind, "bayes"))).all()


def test_what_does_not_fit_is_refused():
    with pytest.raises(DataError, match="whole numbers below 3"):
        leave_one_out(X, CODES + 1, MOMENTS, GaussianSettings())
    with pytest.raises(DataError, match="whole numbers below 3"):
        leave_one_out(X, CODES[:-1], MOMENTS, GaussianSettings())
    light = [VectorMoments(0.5, one.mean, one.scatter) for one in MOMENTS]
    with pytest.raises(DataError, match="row 0 has weight 1, and all rows of class 0 together less"):
        leave_one_out(X, CODES, light, GaussianSettings(estimate="bayes"))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("estimate", ["ml", "mean", "bayes"])
@pytest.mark.parametrize("given", [True, False])
@pytest.mark.parametrize("outlier", [1e4, 1e8, 1e12])
def test_an_outlier_costs_no_digits(kind, estimate, given, outlier):
    """Without it the scatter is a share of 1e-16 or less of what it was: only the exact sums still know it."""
    rows = np.vstack([X, [[outlier, 0.5, -1.0]]])
    codes = np.append(CODES, 1)
    prior = placed(MOMENTS, kind) if given else NiwPrior()
    model = discriminant(covariance=kind, estimate=estimate, prior=prior, class_prior="uniform").fit(rows, codes).model_
    reading = model.factors[0].reading
    found = reading.without(rows, Rows(model.labels, codes.astype(np.int32)))[-1]
    fresh = class_gaussians(MOMENTS, GaussianSettings(kind, estimate, prior=prior)).log_prob(rows[-1:])[0]
    np.testing.assert_allclose(found, fresh, rtol=1e-8)


@pytest.mark.parametrize("shrinkage", [0.3, "auto"])
def test_an_outlier_costs_shrinkage_no_digits(shrinkage):
    rows, codes = np.vstack([X, [[1e8, 0.0, 1.0]]]), np.append(CODES, 1)
    model = discriminant(shrinkage=shrinkage).fit(rows, codes).model_
    found = model.factors[0].reading.without(rows, Rows(model.labels, codes.astype(np.int32)))[-1]
    fresh = class_gaussians(MOMENTS, GaussianSettings(shrinkage=shrinkage)).log_prob(rows[-1:])[0]
    np.testing.assert_allclose(found, fresh, rtol=1e-8)
