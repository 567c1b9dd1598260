"""Models exported to ARPA score real sentences as we do when the kenlm package reads them."""

import math
from itertools import accumulate

import kenlm
import pytest
from small_corpora import LanguageModel, sentences

from corpora import needs_data
from priori.errors import DataError

CLOSE = 1e-4  # log10 of a sentence; ARPA has the logarithms of each n-gram in a few digits


def read_by_kenlm(model, path):
    model.to_arpa(path)
    return kenlm.Model(str(path))


def scored_alike(reader, model, text, spelled=None):
    """Whether kenlm has the log p of a text that the model has, token by token and as a sum."""
    expected, spelled = model.log_prob(text) / math.log(10), text if spelled is None else spelled
    each = [p for p, _, _ in reader.full_scores(spelled)]
    # subtle: its own sum is one of single floats, which alone may move a long text by more
    rounded = 2**-24 * math.fsum(map(abs, accumulate(each)))
    tokens = [-token.bits * math.log10(2) for token in model.surprisal(text)]
    return (
        math.isfinite(expected)
        and math.fsum(each) == pytest.approx(expected, abs=CLOSE)
        and reader.score(spelled) == pytest.approx(expected, abs=CLOSE + rounded)
        and each == pytest.approx(tokens, abs=CLOSE)
    )


def as_kenlm_reads(name, order, smoothing, path, learned, min_count=None):
    texts = sentences(name)
    model = LanguageModel(order=order, smoothing=smoothing, tokenizer=str.split).fit(texts[:learned])
    if min_count is not None:
        model = model.pruned(min_count)
    reader = read_by_kenlm(model, path)
    assert reader.order == order
    known = {word for text in texts[:learned] for word in text.split()}
    with_unknown = 0
    for text in [*texts[:200], *texts[learned : learned + 400], "", "neverseen", "the neverseen the"]:
        assert scored_alike(reader, model, text), text
        with_unknown += not known.issuperset(text.split())
    assert with_unknown > 50
    # a model with the words of one sentence in another order must not pass
    turned = " ".join(reversed(texts[0].split()))
    assert not scored_alike(reader, model, texts[0], turned)


@pytest.mark.parametrize("smoothing", ["kneser-ney", "dirichlet:500", "jelinek-mercer:0.4", "absolute:0.7"])
@pytest.mark.parametrize("order", [2, 3, 5])
def test_messages_are_scored_alike(order, smoothing, tmp_path):
    as_kenlm_reads("sms_spam", order, smoothing, tmp_path / "sms.arpa", 4_000)


@pytest.mark.parametrize("smoothing", ["dirichlet", "jelinek-mercer", "absolute"])
def test_numbers_that_were_found_score_alike(smoothing, tmp_path):
    as_kenlm_reads("sms_spam", 3, smoothing, tmp_path / "sms.arpa", 1_500)


@pytest.mark.parametrize("smoothing", ["kneser-ney", "dirichlet"])
@pytest.mark.parametrize("order, min_count", [(2, 2), (3, 2), (3, 4)])
def test_pruned_models_are_scored_alike(order, min_count, smoothing, tmp_path):
    as_kenlm_reads("sms_spam", order, smoothing, tmp_path / "sms.arpa", 1_500, min_count)


@pytest.mark.parametrize("order", [2, 4])
def test_relative_frequencies_of_what_was_learned_are_scored_alike(order, tmp_path):
    texts = sentences("sms_spam")[:300]
    model = LanguageModel(order=order, smoothing="ml", tokenizer=str.split).fit(texts)
    reader = read_by_kenlm(model, tmp_path / "ml.arpa")
    assert all(scored_alike(reader, model, text) for text in texts)
    assert model.log_prob("neverseen") == -math.inf and reader.score("neverseen") < -90  # nothing is never in ARPA


# how a character is written where spaces part tokens: docs/language.md
SPELLED = {" ": "\u2581", "\u2581": "<0x2581>", "\t": "<0x9>", "\n": "<0xA>", "\x01": "<0x1>", "\x1c": "<0x1C>"}
SPELLED |= {"\x85": "<0x85>", "\xa0": "<0xA0>", "\u2028": "<0x2028>", "\u3000": "<0x3000>"}
ODD = [
    "ab c",
    "b\u2581a",
    "a\tb\nc",
    "x  y",
    "ünï",
    "\xa0z",
    "a\u2028b",
    "\x01q",
    "\x7f",
    "\x85w",
    "\x1c",
    "\u200b",
    "好 é",
]


@pytest.mark.parametrize("order", [2, 3, 5])
@pytest.mark.parametrize("smoothing", ["kneser-ney", "dirichlet"])
def test_characters_are_scored_alike(order, smoothing, tmp_path):
    texts = [*sentences("sms_spam")[:60], *3 * ODD, "\u3000a"]
    model = LanguageModel(order=order, features="chars", smoothing=smoothing).fit(texts)
    reader = read_by_kenlm(model, tmp_path / "chars.arpa")
    assert reader.order == order
    for text in [*texts, "b \t\u2581 a", "\u0416", ""]:
        tokens = [token for token, _ in model.surprisal(text)][:-1]
        assert scored_alike(reader, model, text, " ".join(SPELLED.get(token, token) for token in tokens)), text
    spelled = {token: SPELLED.get(token, token) for token in model.vocabulary}
    assert SPELLED.keys() <= spelled.keys()
    assert all(name in reader for name in spelled.values()) and len({*spelled.values()}) == len(spelled)
    assert not scored_alike(reader, model, "ab c", "a b c")  # a space that is none


@pytest.mark.parametrize("order, word, said", [
    (1, "<unk>", "every word never seen"), (2, "<unk>", "every word never seen"), (2, "<UNK>", "every word never seen"),
    (1, "a b", "has a blank"), (1, "a\tb", "has a blank"), (1, "a\nb", "has a blank"), (1, "a\rb", "has a blank"),
    (1, "a\x0bb", "has a blank"), (1, "a\0b", "has a blank"), (1, "", "is empty"),
])  # fmt: skip
def test_words_that_arpa_cannot_spell_are_refused(order, word, said, tmp_path):
    model = LanguageModel(order=order, tokenizer=lambda text: text.split("|")).fit([f"a|{word}|b", "b|a"])
    assert model.log_prob(word) > -math.inf
    with pytest.raises(DataError, match=said):
        model.to_arpa(tmp_path / "m.arpa")
    assert not list(tmp_path.iterdir())  # nothing is left half written


@needs_data
@pytest.mark.parametrize("order", [3, 5])
def test_sentences_of_reviews_are_scored_alike(order, tmp_path):
    as_kenlm_reads("mr", order, "kneser-ney", tmp_path / "mr.arpa", 8_000)
