"""priori lm: language models of documents without labels, and what the other commands say of them."""

import json
import math
from pathlib import Path

import pytest

import priori as library

TEXTS = ["the cat sat on the mat", "the cat ran", "a dog sat on the cat", "a dog ran to the mat", "the dog ran"]


@pytest.fixture
def texts(priori, tmp_path):
    (tmp_path / "texts.csv").write_text("text,label\n" + "".join(f"{text},x\n" for text in TEXTS))
    (tmp_path / "lines.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in TEXTS))
    ran = priori("lm", "train", "texts.csv", "--order", 2, "--smoothing", "dirichlet:1", "-o", "m.lm", "--json")
    assert ran.code == 0
    return ran


def model():
    return library.LanguageModel(2, smoothing="dirichlet:1").fit(TEXTS)


def test_it_is_the_model_of_the_library(priori, texts):
    assert texts.json["documents"] == 5 and texts.json["ngrams"] == list(model().table.ngrams)
    loaded = library.load("m.lm")
    assert isinstance(loaded, library.LanguageModel) and loaded.log_prob(TEXTS).tolist() == model().log_prob(
        TEXTS
    ).tolist()  # fmt: skip
    assert priori("lm", "train", "lines.jsonl", "--order", 2, "--smoothing", "dirichlet:1", "-o", "n.lm").code == 0
    assert library.load("n.lm").model_.counts == loaded.model_.counts  # no labels are needed
    ran = priori("lm", "train", "texts.csv", "--features", "chars", "-o", "c.lm")
    assert ran.code == 0 and "5-grams" in ran.out and "order 1" in ran.err  # its discounts fall back, which is said
    assert library.load("c.lm").order == 5


def test_words_may_be_stems_without_stop_words(priori, texts):
    assert priori("lm", "train", "texts.csv", "--stem", "en", "--stop-words", "en", "-o", "s.lm").code == 0
    loaded = library.load("s.lm")
    assert "cat" in loaded.vocabulary and "the" not in loaded.vocabulary
    assert [token for token, _ in loaded.surprisal("the cats")] == ["cat", "</s>"]
    assert priori("update", "s.lm", "texts.csv").code == 0
    both = library.load("s.lm").model_.counts
    assert both == (loaded + loaded).model_.counts


def test_perplexity(priori, texts):
    found = priori("lm", "perplexity", "m.lm", "texts.csv", "--json").json
    tokens = sum(len(text.split()) + 1 for text in TEXTS)
    assert (found["documents"], found["tokens"], found["unknown"]) == (5, tokens, 0)
    assert found["perplexity"] == pytest.approx(model().perplexity(TEXTS), rel=1e-12)
    assert found["bits_per_token"] == pytest.approx(math.log2(found["perplexity"]))
    assert f"{found['perplexity']:.2f}" in priori("lm", "perplexity", "m.lm", "texts.csv").out


def test_a_model_that_calls_a_text_impossible_says_so(priori, texts):
    assert priori("lm", "train", "texts.csv", "--smoothing", "ml", "-o", "ml.lm").code == 0
    Path("new.jsonl").write_text('{"text": "cat the"}\n')
    ran = priori("lm", "perplexity", "ml.lm", "new.jsonl")
    assert ran.code == 0 and "impossible; smooth it: priori read ml.lm --smoothing kneser-ney" in ran.out
    assert priori("lm", "perplexity", "ml.lm", "new.jsonl", "--json").json["perplexity"] is None


def test_surprisal_and_next(priori, texts):
    found = priori("lm", "surprisal", "m.lm", "the zebra", "--json").json
    expected = model().surprisal("the zebra")
    assert [(row["token"], row["matched"]) for row in found["tokens"]] == [(t.token, t.matched) for t in expected]
    assert found["bits"] == pytest.approx(sum(t.bits for t in expected))
    assert "new" in priori("lm", "surprisal", "m.lm", "the zebra").out
    ran = priori("lm", "next", "m.lm", "the", "-n", 2, "--json").json
    assert {row["token"]: row["probability"] for row in ran} == model().next("the", 2)
    assert "cat" in priori("lm", "next", "m.lm", "the").out


def test_arpa_says_what_it_lost(priori, texts):
    found = priori("lm", "arpa", "m.lm", "--min-count", 2, "--held-out", "lines.jsonl", "-o", "m.arpa", "--json").json
    lost = model().pruned(2, held_out=TEXTS).lost
    assert found["lost"]["ngrams"] == list(lost.ngrams) and found["lost"]["held_out"] == pytest.approx(lost.held_out)
    assert "lost" in priori("lm", "arpa", "m.lm", "--min-count", 2, "-o", "m.arpa").out
    assert priori("lm", "arpa", "m.lm", "-o", "m.arpa", "--json").json["lost"] is None
    assert Path("m.arpa").read_text().startswith("\\data\\\nngram 1=")


def test_other_commands_take_it(priori, texts):
    assert priori("update", "m.lm", "lines.jsonl", "-o", "two.lm").code == 0
    assert library.load("two.lm").model_.counts == model().learn(TEXTS).model_.counts
    assert priori("forget", "two.lm", "texts.csv", "-o", "one.lm").code == 0
    assert library.load("one.lm").model_.counts == model().model_.counts
    ran = priori("merge", "m.lm", "m.lm", "-o", "two.lm")
    assert ran.code == 0 and "class" not in ran.out
    assert priori("read", "m.lm", "--smoothing", "dirichlet", "-o", "d.lm").code == 0
    assert library.load("d.lm").parameters == library.LanguageModel(2, smoothing="dirichlet").fit(TEXTS).parameters
    drawn = priori("generate", "m.lm", "-n", 3, "--seed", 1).lines
    assert [set(row) for row in drawn] == [{"text"}] * 3
    assert [row["term"] for row in priori("terms", "m.lm", "-n", 1, "--json").json] == ["the"]
    ran = priori("inspect", "m.lm")
    assert ran.code == 0 and "dirichlet:1" in ran.out and "2-grams" in ran.out and "telling" not in ran.out


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("classify", "m.lm", "texts.csv"), 1, "tells no classes apart; priori lm --help has what it can say"),
        (("evaluate", "m.lm", "texts.csv"), 1, "tells no classes apart"),
        (("explain", "m.lm", "a text"), 1, "tells no classes apart"),
        (("calibrate", "m.lm"), 1, "tells no classes apart"),
        (("read", "m.lm", "--event", "multinomial"), 2, "leave --event out"),
        (("read", "m.lm", "--alpha", "auto", "--smoothing", "dirichlet"), 2, "leave --alpha auto out"),
        (("terms", "m.lm", "--pairs"), 2, "give --by count"),
        (("terms", "m.lm", "--by", "chi2"), 2, "give --by count"),
        (("lm", "perplexity", "mail.priori", "texts.csv"), 1, "mail.priori is a classifier"),
        (("lm", "train", "texts.csv", "--smoothing", "witten-bell", "-o", "x"), 2, "choose kneser-ney"),
        (("lm", "train", "texts.csv", "--alpha", "2", "-o", "x"), 2, "is of smoothing='dirichlet'"),
        (("lm", "train", "texts.csv", "--order", "17", "-o", "x"), 2, "1<=x<=16"),
        (("lm", "arpa", "m.lm", "--held-out", "texts.csv", "-o", "x"), 2, "--held-out is for what --min-count loses"),
        (("lm", "arpa", "m.lm", "-o", "m.lm"), 2, "which is read"),
    ],
)
def test_what_cannot_be_done_is_said(priori, texts, mail, arguments, code, said):
    before = Path("m.lm").read_bytes()
    ran = priori(*arguments)
    assert ran.code == code and said in ran.err, ran
    assert code == 2 or ran.err.count("\n") == 1
    assert Path("m.lm").read_bytes() == before


@pytest.mark.parametrize("more", [("--binary",), ("--max-terms", 5), ("--smoothing", "ml"), ("--vocabulary", "v.txt")])
def test_a_classifier_of_language_models_is_refused_before_it_reads(priori, mail, more):
    Path("v.txt").write_text("free\n")
    ran = priori("train", "mail.csv", "--event", "language", "-o", "x.priori", *more)
    assert ran.code == 2 and not Path("x.priori").exists()


def test_a_classifier_of_language_models(priori, mail):
    assert priori("train", "mail.csv", "--event", "language", "-o", "l.priori").code == 0
    shown = priori("inspect", "l.priori").out
    assert "1- to 3-grams" in shown and "language, kneser-ney, class prior ml" in shown
    assert "word after the 2 before it, observed" in priori("inspect", "l.priori", "--graph").out
    terms = [row["term"] for row in priori("terms", "l.priori", "--by", "count", "-n", 50, "--json").json]
    assert "<s>" not in terms and "</s>" not in terms and "lunch" in terms
    assert "<s>" not in priori("terms", "l.priori", "--stop-words", 0.1).out.split()
    assert priori("terms", "l.priori", "--stop-words", 0.99).err.count("no word is in more than 0.99") == 1
    same = priori("read", "l.priori", "--event", "multinomial", "--select", "mi:5", "-o", "m.priori")
    assert same.code == 0  # in one command, whatever the order of its options
    assert "multinomial, bayes, alpha" in priori("inspect", "m.priori").out
    assert (
        "(automatic)" in priori("inspect", "m.priori").out
    )  # as train has it, not what a language model had no use for
    drawn = priori("generate", "l.priori", "-n", 4, "--seed", 1, "--label", "spam", "--temperature", 0.5).lines
    assert {row["label"] for row in drawn} == {"spam"}
    assert priori("train", "mail.csv", "--event", "language", "--features", "chars", "-o", "c.priori").code == 0
    assert "chars_across, 1- to 5-grams" in priori("inspect", "c.priori").out
    table = priori("explain", "c.priori", "win").out
    assert "<s>w" in table and "\x02" not in table


@pytest.mark.parametrize("name", ["new.csv", "new.txt", "folder", "new.jsonl"])
def test_held_out_texts_come_from_any_source(priori, texts, name):
    Path("new.csv").write_text("text\nthe cat ran\na caf\xe9\n", encoding="utf-8")
    Path("new.txt").write_bytes(b"the cat ran\na caf\xe9\n")  # not UTF-8: what perplexity takes
    Path("new.jsonl").write_text('{"text": "the cat ran"}\n')
    Path("folder").mkdir()
    Path("folder/a.txt").write_text("the cat ran")
    ran = priori("lm", "arpa", "m.lm", "--min-count", 2, "--held-out", name, "-o", "h.arpa", "--json")
    bits = priori("lm", "perplexity", "m.lm", name, "--json").json["bits_per_token"]
    assert ran.code == 0 and ran.json["lost"]["held_out"][0] == pytest.approx(bits)


def test_relative_frequencies_of_one_model(priori, texts):
    assert priori("lm", "train", "texts.csv", "--smoothing", "ml", "--order", 2, "-o", "ml.lm").code == 0
    assert priori("read", "m.lm", "--smoothing", "ml", "-o", "again.lm").code == 0
    assert len(priori("generate", "ml.lm", "-n", 3, "--seed", 1).lines) == 3
    Path("new.jsonl").write_text('{"text": "mat cat"}\n')
    options = ("lm", "arpa", "ml.lm", "--min-count", 2, "--held-out", "new.jsonl", "-o", "x.arpa")
    assert priori(*options, "--json").json["lost"]["held_out"] == [None, None]
    assert "nan" not in priori(*options).out


def test_what_would_break_a_model_leaves_it_as_it_was(priori, texts, mail):
    Path("w.csv").write_text("text,w\nthe cat,0.5\n")
    assert priori("lm", "train", "texts.csv", "-o", "k.lm").code == 0
    before = Path("k.lm").read_bytes()
    for arguments, said in (
        (("update", "k.lm", "w.csv", "--weight", "w"), "no whole numbers"),
        (("forget", "k.lm", "mail.csv"), "the model has"),
        (("merge", "k.lm", "mail.priori", "-o", "k.lm"), "name another file"),
    ):
        ran = priori(*arguments)
        assert ran.code in (1, 2) and said in ran.err, ran
        assert Path("k.lm").read_bytes() == before
    assert priori("train", "mail.csv", "--event", "language", "-o", "c.priori").code == 0
    for pair in (("k.lm", "c.priori"), ("c.priori", "k.lm")):
        ran = priori("merge", *pair, "-o", "z.priori")
        assert ran.code == 1 and "one is a language model, which tells no classes apart" in ran.err
    ran = priori("generate", "k.lm", "--label", "spam")
    assert ran.code == 2 and "leave --label out" in ran.err
    ran = priori("lm", "arpa", "k.lm", "--text", "x", "-o", "x.arpa")
    assert ran.code == 2 and "--text is of --held-out SOURCE" in ran.err
