"""Every smoothed distribution sums to 1 and is that of its definition, whatever the history."""

import math
import re

import numpy as np
import pytest
from chen_goodman import BEGIN, END, UNKNOWN, Model, NGrams
from hypothesis import given
from hypothesis import strategies as st
from small_corpora import (
    NUMBERED,
    SMOOTHINGS,
    LanguageModel,
    context,
    histories,
    of_words,
    random_corpus,
)

from corpora import LAWS

CLOSE = {"rel": 1e-12, "abs": 1e-14}  # a few dozen roundings; discounts are differences, so their digits may cancel
SEEDS = 40  # by order and by the slot of unknown words: 320 corpora


def as_counted(documents, order, smoothing, unknown):
    """The model, and its definition."""
    model = of_words(documents, order, smoothing, unknown="prior" if unknown else "ignore")
    return model, Model(NGrams(order, documents), smoothing, unknown=unknown)


def fell_back(model):
    """The orders that the notes name."""
    return [int(n) for note in model.notes for n in re.search(r"of order ([\d, ]+) are too few", note)[1].split(", ")]


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
@pytest.mark.parametrize("unknown", [True, False])
@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_distributions_are_those_of_the_definition(order, unknown, smoothing):
    for seed in range(SEEDS):
        documents = random_corpus(1_000 * order + seed)
        if not any(documents):
            continue
        model, definition = as_counted(documents, order, smoothing, unknown)
        if smoothing == "kneser-ney":
            there = {len(gram) for gram in NGrams(order, documents).raw}  # of other orders there is nothing to say
            assert fell_back(model) == [n for n in definition.fell_back if n in there], (seed, model.notes)
        for words in histories(documents, order, np.random.default_rng(seed)):
            seen = context(words, order)
            strange = [i for i, word in enumerate(seen) if word not in {*definition.vocabulary, BEGIN}]
            seen = seen[strange[-1] + 1 :] if strange else seen  # nothing is known to follow a word never seen
            expected = {w: float(p) for w, p in definition.next(seen).items()}
            found = model.next(" ".join(words))
            assert set(found) <= set(expected), (seed, words)
            for word, p in expected.items():
                assert found.get(word, 0.0) == pytest.approx(p, **CLOSE), (seed, words, word)
            assert math.fsum(found.values()) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
@pytest.mark.parametrize("order", [1, 2, 3, 5])
def test_documents_have_the_probability_of_the_definition(order, smoothing):
    for seed in range(10):
        documents = random_corpus(seed + 60)
        if not any(documents):
            continue
        model, definition = as_counted(documents, order, smoothing, True)
        new = [["never", "the"], ["cat", "never", "dog", "never"], [], *random_corpus(seed + 90)[:10]]
        texts = [" ".join(words) for words in new]
        expected = [definition.log_prob(words) for words in new]
        assert model.log_prob(texts) == pytest.approx(np.array(expected), rel=1e-12, abs=1e-12)
        for words, text in zip(new, texts, strict=True):
            steps = definition.steps(words)
            surprisal = model.surprisal(text)
            shown = words if order == 1 else [*words, END]
            assert [word for word, _ in surprisal] == shown
            bits = [-math.log2(p) if p else math.inf for _, p in steps]
            assert [b for _, b in surprisal] == pytest.approx(bits, rel=1e-12, abs=1e-12)
        tokens = sum(len(definition.steps(words)) for words in new)
        if math.isfinite(sum(expected)):
            assert model.perplexity(texts) == pytest.approx(math.exp(-math.fsum(expected) / tokens), rel=1e-10)


@pytest.mark.parametrize("smoothing", ["kneser-ney", "dirichlet:2"])
def test_what_comes_next_is_in_order(smoothing):
    model = of_words(random_corpus(4), 3, smoothing)
    whole = model.next("the cat")
    assert list(whole.values()) == sorted(whole.values(), reverse=True)
    assert END in whole and UNKNOWN in whole
    assert list(model.next("the cat", 3).items()) == list(whole.items())[:3]
    assert all(p >= 0 and not math.isnan(p) for p in whole.values())


@pytest.mark.parametrize("smoothing", [*SMOOTHINGS, "dirichlet", "jelinek-mercer", "absolute"])
@pytest.mark.parametrize("features", ["words", "chars"])
@LAWS
@given(data=st.data())
def test_distributions_of_any_text_sum_to_one(features, smoothing, data):
    some = st.text(st.sampled_from("abc é好,.\n"), max_size=12)
    texts = data.draw(st.lists(some, min_size=1, max_size=6).filter(lambda texts: any(map(str.strip, texts))))
    order, unknown = data.draw(st.integers(1, 5)), data.draw(st.sampled_from(["prior", "ignore"]))
    if not LanguageModel(order=1, features=features, smoothing="ml").fit(["abc"]).surprisal(" ".join(texts)):
        return  # there is not one word in them
    model = LanguageModel(order=order, features=features, smoothing=smoothing, unknown=unknown).fit(texts)
    history = data.draw(st.one_of(st.sampled_from(texts), some))
    found = model.next(history)
    assert math.fsum(found.values()) == pytest.approx(1, abs=1e-12)
    assert min(found.values()) >= 0


@pytest.mark.parametrize("smoothing", ["kneser-ney", *NUMBERED])
@pytest.mark.parametrize("order", [1, 2, 4])
def test_characters_follow_the_same_definition(order, smoothing):
    rng = np.random.default_rng(order)
    texts = ["".join(rng.choice(list("abbccca d"), rng.integers(1, 30))) for _ in range(20)]
    model = LanguageModel(order=order, features="chars", smoothing=smoothing).fit(texts)

    def tokens(text):
        found = [token for token, _ in model.surprisal(text)]
        return found if order == 1 else found[:-1]

    definition = Model(NGrams(order, [tokens(text) for text in texts]), smoothing)
    for text in [*texts, "az", ""]:
        assert model.log_prob(text) == pytest.approx(definition.log_prob(tokens(text)), rel=1e-12, abs=1e-12)
