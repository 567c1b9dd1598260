"""Drawn texts come as often as the model says: first words, what follows frequent histories, and with a temperature.

A slot for unknown words may be drawn or not, so every comparison is of the known ones. Each also refuses shares that
are wrong by a plausible bug: a shorter history, another temperature, no end of documents.
"""

from collections import Counter, defaultdict

import pytest
from chen_goodman import BEGIN, END, UNKNOWN
from small_corpora import LanguageModel

import chi_square
from corpora import dataset
from priori import Analyzer

MOST = 1e-9  # chance of a false alarm of each comparison; there are about 60
SIZE = 8_000


def model_of(order, smoothing="kneser-ney", most=1_500):
    texts = [" ".join(Analyzer().features_of(text)) for text in dataset("sms_spam")[0][:most]]
    return LanguageModel(order=order, smoothing=smoothing, tokenizer=str.split).fit(texts)


def followed(texts, order):
    """{history: {next: times}} of drawn texts; a history has at most order - 1 words, with <s> where a text begins."""
    found = defaultdict(Counter)
    for text in texts:
        words = [BEGIN, *text.split(), END]
        for i in range(1, len(words)):
            found[tuple(words[max(0, i - order + 1) : i])][words[i]] += 1
    return found


def tempered(shares, temperature=1.0):
    """p^(1 / T), of known words."""
    powers = {word: p ** (1 / temperature) for word, p in shares.items() if word != UNKNOWN}
    total = sum(powers.values())
    return {word: p / total for word, p in powers.items()}


def agree(found, shares):
    found = {word: times for word, times in found.items() if word != UNKNOWN}
    counts = [found.get(word, 0) for word in shares]
    return set(found) <= set(shares) and bool(chi_square.fits(counts, list(shares.values()), MOST))


@pytest.mark.parametrize("temperature", [1.0, 0.6, 1.5])
def test_first_words(temperature):
    model = model_of(2)
    first = followed(model.sample(SIZE, seed=1, temperature=temperature), 2)[BEGIN,]
    assert first.total() == SIZE
    assert agree(first, tempered(model.next(""), temperature))
    assert not agree(first, tempered(model.next(""), temperature * 1.25))
    assert not agree(first, tempered(model.next("neverseen"), temperature))  # the unigrams


@pytest.mark.parametrize("smoothing", ["kneser-ney", "dirichlet:50", "jelinek-mercer:0.3", "absolute:0.6"])
def test_what_follows_frequent_words(smoothing):
    model = model_of(2, smoothing)
    found = followed(model.sample(SIZE, seed=2), 2)
    frequent = sorted(found, key=lambda h: -found[h].total())[:8]
    no_end = no_history = 0
    for history in frequent:
        if history in ((BEGIN,), (UNKNOWN,)):
            continue
        shares = tempered(model.next(history[0]))
        assert agree(found[history], shares), history
        endless = {word: p for word, p in shares.items() if word != END}
        no_end += not agree(found[history], tempered(endless))
        no_history += not agree(found[history], tempered(model.next("neverseen")))
    assert no_end >= 3 and no_history >= 3  # bugs that are seen after some words, not after all


def test_what_follows_two_words():
    model = model_of(3)
    found = followed(model.sample(4 * SIZE, seed=3), 3)
    frequent = [h for h in sorted(found, key=lambda h: -found[h].total())[:40] if len(h) == 2 and UNKNOWN not in h]
    caught = 0
    for history in frequent[:12]:
        # subtle: `next` takes a text from its beginning, and two words are all that it may look at
        words = [word for word in history if word != BEGIN]
        shares = tempered(model.next(" ".join(words if len(words) < 2 else ["neverseen", *words])))
        assert agree(found[history], shares), history
        caught += not agree(found[history], tempered(model.next(f"neverseen {words[-1]}")))
    assert caught >= 6  # the word before the last is not looked at


def test_words_without_order():
    model = LanguageModel(order=1, smoothing="dirichlet", alpha=0.5, tokenizer=str.split).fit(["a a b", "c a", "d"])
    found = Counter(word for text in model.sample(SIZE, seed=4) for word in text.split())
    shares = tempered(model.next(""))
    assert agree(found, shares)
    assert not agree(found, tempered(shares, 1.2))


def test_characters():
    texts = dataset("sms_spam")[0][:300]
    model = LanguageModel(order=3, features="chars", smoothing="kneser-ney").fit(texts)
    drawn = [text for text in model.sample(SIZE, seed=5) if UNKNOWN not in text]
    first = Counter(text[:1] or END for text in drawn)
    shares = tempered(model.next(""))
    if all(len(token) == 1 for token in shares if token != END):
        assert agree(first, shares)
        assert not agree(first, tempered(shares, 1.3))


def test_the_same_seed_draws_the_same():
    model = model_of(3, most=200)
    assert model.sample(20, seed=7) == model.sample(20, seed=7) != model.sample(20, seed=8)
    assert len(model.sample(3)) == 3 and model.sample(3) == model.sample(3, seed=0, temperature=1.0)
