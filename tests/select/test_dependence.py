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
    for bad in ({"most": 0}, {"most": 2.5}, {"among": -3}):
        with pytest.raises(DataError, match="give a whole number from 1"):
            dependent_pairs(model_of([("a b", "x")]), **bad)
    with pytest.raises(DataError, match="no class 'z'"):
        dependent_pairs(model_of([("a b", "x")]), "z")


def test_an_n_gram_is_no_partner_of_its_words():
    import priori

    texts = ["cheap viagra", "cheap viagra now", "now", "hello", "now hello", "cheap viagra"]
    model = priori.TextClassifier(ngrams=(1, 2)).fit(texts, ["s", "s", "s", "h", "h", "s"]).model_
    found = {(pair.first, pair.second) for pair in dependent_pairs(model).pairs}
    alone = {
        (p.first, p.second) for p in dependent_pairs(priori.TextClassifier().fit(texts, list("ssshhs")).model_).pairs
    }
    assert found == alone and found


def test_blocks_change_nothing(monkeypatch):
    from priori.select import dependence

    rng = np.random.default_rng(0)
    rows = [(" ".join(rng.choice(list("abcdefghij"), 4)), str(rng.choice(["x", "y", "z"]))) for _ in range(60)]
    whole = dependent_pairs(model_of(rows), most=12)
    monkeypatch.setattr(dependence, "ROOM", 1)  # a word at a time
    assert dependent_pairs(model_of(rows), most=12) == whole
