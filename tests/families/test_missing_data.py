"""EM over rows that are missing in part, against closed forms, scipy's densities and a numerical maximum."""

from itertools import islice, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from priori.errors import DataError, EstimateError
from priori.families import NormalInverseWishart, complete_rows, completions

nan = np.nan


def observed_log_likelihood(model, rows, weights=None):
    """By scipy, row by row."""
    weights = np.ones(len(rows)) if weights is None else weights
    total = 0.0
    for row, weight in zip(rows, weights, strict=True):
        there = ~np.isnan(row)
        if there.any():
            part = scipy_stats.multivariate_normal(model.mean[there], model.covariance[np.ix_(there, there)])
            total += weight * part.logpdf(row[there])
    return total


def punched(rng, size, width, share):
    """Correlated rows with holes; the first rows have none."""
    rows = rng.normal(size=(size, width)) @ rng.normal(size=(width, width)) + rng.normal(size=width)
    holes = rng.random((size, width)) < share
    holes[: width + 2] = False
    return np.where(holes, nan, rows)


@settings(max_examples=30)
@given(seed=st.integers(0, 10_000), proper=st.booleans())
def test_the_objective_never_falls_and_is_the_observed_log_posterior(seed, proper):
    rng = np.random.default_rng(seed)
    rows = punched(rng, 12, 3, 0.4)
    weights = rng.integers(1, 4, 12).astype(float)
    prior = NormalInverseWishart([0.0, 1.0, 2.0], 0.7, 4.5, np.diag([1.0, 2.0, 0.5])) if proper else None
    steps = list(islice(completions(rows, prior, weights), 20))
    for before, after in pairwise(steps):
        assert after.log_objective >= before.log_objective - 1e-10 * abs(before.log_objective)
    last = steps[-1].estimate
    expected = observed_log_likelihood(last, rows, weights)
    if prior is not None:
        expected += prior.log_prob(mean=last.mean, covariance=last.covariance) + prior.log_normalizer()
    assert steps[-1].log_objective == pytest.approx(float(expected), rel=1e-9)


def test_without_holes_it_is_the_plain_estimate():
    rows = np.random.default_rng(1).normal(size=(9, 3)) @ np.array([[1, 2, 0], [0, 1, 0.5], [0, 0, 3.0]])
    stats = NormalInverseWishart.statistics(rows)
    prior = NormalInverseWishart([0.0, 1.0, 2.0], 0.7, 4.5, np.diag([1.0, 2.0, 0.5]))
    for given_prior, plain in (
        (None, NormalInverseWishart.maximum_likelihood(stats)),
        (prior, prior.posterior(stats).mode()),
    ):
        done = complete_rows(rows, given_prior)
        np.testing.assert_allclose(done.estimate.mean, plain.mean, rtol=1e-12)
        np.testing.assert_allclose(done.estimate.covariance, plain.covariance, rtol=1e-12)
        np.testing.assert_array_equal(done.rows, rows)


@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_a_column_that_ends_early_is_regressed_on_the_other(offset):
    """Anderson 1957: the likelihood factors into that of x and that of y given x, each with its own maximum."""
    rng = np.random.default_rng(2)
    x = rng.normal(2.0, 1.5, 60) + offset
    y = 0.7 * (x - offset) + rng.normal(0, 0.8, 60) - offset
    y[25:] = nan
    slope, _ = np.polyfit(x[:25] - offset, y[:25] + offset, 1)
    left = (y[:25] + offset) - slope * (x[:25] - offset)
    mean_y = left.mean() + slope * (x - offset).mean()
    variance = (x - offset).var()
    expected = [[variance, slope * variance], [slope * variance, left.var() + slope**2 * variance]]
    done = complete_rows(np.c_[x, y])
    tolerance = 1e-8 if offset == 0 else 1e-6
    assert done.estimate.mean[1] + offset == pytest.approx(mean_y, abs=tolerance)
    np.testing.assert_allclose(done.estimate.covariance, expected, rtol=tolerance)
    np.testing.assert_allclose(done.rows[25:, 1] + offset, left.mean() + slope * (x[25:] - offset), atol=10 * tolerance)


def test_the_gradient_is_zero_at_the_end():
    """Central differences of scipy's observed log-likelihood in every mean and covariance."""
    rows = punched(np.random.default_rng(3), 40, 3, 0.3)
    model = complete_rows(rows).estimate

    def at(mean, covariance):
        return observed_log_likelihood(type(model)(mean, covariance), rows)

    h = 1e-5
    for i in range(3):
        step = h * np.eye(3)[i]
        slope = (at(model.mean + step, model.covariance) - at(model.mean - step, model.covariance)) / (2 * h)
        assert abs(slope) < 1e-5
        for j in range(i + 1):
            step = h * (np.outer(np.eye(3)[i], np.eye(3)[j]) + np.outer(np.eye(3)[j], np.eye(3)[i]))
            slope = (at(model.mean, model.covariance + step) - at(model.mean, model.covariance - step)) / (2 * h)
            assert abs(slope) < 1e-5


def test_weights_repeat_rows_and_empty_rows_say_nothing():
    rows = punched(np.random.default_rng(4), 12, 2, 0.4)
    weights = np.array([2, 1, 1, 3, 1, 1, 2, 1, 0, 1, 1, 2])
    weighted = complete_rows(np.vstack([rows, [[nan, nan]]]), weights=[*weights, 5])
    repeated = complete_rows(np.repeat(rows, weights, axis=0))
    np.testing.assert_allclose(weighted.estimate.mean, repeated.estimate.mean, atol=1e-8)
    np.testing.assert_allclose(weighted.estimate.covariance, repeated.estimate.covariance, atol=1e-8)
    assert weighted.log_objective == pytest.approx(repeated.log_objective, rel=1e-9)
    assert np.isnan(weighted.rows[-1]).all()


def test_a_prior_speaks_for_a_column_that_nobody_saw():
    rows = np.array([[1.0, nan], [2.0, nan], [4.0, nan]])
    prior = NormalInverseWishart([0.0, 7.0], 1.0, 4.0, [[1.0, 0.3], [0.3, 2.0]])
    done = complete_rows(rows, prior)
    assert np.isfinite(done.rows).all()
    with pytest.raises(EstimateError, match="singular: column 1"):
        complete_rows(rows)


def test_what_cannot_be_is_refused():
    with pytest.raises(DataError, match="infinite"):
        complete_rows([[1.0, np.inf]])
    with pytest.raises(DataError, match="3 columns, where the distribution has 2"):
        complete_rows(np.eye(3), NormalInverseWishart([0, 0], 1, 4, np.eye(2)))
    with pytest.raises(EstimateError, match="EM still moves after 3 steps"):
        complete_rows(punched(np.random.default_rng(5), 20, 3, 0.5), steps=3)
    # two columns that are never seen together: no data say how they go together, EM stays where it began
    apart = complete_rows([[1.0, nan], [2.0, nan], [nan, 4.0], [nan, 8.0]])
    assert apart.estimate.covariance[0, 1] == 0.0
    with pytest.raises(EstimateError, match="singular"):  # two complete rows: correlation 1 makes them ever likelier
        complete_rows([[1.0, 2.0], [2.0, 5.0], [3.0, nan], [nan, 1.0]])
