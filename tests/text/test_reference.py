"""The reference analyzer itself against CountVectorizer, where the two must agree."""

from importlib.resources import files

import pyarrow.parquet as parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from reference import reference_features

SIZES = [(1, 1), (1, 2), (2, 3), (1, 4), (3, 3), (2, 5)]
ANALYZERS = {"words": "word", "chars": "char_wb", "chars_across": "char"}

texts = st.text(st.one_of(st.sampled_from("ab ΣAİ\t\n\u00a0_1é\u0301漢กि"), st.characters()), max_size=30)


@pytest.fixture(scope="module")
def messages():
    with (files("priori") / "data" / "samples" / "sms_spam.parquet").open("rb") as file:
        return parquet.read_table(file, columns=["text"])["text"].to_pylist()[::40]


def features_of_both(text, features, ngrams, lowercase):
    vectorizer = CountVectorizer(analyzer=ANALYZERS[features], ngram_range=ngrams, lowercase=lowercase)
    return (
        reference_features(text, features=features, ngrams=ngrams, lowercase=lowercase, compat="sklearn"),
        vectorizer.build_analyzer()(text),
    )


@pytest.mark.parametrize("features", ANALYZERS)
@pytest.mark.parametrize("ngrams", SIZES)
def test_reference_is_countvectorizer_on_messages(features, ngrams, messages):
    for message in messages:
        ours, theirs = features_of_both(message, features, ngrams, lowercase=True)
        assert ours == theirs


@settings(max_examples=500, deadline=None)
@given(texts, st.sampled_from(list(ANALYZERS)), st.sampled_from(SIZES), st.booleans())
def test_reference_is_countvectorizer_on_any_text(text, features, ngrams, lowercase):
    ours, theirs = features_of_both(text, features, ngrams, lowercase)
    assert ours == theirs


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The 2nd snake_case don't", ["the", "2nd", "snake_case", "don", "t"]),
        ("हिन्दी शब्द", ["हिन्दी", "शब्द"]),  # vowel signs and viramas stay in the word
        ("漢字kanaかな", ["漢", "字", "kana", "か", "な"]),
        ("ที่นี่", ["ที่", "นี่"]),  # Thai: each letter with its marks
        ("한국어 말", ["한국어", "말"]),  # Hangul has spaces
        ("ΟΔΟΣ ΣΑΣ", ["οδος", "σας"]),
    ],
)
def test_reference_words_of_scripts(text, tokens):
    assert reference_features(text) == tokens


def test_reference_min_length_spares_characters_that_stand_alone():
    assert reference_features("a bc 漢 def", min_length=3) == ["漢", "def"]


@pytest.mark.parametrize(("text", "folded"), [("Ñandú", "nandu"), ("e\u0301", "e"), ("हि", "हि"), ("が", "が")])
def test_reference_folding(text, folded):
    assert reference_features(text, fold_accents=True) == [folded]
