"""What is drawn from the language models of a classifier: each class's own, as often as its definition says.

Each comparison is refused with the other class's shares, as if tables were mixed up.
"""

import math

import numpy as np
import pytest
from chen_goodman import BEGIN, UNKNOWN
from drawn import agree, followed, frequent, tempered
from hypothesis import given, settings
from hypothesis import strategies as st
from small_corpora import histories, of_class

from priori import TextClassifier
from priori.language.sampling import draw_texts
from priori.model.sampling import language_table

SIZE = 5_000
OWN = {
    "x": 3 * ["a b a", "b a", "c c a", "", "a c", "b a b a c a"],
    "y": 2 * ["d d", "d b", "d", "d a d b", "b b d d b"],
}
TEXTS, LABELS = [text for label in OWN for text in OWN[label]], [label for label in OWN for _ in OWN[label]]
READINGS = [("kneser-ney", 1.0), ("dirichlet:1", 0.5), ("absolute:0.5", 1.0), ("jelinek-mercer:0.3", 1.0)]


def fitted(order, smoothing="kneser-ney", alpha=1.0, texts=TEXTS, labels=LABELS, **settings):
    return TextClassifier(
        event="language", ngrams=(1, order), smoothing=smoothing, alpha=alpha, tokenizer=str.split, calibrate=False,
        **settings,
    ).fit(texts, labels)  # fmt: skip


def definitions(order, smoothing, alpha, unknown):
    split = {label: [text.split() for text in texts] for label, texts in OWN.items()}
    return {
        label: of_class(own, [*split["x"], *split["y"]], order, smoothing, alpha, unknown)
        for label, own in split.items()
    }


@pytest.mark.parametrize("smoothing, alpha", READINGS)
@pytest.mark.parametrize("order, unknown", [(2, "ignore"), (2, "prior"), (3, "ignore")])
def test_texts_of_a_class_are_its_own(order, unknown, smoothing, alpha):
    model, defined = fitted(order, smoothing, alpha, unknown=unknown), definitions(order, smoothing, alpha, unknown)
    for label, temperature in (("x", 1.0), ("x", 1.5), ("y", 1.0), ("y", 0.6)):
        texts, labels = model.sample(SIZE, 1, label, temperature)
        assert set(labels) == {label} and len(texts) == SIZE
        follow_as_defined(followed(texts, order), defined, label, temperature)


def test_texts_of_all_classes_are_those_of_their_labels():
    model = fitted(2)
    texts, labels = model.sample(2 * SIZE, 2)
    shares = {label: len(OWN[label]) / len(TEXTS) for label in OWN}
    assert agree({label: (labels == label).sum() for label in OWN}, shares)
    for label in OWN:
        own = [text for text, each in zip(texts, labels, strict=True) if each == label]
        follow_as_defined(followed(own, 2), definitions(2, "kneser-ney", 1, False), label)


def follow_as_defined(found, defined, label, temperature=1.0):
    other = "y" if label == "x" else "x"
    mixed_up = 0
    some = frequent(found, 5)
    for history in some:
        assert agree(found[history], tempered(defined[label].next(history), temperature)), (label, history)
        mixed_up += not agree(found[history], tempered(defined[other].next(history), temperature))
    assert mixed_up >= 3 and (BEGIN,) in some
    warmer = [tempered(defined[label].next(history), temperature * 1.4) for history in some]
    assert not all(agree(found[history], shares) for history, shares in zip(some, warmer, strict=True))


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.data())
@pytest.mark.parametrize("smoothing, alpha", READINGS)
@pytest.mark.parametrize("unknown", ["ignore", "prior"])
def test_every_table_of_a_class_sums_to_one(unknown, smoothing, alpha, data):
    documents = data.draw(st.lists(st.lists(st.sampled_from("abcde"), max_size=6), min_size=2, max_size=7))
    labels = ["x", "y", *(data.draw(st.sampled_from("xyz")) for _ in documents[2:])]
    order = data.draw(st.integers(1, 4))
    if order == 1 and not any(documents):
        return
    model = fitted(order, smoothing, alpha, [" ".join(words) for words in documents], labels, unknown=unknown)
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    for k, label in enumerate(model.classes_):
        own = [words for words, each in zip(documents, labels, strict=True) if each == label]
        definition = of_class(own, documents, order, smoothing, alpha, unknown == "prior")
        table = language_table(model.model_, k)
        for words in [[*"ab"], [*"abc"], *histories(documents, order, rng)]:
            found = next_of(table, words)
            assert math.fsum(found.values()) == pytest.approx(1, abs=1e-12)
            expected = definition.next((BEGIN, *words) if order > 1 else ())
            assert found == pytest.approx({word: float(p) for word, p in expected.items()}, rel=1e-11, abs=1e-13)


def next_of(table, words):
    """{token: p} after words."""
    tokens = table.analyzer.native.tokens_of_words(words)
    after = table.histories(tokens[:-1] if table.terms.end >= 0 else tokens)
    names = [table.shown(int(token)) for token in table.tokens]
    found = dict(zip(names, table.next_probabilities(after).tolist(), strict=True))
    if table.unknown is not None:
        found[UNKNOWN] = math.exp(table.backoff[after].sum() + table.unknown)
    return found


LONG = {"x": ["a", "a b", "a b", "b a a a a"], "y": ["c b c", "c c c c c c", "c b c"]}


def test_bags_are_as_long_as_those_of_their_class():
    labels = [label for label in LONG for _ in LONG[label]]
    model = fitted(1, "dirichlet", 0.5, [text for label in LONG for text in LONG[label]], labels)
    for label, other in ("xy", "yx"):
        texts, _ = model.sample(SIZE, 3, label)
        found = {n: sum(len(text.split()) == n for text in texts) for n in range(1, 7)}
        own, others = (_shares([len(text.split()) for text in LONG[each]]) for each in (label, other))
        assert agree(found, own) and not agree(found, others)
        words = [word for text in texts for word in text.split()]
        once = {word: words.count(word) for word in "abc"}
        shares, wrong = (_smoothed(LONG[each]) for each in (label, other))
        assert agree(once, shares) and not agree(once, wrong)


def _shares(lengths):
    return {n: lengths.count(n) / len(lengths) for n in range(1, 7)}


def _smoothed(texts, alpha=0.5):
    words = " ".join(texts).split()
    return {word: (words.count(word) + alpha) / (len(words) + 3 * alpha) for word in "abc"}


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("temperature", [1.0, 1.5])
def test_texts_end_where_they_are_cut(order, temperature):
    model = fitted(order)
    for k in range(2):
        table, cut = language_table(model.model_, k), 0
        for seed in range(40):
            whole, short = (
                draw_texts(table, 1, np.random.default_rng(seed), temperature, longest)[0].split()
                for longest in (1_000, 2)
            )
            assert short == whole[:2]
            cut += len(whole) > 2
        assert cut >= 5
