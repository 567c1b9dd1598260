"""The estimators of tables inside scikit-learn's machinery."""

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from mixed_table import columns
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris
from sklearn.ensemble import BaggingClassifier, VotingClassifier
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from priori import GaussianDiscriminant, NaiveBayes
from priori.columns import NiwPrior
from priori.errors import DataError

IRIS, SPECIES = load_iris(return_X_y=True)
BOTH = pytest.mark.parametrize("kind", [NaiveBayes, GaussianDiscriminant])


@BOTH
def test_cross_validation(kind):
    scores = cross_val_score(kind(), IRIS, SPECIES, cv=5, scoring="neg_log_loss")
    assert scores.min() > -0.5
    by_hand = []
    for test in (np.arange(150) % 5 == fold for fold in range(5)):
        fitted = kind().fit(IRIS[~test], SPECIES[~test])
        by_hand.append(-log_loss(SPECIES[test], fitted.predict_proba(IRIS[test])))
    folds = [(np.flatnonzero(np.arange(150) % 5 != f), np.flatnonzero(np.arange(150) % 5 == f)) for f in range(5)]
    again = cross_val_score(kind(), IRIS, SPECIES, cv=folds, scoring="neg_log_loss")
    assert again.tolist() == pytest.approx(by_hand, rel=1e-12)


def test_grid_search_over_families_and_priors():
    search = GridSearchCV(
        NaiveBayes(), {"columns": ["auto", "gaussian", {0: "gaussian"}], "class_prior": ["ml", "uniform"]}, cv=3
    )
    with pytest.raises(ValueError, match="there is no column '0'"):  # columns of arrays are called x0, x1, ...
        search.set_params(error_score="raise").fit(IRIS, SPECIES)
    search.set_params(param_grid={"columns": ["auto", "gaussian", {"x0": "student"}]})
    assert search.fit(IRIS, SPECIES).best_score_ > 0.9
    priors = GridSearchCV(
        GaussianDiscriminant(), {"prior": [None, NiwPrior(1.0)], "covariance": ["shared", "full"]}, cv=3
    )
    assert priors.fit(IRIS, SPECIES).best_score_ > 0.95


def test_pipelines_hand_frames_with_names_on():
    frame = pd.DataFrame(IRIS, columns=["sepal length", "sepal width", "petal length", "petal width"])
    pipeline = make_pipeline(StandardScaler(), GaussianDiscriminant()).set_output(transform="pandas")
    pipeline.fit(frame, SPECIES)
    assert pipeline[-1].feature_names_in_.tolist() == list(frame.columns)
    # an affine map of the columns changes no posterior of ml; the scaler is one
    ml = GaussianDiscriminant(estimate="ml")
    scaled = make_pipeline(StandardScaler(), ml).fit(frame, SPECIES).predict_proba(frame)
    assert scaled == pytest.approx(
        GaussianDiscriminant(estimate="ml").fit(frame, SPECIES).predict_proba(frame), abs=1e-9
    )


def test_a_column_transformer_before_it():
    table, y = columns()
    frame = pd.DataFrame(table)
    mapped = ColumnTransformer(
        [
            ("log", FunctionTransformer(np.exp, feature_names_out="one-to-one"), ["income"]),
            ("rest", "passthrough", ["job"]),
        ],
        verbose_feature_names_out=False,
    ).set_output(transform="pandas")
    model = make_pipeline(mapped, NaiveBayes()).fit(frame, y)
    assert model[-1].feature_names_in_.tolist() == ["income", "job"]
    by_hand = NaiveBayes().fit(frame.assign(income=np.exp(frame["income"]))[["income", "job"]], y)
    expected = by_hand.predict_proba(frame.assign(income=np.exp(frame["income"])))
    assert np.array_equal(model.predict_proba(frame), expected)


@BOTH
def test_calibration_voting_and_bagging(kind):
    calibrated = CalibratedClassifierCV(kind(), cv=3).fit(IRIS, SPECIES)
    assert calibrated.predict_proba(IRIS).sum(axis=1) == pytest.approx(1)
    voting = VotingClassifier([("a", kind()), ("b", GaussianDiscriminant(covariance="full"))], voting="soft")
    assert voting.fit(IRIS, SPECIES).score(IRIS, SPECIES) > 0.9
    assert BaggingClassifier(kind(), 3, random_state=0).fit(IRIS, SPECIES).score(IRIS, SPECIES) > 0.9


def test_processes(tmp_path):
    serial = cross_val_predict(NaiveBayes(), IRIS, SPECIES, cv=4, method="predict_proba")
    assert np.array_equal(
        cross_val_predict(NaiveBayes(), IRIS, SPECIES, cv=4, method="predict_proba", n_jobs=2), serial
    )
    fitted = GaussianDiscriminant().fit(IRIS, SPECIES)
    joblib.dump(fitted, tmp_path / "m.joblib")
    mapped = joblib.load(tmp_path / "m.joblib", mmap_mode="r")
    assert np.array_equal(mapped.predict_proba(IRIS), fitted.predict_proba(IRIS))


@BOTH
def test_weights_are_routed(kind):
    weight = np.where(SPECIES == 0, 3.0, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        model = kind().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        pipeline = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), model)
        pipeline.fit(IRIS, SPECIES, sample_weight=weight)
        scaled = StandardScaler().fit_transform(IRIS)
        expected = kind().fit(scaled, SPECIES, sample_weight=weight)
        assert np.array_equal(pipeline.predict_proba(IRIS), expected.predict_proba(scaled))
        assert pipeline[-1].model_.statistics.n.tolist() == [150.0, 50.0, 50.0]
        found = cross_validate(model, IRIS, SPECIES, params={"sample_weight": weight}, cv=3, return_estimator=True)
        assert all(fitted.model_.statistics.n[0] >= 99 for fitted in found["estimator"])
        partial = kind().set_partial_fit_request(sample_weight=True, classes=True)
        assert partial.get_metadata_routing().partial_fit.requests == {"sample_weight": True, "classes": True}


# --- other readings without fitting again --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "setting",
    [
        {"alpha": 0.1},
        {"estimate": "map", "alpha": 2.0},
        {"temper": 1.0},
        {"class_prior": "uniform"},
        {"class_prior": {"a": 0.5, "b": 0.25, "c": 0.25}},
        {"missing": "evidence"},
        {"unknown": "prior", "class_prior": 2.0},
    ],
    ids=str,
)
def test_another_reading_of_a_mixed_table_needs_no_fit(setting):
    table, y = columns()
    fitted = NaiveBayes().fit(table, y)
    before = fitted.predict_proba(table)
    anew = NaiveBayes(**setting).fit(table, y)
    assert np.array_equal(fitted.set_params(**setting).predict_proba(table), anew.predict_proba(table))
    assert not np.array_equal(anew.predict_proba(table), before)
    fitted.set_params(**{name: getattr(NaiveBayes(), name) for name in setting})
    assert np.array_equal(fitted.predict_proba(table), before)


@pytest.mark.parametrize(
    "setting",
    [
        {"covariance": "full"},
        {"covariance": "diagonal"},
        {"estimate": "bayes"},
        {"estimate": "ml", "shrinkage": 0.5},
        {"covariance": "shrunk", "estimate": "ml"},
        {"prior": NiwPrior(1.0, nu=9.0)},
    ],
    ids=str,
)
def test_another_covariance_needs_no_fit(setting):
    fitted = GaussianDiscriminant().fit(IRIS, SPECIES)
    anew = GaussianDiscriminant(**setting).fit(IRIS, SPECIES)
    assert np.array_equal(fitted.set_params(**setting).predict_proba(IRIS), anew.predict_proba(IRIS))


def test_a_family_that_reads_the_same_sums_needs_no_fit_and_another_says_so():
    fitted = NaiveBayes(columns="gaussian").fit(IRIS, SPECIES)
    before = fitted.predict_proba(IRIS)
    with pytest.raises(DataError, match="fit it again"):
        fitted.set_params(columns="binned").predict(IRIS)
    with pytest.raises(DataError, match="fit it again"):
        fitted.set_params(columns={"x0": None, "x1": "gaussian"}).predict(IRIS)
    assert np.array_equal(fitted.set_params(columns="gaussian").predict_proba(IRIS), before)


def test_settings_changed_in_place_are_noticed():
    table, y = columns()
    prior = {"a": 0.8, "b": 0.1, "c": 0.1}
    fitted = NaiveBayes(class_prior=prior).fit(table, y)
    before = fitted.predict_proba(table)
    prior.update(a=0.1, c=0.8)
    assert not np.array_equal(fitted.predict_proba(table), before)


def test_reading_anew_happens_once():
    fitted = GaussianDiscriminant(prior=NiwPrior(location=np.zeros(4))).fit(IRIS, SPECIES)
    assert fitted._current() is fitted._current()


def test_partial_fit_names_classes_to_come():
    fitted = NaiveBayes().partial_fit(IRIS[:100], SPECIES[:100], classes=[0, 1, 2])
    assert fitted.classes_.tolist() == [0, 1, 2]
    assert fitted.predict_proba(IRIS[:3])[:, 2].tolist() == [0, 0, 0]
    fitted.partial_fit(IRIS[100:], SPECIES[100:])
    assert np.array_equal(fitted.predict_proba(IRIS), NaiveBayes().fit(IRIS, SPECIES).predict_proba(IRIS))
    with pytest.raises(DataError, match="the classes are of type str, but int was learned"):
        NaiveBayes().partial_fit(IRIS, SPECIES, classes=["a"])


def test_learning_forgetting_and_merging_is_fitting():
    table, y = columns()
    parts = [{name: cells[start : start + 20] for name, cells in table.items()} for start in (0, 20, 40)]
    whole = NaiveBayes().fit(table, y)
    merged = sum(
        (NaiveBayes().fit(part, y[20 * i + 20 : 20 * i + 40]) for i, part in enumerate(parts[1:])),
        NaiveBayes().fit(parts[0], y[:20]),
    )
    assert np.array_equal(merged.predict_proba(table), whole.predict_proba(table))
    less = whole.forget(parts[1], y[20:40])
    expected = NaiveBayes().fit(parts[0], y[:20]).learn(parts[2], y[40:])
    assert np.array_equal(less.predict_proba(table), expected.predict_proba(table))
    assert np.array_equal(
        (merged - NaiveBayes().fit(parts[1], y[20:40])).predict_proba(table), less.predict_proba(table)
    )


def test_leave_one_out_is_refitting_without():
    X, y = IRIS[::5], SPECIES[::5]
    fitted = GaussianDiscriminant().fit(X, y)
    logs = fitted.leave_one_out(X, y)
    for row in (0, 11, 29):
        others = np.arange(len(y)) != row
        without = GaussianDiscriminant().fit(X[others], y[others]).predict_log_proba(X[row : row + 1])[0]
        assert logs[row] == pytest.approx(without, abs=1e-8)
