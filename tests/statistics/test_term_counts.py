"""The arithmetic of counts at its ends."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora import LAWS, model_of, rows, weighted_rows
from priori.data import read_objects
from priori.errors import DataError, NegativeCountError
from priori.statistics import Counts
from priori.statistics.term_counts import to_units
from priori.text import Analyzer


@LAWS
@given(st.one_of(rows, weighted_rows).filter(lambda rows: any(len(r) < 3 or r[2] > 0 for r in rows)))
def test_counts_are_those_of_a_loop(corpus):
    occurrences, documents, classes, lengths = Counter(), Counter(), Counter(), Counter()
    for text, label, *weight in corpus:
        weight = weight[0] if weight else 1  # noqa: PLW2901
        words = Analyzer().features_of(text)
        classes[label] += weight
        lengths[label, len(words)] += weight
        for word in words:
            occurrences[word, label] += weight
        for word in set(words):
            documents[word, label] += weight
    counts = model_of(corpus).counts
    texts, labels = counts.term_texts(), counts.labels
    pairs = [(texts[t], labels[c]) for t, c in zip(counts.pair_term, counts.pair_class, strict=True)]
    spread = [(labels[c], n) for c, n in zip(counts.length_class, counts.length.tolist(), strict=True)]

    def positive(counter):
        return {key: value for key, value in counter.items() if value}

    def in_units(keys, values):
        return dict(zip(keys, (values * counts.unit).tolist(), strict=True))

    assert in_units(pairs, counts.pair_occurrences) == positive(occurrences)
    assert in_units(pairs, counts.pair_documents) == positive(documents)
    assert in_units(labels, counts.class_documents) == positive(classes)
    assert in_units(spread, counts.length_documents) == positive(lengths)
    assert texts == sorted({word for word, _ in positive(occurrences)}, key=str.encode)


def test_minus_is_what_adds_to_zero():
    counts = model_of([("a b a", "x"), ("b", "y")]).counts
    assert counts + -counts == Counts.empty()
    negative = -counts
    assert -negative == counts


def test_zero_is_neutral():
    counts = model_of([("a b", "x")]).counts
    zero = Counts.empty()
    assert counts + zero == counts == zero + counts
    assert counts - counts == zero
    assert zero - (zero - counts) == counts
    assert counts + -counts == zero


@pytest.mark.parametrize("weights", [[2.0**31, 1], [1, 2.0**31]])
def test_sums_that_64_bits_cannot_hold_are_refused(weights):
    texts = ["a " * 20_000, "b " * 20_000]
    with pytest.raises(DataError, match="2\\^62"):
        model_of(list(zip(texts, ["x", "y"], weights, strict=True)))


def test_sums_of_many_merges_are_refused_too():
    model = total = model_of([("a " * 1000, "x", 2.0**31 - 0.5)])  # not whole, so that the unit is 2^-20
    with pytest.raises(DataError, match="2\\^62"):
        for _ in range(20):
            total = total + model


@pytest.mark.parametrize("weight", [-1.0, np.nan, np.inf, 2.0**32])
def test_weights_that_are_none(weight):
    with pytest.raises(NegativeCountError):
        to_units([weight])


def test_weights_that_were_not_announced():
    with pytest.raises(DataError, match="weighted=True"):
        model_of([("a", "x", 2.0)], weighted=False)


def test_counts_too_large_to_be_counts():
    with pytest.raises(DataError, match="over a million"):
        model_of([("a", "x")]).log_joint(next(read_objects([{"a": 10**12}])))
