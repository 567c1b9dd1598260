"""Stop words: every list there is, as the analyzer sees it, against plain Python and scikit-learn."""

import builtins
import sys
from pathlib import Path

import pytest
import stop_words
from hypothesis import given, settings
from hypothesis import strategies as st
from nasty_texts import texts as nasty_texts
from sklearn.feature_extraction.text import CountVectorizer
from words_reference import entry_words, features, without_runs, written_words

from corpora import dataset, model_of
from priori import TextClassifier, load
from priori.errors import DataError, MergeError
from priori.text import Analyzer
from priori.text.stop_words import languages, list_of

NAMES = sorted(set(languages().values()))
ENTRIES = ["the", "don't", "to be", "Be", "é", "É", "i.e.", "了", "不是", "s", "x" * 17, "don", "to", "'", ""]

small_words = st.sampled_from(
    ["the", "The", "don't", "don", "t", "to", "be", "é", "e", "不", "是", "了", "s", "i.e.", "x" * 17]
)
small_texts = st.lists(small_words, max_size=12).map(" ".join)
entries = st.lists(st.sampled_from(ENTRIES), min_size=1, max_size=6)


def test_at_least_twenty_languages():
    assert len(NAMES) >= 20
    assert {"english", "spanish", "german", "french", "russian", "arabic", "chinese", "japanese"} <= set(NAMES)


@pytest.mark.parametrize("folded", [False, True])
@pytest.mark.parametrize("language", NAMES)
def test_every_word_of_every_list_is_taken_out(language, folded):
    """Alone, in capitals, and between words that stay."""
    analyzer = Analyzer(fold_accents=folded).with_stop_words(language)
    listed = list_of(language)
    assert len(listed) > 30
    for word in listed:
        for text in (word, word.upper() if word.upper().lower() == word else word, f"{word}."):
            assert analyzer.features_of(text) == [], text
        assert analyzer.features_of(f"zqx {word} zqx") == ["zqx", "zqx"], word


@settings(max_examples=400, deadline=None)
@given(st.one_of(small_texts, nasty_texts), entries, st.booleans(), st.booleans(), st.integers(1, 3), st.integers(1, 3))
def test_equals_plain_python(text, listed, lowercase, folded, shortest, longest):
    how = {"lowercase": lowercase, "fold_accents": folded, "min_length": shortest}
    if not any(entry_words(entry, lowercase=lowercase, fold_accents=folded) for entry in listed):
        with pytest.raises(DataError, match="stop words"):
            Analyzer(**how).with_stop_words(listed)
        return
    analyzer = Analyzer(ngrams=(1, longest), **how).with_stop_words(listed)
    text = text.encode("utf-8", "replace").decode()
    assert analyzer.features_of(text) == features(text, listed, ngrams=(1, longest), **how)


def test_the_test_would_see_words_taken_out_one_by_one():
    """The planted bug: every word of an entry a stop word of its own, as scikit-learn's users get it."""
    text, entry = "don won't say won or don", "won't"
    assert Analyzer().with_stop_words([entry]).features_of(text) == ["don", "say", "won", "or", "don"]
    assert without_runs(text.replace("'", " ").split(), {("won",), ("t",)}) == ["don", "say", "or", "don"]


@pytest.mark.parametrize("name", ["sms_spam"])
def test_equals_plain_python_on_messages(name):
    texts, _ = dataset(name)
    listed = list_of("english")
    analyzer = Analyzer(ngrams=(1, 2)).with_stop_words("english")
    for text in texts[:300]:
        assert analyzer.features_of(text) == features(text, listed, ngrams=(1, 2))


@pytest.mark.parametrize("ngrams", [(1, 1), (1, 2), (2, 3)])
@pytest.mark.parametrize("given_words", ["english", ["the", "you", "u", "to"]])
def test_equals_count_vectorizer(ngrams, given_words):
    texts, labels = dataset("sms_spam")
    texts, labels = texts[:500], labels[:500]
    theirs = CountVectorizer(ngram_range=ngrams, stop_words=given_words)
    table = theirs.fit_transform(texts)
    analyzer = Analyzer(ngrams=ngrams, compat="sklearn").with_stop_words(given_words)
    counts = model_of(list(zip(texts, labels, strict=True)), analyzer).counts
    assert counts.term_texts() == sorted(theirs.vocabulary_, key=str.encode)
    order = [theirs.vocabulary_[term] for term in counts.term_texts()]
    assert counts.term_totals().tolist() == table.sum(axis=0).A1[order].tolist()


def test_words_of_a_tokenizer_are_its_own():
    """The user knows how his words are written; a model of CountVectorizer(tokenizer=, stop_words=) is the same."""
    texts, labels = ["The Cat sat", "a cat", "the-cat The"], ["x", "y", "x"]
    model = TextClassifier(tokenizer=str.split, stop_words=["The", "cat"]).fit(texts, labels)
    assert model.get_feature_names_out().tolist() == ["Cat", "a", "sat", "the-cat"]
    assert model.explain("The Cat").contributions[0].feature == "Cat"


def test_lists_of_tokens_lose_them_before_ngrams():
    lists, labels = [["a", "the", "b"], ["b", "do", "nt", "a"]], ["x", "y"]
    model = TextClassifier(ngrams=(1, 2), stop_words=["the", "do nt"]).fit(lists, labels)
    assert model.get_feature_names_out().tolist() == ["a", "a b", "b", "b a"]
    same = TextClassifier(ngrams=(1, 2)).fit([["a", "b"], ["b", "a"]], labels)
    assert (model.predict_proba(lists) == same.predict_proba([["a", "b"], ["b", "a"]])).all()


def test_fields_lose_them_too():
    analyzer = Analyzer(fields=("subject",)).with_stop_words(["re", "the"])
    assert analyzer.native.features("Re: the win", "subject:") == ["subject:win"]


def test_languages_by_name_and_by_code_files_and_several(tmp_path):
    path = tmp_path / "stop.txt"
    path.write_text("\ufeffThe\r\n\r\n  don't \n", encoding="utf-8")
    assert Analyzer().with_stop_words("es") == Analyzer().with_stop_words("spanish")
    assert Analyzer().with_stop_words(path).stop_words == ("don t", "the")
    assert Analyzer().with_stop_words(str(path)).stop_words == ("don t", "the")
    both = Analyzer().with_stop_words(("english", "spanish")).stop_words
    one, other = (Analyzer().with_stop_words(name).stop_words for name in ("english", "spanish"))
    assert both == tuple(sorted({*one, *other}, key=str.encode))
    mixed = Analyzer().with_stop_words(["english", path]).stop_words
    assert set(mixed) == {*one, "don t", "the"}
    assert Analyzer().with_stop_words(["it", "no", "english"]).stop_words == ("english", "it", "no")  # words, not codes
    assert Analyzer().with_stop_words(None).stop_words is None


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("k" * 5000, r"no stop words of"),
        ("klingon", r"no stop words of 'klingon', only of arabic, .*; give one of these, or a file"),
        ([], "the stop words are none"),
        (["!", ""], "the stop words are none"),
        (["the", 7], "the stop word 7 is no text"),
        (Path("/nowhere/stop.txt"), "cannot be read"),
    ],
)
def test_refusals(wrong, message):
    with pytest.raises(DataError, match=message):
        Analyzer().with_stop_words(wrong)


@pytest.mark.parametrize("features", ["chars", "chars_across"])
def test_characters_have_none(features):
    with pytest.raises(DataError, match="stop words and stems are of words"):
        TextClassifier(features=features, stop_words="english").fit(["a", "b"], ["x", "y"])


def test_counts_have_none():
    with pytest.raises(DataError, match="counts are taken as they came"):
        TextClassifier(stop_words=["the"]).fit([{"the": 2, "a": 1}, {"a": 1}], ["x", "y"])


def test_without_the_package_there_is_english(monkeypatch):
    monkeypatch.setitem(sys.modules, "stop_words", None)
    assert "the" in Analyzer().with_stop_words("english").stop_words
    with pytest.raises(DataError, match=r"only of english \(more with pip install 'priori\[words\]'\)"):
        Analyzer().with_stop_words("spanish")


def test_a_model_keeps_its_words_whatever_becomes_of_the_package(tmp_path, monkeypatch):
    texts, labels = ["el perro y la casa", "la comida es buena"], ["x", "y"]
    model = TextClassifier(stop_words="spanish").fit(texts, labels)
    model.model_.save(tmp_path / "a.priori")
    monkeypatch.setattr(stop_words, "get_stop_words", lambda language: ["perro"])
    again = load(tmp_path / "a.priori")
    assert again.model_.analyzer == model.model_.analyzer
    assert (again.predict_proba(texts) == model.predict_proba(texts)).all()
    again.learn(["la perra"], ["x"]).forget(["la perra"], ["x"]).model_.save(tmp_path / "b.priori")
    assert (tmp_path / "a.priori").read_bytes() == (tmp_path / "b.priori").read_bytes()


def test_models_of_other_words_do_not_merge():
    rows = [("the a b", "x"), ("c", "y")]
    one, other = (model_of(rows, Analyzer().with_stop_words([word])) for word in ("the", "a"))
    with pytest.raises(MergeError, match="their analyzers differ in stop words"):
        _ = one + other
    with pytest.raises(MergeError, match="their analyzers differ in stop words"):
        _ = one + model_of(rows)


def test_no_package_is_touched_without_them(monkeypatch):
    real = builtins.__import__

    def refusing(name, *rest, **more):
        assert name not in ("stop_words", "Stemmer"), name
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", refusing)
    TextClassifier().fit(["a b", "c"], ["x", "y"]).predict(["a"])


def test_short_words_go_after_stop_words():
    """ "don't" is a run of two words, though one of them is too short to count."""
    analyzer = Analyzer(min_length=3).with_stop_words(["don't"])
    assert analyzer.features_of("I don't know Don") == ["know", "don"]
    assert written_words("I don't know Don", ["don't"], min_length=3) == ["know", "don"]
