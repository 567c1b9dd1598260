"""The compiled counter against counting with dictionaries; any order and any split give the same bits."""

import numpy as np
import pytest
from counting import Document, add, assert_same, brute_force, combined, count, in_plain_words, terms_of
from hypothesis import given, settings
from hypothesis import strategies as st
from nasty_texts import texts

from priori import _core
from priori.errors import DataError

NGRAMS = [(1, 1), (1, 2), (2, 3), (1, 4), (3, 3)]
LABELS = ["ham", "spam", "", "é", "ham ", "漢" * 9]
WORDS = ["a", "b", "c", "bb", "a_b", "the", "x" * 16, "x" * 17, "x" * 16 + "y", "é", "ÉÉ", "漢字", "word"]

sentences = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)
weights = st.sampled_from([1, 1, 1, 0, 2, 7, 2**20, 2**40])
documents = st.builds(
    Document,
    label=st.sampled_from(LABELS),
    text=st.one_of(sentences, sentences, texts),
    fields=st.tuples(
        st.tuples(st.just("subject:"), st.one_of(st.none(), sentences)), st.tuples(st.just("a"), sentences)
    ),
    weight=weights,
)
corpora = st.lists(documents, max_size=12)
features_kinds = st.sampled_from(["words", "words", "words", "chars", "chars_across"])


def analyzer_of(features="words", ngrams=(1, 1), binary=False):
    return _core.Analyzer.of(features, ngrams, True, False, 1, binary)


def vocabulary_from(analyzer, corpus, rng):
    """Half of the terms that occur, and some that do not."""
    terms = sorted({t for d in corpus for prefix, text in d.segments() for t in analyzer.features(text, prefix)})
    return [term for term in terms if rng.random() < 0.5] + ["never", "never seen"]


@settings(max_examples=300, deadline=None)
@given(corpora, features_kinds, st.sampled_from(NGRAMS), st.booleans(), st.one_of(st.none(), st.randoms()))
def test_equals_brute_force(corpus, features, ngrams, binary, rng):
    analyzer = analyzer_of(features, ngrams, binary)
    vocabulary = None if rng is None else vocabulary_from(analyzer, corpus, rng)
    ours = in_plain_words(count(analyzer, corpus, vocabulary))
    assert ours == brute_force(analyzer, corpus, binary=binary, vocabulary=vocabulary)


@settings(max_examples=150, deadline=None)
@given(corpora, features_kinds, st.sampled_from(NGRAMS), st.booleans(), st.randoms(), st.integers(1, 4))
def test_order_and_split_change_no_bit(corpus, features, ngrams, binary, rng, parts):
    analyzer = analyzer_of(features, ngrams, binary)
    whole = count(analyzer, corpus)
    shuffled = rng.sample(corpus, len(corpus))
    assert_same(whole, count(analyzer, shuffled))
    pieces = [count(analyzer, shuffled[i::parts]) for i in range(parts)]
    total = pieces[0]
    for piece in pieces[1:]:
        total = combined(total, piece)
    assert_same(whole, total)


@settings(max_examples=200, deadline=None)
@given(corpora, corpora, st.sampled_from(NGRAMS))
def test_what_is_taken_away_again_was_never_there(kept, gone, ngrams):
    analyzer = analyzer_of(ngrams=ngrams)
    both = combined(count(analyzer, kept + gone), count(analyzer, gone), sign=-1)
    ours, expected = in_plain_words(both), in_plain_words(count(analyzer, kept))
    assert (ours.pairs, ours.lengths) == (expected.pairs, expected.lengths)
    assert {label: n for label, n in ours.documents.items() if n} == expected.documents


def test_several_calls_are_one():
    analyzer = analyzer_of(ngrams=(1, 2))
    corpus = [Document(LABELS[i % 3], " ".join(WORDS[i % 7 : i % 13])) for i in range(40)]
    counter = _core.Counter.of(analyzer, None, True)
    for i in range(0, 40, 7):
        add(counter, corpus[i : i + 7])
        counter.finish()  # finishing reads, it does not end
    assert_same(counter.finish(), count(analyzer, corpus))


# --- hot, rare and many -------------------------------------------------------------------------------------------


def many_words(rng, documents, words, classes, length=30):
    """Words drawn so that some are in all classes and most are rare; every class and word comes at least once."""
    found = []
    for i in range(documents):
        drawn = np.minimum(rng.zipf(1.3, length), words) - 1
        spelled = [f"w{n}" if n % 3 else f"a_rather_long_word_{n}" for n in [*drawn.tolist(), i % words]]
        found.append(Document(f"class {i % classes}", " ".join(spelled), weight=1 + i % 3))
    return found


@pytest.mark.parametrize(
    ("size", "words", "classes", "ngrams", "binary"),
    [
        (3_000, 2_500, 70, (1, 1), False),  # over 64 classes: fewer hot terms
        (3_000, 1_000, 1_150, (1, 2), False),  # over 1,024 classes: none
        (3_000, 2_900, 1_150, (1, 1), True),
        (24_000, 24_000, 3, (1, 1), False),  # over 16,384 words: some are not hot
        (24_000, 24_000, 70, (1, 1), True),
        (5_000, 20_000, 2, (2, 3), False),
    ],
)
def test_many_classes_and_words(size, words, classes, ngrams, binary):
    corpus = many_words(np.random.default_rng(3), size, words, classes, length=5 if size > 4_000 else 15)
    analyzer = analyzer_of(ngrams=ngrams, binary=binary)
    finished = count(analyzer, corpus)
    assert in_plain_words(finished) == brute_force(analyzer, corpus, binary=binary)
    assert_same(finished, combined(count(analyzer, corpus[::2]), count(analyzer, corpus[1::2])))


def test_a_word_first_rare_then_hot_in_another_class():
    """Word 3,000 has a place of its own in class 0 and none in class 100; both counts must come out."""
    analyzer = analyzer_of()
    early = [Document("0", " ".join(f"w{i}" for i in range(3_500)))]
    classes = [Document(str(i), "w0") for i in range(1, 120)]
    late = [Document(label, "w3000 w3000") for label in ("100", "0", "119", "3")]
    corpus = early + classes + late
    assert in_plain_words(count(analyzer, corpus)) == brute_force(analyzer, corpus)


def test_long_documents():
    """Lengths over 4,096 are kept in another place than short ones."""
    analyzer = analyzer_of(ngrams=(1, 2))
    corpus = [Document("a", "x y " * size) for size in (0, 1023, 1024, 1025, 2048, 5_000, 5_000)]
    assert in_plain_words(count(analyzer, corpus)) == brute_force(analyzer, corpus)


# --- words and counts that come ready -----------------------------------------------------------------------------


def word_lists(rows, names=None):
    """(names, offsets, indices) of lists of words."""
    names = sorted({word for row in rows for word in row}) if names is None else names
    place = {name: i for i, name in enumerate(names)}
    offsets = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    return names, offsets, np.array([place[word] for row in rows for word in row], np.int32)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from(["a", "b", "cc", "x" * 16, "x" * 17, "é"]), max_size=8), max_size=8),
    st.sampled_from(NGRAMS),
    st.booleans(),
)
def test_ready_words_are_as_texts(rows, ngrams, binary):
    analyzer = analyzer_of(ngrams=ngrams, binary=binary)
    labels = [LABELS[len(row) % 3] for row in rows]
    counter = _core.Counter.of(analyzer, None, True)
    counter.add_words(*word_lists(rows), labels, None)
    corpus = [Document(label, " ".join(row)) for label, row in zip(labels, rows, strict=True)]
    assert_same(counter.finish(), count(analyzer, corpus))


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.dictionaries(st.sampled_from(["a", "b", "cc", "x" * 17, "é"]), st.integers(0, 5)), max_size=8),
    st.booleans(),
)
def test_ready_counts_are_as_texts(rows, binary):
    analyzer = analyzer_of(binary=binary)
    labels = [LABELS[len(row) % 3] for row in rows]
    counter = _core.Counter.of(analyzer, None, True)
    names, offsets, indices = word_lists([list(row) for row in rows])
    counter.add_counts(
        names, offsets, indices, np.array([n for row in rows for n in row.values()], np.int64), labels, None
    )
    spelled = [" ".join(word for word, n in row.items() for _ in range(n)) for row in rows]
    assert_same(counter.finish(), count(analyzer, [Document(*pair) for pair in zip(labels, spelled, strict=True)]))


ODD_WORDS = [
    "",
    "\0",
    "\0\0",
    "a",
    "a\0",
    "a\0\0",
    "\0a",
    "a\0b",
    " ",
    "a b",
    *("z" * n + "\0" * m for n in (14, 15, 16, 17) for m in (0, 1, 2)),
]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.lists(st.sampled_from(ODD_WORDS), max_size=8), min_size=1, max_size=6))
def test_words_of_any_bytes_stay_apart(rows):
    counter = _core.Counter.of(analyzer_of(), None, True)
    counter.add_words(*word_lists(rows), ["x"] * len(rows), None)
    finished = counter.finish()
    expected = {word.encode(): sum(row.count(word) for row in rows) for row in rows for word in row}
    assert {term: n for (term, _), (n, _) in in_plain_words(finished).pairs.items()} == expected
    assert terms_of(finished) == sorted(expected)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from(["", "a", "aa", "!", "~", "é", "z" * 17]), max_size=8), min_size=1, max_size=6)
)
def test_ngrams_of_odd_words_are_sorted(rows):
    """The empty word and words of punctuation: the joining space still sorts first."""
    counter = _core.Counter.of(analyzer_of(ngrams=(1, 3)), None, False)
    counter.add_words(*word_lists(rows), ["x"] * len(rows), None)
    grams = [" ".join(row[i : i + n]) for row in rows for n in (1, 2, 3) for i in range(len(row) - n + 1)]
    assert terms_of(counter.finish()) == sorted({gram.encode() for gram in grams})


@pytest.mark.parametrize("word", ["a b", "\0", "tab\t"])
def test_words_with_spaces_have_no_ngrams(word):
    counter = _core.Counter.of(analyzer_of(ngrams=(1, 2)), None, False)
    counter.add_words([word], np.array([0, 1], np.int64), np.array([0], np.int32), ["x"], None)
    with pytest.raises(DataError, match="holds a space or control character"):
        counter.finish()


@pytest.mark.parametrize("wrong", [-1, 1_000_001])
def test_impossible_counts_are_refused(wrong):
    counter = _core.Counter.of(analyzer_of(), None, False)
    with pytest.raises(DataError, match="a count is negative or over a million"):
        counter.add_counts(["a"], np.array([0, 1], np.int64), np.array([0], np.int32), np.array([wrong]), ["x"], None)


@pytest.mark.parametrize(
    ("offsets", "indices"), [([], []), ([1, 1], [0]), ([0, 2], [0]), ([0, 2, 1], [0]), ([0, 1], [1]), ([0, 1], [-1])]
)
def test_word_lists_that_do_not_fit_are_refused(offsets, indices):
    counter = _core.Counter.of(analyzer_of(), None, False)
    with pytest.raises(DataError):
        counter.add_words(["a"], np.array(offsets, np.int64), np.array(indices, np.int32), ["x"] * 2, None)


def test_rows_without_label_are_skipped_and_counted():
    counter = _core.Counter.of(analyzer_of(), None, True)
    assert counter.add(["a", "b", "c"], ["x", None, None], None, []) == 2
    with pytest.raises(DataError, match="text 1 is None"):
        counter.add(["a", None], ["x", "x"], None, [])
    assert_same(counter.finish(), count(analyzer_of(), [Document("x", "a")]))


def test_nothing_at_all():
    finished = _core.Counter.of(analyzer_of(ngrams=(1, 3)), None, True).finish()
    assert in_plain_words(finished) == brute_force(analyzer_of(), [])
    assert_same(finished, combined(finished, finished))
