"""What may be chosen: families, covariances and estimates that go together, and models that may be merged."""

import numpy as np
import pytest

from model.estimators import discriminant, naive_bayes
from priori.columns.joint.settings import GaussianSettings
from priori.errors import DataError, MergeError

X = np.random.default_rng(0).normal(size=(20, 3))
Y = [0, 1] * 10


@pytest.mark.parametrize(
    "options", [{"covariance": "shrunk"}, {"shrinkage": 0.3}, {"covariance": "full", "shrinkage": "auto"}], ids=str
)
def test_shrinkage_is_of_the_maximum_likelihood_unless_said_otherwise(options):
    found = discriminant(**options).fit(X, Y)
    np.testing.assert_array_equal(found.covariances_, discriminant(**options, estimate="ml").fit(X, Y).covariances_)
    with pytest.raises(DataError, match="a prior shrinks by itself"):
        discriminant(**options, estimate="mean").fit(X, Y)


def test_without_shrinkage_it_is_the_posterior_mean():
    found = discriminant().fit(X, Y)
    np.testing.assert_array_equal(found.covariances_, discriminant(estimate="mean").fit(X, Y).covariances_)


def test_an_unknown_covariance_is_told_all_there_are():
    with pytest.raises(
        DataError, match="'tied' is unknown; use one of shared, full, diagonal, shared_diagonal, shrunk"
    ):
        GaussianSettings("tied")


@pytest.mark.parametrize("columns", [["age"], {"age": ["gaussian"]}, {"age": 3}, 7], ids=str)
def test_what_is_no_family_is_told_the_families(columns):
    with pytest.raises(DataError, match=r"there is no family .* the families are bernoulli"):
        naive_bayes(columns=columns).fit({"age": [1, 2]}, [0, 1])


def test_numbers_and_texts_are_different_labels():
    first, second = (naive_bayes().fit({"age": [1, 2]}, labels).model_ for labels in ([0, 1], ["0", "1"]))
    for combine in (lambda: first + second, lambda: first - second):
        with pytest.raises(MergeError, match="the labels of one are int, of the other str"):
            combine()
    assert (first + first).statistics.rows == 4
