"""What the techniques are measured by and on: decisions, classes matched, parts held out, labels kept."""

from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from priori.errors import DataError
from priori.latent import Corpus
from priori.latent.corpus import same_documents
from priori.select import Effort, compare_techniques
from priori.select.method_scores import decisions, judge
from priori.select.splits import kept_labels, parted

CASES = settings(derandomize=True, deadline=None, max_examples=100)
NONE = np.finfo(np.float64).eps


# --- judging ----------------------------------------------------------------------------------------------------------


@CASES
@given(st.integers(0, 2**32), st.integers(1, 4), st.integers(1, 4))
def test_classes_are_matched_as_by_trying_all(seed, classes, components):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, classes, 15).astype(np.int32)
    scores = rng.normal(size=(15, components))
    found = judge(scores, truth, classes, length=np.zeros(15), named=False)
    names = [*range(classes), *([-1] * components)]
    best = max(
        (np.array(given)[scores.argmax(axis=1)] == truth).sum() for given in set(permutations(names, components))
    )
    assert found.right == best


@CASES
@given(st.integers(0, 2**32))
def test_a_tie_is_what_rounding_cannot_tell_apart(seed):
    rng = np.random.default_rng(seed)
    logs = np.log(rng.random(9))
    tied = np.array([[logs.sum(), logs[::-1].sum(), -50.0]])
    assert decisions(tied, [9]) == -1
    apart = tied + np.array([[0.0, 100 * NONE * abs(logs.sum()), 0.0]])
    assert decisions(apart, [9]) == 1
    assert decisions(np.full((1, 3), -np.inf), [9]) == -1


def test_probabilities_are_tempered_and_decisions_are_not():
    scores = np.log([[0.9, 0.1], [0.3, 0.7]])
    truth = np.array([0, 0], np.int32)
    found = judge(scores, truth, 2, length=[1, 1], temper=[0.5, 0.25])
    own = [0.9**0.5 / (0.9**0.5 + 0.1**0.5), 0.3**0.25 / (0.3**0.25 + 0.7**0.25)]
    assert found.log_loss == pytest.approx(-np.log(own).mean(), rel=1e-14)
    assert found.right == judge(scores, truth, 2, length=[1, 1]).right == 1


def test_a_sure_and_right_technique_has_no_negative_log_loss():
    found = judge(np.array([[0.0, -np.inf]]), np.array([0], np.int32), 2, length=[1])
    assert f"{found.log_loss:.3f}" == "0.000"


# --- parts ------------------------------------------------------------------------------------------------------------


@CASES
@given(st.integers(0, 2**32), st.integers(0, 3))
def test_parts_share_no_document_and_labels_are_nested(seed, drawn):
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 2, (60, 6))  # at most 64 different documents, so many come twice
    corpus = Corpus.of_counts(counts, [None if rng.random() < 0.2 else f"c{rng.integers(2)}" for _ in range(60)])
    parts = parted(corpus, seed=drawn)
    together = np.concatenate([_rows(parts.train), _rows(parts.test)])
    assert not {*map(bytes, together[: len(parts.train)])} & {*map(bytes, together[len(parts.train) :])}
    assert parts.test.labelled.all() and not parts.official
    sizes = [parts.kept(n, drawn).cls for n in (0, 1, 3, 1000)]
    for fewer, more in pairwise(sizes):
        assert ((fewer == -1) | (fewer == more)).all()
    assert (sizes[-1] == parts.train.cls).all() and (sizes[0] == -1).all()
    every = np.bincount(parts.train.cls[parts.train.labelled], minlength=2)
    assert np.bincount(sizes[2][sizes[2] >= 0], minlength=2).tolist() == np.minimum(every, 3).tolist()


def _rows(corpus):
    table = np.zeros((len(corpus), corpus.terms), np.int8)
    np.add.at(table, (np.repeat(np.arange(len(corpus)), np.diff(corpus.offsets)), corpus.term), corpus.count)
    return table


def test_three_tenths_are_held_out_of_each_class():
    corpus = Corpus.of_counts(np.arange(200)[:, None] + 1, ["a"] * 150 + ["b"] * 50)
    parts = parted(corpus, seed=3)
    assert np.bincount(parts.test.cls).tolist() == [45, 15]
    given_ = parted(corpus, np.arange(200) % 2 == 0)
    assert given_.official and len(given_.test) == 100 and given_.copies == 0
    assert len(parted(corpus, [row < 50 for row in range(200)]).test) == 50


def test_copies_of_what_is_measured_on_are_not_learned_from():
    corpus = Corpus.of_counts([[1, 2], [1, 2], [3, 0], [0, 3], [3, 0]], ["a", "a", "b", "b", None])
    parts = parted(corpus, [True, False, False, False, True])
    assert (parts.copies, len(parts.train), len(parts.test)) == (1, 2, 1)  # the last one is not measured on
    assert parts.never_learned == ("a",)


def test_documents_with_the_same_words_are_the_same():
    assert same_documents(Corpus.of_counts([[1, 2], [2, 1], [1, 2], [0, 0], [0, 0]])).tolist() == [0, 1, 0, 2, 2]
    assert kept_labels(np.array([0, 1, 1, -1], np.int32), 5, 0).tolist() == [0, 1, 1, -1]


def test_what_cannot_be_compared():
    with pytest.raises(DataError, match="none has a label"):
        parted(Corpus.of_counts([[1], [2]]))
    with pytest.raises(DataError, match="all labels are 'a'"):
        parted(Corpus.of_counts([[1], [2]], ["a", "a"]))
    with pytest.raises(DataError, match="fewer than 10"):
        parted(Corpus.of_counts([[1]] * 20, ["a", "b"] * 10))
    with pytest.raises(DataError, match="left to learn from"):
        parted(Corpus.of_counts([[1], [2]], ["a", "b"]), np.array([True, True]))
    two = Corpus.of_counts([[1], [2]], ["a", "b"])
    for test in ([1, 0], [True], [[True, False]]):
        with pytest.raises(DataError, match="give True or False for each of the 2 documents"):
            parted(two, test)
    with pytest.raises(DataError, match="labels=-3 of each class cannot be kept"):
        compare_techniques(Corpus.of_counts(np.arange(40)[:, None] + 1, ["a", "b"] * 20), labels=-3)
    with pytest.raises(DataError, match="alpha=0"):
        Effort(alpha=0.0)
    with pytest.raises(DataError, match="samples=3"):
        Effort(samples=3)
