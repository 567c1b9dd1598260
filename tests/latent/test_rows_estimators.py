"""NaiveBayes and GaussianDiscriminant where labels are missing: found classes, clamped rows, choices and messages."""

import numpy as np
import pytest
from rows_cases import hidden_rows, numbers
from scipy.optimize import linear_sum_assignment
from sklearn.datasets import load_iris
from sklearn.mixture import GaussianMixture

from priori import GaussianDiscriminant, NaiveBayes, TextClassifier, load
from priori.columns.joint.column import GaussianColumns
from priori.columns.readings import TableReadings
from priori.latent.em_algorithm.restarts import Search, fit_rows
from priori.latent.unlabelled_weight import choose_weight

X, Y = load_iris(return_X_y=True)
NAMES = load_iris().target_names[Y]


def matched(truth, found):
    """The share of rows that are right, classes matched as well as they can be."""
    truth, found = (np.unique(each, return_inverse=True)[1] for each in (truth, found))
    size = max(truth.max(), found.max()) + 1
    table = np.zeros((size, size))
    np.add.at(table, (truth, found), 1)
    return table[linear_sum_assignment(-table)].sum() / len(truth)


def blobs(rng, size=60):
    """Three groups that no one could take for less, in four columns of different types, with holes."""
    k = rng.integers(0, 3, size)
    table = {
        "height": rng.normal(8.0 * k, 1.0),
        "kind": [None if rng.random() < 0.1 else f"kind {value}" for value in k],
        "spotted": [bool(rng.random() < (0.05, 0.5, 0.95)[value]) for value in k],
        "eggs": rng.poisson(1 + 6 * k).tolist(),
    }
    table["height"] = [None if rng.random() < 0.1 else value for value in table["height"].tolist()]
    return table, k


@pytest.mark.parametrize("covariance", ["shared", "full"])
@pytest.mark.parametrize("estimate", ["mean", "ml", "bayes"])
def test_iris_without_labels(covariance, estimate):
    model = GaussianDiscriminant(covariance=covariance, estimate=estimate, n_classes=3).fit(X)
    mixture = GaussianMixture(3, n_init=10, random_state=0).fit(X)
    assert matched(Y, model.predict(X)) >= matched(Y, mixture.predict(X))
    assert model.classes_.tolist() == ["1", "2", "3"]
    sizes = model.model_.statistics.n
    assert sizes.sum() == 150
    assert (np.diff(sizes) <= 0).all()  # the largest first
    assert model.hidden_.converged
    assert len(model.hidden_.objectives) == 10


def test_iris_with_three_labels_a_class():
    rng = np.random.default_rng(0)
    shown = np.concatenate([rng.choice(np.flatnonzero(k == Y), 3, replace=False) for k in range(3)])
    y = np.array([None] * 150, object)
    y[shown] = NAMES[shown]
    rest = np.setdiff1d(np.arange(150), shown)
    mixture = GaussianMixture(3, n_init=10, random_state=0).fit(X)
    model = GaussianDiscriminant(unlabelled_weight=1).fit(X, y.tolist())
    assert model.classes_.tolist() == sorted(set(NAMES))
    assert (model.predict(X[rest]) == NAMES[rest]).mean() >= matched(Y, mixture.predict(X))
    automatic = GaussianDiscriminant().fit(X, y.tolist())
    skipped = GaussianDiscriminant(unlabelled="skip").fit(X, y.tolist())
    assert automatic.score(X[rest], NAMES[rest]) >= skipped.score(X[rest], NAMES[rest]) - 0.01


@pytest.mark.parametrize("seed", range(3))
def test_mixed_tables_without_labels(seed):
    table, k = blobs(np.random.default_rng(seed))
    for columns in ("auto", {"height": "gaussian", "eggs": "poisson"}):
        model = NaiveBayes(n_classes=3, columns=columns).fit(table, [None] * 60)
        assert matched(k, model.predict(table)) >= 0.95
        np.testing.assert_allclose(model.predict_proba(table).sum(axis=1), 1)


def test_labelled_rows_are_clamped():
    """A row whose label contradicts its cells still counts as what it was called."""
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(0, 1, 40), rng.normal(9, 1, 41)])[:, None]
    y = np.array([None] * 81, object)
    y[:4], y[40:44], y[80] = "a", "b", "a"
    model = NaiveBayes(columns="gaussian", temper=1, unlabelled_weight=1).fit(x, y)
    assert model.model_.statistics.n == pytest.approx([41, 40], abs=0.2)
    assert model.predict(x[80:]).tolist() == ["b"]
    assert (model.hidden_.labelled, model.hidden_.unlabelled) == (9, 72)
    model.forget(x[y != None], y[y != None])  # noqa: E711  # exactly, for they were counted whole
    assert model.model_.statistics.n == pytest.approx([36, 36], abs=0.2)


def test_an_ordinary_model_comes_of_it(tmp_path):
    table, _ = blobs(np.random.default_rng(5))
    model = NaiveBayes(n_classes=3).fit(table, [np.nan] * 60)
    model.save(tmp_path / "found.priori")
    again = load(tmp_path / "found.priori")
    np.testing.assert_array_equal(again.predict_proba(table), model.predict_proba(table))
    before = model.model_.statistics
    labels = model.predict(table)
    model.learn(table, labels).forget(table, labels)
    assert model.model_.statistics == before
    assert model.set_params(alpha=2.0).predict_proba(table).shape == (60, 3)
    assert model.explain({name: [column[0]] for name, column in table.items()}).contributions


def test_all_ways_to_have_no_labels_are_one():
    table, _ = blobs(np.random.default_rng(1))
    ways = [None, [None] * 60, np.full(60, np.nan)]
    found = [NaiveBayes(n_classes=2).fit(table, y).model_.statistics for y in ways]
    assert found[0] == found[1] == found[2]


def test_the_same_seed_gives_the_same_model():
    found = [GaussianDiscriminant(n_classes=4, restarts=3, random_state=7).fit(X).predict_proba(X) for _ in range(2)]
    np.testing.assert_array_equal(*found)
    other = GaussianDiscriminant(n_classes=4, restarts=1, random_state=8).fit(X)
    assert (
        other.hidden_.objectives
        != GaussianDiscriminant(n_classes=4, restarts=1, random_state=7).fit(X).hidden_.objectives
    )


def test_the_best_start_is_kept():
    rows = hidden_rows(numbers(X), [None] * 150, GaussianColumns("full"), 3)
    for start in ("spread", "random"):
        found = fit_rows(rows, TableReadings("ml"), Search(5, start=start), np.random.default_rng(3))
        assert found.step.objective == max(found.objectives)


def test_weights_are_copies():
    """A row of weight 2 is the row twice, to what the units of weights leave."""
    y = np.where(np.arange(150) % 10 == 0, NAMES, None)
    settings = {"columns": "gaussian", "unlabelled_weight": 0.5, "temper": 1, "tolerance": 1e-9}
    once = NaiveBayes(**settings).fit(X, y, np.where(np.arange(150) < 40, 2.0, 1.0))
    twice = NaiveBayes(**settings).fit(np.vstack([X, X[:40]]), np.concatenate([y, y[:40]]))
    np.testing.assert_allclose(once.predict_log_proba(X), twice.predict_log_proba(X), atol=1e-3)


def test_rows_that_say_nothing_of_the_classes_get_no_weight():
    """Labels that the clusters contradict: the weight falls to 0, and the model is that of the labelled rows alone."""
    rng = np.random.default_rng(0)
    k, noise = rng.integers(0, 2, 400), rng.integers(0, 2, 400)
    table = np.column_stack([rng.normal(0.8 * k, 1.0), rng.normal(9.0 * noise, 1.0), rng.normal(9.0 * noise, 1.0)])
    y = [str(value) if row < 60 else None for row, value in enumerate(k)]
    model = NaiveBayes(columns="gaussian").fit(table, y)
    skipped = NaiveBayes(columns="gaussian", unlabelled="skip").fit(table, y)
    np.testing.assert_array_equal(model.predict_proba(table), skipped.predict_proba(table))
    rows = hidden_rows(numbers(table), y, "gaussian")
    choice = choose_weight(rows, TableReadings(), Search())
    assert choice.weight == 0
    assert min(choice.losses, key=choice.losses.get) == 0
    told = model.hidden_  # which says why
    assert (told.unlabelled_weight, told.losses) == (0, choice.losses)
    assert (told.labelled, told.unlabelled, told.objective, told.objectives) == (60, 340, None, ())
    assert repr(told).startswith(
        "<HiddenClasses: 60 rows with a label, 340 without, at weight 0; log loss of held-out "
    )
    given = NaiveBayes(columns="gaussian", unlabelled_weight=0).fit(table, y).hidden_
    assert (given.unlabelled_weight, given.losses) == (0, {})
    assert skipped.hidden_ is None


def test_what_is_told_of_em():
    y = np.where(np.arange(150) % 10 == 0, NAMES, None)
    told = GaussianDiscriminant(unlabelled_weight=1).fit(X, y).hidden_
    assert repr(told).startswith("<HiddenClasses: 15 rows with a label, 135 without, at weight 1; objective ")
    assert (told.classes, told.empty, told.advice) == (3, (), None)
    short = GaussianDiscriminant(unlabelled_weight=1, most_iterations=1).fit(X, y).hidden_
    assert "not yet resting objective" in repr(short)


def test_classes_that_vanish_are_told():
    """Rows of one normal do not fill twelve classes, not even where a row of each is imagined."""
    rows = np.random.default_rng(0).normal(size=(300, 2))
    with pytest.warns(UserWarning, match=r"12 classes were asked for, but \d+ were found: .* ask for fewer"):
        model = NaiveBayes(n_classes=12).fit(rows)
    told = model.hidden_
    assert told.classes == 12
    assert told.empty == tuple(str(k) for k in range(13 - len(told.empty), 13))  # the smallest
    assert f"but {12 - len(told.empty)} were found" in told.advice
    sizes = dict(zip(model.model_.labels, model.model_.statistics.n.tolist(), strict=True))
    assert all(sizes.get(label, 0.0) < 1 for label in told.empty)
    assert {str(label) for label in model.predict(rows)} == {str(k) for k in range(1, 13 - len(told.empty))}
    with pytest.warns(UserWarning, match="12 classes were asked for"):
        imagined = NaiveBayes(n_classes=12, class_prior=1.0).fit(rows)
    assert len(imagined.classes_) == 12  # all have some of the rows, but not most of any


def test_a_number_of_classes_beside_all_labels_is_told():
    with pytest.warns(UserWarning, match="every row has a label, so n_classes=4 is not used"):
        model = GaussianDiscriminant(n_classes=4).fit(X, NAMES)
    assert len(model.classes_) == 3 and model.hidden_ is None


def test_no_seed_is_seed_0():
    y = [None] * 150
    found = [
        GaussianDiscriminant(n_classes=3, restarts=2, random_state=seed).fit(X, y) for seed in (None, 0, np.int64(0))
    ]
    assert len({model.hidden_.objectives for model in found}) == 1
    assert NaiveBayes().random_state is GaussianDiscriminant().random_state is TextClassifier().random_state is None


def test_the_seed_deals_the_folds():
    rng = np.random.default_rng(0)
    k = rng.integers(0, 2, 80)
    y = [str(value) if row < 30 else None for row, value in enumerate(k)]
    table = rng.normal(1.5 * k[:, None], 1.0, (80, 2))
    losses = [NaiveBayes(columns="gaussian", random_state=seed).fit(table, y).hidden_.losses for seed in (0, 0, 1)]
    assert losses[0] == losses[1] != losses[2]


def test_partial_fit_skips_them():
    y = np.where(np.arange(150) % 3 == 0, NAMES, None)
    parts = GaussianDiscriminant()
    for rows in (slice(0, 80), slice(80, 150)):
        parts.partial_fit(X[rows], y[rows])
    assert parts.model_.statistics == GaussianDiscriminant(unlabelled="skip").fit(X, y).model_.statistics
