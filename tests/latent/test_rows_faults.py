"""What cannot be learned of a table where labels are missing, and what is said of it."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris

from priori import GaussianDiscriminant, NaiveBayes
from priori.errors import DataError, EstimateError

X, Y = load_iris(return_X_y=True)
NAMES = load_iris().target_names[Y]


@pytest.mark.parametrize(
    ("model", "cause"),
    [
        (GaussianDiscriminant(covariance="shrunk"), "is the mode of no prior"),
        (NaiveBayes(columns="categorical", estimate="map", alpha=0.5), "with alpha < 1 a value without counts"),
    ],
)
def test_an_em_that_can_never_run_is_told(model, cause):
    y = np.where(np.arange(150) % 5 == 0, NAMES, None)
    with pytest.warns(UserWarning, match=f"are not learned from, for EM cannot run: .*{cause}"):
        model.fit(X, y)
    assert model.hidden_.unlabelled_weight == 0 and cause in model.hidden_.fault
    assert model.model_.statistics == clone(model).set_params(unlabelled="skip").fit(X, y).model_.statistics
    with pytest.raises(EstimateError, match=cause):
        clone(model).set_params(unlabelled_weight=1).fit(X, y)
    model.set_params(unlabelled_weight=0).fit(X, y)  # none was asked for, and none is missed
    assert model.hidden_.fault is None


FAULTS = {
    "no number": (NaiveBayes(), X, [None] * 150, DataError, "every label of y is missing.*n_classes=K"),
    "one class": (NaiveBayes(n_classes=1), X, None, DataError, "n_classes=1 leaves nothing to tell apart"),
    "no whole": (NaiveBayes(n_classes=2.5), X, None, DataError, "n_classes=2.5 is no number of them"),
    "few rows": (NaiveBayes(n_classes=4), X[:3], None, DataError, "has 3 rows for 4 classes"),
    "few different": (NaiveBayes(n_classes=3), X[[0, 0, 0, 1, 1]], None, DataError, "has 2 different rows for 3"),
    "copies": (NaiveBayes(n_classes=3), X[[0, 0, 0]], None, DataError, "has 1 different row for 3 classes"),
    "too many": (NaiveBayes(n_classes=3 * 10**9), X, None, DataError, "has 150 rows for 3,000,000,000 classes"),
    "empty": (
        GaussianDiscriminant(n_classes=3), X * [1, np.nan, 1, 1], None, EstimateError, "no row has a value of 'x1', and"
    ),
    "incomplete": (
        GaussianDiscriminant(n_classes=2), [[1.0, None], [5.0, None], [None, 2.0]], None, EstimateError,
        "each row lacks a value",
    ),
    "others named": (NaiveBayes(n_classes=3), X[:3], ["a", "b", None], DataError, "=3, but the labels name 2 classes"),
    "weight": (NaiveBayes(unlabelled_weight=-1), X[:3], ["a", "b", None], DataError, "weight=-1 is no weight; give"),
    "more": (NaiveBayes(unlabelled_weight=2), X[:3], ["a", "b", None], DataError, "a number from 0 to 1"),
    "no seed": (NaiveBayes(random_state=-1), X[:3], ["a", "b", None], DataError, "random_state=-1 is no seed"),
    "generator": (
        NaiveBayes(random_state=np.random.default_rng(0)), X[:3], ["a", "b", None], DataError, "no seed; give a whole"
    ),
    "half a class": (NaiveBayes(n_classes=2.5), X[:2], ["a", "b"], DataError, "n_classes=2.5 is no number of them"),
    "no class": (NaiveBayes(n_classes=0), X, None, DataError, "n_classes=0 is no number .* whole number from 1"),
    "no y": (NaiveBayes(), X, None, DataError, "target y is None.*n_classes=K"),
    "nothing": (NaiveBayes(), X[:0].tolist(), [], DataError, "y has no labels.*n_classes=K"),
    "way": (NaiveBayes(unlabelled="drop"), X[:3], ["a", "b", None], DataError, "unlabelled='drop' is unknown"),
    "restarts": (NaiveBayes(n_classes=2, restarts=0), X, None, DataError, "restarts=0 is no number of them"),
    "skipped": (NaiveBayes(n_classes=2, unlabelled="skip"), X, [None] * 150, DataError, "every label of y is missing"),
    "shrunk": (
        GaussianDiscriminant(covariance="shrunk", n_classes=2), X, None, EstimateError, "is the mode of no prior"
    ),
    "singular": (
        GaussianDiscriminant(estimate="ml", n_classes=2), np.column_stack([X[:, 0], X[:, 0]]), None, EstimateError,
        "each of 10 starts of EM failed, the last: .*singular",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_what_cannot_be_learned_is_told(name):
    estimator, table, y, fault, words = FAULTS[name]
    with pytest.raises(fault, match=words) as found:
        estimator.fit(table, y)
    assert "\n" not in str(found.value)
