"""What an explanation says of each token: log p(token | history, class) of one class less that of the other."""

import math

import numpy as np
import pytest
from chen_goodman import BEGIN, NGrams
from small_corpora import class_steps, of_class

from priori import TextClassifier
from priori.columns.words import explanation
from priori.columns.words.explanation import UNKNOWN

READINGS = [("kneser-ney", 1.0), ("dirichlet:2", 0.5), ("absolute:0.7", 1.0), ("jelinek-mercer:0.3", 1.0)]
STEMS = {"cat": "cat", "cats": "cat", "run": "run", "runs": "run", "running": "run", "naps": "nap", "dogs": "dog"}
STOP = ("the", "a")
LETTERS = ["a", "b", "c-c", "d", "e"]  # one is a word to its tokenizer only


def expected_of(documents, labels, new, order, smoothing, alpha=1.0, unknown=False):
    """{n-gram: (how often, log-odds of x against y)}, a token as the longest n-gram there that any class has seen."""
    x, y = (
        class_steps(
            of_class(
                [words for words, each in zip(documents, labels, strict=True) if each == label],
                documents, order, smoothing, alpha, unknown,
            ),
            new,
        )
        for label in "xy"
    )  # fmt: skip
    seen, found = {*NGrams(order, documents).raw, (BEGIN,)}, {}
    so_far = [BEGIN] if order > 1 else []
    for (word, of_x), (_, of_y) in zip(x, y, strict=True):
        so_far.append(word)
        ends = [tuple(so_far[-n:]) for n in range(1, min(order, len(so_far)) + 1)]
        longest = max((n for n, gram in enumerate(ends, 1) if gram in seen), default=0)
        name = " ".join(ends[longest - 1]) if longest else UNKNOWN
        times, odds = found.get(name, (0, 0.0))
        found[name] = times + 1, odds + of_x - of_y
    shares = [labels.count(label) for label in "xy"]
    if shares[0] != shares[1]:
        found["(class prior)"] = 1, math.log(shares[0] / shares[1])
    return found


def agrees(model, text, expected):
    """Whether an explanation is what is expected, token by token."""
    found = {row.feature: (row.count, row.log_odds) for row in model.explain(text, "x", "y").contributions}
    assert len(found) == len(model.explain(text, "x", "y").contributions)
    flat, expected_flat = (
        {(k, i): v for k, pair in each.items() for i, v in enumerate(pair)} for each in (found, expected)
    )
    return flat == pytest.approx(expected_flat, rel=1e-10, abs=1e-12)


def classifier(order, smoothing="kneser-ney", alpha=1.0, **settings):
    return TextClassifier(
        event="language", ngrams=(1, order), smoothing=smoothing, alpha=alpha, calibrate=False, **settings
    )


def some_corpora():
    """Documents of three classes, and a new one with repeated n-grams and unknown words."""
    for seed in range(25):
        rng = np.random.default_rng(seed)
        labels = [*"xyz", *rng.choice(list("xyz"), rng.integers(4, 20)).tolist()]
        share = rng.dirichlet(np.full(5, 0.6))
        documents = [rng.choice(LETTERS, rng.integers(0, 8), p=share).tolist() for _ in labels]
        if any(documents):
            part = rng.choice([*LETTERS, "zz"], rng.integers(1, 6)).tolist()
            yield documents, labels, [*part, "qq", *part]


@pytest.mark.parametrize("smoothing, alpha", READINGS)
@pytest.mark.parametrize("order", [1, 2, 3, 4])
@pytest.mark.parametrize("unknown", ["ignore", "prior"])
def test_each_token_says_what_its_definition_does(unknown, order, smoothing, alpha):
    for documents, labels, new in some_corpora():
        model = classifier(order, smoothing, alpha, unknown=unknown, tokenizer=str.split)
        model.fit([" ".join(words) for words in documents], labels)
        expected = expected_of(documents, labels, new, order, smoothing, alpha, unknown == "prior")
        assert agrees(model, " ".join(new), expected)


TEXTS = ["the cats running running", "a dogs run", "cats the naps", "running dogs the cat", "a cat", "naps"]
LABELS = list("xyxyxy")
NEW = ["the cat runs zebra naps cats", "running the running", "dogs a zebra the zebra cats naps running", ""]


@pytest.mark.parametrize("tokenizer", [None, str.split])
@pytest.mark.parametrize("stem, stop", [("english", None), (None, STOP), ("english", STOP)])
def test_words_are_those_that_count(tokenizer, stem, stop):
    """As stems, and without stop words, whoever tells words apart: what comes before a token is what counts."""

    def counted(text):
        words = [word for word in text.split() if not stop or word not in STOP]
        return [STEMS.get(word, word) for word in words] if stem else words

    documents = [counted(text) for text in TEXTS]
    model = classifier(3, tokenizer=tokenizer, stem=stem, stop_words=stop).fit(TEXTS, LABELS)
    plain = classifier(3, tokenizer=str.split).fit(TEXTS, LABELS)
    differ = 0
    for text in NEW:
        assert agrees(model, text, expected_of(documents, LABELS, counted(text), 3, "kneser-ney"))
        differ += not agrees(plain, text, expected_of(documents, LABELS, counted(text), 3, "kneser-ney"))
    assert differ >= 2  # words as they are written are others


@pytest.mark.parametrize("fault", ["what a history leaves", "ends of documents"])
def test_a_planted_fault_is_found(fault, monkeypatch):
    """Sums stay what they were: what a history leaves is said by it, and not by the token that it leaves it to."""
    documents = [text.split() for text in TEXTS]
    model = classifier(2, tokenizer=str.split).fit(TEXTS, LABELS)
    expected = expected_of(documents, LABELS, NEW[0].split(), 2, "kneser-ney")
    assert agrees(model, NEW[0], expected)
    whole, log_odds = explanation._rows, model.explain(NEW[0], "x", "y").log_odds
    if fault == "what a history leaves":
        backoff = model.model_.weights.language.backoff
        monkeypatch.setattr(explanation, "_rows", lambda *given: whole(*given) * (0 if given[2] is backoff else 1))
        assert model.explain(NEW[0], "x", "y").log_odds == pytest.approx(log_odds, rel=1e-12)
    else:
        tokens = explanation._tokens
        monkeypatch.setattr(explanation, "_tokens", lambda *given: tokens(*given)[:-1])
    assert not agrees(model, NEW[0], expected)
