"""Where no Gaussian exists for a class, the line says which, why and what to do."""

import numpy as np
import pytest

from columns.gaussian_data import KINDS, by_class, labelled
from priori.columns.joint.covariance import log_evidence
from priori.columns.joint.gaussian import class_gaussians
from priori.columns.joint.settings import GaussianSettings, NiwPrior
from priori.errors import DataError, EstimateError, NegativeCountError
from priori.statistics import VectorMoments

X, CODES = labelled()
MOMENTS = by_class(X, CODES)
LABELS = ["ham", "spam", "eggs"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("value", [0.0, 5.0, 1e8 + 0.1])
def test_a_constant_column_is_named_by_ml_and_legal_under_a_prior(kind, value):
    rows = X.copy()
    rows[:, 1] = value
    moments = by_class(rows, CODES)
    for estimate in ("ml", "unbiased"):
        with pytest.raises(EstimateError, match=r"singular: column 1 is constant.*use estimate='bayes'"):
            class_gaussians(moments, GaussianSettings(kind, estimate))
    for estimate in ("map", "bayes"):
        settings = GaussianSettings(kind, estimate)
        assert np.isfinite(class_gaussians(moments, settings).log_prob(rows)).all()
        assert np.isfinite(log_evidence(moments, settings))


def test_a_variance_that_is_only_rounding_is_none():
    """Equal numbers at 1e8 are known to 1e-8, and so may their scatter be off."""
    rough = []
    for stats in by_class(X + np.array([0, 1e8, 0]), CODES):
        scatter = stats.scatter.copy()
        scatter[1], scatter[:, 1] = 0.0, 0.0
        scatter[1, 1] = stats.n * 1e-8**2
        rough.append(VectorMoments(stats.n, stats.mean, scatter))
    for kind in KINDS:
        with pytest.raises(EstimateError, match="column 1 is constant"):
            class_gaussians(rough, GaussianSettings(kind))
        assert np.isfinite(class_gaussians(rough, GaussianSettings(kind, "bayes")).log_prob(X)).all()


def test_a_column_that_is_constant_in_one_class_names_it():
    rows = X.copy()
    rows[CODES == 1, 2] = 4.0
    for kind in ("full", "diagonal"):
        with pytest.raises(EstimateError, match="the covariance of class 'spam' is singular: column 2 is constant"):
            class_gaussians(by_class(rows, CODES), GaussianSettings(kind), LABELS)
    class_gaussians(by_class(rows, CODES), GaussianSettings("shared"))


def test_columns_that_depend_on_each_other_are_named_and_shrinkage_helps():
    rows = np.column_stack([X, X[:, 0] - 2 * X[:, 2]])
    moments = by_class(rows, CODES)
    with pytest.raises(
        EstimateError, match=r"the shared covariance is singular: column 3 is .*a combination.*shrinkage"
    ):
        class_gaussians(moments, GaussianSettings("shared"))
    assert np.isfinite(class_gaussians(moments, GaussianSettings("shrunk")).log_prob(rows)).all()
    assert np.isfinite(class_gaussians(moments, GaussianSettings("full", shrinkage=0.1)).log_prob(rows)).all()


def test_nearly_singular_columns_are_still_right():
    """1 - R² of 1e-8 leaves eight digits: against the same rows turned so that they are not correlated."""
    turn = np.array([[1.0, 0, 1.0], [0, 1.0, 0], [0, 0, 1e-4]])
    ours = class_gaussians(by_class(X @ turn, CODES), GaussianSettings("shared")).log_prob(X @ turn)
    plain = class_gaussians(MOMENTS, GaussianSettings("shared")).log_prob(X)
    np.testing.assert_allclose(ours + np.log(np.linalg.det(turn)), plain, rtol=1e-7)


@pytest.mark.parametrize("kind", KINDS)
def test_classes_without_rows_are_named(kind):
    moments = [*MOMENTS[:2], VectorMoments.zero(3)]
    for estimate in ("ml", "unbiased"):
        with pytest.raises(EstimateError, match=r"class 'eggs' has no rows.*estimate='bayes'"):
            class_gaussians(moments, GaussianSettings(kind, estimate), LABELS)
    with pytest.raises(EstimateError, match="no class has rows"):
        class_gaussians([VectorMoments.zero(3)] * 2, GaussianSettings(kind, "bayes"))


def test_classes_of_one_row_are_named_where_they_need_a_covariance():
    moments = [*MOMENTS[:2], VectorMoments.of(X[:1])]
    for kind in ("full", "diagonal"):
        with pytest.raises(EstimateError, match="covariance of class 2 is singular"):
            class_gaussians(moments, GaussianSettings(kind))
        with pytest.raises(EstimateError, match="class 2 has 1 rows about 1 mean, so nothing is left"):
            class_gaussians(moments, GaussianSettings(kind, "unbiased"))
    class_gaussians(moments, GaussianSettings("shared"))
    with pytest.raises(EstimateError, match="the shared covariance has 2 rows about 2 means"):
        class_gaussians([VectorMoments.of(X[:1]), VectorMoments.of(X[1:2])], GaussianSettings("shared", "unbiased"))


def test_statistics_that_cannot_be_are_refused():
    with pytest.raises(DataError, match="no classes"):
        class_gaussians([], GaussianSettings())
    with pytest.raises(DataError, match="2 and 3 columns"):
        class_gaussians([MOMENTS[0], VectorMoments.zero(2)], GaussianSettings())
    with pytest.raises(NegativeCountError):
        class_gaussians([MOMENTS[0], -MOMENTS[1]], GaussianSettings())
    with pytest.raises(DataError, match="2 columns, where"):
        class_gaussians(MOMENTS, GaussianSettings()).log_prob(X[:, :2])


def test_settings_that_cannot_be_are_refused():
    with pytest.raises(DataError, match="covariance='round' is unknown; use one of shared, full"):
        GaussianSettings("round")
    with pytest.raises(DataError, match="estimate='best' is unknown; use one of ml"):
        GaussianSettings(estimate="best")
    with pytest.raises(DataError, match=r"shrinkage=1\.5 cannot be"):
        GaussianSettings(shrinkage=1.5)
    for kind, estimate in (("diagonal", "ml"), ("shared", "bayes"), ("full", "map")):
        with pytest.raises(DataError, match="shrinkage is for shared and full covariances under ml or unbiased"):
            GaussianSettings(kind, estimate, shrinkage=0.5)
    for prior, message in (
        (NiwPrior(kappa=0), "kappa=0 cannot be"),
        (NiwPrior(nu=1.5), "nu=1.5 cannot be"),
        (NiwPrior(nu=3.5), "no mean of Σ to be read off"),
        (NiwPrior(location=[0.0]), "location has 1 numbers for 3 columns"),
        (NiwPrior(scale=np.ones((3, 3))), "scale is singular"),
    ):
        with pytest.raises(DataError, match=message):
            class_gaussians(MOMENTS, GaussianSettings("shared", "bayes", prior=prior))


def test_a_t_of_few_degrees_has_no_covariance():
    prior = NiwPrior(nu=2.5, location=[0.0, 0.0, 0.0], scale=np.ones(3))
    model = class_gaussians([VectorMoments.zero(3)], GaussianSettings("full", "bayes", prior=prior))
    with pytest.raises(EstimateError, match="no covariance"):
        _ = model.covariances
