"""Terms by what they tell: against scikit-learn, and against the formulas written out."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import entropy
from sklearn.metrics import mutual_info_score

from priori.columns.words.readings import Readings
from priori.data import ReadOptions, read_objects
from priori.errors import DataError
from priori.model.classifier import Model
from priori.select import RANKINGS, log_odds, mutual_information, rank, word_information
from priori.text import Analyzer

CORPUS = st.lists(
    st.tuples(st.lists(st.sampled_from("abcdef"), max_size=6), st.sampled_from("xyz")), min_size=1, max_size=25
)


def counts_of(corpus):
    texts, labels = [" ".join(words) for words, _ in corpus], [label for _, label in corpus]
    return Model.train(read_objects(texts, labels=labels, options=ReadOptions()), Analyzer(), Readings(), jobs=1).counts


@given(CORPUS)
def test_mutual_information_is_scikit_learns_on_documents(corpus):
    counts = counts_of(corpus)
    found = mutual_information(counts)
    labels = [label for _, label in corpus]
    for term, value in zip(counts.term_texts(), found, strict=True):
        present = [term in words for words, _ in corpus]
        assert value == pytest.approx(mutual_info_score(present, labels), abs=1e-12)
        one = mutual_information(counts, labels[0])[counts.find([term])[0]]
        assert one == pytest.approx(mutual_info_score(present, [label == labels[0] for label in labels]), abs=1e-12)


@given(CORPUS)
def test_the_information_of_words_adds_up_to_that_of_their_table(corpus):
    """Lecture 004's I_j is no mutual_info_score of its own; the sum over all words is."""
    counts = counts_of([(words, label) for words, label in corpus if words] or [(["a"], "x")])
    share = counts.class_documents / counts.class_documents.sum()
    table = np.zeros((counts.terms, len(counts.labels)))
    table[counts.pair_term, counts.pair_class] = counts.pair_occurrences
    table = table / table.sum(axis=0) * share
    found = word_information(counts)
    independent = np.outer(table.sum(axis=1), table.sum(axis=0))
    assert found.sum() == pytest.approx(entropy(table.ravel(), independent.ravel()), abs=1e-12)
    for row, value in zip(table, found, strict=True):
        phi = row / share
        assert value == pytest.approx(
            sum(p * math.log(f / row.sum()) for p, f in zip(row, phi, strict=True) if p), abs=1e-12
        )


@given(CORPUS, st.sampled_from([0.3, 1.0, 2.5]))
def test_log_odds_are_monroes(corpus, alpha):
    counts = counts_of(corpus)
    every = [word for words, _ in corpus for word in words]
    vocabulary = sorted(set(every))
    for label in counts.labels:
        mine = [word for words, own in corpus if own == label for word in words]
        delta, z = log_odds(counts, label, alpha)
        prior_total = alpha * len(vocabulary)
        for j, word in enumerate(vocabulary):
            a = prior_total * every.count(word) / len(every)
            y, n = mine.count(word), len(mine)
            rest, m = every.count(word) - y, len(every) - n
            if len(vocabulary) == 1:
                assert delta[j] == 0
                continue
            expected = math.log((y + a) / (n + prior_total - y - a)) - math.log(
                (rest + a) / (m + prior_total - rest - a)
            )
            assert delta[j] == pytest.approx(expected, abs=1e-10)
            assert z[j] == pytest.approx(expected / math.sqrt(1 / (y + a) + 1 / (rest + a)), abs=1e-10)


@given(CORPUS, st.sampled_from(RANKINGS), st.integers(1, 8))
def test_a_ranking_is_sorted_and_agrees_with_its_scores(corpus, by, most):
    counts = counts_of([*corpus, (["a"], "x")])
    found = rank(counts, by, most=most)
    for label in counts.labels if by == "log-odds" else [None]:
        rows = [term for term in found if label in (None, term.label)]
        assert len(rows) <= most
        assert [(-term.score, term.term.encode()) for term in rows] == sorted((-t.score, t.term.encode()) for t in rows)
    for term in found:
        words = [words for words, _ in corpus] + [["a"]]
        assert term.documents == sum(term.term in each for each in words)
        assert term.occurrences == sum(each.count(term.term) for each in words)
        assert term.log_odds == pytest.approx(log_odds(counts, term.label)[0][counts.find([term.term])[0]], abs=1e-12)
        if by == "log-odds":
            assert term.score == pytest.approx(log_odds(counts, term.label)[1][counts.find([term.term])[0]], abs=1e-12)


@given(CORPUS)
def test_terms_that_a_class_lacks_never_speak_for_it(corpus):
    """So ranking may look at the class's own terms only."""
    counts = counts_of(corpus)
    for index, label in enumerate(counts.labels):
        absent = np.setdiff1d(np.arange(counts.terms), counts.pair_term[counts.pair_class == index])
        assert (log_odds(counts, label)[1][absent] <= 1e-9).all()


def test_counts_of_one_class_are_its_own():
    counts = counts_of([(["a", "a", "b"], "x"), (["a", "c"], "y")])
    found = rank(counts, "count", "x")
    assert [(term.term, term.score, term.documents) for term in found] == [("a", 2, 1), ("b", 1, 1)]


def test_what_cannot_be_ranked_is_refused():
    counts = counts_of([(["a"], "x"), (["b"], "y")])
    for arguments in (("beauty",), ("mi", "z"), ("mi-words", "x"), ("log-odds", "z")):
        with pytest.raises(DataError):
            rank(counts, *arguments)
    with pytest.raises(DataError):
        log_odds(counts, "x", alpha=0)
