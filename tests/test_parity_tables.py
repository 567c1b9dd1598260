"""Posteriors are scikit-learn's to 1e-9 under matching settings; and a mixed table is the product of its parts."""

import numpy as np
import pytest
import sklearn
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.special import log_softmax
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB, MultinomialNB

from model.estimators import discriminant, mixed_table, naive_bayes
from priori.columns.categories import Categorical

SETS = {"iris": load_iris, "wine": load_wine, "breast cancer": load_breast_cancer, "digits": load_digits}
# scikit-learn's singular value solvers divided by n - K and n_k - 1 up to 1.8, and divide by n and n_k since (#33626)
SVD = "ml" if tuple(map(int, sklearn.__version__.split(".")[:2])) >= (1, 9) else "unbiased"
PRIORS = ["ml", "uniform", "given"]
seeds = st.integers(0, 2**32 - 1)


def assert_same(ours, theirs):
    assert ours.shape == theirs.shape
    assert (np.abs(ours - theirs) / np.maximum(1, np.abs(theirs))).max() <= 1e-9


def assert_same_posteriors(ours, theirs):
    """Discriminants of scikit-learn take the logarithm last, so very small probabilities are not its best."""
    assert_same(np.where(theirs > -30, ours, 0), np.where(theirs > -30, theirs, 0))
    assert (ours[theirs <= -30] < -29).all()


def random_table(seed, columns):
    """(X, y, units of 2^-20 as weights): every class has some rows."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(3), np.arange(3), rng.integers(0, 3, rng.integers(5, 60))])
    weights = rng.integers(1, 4 << 20, len(y)) / (1 << 20)
    return columns(rng, y), y, weights


def class_priors(prior, classes):
    """What to say to us, what to say to the naive Bayes of counts, and probabilities."""
    shares = np.arange(1, classes + 1) / np.arange(1, classes + 1).sum()
    given_priors = {str(k): float(share) for k, share in enumerate(shares)}
    return {"ml": "ml", "uniform": "uniform", "given": given_priors}[prior], {
        "ml": None, "uniform": np.full(classes, 1 / classes), "given": shares,
    }[prior]  # fmt: skip


def agree(X, y, weights, prior, ours, theirs):
    said, shares = class_priors(prior, len(np.unique(y)))
    ours.set_params(class_prior=said)
    theirs.set_params(**{"priors" if hasattr(theirs, "priors") else "class_prior": shares})
    ours.fit(X, y, sample_weight=weights)
    theirs.fit(X, y, sample_weight=weights)
    logs = theirs.predict_log_proba(X)
    assert_same(ours.predict_log_proba(X), logs)
    best = np.sort(logs, axis=1)
    clear = best[:, -1] - best[:, -2] > 1e-6  # ties may go either way
    assert (ours.predict(X) == theirs.predict(X))[clear].all()


@given(seeds, st.booleans(), st.sampled_from(PRIORS))
@settings(max_examples=50)
def test_gaussian_naive_bayes(seed, weighted, prior):
    def columns(rng, y):
        return rng.normal(size=(len(y), 4)) * [1, 10, 0.01, 3] + rng.normal(size=4) * 10 + y[:, None]

    X, y, weights = random_table(seed, columns)
    ours = naive_bayes(columns="gaussian", estimate="ml")
    agree(X, y, weights if weighted else None, prior, ours, GaussianNB(var_smoothing=0))


@given(seeds, st.booleans(), st.sampled_from(PRIORS), st.sampled_from([1.0, 0.01, 3.7]))
@settings(max_examples=50)
def test_bernoulli_naive_bayes(seed, weighted, prior, alpha):
    X, y, weights = random_table(seed, lambda rng, y: (rng.random((len(y), 5)) < 0.2 + 0.3 * (y[:, None] == 1)) * 1.0)
    ours = naive_bayes(columns="bernoulli", alpha=alpha)
    agree(X, y, weights if weighted else None, prior, ours, BernoulliNB(alpha=alpha))


@given(seeds, st.booleans(), st.sampled_from(PRIORS), st.sampled_from([1.0, 0.01, 3.7]))
@settings(max_examples=50)
def test_categorical_naive_bayes(seed, weighted, prior, alpha):
    """min_categories names the values that can be; so do we, one by one."""
    X, y, weights = random_table(seed, lambda rng, y: rng.integers(0, 6, (len(y), 3)))
    ours = naive_bayes(columns=Categorical(tuple(map(str, range(7)))), alpha=alpha)
    agree(X, y, weights if weighted else None, prior, ours, CategoricalNB(alpha=alpha, min_categories=7))


@given(seeds, st.booleans(), st.sampled_from(PRIORS), st.sampled_from([1.0, 0.01, 3.7]))
@settings(max_examples=50)
def test_multinomial_naive_bayes(seed, weighted, prior, alpha):
    X, y, weights = random_table(seed, lambda rng, y: rng.poisson(2, (len(y), 6)).astype(float) + (y[:, None] == 2))
    ours = naive_bayes(columns="multinomial", estimate="mean", alpha=alpha)
    agree(X, y, weights if weighted else None, prior, ours, MultinomialNB(alpha=alpha))


@given(seeds, st.sampled_from(PRIORS))
@settings(max_examples=50, deadline=None)
def test_discriminants(seed, prior):
    X, y, _ = random_table(seed, lambda rng, y: rng.normal(size=(len(y), 2)) @ [[1, 0.4], [0, 2]] + y[:, None])
    assume(min(np.bincount(y)) > 4)
    said, shares = class_priors(prior, 3)
    for ours, theirs in (
        (discriminant(estimate="ml"), LinearDiscriminantAnalysis(solver="lsqr")),
        (discriminant(estimate=SVD), LinearDiscriminantAnalysis(solver="svd", tol=0.0)),
        (discriminant(estimate=SVD, covariance="full"), QuadraticDiscriminantAnalysis(priors=shares)),
        (discriminant(estimate="ml", covariance="diagonal"), GaussianNB(var_smoothing=0, priors=shares)),
    ):
        ours.set_params(class_prior=said)
        logs = theirs.fit(X, y).predict_log_proba(X)
        if isinstance(theirs, LinearDiscriminantAnalysis) and shares is not None:
            # scikit-learn's priors would weigh the classes' covariances too, so they are changed after the fit
            logs = log_softmax(logs + np.log(shares) - np.log(theirs.priors_), axis=1)
        assert_same_posteriors(ours.fit(X, y).predict_log_proba(X), logs)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("prior", PRIORS)
def test_real_tables(name, prior):
    X, y = SETS[name](return_X_y=True)
    varies = np.array([[np.ptp(X[y == k, j]) > 0 for k in np.unique(y)] for j in range(X.shape[1])]).all(axis=1)
    above = np.median(X, axis=0) < X
    levels = np.floor(4 * (X - X.min(axis=0)) / (np.ptp(X, axis=0) + 1e-9)).astype(int)
    weights = np.random.default_rng(0).integers(1, 4 << 20, len(y)) / (1 << 20)
    for given_weights in (None, weights):
        ours = naive_bayes(columns="gaussian", estimate="ml")
        agree(X[:, varies], y, given_weights, prior, ours, GaussianNB(var_smoothing=0))
        agree(above, y, given_weights, prior, naive_bayes(alpha=0.5), BernoulliNB(alpha=0.5))
        four = naive_bayes(columns=Categorical(tuple("0123")))
        agree(levels, y, given_weights, prior, four, CategoricalNB(min_categories=4))
        ours = naive_bayes(columns="multinomial", alpha=0.5)
        agree(levels, y, given_weights, prior, ours, MultinomialNB(alpha=0.5))


@pytest.mark.parametrize("name", ["iris", "wine", "breast cancer"])
def test_discriminants_of_real_tables(name):
    """In units of their spread, and up to 15 columns: the condition of more leaves fewer digits than nine."""
    X, y = SETS[name](return_X_y=True)
    X = ((X - X.mean(axis=0)) / X.std(axis=0))[:, :15]
    for ours, theirs in (
        (discriminant(estimate="ml"), LinearDiscriminantAnalysis(solver="lsqr")),
        (discriminant(estimate="ml", shrinkage=0.3), LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.3)),
        (discriminant(estimate=SVD, covariance="full"), QuadraticDiscriminantAnalysis(tol=0.0)),
    ):
        assert_same_posteriors(ours.fit(X, y).predict_log_proba(X), theirs.fit(X, y).predict_log_proba(X))


@pytest.mark.parametrize("estimate", ["ml", "map", "bayes"])
@pytest.mark.parametrize("missing", ["ignore", "evidence"])
def test_a_mixed_table_is_the_product_of_its_parts(estimate, missing):
    """log p(x, y) = log p(y) + Σ_j log p(x_j | y), the last from models of one column each."""
    table, y = mixed_table(300)
    families = {"age": "gaussian", "income": "lognormal", "visits": "poisson"}
    options = {"estimate": estimate, "alpha": 1.5, "missing": missing}
    whole = naive_bayes(columns=families, **options).fit(table, y)
    fresh, _ = mixed_table(50, seed=1)
    classes = np.log([y.count(label) / len(y) for label in ("no", "perhaps", "yes")])
    total = classes + np.zeros((50, 1))
    for name in table:
        columns = {name: families[name]} if name in families else "auto"
        one = naive_bayes(columns=columns, **options).fit({name: table[name]}, y)
        total += one.log_joint({name: fresh[name]}) - classes
    np.testing.assert_allclose(whole.log_joint(fresh), total, rtol=1e-12, atol=1e-12)


@given(hnp.arrays(np.float64, (12, 2), elements=st.floats(-50, 50).map(lambda x: round(x, 2))))
def test_columns_of_numbers_multiply_too(X):
    y = np.arange(12) % 2
    for k in (0, 1):
        assume(all(np.unique(X[y == k, j]).size > 1 for j in (0, 1)))
    whole = naive_bayes(columns="gaussian", estimate="ml").fit(X, y)
    parts = [naive_bayes(columns="gaussian", estimate="ml").fit(X[:, [j]], y).log_joint(X[:, [j]]) for j in (0, 1)]
    np.testing.assert_allclose(whole.log_joint(X), parts[0] + parts[1] - np.log(0.5), rtol=1e-12, atol=1e-12)
