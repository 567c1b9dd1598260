"""EM over rows against the same written in loops, and against scikit-learn's Gaussian mixture."""

import warnings
from itertools import islice

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rows_cases import hidden_rows, numbers, plain_em
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

from priori.columns.joint.column import GaussianColumns
from priori.columns.normal import GaussianColumn
from priori.columns.readings import TableReadings
from priori.families import NormalInverseGamma
from priori.latent import em_rows

LAWS = settings(derandomize=True, deadline=None, max_examples=60)


@given(st.integers(0, 2**32), st.integers(3, 12), st.integers(2, 3), st.sampled_from([0.1, 1.0]))
@LAWS
def test_each_iteration_equals_plain_loops(seed, size, classes, lam):
    rng = np.random.default_rng(seed)
    codes = rng.integers(-1, 3, size)
    codes[:3] = [0, 1, 2]
    x = np.where(rng.random(size) < 0.2, np.nan, rng.normal(0, 3, size))
    group = np.where(rng.random(size) < 0.3, rng.integers(0, classes, size), -1)
    group[0] = -1  # so that no class is empty
    weight = rng.choice([0.5, 1.0, 2.0], size)
    prior = (0.5, 0.7, 1.2, 0.9)
    data = {
        "c": pa.array([None if code < 0 else f"v{code}" for code in codes]),
        "g": pa.array(x, from_pandas=True),
    }
    columns = {"c": "categorical", "g": GaussianColumn(NormalInverseGamma(*prior))}
    y = [None if k < 0 else str(k + 1) for k in group]
    rows = hidden_rows(data, y, columns, classes, weight)
    start = rng.dirichlet(np.ones(classes), size)
    counted = np.where(group >= 0, weight, lam * weight)
    plain = plain_em(codes, x, group, start, counted, alpha=1.3, prior=prior, iterations=6)
    steps = islice(em_rows(rows, TableReadings("bayes", 1.3), start, unlabelled_weight=lam), 6)
    for step, (responsibilities, pi, theta, mean, variance, objective) in zip(steps, plain, strict=True):
        close = {"rtol": 1e-9, "atol": 1e-12}
        np.testing.assert_allclose(step.responsibilities, responsibilities, **close)
        np.testing.assert_allclose(step.shares, pi, **close)
        np.testing.assert_allclose(step.parameters[0]["shares"], theta, **close)
        np.testing.assert_allclose(step.parameters[1]["means"], mean, **close)
        np.testing.assert_allclose(step.parameters[1]["variances"], variance, **close)
        assert step.objective == pytest.approx(objective, rel=1e-10, abs=1e-10)


KINDS = {"full": "full", "shared": "tied", "diagonal": "diag"}


def precisions(kind, covariances):
    if kind == "full":
        return np.linalg.inv(covariances)
    return np.linalg.inv(covariances[0]) if kind == "shared" else 1 / np.array([np.diag(c) for c in covariances])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("steps", [1, 5, 30])
def test_gaussian_mixtures_equal_those_of_scikit_learn(kind, steps):
    """From the same parameters, without a prior (ml) there and without `reg_covar` here, after so many iterations."""
    X = load_iris().data
    rng = np.random.default_rng(7)
    rows = hidden_rows(numbers(X), [None] * len(X), GaussianColumns(kind), 3)
    found = list(islice(em_rows(rows, TableReadings("ml"), rng.dirichlet(0.2 * np.ones(3), len(X))), steps + 1))
    first, last = found[0], found[-1]
    mixture = GaussianMixture(
        3, covariance_type=KINDS[kind], reg_covar=0.0, tol=0.0, max_iter=steps, weights_init=first.shares,
        means_init=first.parameters[0]["means"], precisions_init=precisions(kind, first.parameters[0]["covariances"]),
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        mixture.fit(X)
    close = {"rtol": 1e-9, "atol": 1e-10}
    np.testing.assert_allclose(last.shares, mixture.weights_, **close)
    np.testing.assert_allclose(last.parameters[0]["means"], mixture.means_, **close)
    np.testing.assert_allclose(last.responsibilities, mixture.predict_proba(X), rtol=1e-7, atol=1e-10)
    assert last.log_likelihood == pytest.approx(mixture.score(X) * len(X), rel=1e-10)
    assert last.objective == last.log_likelihood  # no prior


def test_columns_of_their_own_are_a_diagonal_mixture():
    X = load_iris().data
    start = np.random.default_rng(1).dirichlet(np.ones(3), len(X))
    ways = [
        list(islice(em_rows(hidden_rows(numbers(X), [None] * len(X), columns, 3), TableReadings("ml"), start), 20))[-1]
        for columns in ("gaussian", GaussianColumns("diagonal"))
    ]
    np.testing.assert_allclose(ways[0].responsibilities, ways[1].responsibilities, rtol=1e-8, atol=1e-11)
    assert ways[0].objective == pytest.approx(ways[1].objective, rel=1e-11)
