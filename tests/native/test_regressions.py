"""Mistakes that were found once, each with the smallest input that showed it."""

import time

import numpy as np
import pytest
from counting import Document, count, in_plain_words

from priori import _core
from priori.errors import DataError


@pytest.mark.parametrize("features", ["words", "chars", "chars_across"])
def test_folding_keeps_nul(features):
    """Folding an accent gives 0, "drop it"; NUL folds to itself, which is 0 too, and words were joined across it."""
    plain, folding = (_core.Analyzer.of(features, (1, 1), True, fold, 1, False) for fold in (False, True))
    assert folding.features("é\0b") == plain.features("e\0b")


@pytest.mark.parametrize("longest", [2**30, 2**31 - 1])
def test_a_minimum_longer_than_any_word(longest):
    """Four bytes for each of 2^30 characters are 2^32, which is 0 in 32 bits: nothing was too short."""
    assert _core.Analyzer.of("words", (1, 1), True, False, longest, False).features("some words") == []


def test_a_vocabulary_of_ngrams_needs_not_their_words():
    """Words outside the vocabulary were taken out before the n-grams were made, but only when words were counted."""
    for ngrams in [(1, 2), (2, 2), (1, 3)]:
        analyzer = _core.Analyzer.of("words", ngrams, True, False, 1, False)
        counts = in_plain_words(count(analyzer, [Document("x", "a b c a")], ["a b", "c", "b a", "c a"]))
        expected = {b"a b", b"c a"} | ({b"c"} if ngrams[0] == 1 else set())
        assert {term for term, _ in counts.pairs} == expected


@pytest.mark.parametrize("word", ["\0", "two\nlines", "a b" * 1_000, " " + "é" * 50])
def test_the_message_about_words_with_spaces_is_one_whole_line(word):
    """It ended at the zero byte that it was about, and broken UTF-8 made it an error of its own."""
    counter = _core.Counter.of(_core.Analyzer.of("words", (1, 2), True, False, 1, False), None, False)
    counter.add_words([word], np.array([0, 1], np.int64), np.array([0], np.int32), ["x"], None)
    with pytest.raises(DataError, match=r"^the word '[^\n]{1,40}' holds a space .* count single words only$"):
        counter.finish()


def test_tokens_and_labels_must_have_utf8():
    """Lone surrogates became bytes that no file can hold as text, and two labels came out as one."""
    counter = _core.Counter.of(_core.Analyzer.of("words", (1, 1), True, False, 1, False), None, False)
    with pytest.raises(DataError, match="a token is not valid UTF-8"):
        counter.add_words(["a\ud800"], np.array([0, 1], np.int64), np.array([0], np.int32), ["x"], None)
    with pytest.raises(DataError, match="a label is not valid UTF-8"):
        counter.add(["a"], ["\ud800"], None, [])


@pytest.mark.parametrize("name", ["pair_weight", "term_bytes", "per_feature"])
@pytest.mark.parametrize("wrong", [lambda a: a[:-1], lambda a: a.astype(np.int16), lambda a: np.repeat(a, 2)[::2]])
def test_scorer_takes_arrays_as_they_are_or_not_at_all(name, wrong):
    """An array of another type was converted, and the scorer kept a pointer into the copy."""
    arrays = {
        "term_offsets": np.array([0, 2], np.int64),
        "term_bytes": np.frombuffer(b"ab", np.uint8),
        "pair_offsets": np.array([0, 2], np.int64),
        "pair_class": np.array([0, 1], np.int32),
        "pair_weight": np.array([3.0, 7.0]),
        "term_default": np.zeros(1),
        "constant": np.zeros(2),
        "per_feature": np.zeros(2),
    }
    analyzer = _core.Analyzer.of("words", (1, 1), True, False, 1, False)
    assert _core.Scorer.of(analyzer, arrays, False, False, 0.0, 0.0, False).score(["ab"], [], "joint", 1).tolist() == [
        [3, 7]
    ]
    arrays[name] = wrong(arrays[name])
    with pytest.raises(DataError, match=f"arrays do not fit together: {name}"):
        _core.Scorer.of(analyzer, arrays, False, False, 0.0, 0.0, False)


def test_negative_weights_are_refused():
    """Zero sums were dropped in some places and kept in others, and the sample depended on the order."""
    counter = _core.Counter.of(_core.Analyzer.of("words", (1, 1), True, False, 1, False), None, True)
    with pytest.raises(DataError, match="a document weight is negative; to forget documents, subtract"):
        counter.add(["a a", "a"], ["x", "x"], np.array([1, -1]), [])


def test_refused_counts_leave_no_class_behind():
    """The class was made before the counts were looked at."""
    counter = _core.Counter.of(_core.Analyzer.of("words", (1, 1), True, False, 1, False), None, True)
    with pytest.raises(DataError):
        counter.add_counts(["a"], np.array([0, 1]), np.array([0], np.int32), np.array([-1]), ["x"], None)
    assert counter.finish()["labels"] == []


def scorer_of(analyzer, documents):
    """Any reading will do: one weight for all pairs."""
    finished = count(analyzer, documents)
    classes = len(finished["labels"])
    arrays = {name: finished[name] for name in ("term_offsets", "term_bytes", "pair_offsets", "pair_class")}
    arrays |= {"pair_weight": np.ones(len(finished["pair_class"])), "term_default": np.zeros(1)}
    arrays |= {"constant": np.zeros(classes), "per_feature": np.zeros(classes)}
    return _core.Scorer.of(analyzer, arrays, False, False, 0.0, 0.0, False)


@pytest.mark.parametrize("wrong", [-1, 2**62])
def test_impossible_counts_are_refused_in_scoring_too(wrong):
    """They were taken for the size of a vector, whose own complaint came out."""
    scorer = scorer_of(_core.Analyzer.of("words", (1, 1), True, False, 1, False), [Document("x", "a")])
    with pytest.raises(DataError, match="a count is negative or over a million"):
        scorer.score_counts(["a"], np.array([0, 1]), np.array([0], np.int32), np.array([wrong]), "joint", 1)


@pytest.mark.parametrize("binary", [False, True])
def test_encoded_rows_are_rows_of_the_sample(binary):
    """A binary analyzer counts a word once, but encoded documents kept the repeats."""
    analyzer = _core.Analyzer.of("words", (1, 2), True, False, 1, binary)
    document = Document("x", "a b a b a")
    row, sample = scorer_of(analyzer, [document]).encode([document.text], []), count(analyzer, [document])["sample"]
    assert (row["term"].tolist(), row["count"].tolist()) == (sample["term"].tolist(), sample["count"].tolist())


def test_the_empty_word_alone():
    """No byte was copied from a null pointer: harmless, but undefined. `make fuzz` tries it under UBSan."""
    counter = _core.Counter.of(_core.Analyzer.of("words", (1, 2), True, False, 1, False), None, True)
    counter.add_words([""], np.array([0, 1]), np.array([0], np.int32), ["x"], None)
    assert in_plain_words(counter.finish()).pairs == {(b"", "x"): (1, 1)}


def test_doubles_in_other_spellings_are_cheap_when_the_sample_is_full():
    """Each made the whole sample canonical again, 7 ms a document."""
    counter = _core.Counter.of(_core.Analyzer.of("words", (1, 1), True, False, 1, False), None, True)
    counter.add([f"v{i} w" for i in range(20_000)], ["x"] * 20_000, None, [])
    begin = time.perf_counter()
    counter.add([f"W! v{i}" for i in range(4_000)], ["x"] * 4_000, None, [])
    assert time.perf_counter() - begin < 5  # 28 s it was, 0.03 s it should be
    sample = counter.finish()["sample"]
    assert (sample["bits"], len(sample["hash"]), int(sample["copies"].sum())) == (0, 20_000, 24_000)
