"""The oracle itself: it sums to 1 exactly, follows a worked example, leaves documents out, and kenlm reads it alike."""

import math
from fractions import Fraction

import kenlm
import numpy as np
import pytest
from chen_goodman import BEGIN, END, UNKNOWN, Model, NGrams, write_arpa
from small_corpora import SMOOTHINGS, context, histories, random_corpus


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_the_oracle_sums_to_one(order, smoothing):
    for seed in range(12):
        documents = random_corpus(seed)
        if not any(documents) and order == 1:
            continue
        model = Model(NGrams(order, documents), smoothing, unknown=smoothing != "ml" and seed % 2 == 0)
        for words in histories(documents, order, np.random.default_rng(seed)):
            assert sum(model.next(context(words, order)).values()) == 1


def test_a_bigram_model_by_hand():
    # <s> a b </s>, <s> a </s>: continuation counts a: 1 (<s>), b: 1 (a), </s>: 2 (a, b); 4 words with </s> and <unk>
    model = Model(NGrams(2, [["a", "b"], ["a"]]), "absolute:0.5")
    raw = {"a": 2, "b": 1, END: 2, UNKNOWN: 0}
    unigram = {w: Fraction(max(2 * c - 1, 0), 10) + Fraction(3, 10) * Fraction(1, 4) for w, c in raw.items()}
    assert model.next(()) == unigram
    assert model.p("b", ("a",)) == Fraction(1, 4) + Fraction(1, 2) * unigram["b"]
    kneser = Model(NGrams(2, [["a", "b"], ["a"]]), "kneser-ney")
    assert kneser.fell_back == [1, 2]  # there are no counts of 3
    lower = {"a": Fraction(1, 2) / 4, "b": Fraction(1, 2) / 4, END: Fraction(1, 4), UNKNOWN: Fraction(0)}
    assert kneser.next(()) == {w: p + Fraction(1, 2) * Fraction(1, 4) for w, p in lower.items()}
    assert kneser.p("a", (BEGIN,)) == Fraction(1, 2) + Fraction(1, 2) * kneser.p("a", ())  # (2 - D2) / 2


@pytest.mark.parametrize("order", [1, 2, 3])
def test_documents_are_left_out(order):
    documents = [words for words in random_corpus(3) if words]
    left = NGrams(order, documents) - NGrams(order, documents[:1])
    assert left.raw == NGrams(order, documents[1:]).raw
    assert (left + NGrams(order, documents[:1])).raw == NGrams(order, documents).raw


@pytest.mark.parametrize("smoothing", ["kneser-ney", "dirichlet:2", "jelinek-mercer:0.4", "absolute:0.7"])
@pytest.mark.parametrize("order", [2, 3])
def test_kenlm_scores_as_the_oracle_does(order, smoothing, tmp_path):
    documents = [words for words in random_corpus(4) if words]
    ngrams = NGrams(order, documents)
    model = Model(ngrams, smoothing)
    write_arpa(model, ngrams, tmp_path / "oracle.arpa")
    reader = kenlm.Model(str(tmp_path / "oracle.arpa"))
    for words in [*documents[:20], ["never", *documents[0]], [documents[0][0], "seen"]]:
        assert reader.score(" ".join(words)) == pytest.approx(model.log_prob(words) / math.log(10), abs=1e-4)
