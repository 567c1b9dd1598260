"""Columns whose numbers are all equal, words that nobody wrote, and weights that add up to more than integers hold."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from model.estimators import naive_bayes
from priori.columns.base import Rows
from priori.columns.normal import GaussianColumn
from priori.columns.words.column import TextColumn
from priori.errors import DataError, EstimateError
from priori.families import NormalInverseGamma
from priori.statistics.by_class import UNIT_BITS

Y = ["x", "x", "y", "y"]


@pytest.mark.parametrize("family", ["gaussian", "student", "lognormal", "gamma"])
def test_a_column_that_says_nothing_has_no_parameters(family):
    model = naive_bayes(columns=family, estimate="map").fit({"a": [3.0] * 4}, Y).model_
    assert model.free_parameters == 1  # of the classes
    factor = model.factors[0]
    assert (factor.log_likelihood(), factor.log_evidence()) == (0.0, 0.0) or family == "student"


def test_a_given_prior_has_parameters_whatever_the_numbers():
    family = GaussianColumn(NormalInverseGamma(0, 1, 1, 1))
    assert naive_bayes(columns={"a": family}).fit({"a": [3.0] * 4}, Y).model_.free_parameters == 1 + 2 * 2


def test_counts_without_any_event_have_no_mode_and_say_so():
    for estimate in ("mean", "bayes"):
        found = naive_bayes(columns="poisson", estimate=estimate).fit({"a": [0] * 4}, Y).predict_proba({"a": [0]})
        np.testing.assert_allclose(found, [[0.5, 0.5]])
    with pytest.raises(EstimateError, match=r"column 'a': .* has no mode.*or the mean"):
        naive_bayes(columns="poisson", estimate="map").fit({"a": [0] * 4}, Y).predict_proba({"a": [0]})


def test_a_variance_of_one_number_has_no_mean():
    model = naive_bayes(columns="gaussian", estimate="mean").fit({"a": [1.0, 2.0, 4.0]}, ["x", "x", "y"])
    with pytest.raises(EstimateError, match=r"column 'a': a class has fewer than two numbers.*use estimate='bayes'"):
        model.predict_proba({"a": [1.0]})


@pytest.mark.parametrize(("rows", "words"), [(8192, 1), (1024, 64)])
def test_words_times_weights_never_wrap(rows, words):
    texts = pa.array([" ".join(["word"] * words)] * rows, pa.large_string())
    weight = np.full(rows, 1 << 31 + UNIT_BITS, np.int64)
    with pytest.raises(DataError, match="give smaller document weights"):
        TextColumn().count(texts, Rows(("x",), np.zeros(rows, np.int32), weight))


@pytest.mark.parametrize("unknown", ["ignore", "prior"])
def test_the_evidence_of_texts_is_polyas_urn(unknown):
    """Of V words, and one more for all that were never seen, each imagined once."""
    texts, labels = ["a b a", "b", "c c", "a"], ["x", "x", "y", "y"]
    model = naive_bayes(columns="text", unknown=unknown).fit({"t": texts}, labels).model_
    slots, expected = 3 + (unknown == "prior"), Fraction(1)
    for label in ("x", "y"):
        seen = []
        for text, own in zip(texts, labels, strict=True):
            for word in text.split() if own == label else []:
                expected *= Fraction(seen.count(word) + 1, len(seen) + slots)
                seen.append(word)
    assert model.factors[0].log_evidence() == pytest.approx(np.log(float(expected)), rel=1e-12)


@pytest.mark.parametrize("unknown", ["ignore", "prior"])
@pytest.mark.parametrize(("estimate", "alpha"), [("ml", 1.0), ("map", 2.0), ("mean", 0.5)])
def test_the_likelihood_of_texts_is_the_sum_of_their_scores(unknown, estimate, alpha):
    texts, labels = ["a b a", "b", "c c", "a"], ["x", "x", "y", "y"]
    estimator = naive_bayes(columns="text", unknown=unknown, estimate=estimate, alpha=alpha)
    factor = estimator.fit({"t": texts}, labels).model_.factors[0]
    scores = factor.log_prob(pa.array(texts, pa.large_string()))
    expected = scores[np.arange(4), [0, 0, 1, 1]].sum()
    assert factor.log_likelihood() == pytest.approx(expected, rel=1e-12)
