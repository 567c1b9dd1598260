"""Votes of seed words: counted one by one, in little memory, once for all starts."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from priori.latent import Clustering, Corpus, Recipe, Sampling, Schedule, Seeds
from priori.latent.gibbs_sampling.run import Chains


def corpus_of(documents, words, terms, seed=0):
    """Documents of so many different words each."""
    rng = np.random.default_rng(seed)
    term = np.concatenate([np.sort(rng.choice(terms, words, replace=False)) for _ in range(documents)])
    one = Corpus.of_counts(np.ones((1, terms), int))
    return replace(
        one,
        offsets=np.arange(documents + 1, dtype=np.int64) * words,
        term=term.astype(np.int32),
        count=rng.integers(1, 4, documents * words).astype(np.int32),
        cls=np.full(documents, -1, np.int32),
        weight=np.ones(documents),
    )


def test_votes_are_different_words_counted_one_by_one():
    corpus = corpus_of(30, 6, 12)
    seeds = Seeds.of({"a": ["t00", "t03", "t07"], "b": {"t03": 2, "t11": 5}, "c": ["t09", "nobody"]})
    classes = ("a", "b", "c", "1")
    expected = np.zeros((30, 4))
    for row, (first, last) in enumerate(zip(corpus.offsets[:-1], corpus.offsets[1:], strict=True)):
        for word in map(corpus.term_text, corpus.term[first:last].tolist()):
            for column, label in enumerate(classes):
                expected[row, column] += seeds.words.get(label, {}).get(word, 0) > 0
    np.testing.assert_array_equal(seeds.votes(corpus, classes), expected)


def test_votes_take_no_table_of_words_by_classes():
    corpus = corpus_of(2000, 50, 1000)
    seeds = Seeds.of({f"k{k:03d}": [f"t{(7 * k + j) % 1000:03d}" for j in range(5)] for k in range(200)})
    seeds.votes(corpus, seeds.classes)  # what is loaded at first is not counted
    tracemalloc.start()
    votes = seeds.votes(corpus, seeds.classes)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert votes.shape == (2000, 200) and votes.sum() > 0
    assert peak < 16e6  # the votes are 3.2 MB, the entries .8 MB an array; words by classes would be 160 MB


@pytest.fixture
def counted(monkeypatch):
    """The list of all calls."""
    calls, votes = [], Seeds.votes
    monkeypatch.setattr(Seeds, "votes", lambda *given: calls.append(given) or votes(*given))
    return calls


def test_votes_are_counted_once_for_all_starts(counted):
    seeds = {"a": ["t00", "t03"], "b": ["t05", "t07"]}
    run = Clustering(corpus_of(40, 6, 12), seeds=seeds, recipe=Recipe(components=2, restarts=4, iterations=3))
    assert not counted  # not before they are asked for
    assert len({told.restart for told in run}) == 4 and len(counted) == 1


def test_votes_are_counted_once_for_all_chains_and_not_where_they_go_on(counted):
    def fresh():
        seeds = {"a": ["t00", "t03"], "b": ["t05", "t07"]}
        return Sampling(corpus_of(40, 6, 12), seeds=seeds, chains=Chains(3, Schedule(1, 2)))

    run = fresh()
    assert not counted
    next(iter(run))
    assert len(counted) == 1
    again = fresh()
    again.go_on(run.kept())
    assert [step.sweep for step in again] == [1, 2, 3] and len(counted) == 1
