"""Weights and seeds as estimators of texts and of tables take them: the same values, the same refusals."""

import numpy as np
import pytest

from priori import GaussianDiscriminant, NaiveBayes, TextClassifier
from priori.errors import DataError
from priori.latent.settings import weight_of
from priori.validation import state_of

TEXTS, TABLE, Y = ["a b", "c d", "a", "c"], [[0.0], [1.0], [0.1], [1.1]], ["x", "y", None, None]


def fitted(kind, **settings):
    return kind(**settings).fit(TEXTS if kind is TextClassifier else TABLE, Y)


@pytest.mark.parametrize("value", [0, 1, 0.25, np.float32(0.5), np.int64(1)])
def test_weights(value):
    assert weight_of(value) == float(value) and weight_of("auto") is None


@pytest.mark.parametrize("value", [-0.1, 1.5, np.nan, True, "1", None])
@pytest.mark.parametrize("kind", [TextClassifier, NaiveBayes, GaussianDiscriminant])
def test_what_is_no_weight(kind, value):
    with pytest.raises(DataError, match="is no weight; give 'auto' or a number from 0 to 1"):
        fitted(kind, unlabelled_weight=value)


def test_seeds():
    assert [state_of(value) for value in (None, 0, 3, np.int64(3))] == [0, 0, 3, 3]
    assert type(state_of(np.int64(3))) is int


@pytest.mark.parametrize("kind", [TextClassifier, NaiveBayes, GaussianDiscriminant])
def test_a_seed_of_numpy_is_one(kind):
    assert fitted(kind, random_state=np.int64(3)).classes_.tolist() == ["x", "y"]


@pytest.mark.parametrize("value", [-1, 0.5, True, "1", np.random.default_rng(0)])
@pytest.mark.parametrize("kind", [TextClassifier, NaiveBayes, GaussianDiscriminant])
def test_what_is_no_seed(kind, value):
    with pytest.raises(DataError, match="is no seed; give a whole number from 0"):
        fitted(kind, random_state=value)
