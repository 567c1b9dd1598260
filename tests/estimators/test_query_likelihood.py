"""Ranking against its definition, the amount of smoothing against left-out words, and real documents found again."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import approx_fprime

from corpora import LAWS, dataset, needs_data
from priori import Analyzer, QueryLikelihood
from priori.errors import DataError, MergeError
from priori.language.probabilities import LeftOutTokens, peak

words = st.sampled_from(["a", "b", "c", "dd", "é", "好"])
documents = st.lists(st.lists(words, max_size=8).map(" ".join), min_size=1, max_size=6)
queries = st.lists(st.sampled_from(["a", "a", "b", "dd", "好", "never"]), min_size=1, max_size=4).map(" ".join)
smoothings = st.sampled_from(["dirichlet:0.5", "dirichlet:300", "jelinek-mercer:0.2", "jelinek-mercer:0.9"])


class Definition:
    """Dictionaries and the formula."""

    def __init__(self, texts, kind, amount):
        self.documents = [Counter(text.split()) for text in texts]
        self.all = sum(self.documents, Counter())
        self.kind, self.amount = kind, amount

    def p(self, word, own):
        overall, n, x = self.all[word] / self.all.total(), own.total(), self.amount
        if n == 0:
            return overall
        if self.kind == "dirichlet":
            return (own[word] + x * overall) / (n + x)
        return (1 - x) * own[word] / n + x * overall

    def log_prob(self, query):
        known = [word for word in query.split() if self.all[word]]
        return [math.fsum(math.log(self.p(word, own)) for word in known) for own in self.documents]

    def left_out(self):
        """log p of each occurrence, its document without it, and all documents as they are."""
        total = []
        for own in self.documents:
            for word, times in own.items():
                total += [math.log(self.p(word, own - Counter([word])))] * times
        return math.fsum(total)


@LAWS
@given(documents, queries, smoothings)
def test_scores_are_those_of_the_definition(texts, query, smoothing):
    assume(any(word in text.split() for word in query.split() for text in texts))
    ranking = QueryLikelihood(smoothing).fit(texts)
    kind, number = smoothing.split(":")
    expected = Definition(texts, kind, float(number)).log_prob(query)
    found = ranking.log_prob(query)
    assert list(found) == list(range(len(texts)))
    assert list(found.values()) == pytest.approx(expected, abs=1e-12)
    order = sorted(found, key=lambda k: (-found[k], k))
    assert ranking.rank(query, None) == [(k, found[k]) for k in order]
    for most in (1, 2, 5):
        assert ranking.rank(query, most) == [(k, found[k]) for k in order[:most]]
    known = {word for text in texts for word in text.split()}
    assert sorted(ranking.unknown(query)) == sorted(set(query.split()) - known)


@LAWS
@given(documents, st.sampled_from(["dirichlet", "jelinek-mercer"]), st.floats(0.01, 0.99), st.data())
def test_words_are_left_out_as_the_definition_says(texts, kind, amount, data):
    assume(any(texts))
    amount = amount * data.draw(st.sampled_from([1, 300])) if kind == "dirichlet" else amount
    collection = QueryLikelihood().fit(texts).collection
    counts = collection.counts
    left_out = LeftOutTokens.of(
        counts.pair_occurrences.astype(float), collection.lengths[counts.pair_class], collection.share[counts.pair_term]
    )
    value, slope = (
        (left_out.dirichlet, left_out.dirichlet_slope)
        if kind == "dirichlet"
        else (left_out.mixed, left_out.mixed_slope)
    )
    # subtle: what is alone in a document has no words beside it, and is predicted by all documents together
    assert value(amount) == pytest.approx(Definition(texts, kind, amount).left_out(), rel=1e-10, abs=1e-10)
    numeric = approx_fprime([amount], lambda x: value(float(x[0])), 1e-7 * amount)
    assert slope(amount) == pytest.approx(float(numeric[0]), rel=1e-3, abs=1e-3 / amount)


@pytest.mark.parametrize("kind", ["dirichlet", "jelinek-mercer"])
def test_the_chosen_amount_is_the_best(kind):
    texts, _ = dataset("sms_spam")
    ranking = QueryLikelihood(kind).fit(texts[:400])
    assert ranking.notes == () and f"{kind}:" in ranking.described
    tokens = [" ".join(Analyzer().features_of(text)) for text in texts[:400]]
    best = Definition(tokens, kind, ranking.amount).left_out()
    for factor in (0.25, 0.8, 0.99, 1.01, 1.2):
        other = ranking.amount * factor
        assert not other < 1 or Definition(tokens, kind, other).left_out() < best
        assert other < 1 or kind == "jelinek-mercer" or Definition(tokens, kind, other).left_out() < best


def test_the_highest_of_several_peaks_is_taken():
    def two(x):
        return -((x - 2) ** 2) * ((x - 9) ** 2) + x

    grid = np.linspace(0, 12, 25)
    found = peak(two, lambda x: float(approx_fprime([x], lambda y: two(y[0]), 1e-7)[0]), grid)
    assert found == pytest.approx(9.01, abs=0.01)
    assert peak(lambda x: x, lambda x: 1.0, grid) is None


def test_nothing_to_choose_by_is_said():
    ranking = QueryLikelihood().fit(["the cat sat", "a dog ran"])
    assert ranking.amount == 2000
    assert ranking.notes == (
        "left-out words find no best mu (hardly one comes twice in a document), so it is 2000; another can be given, "
        "as in dirichlet:400",
    )
    assert QueryLikelihood("dirichlet:7").fit(["the cat sat"]).notes == ()


@LAWS
@given(documents, documents, st.data())
def test_documents_are_learned_merged_and_forgotten(first, second, data):
    whole = QueryLikelihood().fit(first + second)
    for other in (
        QueryLikelihood().fit(first).learn(second),
        QueryLikelihood().fit(first) + QueryLikelihood().fit(second),
    ):
        assert other.collection.counts == whole.collection.counts
        assert len(other) == len(whole) == len(first) + len(second)
    gone = data.draw(st.sets(st.integers(0, len(whole) - 1)))
    stays = [text for k, text in enumerate(first + second) if k not in gone]
    numbers = [k for k in range(len(whole)) if k not in gone]
    whole.forget(gone)
    again = QueryLikelihood().fit(stays)
    assert whole.collection.numbers.tolist() == sorted(numbers, key=str)
    if any("a" in text.split() for text in stays):
        found = {numbers[k]: score for k, score in again.log_prob("a").items()}
        assert whole.log_prob("a") == pytest.approx(found, rel=1e-12)
    assert len(first + second) in whole.learn(["a"]).log_prob("a")  # numbers are not given twice


def test_many_documents_keep_their_order():
    texts = [f"w{k} common" for k in range(1_200)]
    ranking = QueryLikelihood("dirichlet:1", n_jobs=3).fit(texts)
    assert all(ranking.rank(f"w{k}", 1)[0][0] == k for k in range(0, 1_200, 7))
    assert [k for k, _ in ranking.rank("common")] == list(range(10))


def test_a_tokenizer_of_ones_own_reads_queries_too():
    ranking = QueryLikelihood("dirichlet:1", tokenizer=lambda text: text.split("-")).fit(["a b-c", "c-d"])
    assert ranking.rank("a b", 1)[0][0] == 0 and ranking.unknown("a-b") == ["a", "b"]


@pytest.mark.parametrize(
    ("does", "error", "says"),
    [
        (lambda: QueryLikelihood("bm25"), DataError, "choose dirichlet, jelinek-mercer"),
        (lambda: QueryLikelihood("dirichlet:0"), DataError, "over 0"),
        (lambda: QueryLikelihood("dirichlet:x"), DataError, "is no number"),
        (lambda: QueryLikelihood("jelinek-mercer:1"), DataError, "over 0 and below 1"),
        (lambda: QueryLikelihood().fit("a text"), DataError, "put it in a list"),
        (lambda: QueryLikelihood().rank("a"), DataError, "no documents were learned"),
        (lambda: QueryLikelihood().fit(["a"]).rank("!"), DataError, "has no words that count"),
        (lambda: QueryLikelihood().fit(["a"]).rank("a", 1.5), DataError, "give a whole number from 1"),
        (lambda: QueryLikelihood().fit(["a"]).forget(2), DataError, "no list of numbers"),
        (lambda: QueryLikelihood().fit(["a"]).forget(["a"]), DataError, "whole number from 0"),
        (lambda: QueryLikelihood(analyzer="words"), DataError, "give a priori.Analyzer"),
        (lambda: QueryLikelihood().fit(["a"]).rank("b"), DataError, "ask for other words"),
        (lambda: QueryLikelihood().fit(["a"]).rank("a", 0), DataError, "from 1"),
        (lambda: QueryLikelihood().fit(["a"]).rank(7), DataError, "no text"),
        (lambda: QueryLikelihood().fit(["a"]).forget([1]), DataError, "no document 1"),
        (lambda: QueryLikelihood() + QueryLikelihood(analyzer=Analyzer(lowercase=False)), MergeError, "same analyzer"),
    ],
)
def test_what_cannot_be_done_is_said(does, error, says):
    with pytest.raises(error, match=says) as caught:
        does()
    assert "\n" not in str(caught.value)


def test_messages_are_found_by_their_own_words():
    texts, _ = dataset("sms_spam")
    texts = list(dict.fromkeys(texts))
    ranking = QueryLikelihood().fit(texts)
    tried = [k for k in range(0, len(texts), 25) if len(texts[k].split()) > 6]
    found = sum(ranking.rank(texts[k], 1)[0][0] == k for k in tried)
    assert found > 0.95 * len(tried)


@needs_data
def test_postings_of_the_group_come_first():
    texts, labels = dataset("newsgroups20")
    ranking = QueryLikelihood().fit(texts)
    for query, label in (
        ("hockey game goalie playoffs", "rec.sport.hockey"),
        ("clipper chip encryption key escrow", "sci.crypt"),
        ("space shuttle orbit launch", "sci.space"),
        ("israel arab peace", "talk.politics.mideast"),
    ):
        hits = [labels[k] == label for k, _ in ranking.rank(query, 10)]
        assert sum(hits) >= 7, (query, sum(hits))


def test_a_table_without_labels_and_another_smoothing():
    import pandas as pd

    texts = ["the cat sat", "the dog and the cat", "a dog"]
    ranking = QueryLikelihood("dirichlet:3").fit(pd.DataFrame({"text": texts}))
    assert ranking.log_prob("dog") == QueryLikelihood("dirichlet:3").fit(texts).log_prob("dog")
    ranking.smoothing = "jelinek-mercer:0.2"
    assert ranking.log_prob("dog") == QueryLikelihood("jelinek-mercer:0.2").fit(texts).log_prob("dog")
    assert repr(ranking) == "QueryLikelihood('jelinek-mercer:0.2': 3 documents)"
