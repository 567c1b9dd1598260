"""Dependent pairs of words: against scikit-learn's information of presences, and told documents apart by class."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import mutual_info_score

from corpora import model_of
from priori.errors import DataError
from priori.select import dependent_pairs

CORPUS = st.lists(
    st.tuples(st.lists(st.sampled_from("abcde"), max_size=5).map(" ".join), st.sampled_from("xy")),
    min_size=1,
    max_size=25,
)


def presences(corpus, word):
    return np.array([word in text.split() for text, _ in corpus])


@given(CORPUS)
def test_the_information_of_a_pair_is_scikit_learns_within_each_class(corpus):
    labels = np.array([label for _, label in corpus])
    model = model_of(corpus)
    found = dependent_pairs(model, most=100)
    assert found.documents == len(corpus)
    told = {(pair.first, pair.second): pair for pair in found.pairs}
    words = model.counts.term_texts()
    for a in words:
        for b in (b for b in words if b > a):
            x, y = presences(corpus, a), presences(corpus, b)
            expected = sum(
                (labels == c).mean() * mutual_info_score(x[labels == c], y[labels == c]) for c in set(labels)
            )
            if (a, b) not in told:
                assert expected == pytest.approx(0, abs=1e-12)
                continue
            pair = told[a, b]
            assert pair.information == pytest.approx(expected, abs=1e-12)
            assert (pair.together, pair.first_documents, pair.second_documents) == ((x & y).sum(), x.sum(), y.sum())
            assert pair.expected == pytest.approx(
                sum(x[labels == c].sum() * y[labels == c].sum() / (labels == c).sum() for c in set(labels))
            )
    scores = [pair.information for pair in found.pairs]
    assert scores == sorted(scores, reverse=True)


@given(CORPUS)
def test_of_one_class_only_its_documents_are_looked_at(corpus):
    label = corpus[0][1]
    own = [(text, each) for text, each in corpus if each == label]
    one, alone = dependent_pairs(model_of(corpus), label, most=3), dependent_pairs(model_of(own), most=3)
    assert one.documents == len(own)
    assert one.pairs == alone.pairs


def test_weights_count_as_copies():
    rows = [("a b", "x"), ("a b", "x"), ("a", "x"), ("b c", "x")]
    weighted = [("a b", "x", 2.0), ("a", "x", 1.0), ("b c", "x", 1.0)]
    assert dependent_pairs(model_of(weighted)) == dependent_pairs(model_of(rows))


def test_what_cannot_be_looked_at_is_refused():
    with pytest.raises(DataError, match="keeps no documents"):
        dependent_pairs(model_of([("a b", "x")], keep_sample=False))
    with pytest.raises(DataError, match="no class 'z'"):
        dependent_pairs(model_of([("a b", "x")]), "z")
