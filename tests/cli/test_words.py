"""Stop words and stems on the command line: what the commands make of them, and what they say."""

from collections import Counter as Tally

import numpy as np
import pytest

from priori import TextClassifier, load
from priori.select import frequent_words

NEW = "winning phones, don't call"


@pytest.fixture
def words(priori, mail):
    """A model of stems, less two words of a file and two of the command line's language."""
    (mail / "stop.txt").write_text("To\nat\n", encoding="utf-8")
    options = ("--stop-words", "stop.txt", "--stop-words", "en", "--stem", "en", "--ngrams", "1-2")
    trained = priori("train", "mail.csv", *options, "-o", "words.priori", "--json")
    assert trained.code == 0
    return mail


def test_train_counts_stems(priori, words):
    analyzer = load("words.priori").model_.analyzer
    assert analyzer.stem == "english" and {"to", "at", "the", "don t"} <= set(analyzer.stop_words)
    told = priori("inspect", "words.priori")
    assert f"without {len(analyzer.stop_words)} stop words, english stems" in told.out
    assert priori("inspect", "words.priori", "--json").json["analyzer"]["stem"]["algorithm"] == "english"


def test_tokens_show_what_they_do(priori, words):
    shown = priori("tokens", NEW, "--stop-words", "english", "--stem", "english", "--json")
    assert shown.json == ["win", "phone"]  # call is among the English ones
    assert priori("tokens", NEW, "--model", "words.priori", "--json").json == ["win", "phone", "win phone"]
    assert priori("tokens", NEW, "--json").json == ["winning", "phones", "don", "t", "call"]
    for option in ("--stem", "--stop-words"):
        assert f"leave {option} away" in priori("tokens", NEW, "--model", "words.priori", option, "en").err


def test_terms_and_explain_show_words_as_they_are_written(priori, words):
    (words / "more.csv").write_text("text,label\nwinning and winning,spam\n", encoding="utf-8")
    assert priori("update", "words.priori", "more.csv").code == 0
    assert "win: win, winning" in priori("terms", "words.priori").out
    rows = {row["term"]: row for row in priori("terms", "words.priori", "-n", "99", "--json").json}
    assert rows["win"]["forms"] == [{"word": "win", "occurrences": 3.0}, {"word": "winning", "occurrences": 2.0}]
    assert rows["free phone"]["forms"] == [{"word": "free phone", "occurrences": 1.0}]
    assert "win: winning" in priori("explain", "words.priori", NEW).out
    said = priori("explain", "words.priori", "--source", "more.csv", "--json").json["contributions"]
    assert {row["feature"]: row.get("words") for row in said}["win win"] == ["winning winning"]
    assert "words" not in priori("explain", "mail.priori", NEW, "--json").json["contributions"][0]
    assert "forms" not in priori("terms", "mail.priori", "--json").json[0]
    page = priori("evaluate", "words.priori", "more.csv", "--html", "page.html")
    assert page.code == 0


def test_forgetting_gives_the_bytes_of_before(priori, words):
    before = (words / "words.priori").read_bytes()
    (words / "more.csv").write_text("text,label\nphones are winners,spam\nI don't lunch,ham\n", encoding="utf-8")
    for verb in ("update", "forget"):
        assert priori(verb, "words.priori", "more.csv").code == 0
    assert (words / "words.priori").read_bytes() == before


@pytest.mark.parametrize("share", [0.1, 0.2, 1 / 3, 0.5])
def test_words_of_many_documents(priori, mail, share):
    """Against counting; and what they are is a file for the next training."""
    texts = [line.split(",")[0].strip('"') for line in (mail / "mail.csv").read_text().splitlines()[1:]]
    texts[1] = "win a free phone now"
    seen = Tally(word for text in texts for word in set(text.split()))
    expected = sorted(word for word, documents in seen.items() if documents > share * len(texts))
    ran = priori("terms", "mail.priori", "--stop-words", share)
    assert ran.out.split() == expected == priori("terms", "mail.priori", "--stop-words", share, "--json").json
    assert frequent_words(load("mail.priori").model_.counts, share) == expected
    (mail / "stop.txt").write_text(ran.out, encoding="utf-8")
    again = priori("train", "mail.csv", "--stop-words", "stop.txt", "-o", "less.priori")
    if not expected:
        assert again.code == 1 and "has none; give one word per line" in again.err
        return
    assert sorted(load("less.priori").get_feature_names_out()) == sorted(set(seen) - set(expected))


def test_fields_have_no_part_in_a_list(priori, mail):
    (mail / "two.csv").write_text("text,label,title\na,x,re b\nb,y,re c\n", encoding="utf-8")
    assert priori("train", "two.csv", "--field", "title", "-o", "two.priori").code == 0
    assert "title:re" in load("two.priori").get_feature_names_out()
    assert priori("terms", "two.priori", "--stop-words", 0.6, "--json").json == []


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("tokens", "a", "--stop-words", "klingon"), 2, "there are no stop words of 'klingon', only of arabic,"),
        (("tokens", "a", "--stop-words", "no.txt"), 2, "there is no file 'no.txt' of stop words, nor a language"),
        (("tokens", "a", "--stem", "klingon"), 2, "there are no stems of 'klingon'; choose one of arabic,"),
        (("tokens", "a", "--stem", "en", "--features", "chars"), 2, "are of words, not of --features chars"),
        (("terms", "words.priori", "--stop-words", "0.5"), 1, "does not count words as they are written"),
        (("terms", "mail.priori", "--stop-words", "1"), 2, "--stop-words"),
        (("merge", "words.priori", "mail.priori", "-o", "x.priori"), 1, "analyzers differ in ngrams, stem, stop words"),
        (("train", "mail.csv", "--table", "--stem", "en", "-o", "x.priori"), 2, "--stem is for texts"),
        (("train", "mail.csv", "--stop-words", "stop.txt", "-o", "stop.txt"), 2, "which is read; name another file"),
    ],
)
def test_what_is_refused(priori, words, arguments, code, said):
    ran = priori(*arguments)
    assert ran.code == code and said in ran.err
    assert code == 2 or ran.err.count("\n") == 1


def test_hidden_classes_are_of_stems_too(priori, words):
    ran = priori("cluster", "mail.csv", "--classes", 2, "--stem", "en", "--stop-words", "en", "-o", "k.priori")
    assert ran.code == 0
    model = load("k.priori").model_
    assert model.summary.forms.of("win") == [("win", 3.0)]
    assert "words" in priori("explain", "k.priori", "winning", "--json").json["contributions"][0]
    half = priori("train", "mail.csv", "--unlabelled", "em", "--stem", "en", "-o", "h.priori")
    assert half.code == 0 and load("h.priori").model_.summary.forms.of("win") == [("win", 3.0)]


def test_leaving_out_is_that_of_texts_stemmed_before():
    texts = ["winning phones", "he wins a phone", "lunches at noon", "she lunched", "a phone at noon"]
    stemmed = ["win phone", "he win a phone", "lunch at noon", "she lunch", "a phone at noon"]
    labels = ["s", "s", "h", "h", "h"]
    ours, plain = (m.fit(t, labels) for m, t in ((TextClassifier(stem="en"), texts), (TextClassifier(), stemmed)))
    # kept documents are in the order of their hashes, and so are sums over them: alpha is equal but for rounding
    assert ours.model_.fitted.alpha == pytest.approx(plain.model_.fitted.alpha, rel=1e-12)
    for model in (ours, plain):
        model.set_params(alpha=0.5)
    assert np.allclose(ours.leave_one_out(texts, labels), plain.leave_one_out(stemmed, labels), rtol=1e-12, atol=0)
