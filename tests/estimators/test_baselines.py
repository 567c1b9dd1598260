"""The discriminative learners and their matrix, against scikit-learn and brute force."""

import datetime

import numpy as np
import pyarrow as pa
import pytest
from scipy.special import expit
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from priori.data import table_batches
from priori.estimators.baselines import CATEGORIES, Encoder, Features, LaplaceTree, LeastSquares, log_posterior


@pytest.fixture
def rows():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, 200)
    return rng.normal(size=(200, 3)) + y[:, None], y


def test_least_squares_is_linear_regression_on_one_hot_targets(rows):
    X, y = rows
    expected = LinearRegression().fit(X, np.eye(3)[y]).predict(X).argmax(axis=1)
    assert (LeastSquares().fit(X, y).predict(X) == expected).all()
    wide = np.random.default_rng(2).normal(size=(10, 40))  # the shortest weights go through all targets
    assert (LeastSquares().fit(wide, y[:10]).predict(wide) == y[:10]).all()
    np.testing.assert_allclose(
        LeastSquares().fit(wide, y[:10]).weights_.T, LinearRegression().fit(wide, np.eye(3)[y[:10]]).coef_, atol=1e-10
    )


def test_leaves_of_the_tree_count_one_row_more_of_each_class(rows):
    X, y = rows
    tree = LaplaceTree(max_depth=3, random_state=0).fit(X, y)
    leaves = tree.apply(X)
    for row in range(0, 200, 17):
        inside = y[leaves == leaves[row]]
        expected = [(np.sum(inside == k) + 1) / (len(inside) + 3) for k in range(3)]
        np.testing.assert_allclose(tree.predict_proba(X[row : row + 1])[0], expected, rtol=1e-12)
    plain = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    assert (tree.predict(X) == plain.predict(X)).all()


def test_log_probabilities_are_finite_where_probabilities_are_not(rows):
    X, y = rows
    model = LogisticRegression().fit(X[:, :1], y == 0)
    scores = model.decision_function(X[:, :1])
    np.testing.assert_allclose(np.exp(log_posterior(model, X[:, :1]))[:, 1], expit(scores), rtol=1e-12)
    far = log_posterior(model, np.array([[1e5]]))
    assert np.isfinite(far).all() and far.min() < -1000
    three = LogisticRegression().fit(X, y)
    np.testing.assert_allclose(np.exp(log_posterior(three, X)), three.predict_proba(X), rtol=1e-9)
    certain = DecisionTreeClassifier().fit(X, y)
    assert np.isneginf(log_posterior(certain, X)).any()
    assert log_posterior(LeastSquares(), X) is None


def features(**columns):
    (batch,) = table_batches(pa.table(columns))
    return Features.of(batch)


def test_every_type_of_column_becomes_numbers():
    day = datetime.datetime(2024, 2, 29, 13)
    found = features(
        age=[1.5, None],
        member=[True, None],
        job=["clerk", None],
        seen=pa.array([day, None], pa.timestamp("s")),
        message=["free entry free", None],
        nothing=pa.nulls(2),
    )
    np.testing.assert_array_equal(found.numbers, [[1.5, 1, 2024], [np.nan, np.nan, np.nan]])
    assert found.codes.shape == (2, 4)  # job, month, weekday, hour
    assert found.codes[1].tolist() == [-1] * 4
    assert np.count_nonzero(found.words[0]) == 2 and not found.words[1].any()


def test_the_matrix_knows_only_what_was_in_training():
    train, test = features(a=[1.0, 3.0, None], b=["x", "y", "x"]), features(a=[5.0, None, 1.0], b=["z", "y", None])
    test = Features(test.numbers, np.array([[7], [1], [-1]]), test.words)  # codes as those of one table
    encoder = Encoder(train)
    filled = np.array([1.0, 3.0, 2.0])
    matrix = encoder.matrix(test)
    np.testing.assert_allclose(matrix[:, 0], (np.array([5.0, 2.0, 1.0]) - 2.0) / filled.std())
    assert matrix[:, 1:].tolist() == [[0, 0], [0, 1], [0, 0]]


def test_columns_without_any_number_and_of_many_categories_do_no_harm():
    train = features(a=pa.array([None] * 500, pa.float64()), b=[f"v{k}" for k in range(500)])
    matrix = Encoder(train).matrix(train)
    assert matrix.shape == (500, 1 + CATEGORIES)
    assert np.isfinite(matrix).all() and not matrix[:, 0].any()
