"""scikit-learn's own checks of estimators, all of them, and what they leave out."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mixed_table import columns
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

import priori
from priori import GaussianDiscriminant, NaiveBayes
from priori.columns import Categorical, NiwPrior
from priori.errors import DataError

# estimate="ml" is not among them: it has no density where a class has a constant column, or a single row, as many of
# the checks have, and says so when it is asked to predict. test_parity_tables.py holds it against scikit-learn.
ESTIMATORS = [
    NaiveBayes(),
    NaiveBayes(columns="gaussian"),
    NaiveBayes(columns="student"),
    NaiveBayes(columns="binned", estimate="mean"),
    NaiveBayes(columns="categorical", unknown="prior", missing="evidence"),
    NaiveBayes(columns="gaussian_joint"),
    NaiveBayes(class_prior=0.5, n_jobs=1),
    GaussianDiscriminant(),
    GaussianDiscriminant(covariance="full"),
    GaussianDiscriminant(covariance="diagonal"),
    GaussianDiscriminant(covariance="shared_diagonal"),
    GaussianDiscriminant(estimate="bayes"),
    GaussianDiscriminant(covariance="full", estimate="bayes"),
    GaussianDiscriminant(prior=NiwPrior(kappa=0.5), class_prior="uniform"),
]


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_is_content(estimator, check):
    check(estimator)


SETTINGS = {
    NaiveBayes: {
        "columns": {"age": Categorical(("1", "2")), ("x", "z"): "gaussian_joint", "w": None},
        "estimate": "map",
        "alpha": 0.5,
        "class_prior": {"a": 0.5, "b": 0.5},
        "unknown": "prior",
        "missing": "evidence",
        "cost": [[0, 1], [2, 0]],
        "n_jobs": 2,
    },
    GaussianDiscriminant: {
        "covariance": "full",
        "shrinkage": 0.25,
        "estimate": "unbiased",
        "prior": NiwPrior(kappa=2.0),
        "class_prior": {"a": 0.5, "b": 0.5},
        "missing": "evidence",
        "cost": [[0, 1], [2, 0]],
        "n_jobs": 2,
    },
}
BOTH = pytest.mark.parametrize("kind", [NaiveBayes, GaussianDiscriminant])


@BOTH
def test_parameters_go_round(kind):
    settings = SETTINGS[kind]
    assert settings.keys() <= set(kind().get_params())
    estimator = kind(**settings)
    assert all(estimator.get_params()[name] is value for name, value in settings.items())
    assert clone(estimator).get_params() == estimator.get_params()
    assert kind().set_params(**settings).get_params() == estimator.get_params()
    assert is_classifier(estimator)
    with pytest.raises(ValueError, match="nonsense"):
        kind().set_params(nonsense=1)


def test_clones_share_no_state_and_keep_the_dictionaries_they_were_given():
    chosen = {"age": "gaussian"}
    model = NaiveBayes(columns=chosen)
    assert model.get_params()["columns"] is chosen
    assert clone(model).columns == chosen


@pytest.mark.parametrize(
    "bad",
    [
        NaiveBayes(columns="nonsense"),
        NaiveBayes(columns={"nobody": "gaussian"}),
        NaiveBayes(estimate="guess"),
        NaiveBayes(alpha=-1),
        NaiveBayes(class_prior="guess"),
        NaiveBayes(unknown="guess"),
        NaiveBayes(missing="guess"),
        NaiveBayes(n_jobs=0),
        GaussianDiscriminant(covariance="round"),
        GaussianDiscriminant(shrinkage=2, estimate="ml"),
        GaussianDiscriminant(estimate="guess"),
        GaussianDiscriminant(missing="guess"),
    ],
    ids=str,
)
def test_bad_parameters_are_refused_by_fit_and_not_before(bad):
    with pytest.raises(DataError):
        bad.fit([[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1])
    assert not hasattr(bad, "classes_")


@BOTH
def test_a_failed_fit_leaves_the_fitted_model_alone(kind):
    X = np.arange(8.0).reshape(-1, 1)
    fitted = kind().fit(X, [0, 1] * 4)
    before = fitted.predict_proba(X)
    for X_bad, y_bad in [(X, [0]), ([[np.inf]], [0]), (np.empty((0, 1)), []), ([[1, 2], [3, 4]], [None, None])]:
        with pytest.raises(ValueError):
            fitted.fit(X_bad, y_bad)
        with pytest.raises(ValueError):
            fitted.learn(np.column_stack([X, X]), [0, 1] * 4)
    assert fitted.n_features_in_ == 1
    assert np.array_equal(fitted.predict_proba(X), before)


@BOTH
def test_nothing_works_unfitted(kind, tmp_path):
    X, y = [[1.0], [2.0]], [0, 1]
    for use in (
        lambda e: e.predict(X),
        lambda e: e.predict_proba(X),
        lambda e: e.log_joint(X),
        lambda e: e.classify(X),
        lambda e: e.explain(X[:1]),
        lambda e: e.evaluate(X, y),
        lambda e: e.score(X, y),
        lambda e: e.learn(X, y),
        lambda e: e.forget(X, y),
        lambda e: e.leave_one_out(X, y),
        lambda e: e.log_evidence(),
        lambda e: e.sample(3),
        lambda e: e.to_logistic(),
        lambda e: e.get_feature_names_out(),
        lambda e: e.save(tmp_path / "m.priori"),
        lambda e: e + e,
        lambda e: e - e,
    ):
        with pytest.raises(NotFittedError):
            use(kind())
    assert not list(tmp_path.iterdir())


def test_a_single_class_is_predicted():
    model = NaiveBayes().fit([[1.0], [2.0]], ["only", "only"])
    assert model.predict([[5.0]]).tolist() == ["only"]
    assert model.predict_proba([[5.0]]).tolist() == [[1.0]]


@BOTH
@given(st.data())
def test_weight_zero_is_no_row_and_weight_two_is_twice(kind, data):
    rows = data.draw(st.integers(4, 12))
    numbers = st.floats(-1e6, 1e6)
    X = np.array(data.draw(st.lists(st.tuples(numbers, numbers), min_size=rows, max_size=rows)))
    y = np.array([0, 1, *data.draw(st.lists(st.integers(0, 2), min_size=rows - 2, max_size=rows - 2))])
    weight = np.array([1, 1, *data.draw(st.lists(st.integers(0, 3), min_size=rows - 2, max_size=rows - 2))])
    weighted = kind().fit(X, y, sample_weight=weight)
    repeated = kind().fit(X.repeat(weight, axis=0), y.repeat(weight))
    assert weighted.classes_.tolist() == repeated.classes_.tolist()
    assert weighted.model_.statistics == repeated.model_.statistics
    assert np.array_equal(weighted.predict_proba(X), repeated.predict_proba(X))


@BOTH
def test_a_row_alone_is_judged_as_in_company(kind):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(50, 3))
    X[rng.random(X.shape) < 0.2] = np.nan
    fitted = kind().fit(X, rng.integers(0, 3, 50))
    alone = np.concatenate([fitted.predict_log_proba(X[row : row + 1]) for row in range(50)])
    np.testing.assert_allclose(alone, fitted.predict_log_proba(X), rtol=1e-12, atol=1e-12)
    assert fitted.predict(X[:0]).shape == (0,)
    assert fitted.predict_proba(X[:0]).shape == (0, 3)


def test_pickles_of_a_mixed_table_and_files_say_the_same(tmp_path):
    table, y = columns()
    fitted = NaiveBayes(columns={"income": "gaussian"}, cost={"a": {"b": 3}}).fit(table, y)
    copy = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(copy.predict_proba(table), fitted.predict_proba(table))
    assert np.array_equal(copy.predict(table), fitted.predict(table))
    assert np.array_equal(copy.learn(table, y).forget(table, y).predict_proba(table), fitted.predict_proba(table))
    fitted.save(tmp_path / "m.priori")
    loaded = priori.load(tmp_path / "m.priori")
    assert type(loaded) is NaiveBayes
    assert loaded.feature_names_in_.tolist() == list(table)
    assert np.array_equal(loaded.predict_proba(table), fitted.predict_proba(table))
    assert loaded.get_feature_names_out().tolist() == fitted.get_feature_names_out().tolist()
    again = (loaded + fitted - fitted).learn(table, y).forget(table, y)
    assert np.array_equal(again.predict_proba(table), fitted.predict_proba(table))
    with pytest.raises(DataError, match="no tokenizer"):
        priori.load(tmp_path / "m.priori", tokenizer=str.split)


def test_load_gives_each_estimator_back(tmp_path):
    X = np.random.default_rng(0).normal(size=(30, 2))
    y = np.arange(30) % 2 == 0
    for name, fitted in {
        "nb": NaiveBayes(columns="student", alpha=0.5).fit(X, y),
        "gda": GaussianDiscriminant(covariance="full", prior=NiwPrior(0.5, location=[0, 1]), estimate="bayes").fit(
            X, y
        ),
        "frame": GaussianDiscriminant().fit(pd.DataFrame(X, columns=["a", "b"]), y),
    }.items():
        fitted.save(tmp_path / name)
        loaded = priori.load(tmp_path / name)
        assert type(loaded) is type(fitted)
        assert hasattr(loaded, "feature_names_in_") == hasattr(fitted, "feature_names_in_")
        again = loaded.predict_proba(fitted.sample(5, 0)[0])
        assert np.array_equal(again, fitted.predict_proba(fitted.sample(5, 0)[0]))
        assert loaded.predict(fitted.sample(5, 0)[0]).dtype == bool
        loaded.save(tmp_path / "again")
        assert (tmp_path / "again").read_bytes() == (tmp_path / name).read_bytes()
    text = priori.TextClassifier().fit(["a b", "c"], ["x", "y"])
    text.save(tmp_path / "text")
    assert type(priori.load(tmp_path / "text")) is priori.TextClassifier
