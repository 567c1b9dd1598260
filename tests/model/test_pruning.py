"""Pruning keeps the terms in the most documents, says what it dropped, and ends the algebra."""

from collections import Counter

import numpy as np
import pytest

from corpora import dataset, model_of
from priori import TextClassifier
from priori.data import read_objects
from priori.errors import DataError, MergeError
from priori.model.classifier import Dropped, Model
from priori.text import Analyzer

ROWS = [("a a a b", "x"), ("a b c", "y"), ("b d", "y"), ("a e", "x")]


def test_it_keeps_the_terms_in_the_most_documents():
    texts, labels = dataset("sms_spam")
    whole = model_of(list(zip(texts, labels, strict=True)))
    analyzer = Analyzer()
    documents, occurrences = Counter(), Counter()
    for text in texts:
        words = analyzer.features_of(text)
        documents.update(set(words))
        occurrences.update(words)
    kept = sorted(documents, key=lambda word: (-documents[word], word.encode()))[:500]
    pruned = whole.pruned(500)
    assert pruned.counts.term_texts() == sorted(kept, key=str.encode)
    lost = sum(occurrences.values()) - sum(occurrences[word] for word in kept)
    assert pruned.dropped == Dropped(len(documents) - 500, lost)
    assert pruned.counts.class_documents.tolist() == whole.counts.class_documents.tolist()


def test_its_reading_is_that_of_the_kept_words_alone():
    pruned = model_of(ROWS).pruned(2)
    only = model_of([(" ".join(word for word in text.split() if word in "ab"), label) for text, label in ROWS])
    batch = next(read_objects(["a b c d new", "e", ""]))
    assert np.array_equal(pruned.log_joint(batch), only.log_joint(batch))


def test_the_sample_loses_the_same_terms():
    sample = model_of(ROWS).pruned(2).summary.sample
    only = model_of([(" ".join(word for word in text.split() if word in "ab"), label) for text, label in ROWS])
    assert sorted(sample.count.tolist()) == sorted(only.summary.sample.count.tolist())
    assert len(sample) == 4


def test_pruning_twice_drops_the_sum():
    model = model_of(ROWS)
    assert model.pruned(3).pruned(1).dropped == model.pruned(1).dropped == Dropped(4, 6.0)
    assert model.pruned(5).dropped is None  # nothing to drop
    weighted = model_of([(text, label, 0.5) for text, label in ROWS])
    assert weighted.pruned(1).dropped == Dropped(4, 3.0)


def test_a_pruned_model_refuses_to_learn_forget_and_merge(tmp_path):
    whole = model_of(ROWS)
    whole.pruned(2).save(tmp_path / "pruned.priori")
    loaded = Model.load(tmp_path / "pruned.priori")
    assert loaded.dropped == Dropped(3, 3.0)
    for pruned in (whole.pruned(2), loaded):
        for change in (
            lambda pruned=pruned: pruned.learn(read_objects(["a"], ["x"])),
            lambda pruned=pruned: pruned.forget(read_objects(["a"], ["x"])),
            lambda pruned=pruned: pruned + whole,
            lambda pruned=pruned: whole - pruned,
        ):
            with pytest.raises(MergeError, match="--max-terms"):
                change()
    batch = next(read_objects(["a b c"]))
    assert np.array_equal(loaded.posterior(batch), whole.pruned(2).posterior(batch))


def test_what_cannot_be_pruned():
    with pytest.raises(DataError, match="max_terms=0"):
        model_of(ROWS).pruned(0)
    with pytest.raises(DataError, match="vocabulary"):
        model_of(ROWS, Analyzer(vocabulary=("a", "b", "c"))).pruned(1)


def test_the_estimator_prunes():
    texts, labels = zip(*ROWS, strict=True)
    estimator = TextClassifier(max_terms=2).fit(texts, labels)
    assert estimator.get_feature_names_out().tolist() == ["a", "b"]
    with pytest.raises(MergeError):
        estimator.learn(["a"], ["x"])
