"""Learning curves: the same rows for all, none of them seen before, and numbers as scikit-learn has them."""

import json
from typing import ClassVar

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, log_loss
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import priori
from priori.errors import DataError
from priori.estimators import learner_comparison
from priori.estimators.gaussian_discriminant import GaussianDiscriminant
from priori.estimators.learner_comparison import compare_learners, compare_simulated
from priori.estimators.naive_bayes import NaiveBayes
from priori.select.splits import Split, split


def mixed(rows=200, seed=0):
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(rows) < 0.4, "yes", "no")
    age = rng.normal(40, 9, rows) + 6 * (y == "yes")
    age[rng.random(rows) < 0.1] = np.nan
    job = np.where(rng.random(rows) < 0.3, "clerk", np.where(y == "yes", "nurse", "pilot"))
    return {"age": age, "job": [None if rng.random() < 0.1 else str(name) for name in job]}, y


def numbers(rows=150, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, rows)
    return rng.normal(size=(rows, 4)) + y[:, None] * [1, 0.5, 0, 0], y


class Recorder(ClassifierMixin, BaseEstimator):
    """Remembers the rows and labels that it is given."""

    seen: ClassVar = []

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.seen.append((np.asarray(X)[:, 0], np.array(y)))
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


class RecordingBayes(NaiveBayes):
    seen: ClassVar = []

    def fit(self, X, y, sample_weight=None):
        self.seen.append((X.column("x0").to_numpy(), np.array(y)))
        return super().fit(X, y, sample_weight)


def test_subsets_are_nested_and_the_same_for_all_learners(monkeypatch):
    X, y = numbers()
    monkeypatch.setattr(Recorder, "seen", [])
    monkeypatch.setattr(RecordingBayes, "seen", [])
    learners = {"a": RecordingBayes(), "b": Recorder()}
    compare_learners(X, y, learners, sizes=[6, 12, 40], repeats=2)
    assert [len(rows) for rows, _ in RecordingBayes.seen] == [6, 12, 40] * 2
    for (raw, labels), (scaled, others) in zip(RecordingBayes.seen, Recorder.seen, strict=True):
        assert (labels == others).all()
        np.testing.assert_allclose((raw - raw.mean()) / raw.std(), scaled, atol=1e-12)
    for small, large in ((0, 1), (1, 2), (3, 4), (4, 5)):
        rows = RecordingBayes.seen[small][0]
        assert (RecordingBayes.seen[large][0][: len(rows)] == rows).all()
    assert not (RecordingBayes.seen[0][0] == RecordingBayes.seen[3][0]).all()


def test_every_class_is_in_every_subset_even_a_class_of_one_row():
    group = np.array([0] * 500 + [1] * 20 + [2])
    for seed in range(30):
        parts = split(group, 200, np.random.default_rng(seed))
        assert set(group[parts.train[:3]]) == {0, 1, 2}
        assert sorted([*parts.train, *parts.test]) == list(range(521))


def test_no_held_out_row_is_learned(monkeypatch):
    """Labels without any pattern: who has not seen a row is right in half of them; 6 deviations of the binomial."""
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(2000, 3)), rng.integers(0, 2, 2000)
    nearest = {"nearest": KNeighborsClassifier(1)}
    honest = compare_learners(X, y, nearest, sizes=[1000], repeats=2, test=1000)
    assert abs(honest["nearest"].accuracy.mean[0] - 0.5) < 6 * 0.5 / np.sqrt(1000)

    def leaking(group, held_out, rng):
        parts = split(group, held_out, rng)
        return Split(np.r_[parts.test[:500], parts.train], parts.test)

    monkeypatch.setattr(learner_comparison, "split", leaking)
    leaked = compare_learners(X, y, nearest, sizes=[1000], repeats=2, test=1000)
    assert leaked["nearest"].accuracy.mean[0] > 0.5 + 6 * 0.5 / np.sqrt(1000)


def test_the_joint_likelihood_is_that_of_the_model():
    X, y = mixed()
    found = compare_learners(X, y, {"ours": NaiveBayes()}, sizes=[30], repeats=1, seed=5, test=60)
    group = (y == "yes").astype(np.int32)
    parts = split(group, 60, np.random.default_rng([5, 0]))

    def rows(places):
        return {"age": X["age"][places], "job": [X["job"][place] for place in places]}

    model = NaiveBayes().fit(rows(parts.train[:30]), y[parts.train[:30]])
    joint = model.log_joint(rows(parts.test))[np.arange(60), group[parts.test]]
    posterior = model.predict_log_proba(rows(parts.test))[np.arange(60), group[parts.test]]
    assert found["ours"].log_joint.mean[0] == pytest.approx(joint.mean(), rel=1e-12)
    assert found["ours"].log_loss.mean[0] == pytest.approx(-posterior.mean(), rel=1e-12)


def test_logistic_regression_is_scikit_learns_behind_its_pipeline():
    pandas = pytest.importorskip("pandas")
    X, y = mixed()
    found = compare_learners(X, y, ["logistic"], sizes=[40, 100], repeats=1, test=80)
    frame, group = pandas.DataFrame(X), (y == "yes").astype(np.int32)
    parts = split(group, 80, np.random.default_rng([0, 0]))
    for at, size in enumerate((40, 100)):
        encode = ColumnTransformer(
            [
                ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), ["age"]),
                ("codes", OneHotEncoder(handle_unknown="ignore"), ["job"]),
            ]
        )
        model = make_pipeline(encode, LogisticRegression(max_iter=1000))
        model.fit(frame.iloc[parts.train[:size]], group[parts.train[:size]])
        proba = model.predict_proba(frame.iloc[parts.test])
        # both stop within lbfgs's tolerance of the same optimum, on columns in another order
        assert found["logistic"].log_loss.mean[at] == pytest.approx(log_loss(group[parts.test], proba), rel=1e-3)
        assert found["logistic"].accuracy.mean[at] == accuracy_score(group[parts.test], proba.argmax(axis=1))


def test_the_same_seed_gives_the_same_numbers():
    X, y = mixed()
    first, again, other = (compare_learners(X, y, sizes=[8, 60], repeats=2, seed=seed) for seed in (1, 1, 2))
    assert first.to_json() == again.to_json()
    assert first.to_json() != other.to_json()


def test_a_table_that_is_not_all_numbers_has_no_gaussian_and_says_so():
    X, y = mixed()
    found = compare_learners(X, y, sizes=[20], repeats=1)
    assert [curve.name for curve in found.curves] == ["naive Bayes", "logistic", "least squares", "tree"]
    assert "Gaussian is left out: column 'job' holds string values" in found.notes[0]
    with pytest.raises(DataError, match="needs numbers; leave the column or the learner out"):
        compare_learners(X, y, ["Gaussian"])


def test_what_a_learner_does_not_have_is_none():
    X, y = numbers()
    found = priori.compare_learners(X, y, sizes=[20, 100], repeats=2)
    assert isinstance(found, priori.LearnerComparison)
    assert {curve.name for curve in found.curves if curve.log_joint is not None} == {"naive Bayes", "Gaussian"}
    assert {curve.name for curve in found.curves if curve.log_loss is None} == {"least squares"}
    assert "least squares has no probabilities, so no log loss" in found.notes
    document = json.loads(json.dumps(found.to_json(), allow_nan=False))
    assert document["learners"][3]["log_loss"] is None
    assert [len(line) <= 80 for line in str(found).splitlines()[:4]] == [True] * 4
    assert len(found.crossings) == 4


def test_default_sizes_double_from_two_rows_a_class_to_all():
    X, y = numbers()
    assert compare_learners(X, y, ["tree"], repeats=1).sizes == (6, 12, 24, 48, 105)
    single = compare_learners(X, y, ["tree"], repeats=1)["tree"].accuracy
    assert single.standard_error is None


def test_rows_without_a_label_are_left_out():
    X, y = numbers()
    labels = [None if row % 5 == 0 else str(label) for row, label in enumerate(y)]
    kept = [row for row in range(150) if row % 5]
    some = compare_learners(X, labels, ["logistic"], sizes=[30], repeats=2)
    rest = compare_learners(X[kept], y[kept], ["logistic"], sizes=[30], repeats=2)
    assert some["logistic"].to_json() == rest["logistic"].to_json()


def test_progress_is_told_to_the_end():
    X, y = numbers()
    told = []
    compare_learners(X, y, ["tree"], sizes=[10, 20], repeats=3, progress=lambda *step: told.append(step))
    assert told == [(step, 6) for step in range(1, 7)]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"sizes": [2]}, "must lie between 3"),
        ({"sizes": [5000]}, "must lie between 3"),
        ({"sizes": []}, "must lie between 3"),
        ({"sizes": ["few"]}, "no numbers of rows"),
        ({"repeats": 0}, "at least 1"),
        ({"test": 0}, "share between 0 and 1"),
        ({"test": 149}, "share between 0 and 1"),
        ({"learners": ["forest"]}, "there is no learner 'forest'"),
        ({"learners": {}}, "no learners"),
        ({"y": np.zeros(150, int)}, "one class"),
        ({"y": [None] * 150}, "none of the 150 rows"),
        ({"y": [0, 1]}, "X has 150 rows, y has 2"),
    ],
)
def test_what_cannot_be_compared_is_refused(change, said):
    X, y = numbers()
    with pytest.raises(DataError, match=said):
        compare_learners(**{"X": X, "y": y, **change})


def test_simulated_rows_are_new_in_every_repeat():
    found = compare_simulated("poisson", 60, ["Gaussian", "logistic"], sizes=[10, 60], repeats=3, test=100)
    assert found.test_rows == 100 and found.repeats == 3
    assert 0.5 < found.optimum[0] < 1
    assert any("Bayes-optimal" in sentence for sentence in found.sentences())
    with pytest.raises(DataError, match="at least 4"):
        compare_simulated("poisson", 2)


class Exchanged(GaussianDiscriminant):
    """A planted error: two columns are exchanged when it predicts."""

    def predict_log_proba(self, X):
        return super().predict_log_proba(X.rename_columns(["x1", "x0", *X.column_names[2:]]).select(X.column_names))


def test_where_the_assumption_holds_the_gaussian_is_at_least_as_good_on_few_rows():
    """Accuracy against logistic regression by maximum likelihood, paired over 100 draws of 20 rows.

    If the Gaussian is at least as good, its lead falls below -6 standard errors with probability < 3e-8 (Student's t).
    """

    def lead(gaussian):
        learners = {"gaussian": gaussian, "logistic": LogisticRegression(C=np.inf, max_iter=10_000)}
        found = compare_simulated("gaussian", 20, learners, sizes=[20], repeats=100, test=500, seed=7)
        gap = (found["gaussian"].accuracy.values - found["logistic"].accuracy.values)[:, 0]
        return gap.mean() / (gap.std(ddof=1) / np.sqrt(len(gap)))

    assert lead(GaussianDiscriminant(n_jobs=1)) > -6
    assert lead(Exchanged(n_jobs=1)) < -6
