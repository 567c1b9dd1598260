"""The compiled analyzer against the reference, against itself without SIMD, and against CountVectorizer."""

import os
import unicodedata
from collections import Counter as Tally
from importlib.resources import files
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from counting import in_plain_words
from hypothesis import example, given, settings
from hypothesis import strategies as st
from nasty_texts import BROKEN, SPECIAL, damaged_texts, texts
from sklearn.feature_extraction.text import CountVectorizer

from priori import _core
from priori.errors import DataError
from priori.text.characters import running_python
from reference import reference_features, word_ngrams

DATA = os.environ.get("PRIORI_DATA")  # the folder with the real data sets, where they are at hand
BUNDLED = files("priori") / "data" / "samples" / "sms_spam.parquet"
DATASETS = [Path(str(BUNDLED))] + ([] if DATA is None else sorted(Path(DATA).glob("*.parquet")))
SKLEARN = {"words": "word", "chars": "char_wb", "chars_across": "char"}

pinned_python = pytest.mark.skipif(
    unicodedata.unidata_version != _core.UNICODE_VERSION,
    reason=f"needs a Python whose unicodedata is {_core.UNICODE_VERSION}",
)
features_kinds = st.sampled_from(["words", "chars", "chars_across"])
ngram_ranges = st.sampled_from([(1, 1), (1, 2), (2, 2), (2, 3), (1, 5), (3, 4), (16, 16)])
prefixes = st.sampled_from(["", "", "subject:", "é", "a b:"])


def expected(text, prefix, features, ngrams, **options):
    """The reference with a prefix: it stands before each word, and before each n-gram of characters."""
    if features != "words":
        return [prefix + gram for gram in reference_features(text, features=features, ngrams=ngrams, **options)]
    return word_ngrams([prefix + word for word in reference_features(text, **options)], *ngrams)


def as_decoded(text):
    """What the core sees of a str: a lone surrogate has no UTF-8, so its three bytes are three replacements."""
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


@pytest.fixture(scope="module")
def running():
    return _core.Characters(*running_python())


@pinned_python
@settings(max_examples=1_500, deadline=None)
@given(texts, prefixes, features_kinds, ngram_ranges, st.booleans(), st.booleans(), st.integers(1, 4))
@example("abΣ" + "'" * 70 + "Σ", "", "words", (1, 1), True, False, 1)  # a sigma that looks past a block
@example("a" * 64 + "\u0301b", "", "words", (1, 1), True, True, 1)  # an accent on the last letter of a block
@example("a" * 63 + "漢" + "b" * 64, "", "words", (1, 1), True, False, 2)
def test_equals_the_reference(text, prefix, features, ngrams, lowercase, fold_accents, min_length):
    analyzer = _core.Analyzer.of(features, ngrams, lowercase, fold_accents, min_length, False)
    options = {"lowercase": lowercase, "fold_accents": fold_accents, "min_length": min_length}
    assert analyzer.features(text, prefix) == expected(as_decoded(text), prefix, features, ngrams, **options)


@pinned_python
@settings(max_examples=1_000, deadline=None)
@given(damaged_texts, features_kinds, ngram_ranges, st.booleans(), st.booleans(), st.integers(1, 3))
def test_invalid_bytes_separate_words(data, features, ngrams, lowercase, fold_accents, min_length):
    analyzer = _core.Analyzer.of(features, ngrams, lowercase, fold_accents, min_length, False)
    options = {"lowercase": lowercase, "fold_accents": fold_accents, "min_length": min_length}
    assert analyzer.features(data) == expected(data.decode("utf-8", "replace"), "", features, ngrams, **options)


@pytest.mark.parametrize("broken", BROKEN)
def test_no_word_joins_across_broken_bytes(broken):
    analyzer = _core.Analyzer.of("words", (1, 1), True, True, 1, False)
    for before in range(70):
        data = b"a" * before + broken + b"b"
        assert analyzer.features(data) == ["a" * before] * (before > 0) + ["b"]


@pinned_python
def test_every_special_character_between_blocks():
    """Each at every place of a block of sixty-four, after a letter and before one."""
    analyzer = _core.Analyzer.of("words", (1, 1), True, False, 1, False)
    for special in SPECIAL:
        for before in range(130):
            text = " " * (before // 2) + "A" * (before - before // 2) + special + "B"
            assert analyzer.features(text) == reference_features(text)


@pytest.mark.parametrize("ngrams", [(0, 1), (2, 1), (-1, 2), (1, 17)])
def test_ngrams_that_make_no_sense_are_refused(ngrams):
    with pytest.raises(DataError, match="n-grams must be a range"):
        _core.Analyzer.of("words", ngrams, True, False, 1, False)


# --- SIMD ---------------------------------------------------------------------------------------------------------


def with_and_without_simd(monkeypatch, *options):
    monkeypatch.setenv("PRIORI_SIMD", "off")
    portable = _core.Analyzer.of(*options)
    monkeypatch.delenv("PRIORI_SIMD")
    return _core.Analyzer.of(*options), portable


def every_byte():
    """Two hundred bytes and more: all ASCII in an order that mixes kinds, with words of many lengths."""
    return bytes(np.random.default_rng(1).permutation(np.tile(np.arange(128, dtype=np.uint8), 3)))


@pytest.mark.parametrize("lowercase", [True, False])
@pytest.mark.parametrize("fill", [None, "é".encode(), "漢".encode(), b"\xff"])
def test_portable_equals_simd(monkeypatch, lowercase, fill):
    simd, portable = with_and_without_simd(monkeypatch, "words", (1, 1), lowercase, False, 1, False)
    base = every_byte()
    for size in range(201):
        for shift in range(0, 64, 7):
            data = base[shift : shift + size]
            if fill is not None:
                data = data[: size // 2] + fill + data[size // 2 :]
            assert simd.features(data) == portable.features(data)


def test_portable_equals_simd_at_every_alignment(monkeypatch):
    """In one Arrow buffer the texts begin at every address."""
    rng = np.random.default_rng(2)
    column = pa.array([bytes(rng.permutation(np.arange(128, dtype=np.uint8))[: n % 201]).decode() for n in range(5000)])
    results = []
    for analyzer in with_and_without_simd(monkeypatch, "words", (1, 2), True, False, 1, False):
        counter = _core.Counter.of(analyzer, None, True)
        counter.add(column, pa.array(["x"] * len(column)), None, [])
        results.append(in_plain_words(counter.finish()))
    assert results[0] == results[1]


# --- CountVectorizer ----------------------------------------------------------------------------------------------


def compat(running, features="words", ngrams=(1, 1), lowercase=True):
    return _core.Analyzer.of(features, ngrams, lowercase, False, 2, False, running)


@settings(max_examples=800, deadline=None)
@given(texts, features_kinds, ngram_ranges, st.booleans())
def test_compat_is_countvectorizer_on_any_text(running, text, features, ngrams, lowercase):
    theirs = CountVectorizer(analyzer=SKLEARN[features], ngram_range=ngrams, lowercase=lowercase).build_analyzer()
    assert compat(running, features, ngrams, lowercase).features(text) == theirs(as_decoded(text))


@pytest.mark.parametrize("path", DATASETS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_compat_is_countvectorizer_on_real_data(running, path):
    column = parquet.read_table(path, columns=["text"])["text"].to_pylist()
    ours, theirs = compat(running), CountVectorizer().build_analyzer()
    vocabulary: Tally[str] = Tally()
    for text in column:
        tokens = theirs(text)
        assert ours.features(text) == tokens
        vocabulary.update(tokens)
    counter = _core.Counter.of(ours, None, False)
    counter.add(column, ["x"] * len(column), None, [])
    pairs = in_plain_words(counter.finish()).pairs
    assert {term.decode(): count for (term, _), (count, _) in pairs.items()} == dict(vocabulary)


@pytest.mark.parametrize(
    ("features", "ngrams", "step"),
    [("words", (1, 2), 20), ("words", (2, 3), 60), ("chars", (2, 4), 150), ("chars_across", (1, 3), 150)],
)
@pytest.mark.parametrize("path", DATASETS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_compat_ngrams_are_countvectorizers_on_real_data(running, path, features, ngrams, step):
    column = parquet.read_table(path, columns=["text"])["text"].to_pylist()[::step]
    ours = compat(running, features, ngrams)
    theirs = CountVectorizer(analyzer=SKLEARN[features], ngram_range=ngrams).build_analyzer()
    for text in column:
        assert ours.features(text) == theirs(text)
