"""The sample: a function of the set of documents alone, by the rule stated in native/sample.hpp."""

from collections import Counter as Tally
from itertools import pairwise

import numpy as np
import pytest
from counting import Document, assert_same, combined, count, row_of, terms_of
from hypothesis import given, settings
from hypothesis import strategies as st

from priori import _core

MOST_ROWS, MOST_ENTRIES = 20_000, 2**22


def analyzer_of(ngrams=(1, 1), binary=False):
    return _core.Analyzer.of("words", ngrams, True, False, 1, binary)


def rows_of(finished):
    """(hash, label, terms with counts) of each row, and its copies; refuses rows out of canonical order."""
    sample, terms = finished["sample"], terms_of(finished)
    offsets, keys = sample["offsets"].tolist(), []
    for row, (begin, end) in enumerate(pairwise(offsets)):
        ids = sample["term"][begin:end].tolist()
        assert sorted(set(ids)) == ids
        keys.append((int(sample["hash"][row]), int(sample["class"][row]), ids, sample["count"][begin:end].tolist()))
    assert all(a < b for a, b in pairwise(keys)), "rows are not strictly sorted"
    found = {}
    for (value, cls, ids, counts), copies in zip(keys, sample["copies"].tolist(), strict=True):
        content = frozenset((terms[i], n) for i, n in zip(ids, counts, strict=True))
        found[value, finished["labels"][cls], content] = copies
    return found


def fits(rows):
    return len(rows) <= MOST_ROWS and sum(len(content) for _, _, content in rows) <= MOST_ENTRIES


def by_the_rule(rows):
    """The least number of leading zeros whose rows fit, and those rows."""
    bits = 0
    while not fits([row for row in rows if row[0] < 2 ** (64 - bits)]):
        bits += 1
    return bits, {row: copies for row, copies in rows.items() if row[0] < 2 ** (64 - bits)}


words = st.sampled_from(["a", "b", "A", "a!", "long" * 5, "漢字"])
documents = st.builds(
    Document,
    label=st.sampled_from(["x", "y"]),
    text=st.lists(words, max_size=4).map(" ".join),
    weight=st.sampled_from([1, 1, 3, 0]),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(documents, max_size=30), st.sampled_from([(1, 1), (1, 2), (2, 3)]), st.booleans())
def test_small_corpora_are_kept_whole_and_copies_counted(corpus, ngrams, binary):
    analyzer = analyzer_of(ngrams, binary)
    finished = count(analyzer, corpus)
    assert finished["sample"]["bits"] == 0
    expected: Tally[tuple[str, frozenset[tuple[bytes, int]]]] = Tally()
    for document in corpus:
        row = row_of(analyzer, document, binary=binary, vocabulary=None)
        expected[document.label, frozenset(row.items())] += document.weight
    kept: Tally[tuple[str, frozenset[tuple[bytes, int]]]] = Tally()
    for (_, label, content), copies in rows_of(finished).items():
        kept[label, content] += copies  # binary: documents that differ in their repeats only have several hashes
    assert kept == +expected


def numbered(size, seed):
    """Distinct documents of three words, and every seventh once more in another spelling and order."""
    found = [Document(f"c{i % 3}", f"w{i % 997} v{i} u{i % 13}") for i in range(size)]
    found += [Document(f"c{i % 3}", f"U{i % 13}! v{i}, w{i % 997}") for i in range(0, size, 7)]
    return [found[i] for i in np.random.default_rng(seed).permutation(len(found))]


@pytest.fixture(scope="module")
def large():
    return numbered(45_000, 1)


def test_more_documents_than_rows(large):
    """The hashes of all documents are had from parts that are small enough to be kept whole."""
    analyzer = analyzer_of()
    hashes: Tally[tuple[int, str, frozenset[tuple[bytes, int]]]] = Tally()
    for i in range(4):
        part = count(analyzer, large[i::4])
        assert part["sample"]["bits"] == 0
        hashes.update(rows_of(part))
    assert len(hashes) == 45_000
    whole = count(analyzer, large)
    bits, rows = by_the_rule(hashes)
    assert bits == 2
    assert whole["sample"]["bits"] == bits
    assert rows_of(whole) == rows


@pytest.mark.parametrize("ngrams", [(1, 1), (1, 2)])
def test_order_and_partition_change_no_bit(large, ngrams):
    analyzer = analyzer_of(ngrams)
    whole = count(analyzer, large)
    assert_same(whole, count(analyzer, sorted(large, key=lambda document: document.text)))
    for cut in (10, 20_000, 50_000):
        assert_same(whole, combined(count(analyzer, large[:cut]), count(analyzer, large[cut:])))


def test_entries_are_bounded_too():
    """2,200 documents of 2,000 words each are few rows, but too many entries."""
    rng = np.random.default_rng(5)
    names = [f"w{i}" for i in range(20_000)]
    indices = np.concatenate([rng.permutation(20_000)[:2_000] for _ in range(2_200)]).astype(np.int32)

    def counted(rows):
        counter = _core.Counter.of(analyzer_of(), None, True)
        taken = indices.reshape(2_200, 2_000)[rows]
        offsets = np.arange(len(taken) + 1, dtype=np.int64) * 2_000
        counter.add_words(names, offsets, taken.ravel(), ["x"] * len(taken), None)
        return counter.finish()

    parts = [counted(np.arange(i, 2_200, 2)) for i in range(2)]
    hashes = np.concatenate([part["sample"]["hash"] for part in parts])
    assert [part["sample"]["bits"] for part in parts] == [0, 0]
    whole = counted(np.arange(2_200))
    assert whole["sample"]["bits"] == 1
    assert np.array_equal(whole["sample"]["hash"], np.sort(hashes[hashes < 2**63]))
    assert len(whole["sample"]["term"]) == 2_000 * len(whole["sample"]["hash"])
    assert_same(whole, counted(rng.permutation(2_200)))
    assert_same(whole, combined(*parts))


def test_no_sample_when_none_is_asked_for():
    counter = _core.Counter.of(analyzer_of(), None, False)
    counter.add(["a", "b"], ["x", "y"], None, [])
    assert len(counter.finish()["sample"]["hash"]) == 0


def test_the_same_words_in_another_order_are_other_rows():
    """With n-grams they share a hash; after tightening, copies of one were counted as copies of the other."""
    documents = [text for i in range(12_000) for text in (f"w{i} x y", f"y x w{i}")]
    counter = _core.Counter.of(analyzer_of((1, 2)), None, True)
    for _ in range(2):
        counter.add(documents, ["c"] * len(documents), None, [])
    sample = counter.finish()["sample"]
    assert sample["bits"] > 0
    assert set(sample["copies"].tolist()) == {2}
