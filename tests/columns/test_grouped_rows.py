"""Encoded documents: chosen, ordered, joined and grouped as lists of rows would be; and what the core refuses."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from priori import _core
from priori.columns.words.left_out.closed_form import LeftOut
from priori.columns.words.left_out.grouped_rows import Documents
from priori.columns.words.readings import Prior, Readings
from refits import batch, trained

steady = settings(max_examples=60, deadline=None, derandomize=True)


@st.composite
def encoded_rows(draw, most=8):
    """Documents, and the same as a list of rows."""
    n = draw(st.integers(1, most))
    entries = st.dictionaries(st.integers(0, 9), st.integers(1, 3), max_size=4).map(lambda row: sorted(row.items()))
    rows = [draw(entries) for _ in range(n)]
    block = [draw(st.integers(0, 3)) for _ in range(n)]
    unknown = [draw(st.integers(0, 1)) for _ in range(n)]
    documents = Documents(
        np.cumsum([0, *map(len, rows)]).astype(np.int64),
        np.array([term for row in rows for term, _ in row], np.int32),
        np.array([count for row in rows for _, count in row], np.int32),
        np.arange(n, dtype=np.int32),
        np.arange(n) + 0.5,
        np.array(block, np.int32),
        np.array(unknown, np.int64),
    )
    return documents, rows


def as_rows(documents):
    pairs = list(zip(documents.term.tolist(), documents.count.tolist(), strict=True))
    return [pairs[start:end] for start, end in zip(documents.offsets[:-1], documents.offsets[1:], strict=True)]


@given(encoded_rows(), st.randoms(use_true_random=False))
@steady
def test_rows_are_chosen_in_any_order(given_, random):
    documents, rows = given_
    chosen = np.array(random.choices(range(len(rows)), k=len(rows)), np.intp)
    found = documents.rows(chosen)
    assert as_rows(found) == [rows[i] for i in chosen]
    for name in ("cls", "weight", "block", "unknown"):
        assert getattr(found, name).tolist() == getattr(documents, name)[chosen].tolist()


@given(encoded_rows(), encoded_rows())
@steady
def test_documents_are_joined_and_their_blocks_stay_apart(first, second):
    both = first[0] + second[0]
    assert as_rows(both) == first[1] + second[1]
    assert both.unknown.tolist() == [*first[0].unknown.tolist(), *second[0].unknown.tolist()]
    mine, theirs = both.block[: len(first[1])], both.block[len(first[1]) :]
    assert not set(mine.tolist()) & set(theirs.tolist())
    assert (theirs - theirs.min()).tolist() == (second[0].block - second[0].block.min()).tolist()


@given(encoded_rows(), st.integers(0, 9))
@steady
def test_the_first_blocks_are_whole(given_, most):
    documents, _ = given_
    ordered = documents.block_by_block()
    assert ordered.block.tolist() == sorted(documents.block.tolist())
    found = documents.first(most)
    assert found.block.tolist() == ordered.block.tolist()[: len(found)]
    last = int((ordered.block == found.block[-1]).sum()) if len(found) else 0
    if len(found) > most:  # then less than half would have been there without the last block
        assert 2 * (len(found) - last) < most
    if len(found) < len(documents):  # another block would not have fitted
        assert ordered.block[len(found)] not in found.block
        following = ordered.block[len(found)]
        assert len(found) + int((ordered.block == following).sum()) > most


@given(encoded_rows(), st.integers(0, 30))
@steady
def test_rows_within_some_entries(given_, entries):
    documents, rows = given_
    sizes = np.cumsum([0, *map(len, rows)])
    assert documents.rows_within(entries) == max(k for k in range(len(rows) + 1) if sizes[k] <= entries)


@given(encoded_rows())
@steady
def test_equal_texts_are_one_block(given_):
    documents, rows = given_
    together = documents.texts_together().block
    unknown = documents.unknown.tolist()
    for a in range(len(rows)):
        for b in range(len(rows)):
            assert (together[a] == together[b]) == ((rows[a], unknown[a]) == (rows[b], unknown[b]))


TEXTS = ["a b", "b c c", "a", "d", "b c c", ""]
LABELS = ["x", "y", "x", "y", "y", "x"]


def test_scores_of_the_first_blocks_are_those_of_all():
    model = trained(TEXTS, LABELS)
    documents = Documents.of_sample(model.summary.sample, model.counts.unit)
    left = LeftOut.of(model.counts, model.readings, None, documents, False)
    whole = left.scores(model.readings).joint
    for most in range(len(documents) + 1):
        np.testing.assert_array_equal(left.scores(model.readings, most=most).joint, whole[:most])


def test_one_gathering_serves_every_alpha_estimate_and_class_prior():
    for event in ("multinomial", "bernoulli"):
        prior = Prior(1.0, {"a": 2.0}, {"x": {"b": 1.5, "zebra": 3.0}})
        model = trained(TEXTS, LABELS, Readings(event, prior=prior))
        documents = Documents.of_encoded(model.encode(batch(TEXTS)), np.array([0, 1, 0, 1, 1, 0], np.int32))
        gathered = LeftOut.of(model.counts, model.readings, None, documents, False)
        for estimate in ("bayes", "map", "integrated"):
            for alpha in (1.0, 1.25, 7.0):
                other = Readings(event, estimate, Prior(alpha, prior.terms, prior.classes), 1.5, "prior")
                anew = LeftOut.of(model.counts, other, None, documents, False).scores(other)
                np.testing.assert_allclose(gathered.scores(other).joint, anew.joint, rtol=1e-13)


def test_the_core_refuses_arrays_that_do_not_fit():
    ints, small, floats = np.zeros(1, np.int64), np.zeros(1, np.int32), np.ones(1)
    fine = {
        "pair_offsets": np.array([0, 1]), "pair_class": small, "occurrences": floats, "documents": floats,
        "class_occurrences": floats, "class_documents": floats, "stays": None, "keep_all": False,
        "offsets": np.array([0, 1]), "term": small, "count": small + 1, "cls": small, "weight": floats,
        "block": small, "unknown": None, "number": ints,
    }  # fmt: skip
    _core.LeftOut.of(**fine)
    for name, value in (
        ("term", small + 1),
        ("term", small - 1),
        ("cls", small + 1),
        ("offsets", np.zeros(0, np.int64)),
        ("weight", np.ones(2)),
        ("stays", np.ones(2, np.uint8)),
        ("unknown", np.zeros(2, np.int64)),
        ("class_occurrences", np.ones(2)),
    ):
        with pytest.raises(ValueError):
            _core.LeftOut.of(**{**fine, name: value})
