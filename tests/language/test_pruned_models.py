"""Smaller models: what stays has the probability it had, all still sums to 1, and what is lost is what it says."""

import math

import numpy as np
import pytest
from small_corpora import SMOOTHINGS, histories, of_words, random_corpus

from priori import LanguageModel
from priori.errors import DataError

CLOSE = 1e-12
LARGE = next(documents for seed in range(99) if len(documents := random_corpus(seed)) == 120)


def entropy(model, documents):
    """Bits a token of the documents, token by token."""
    bits = [each for words in documents for each in model.surprisal(" ".join(words))]
    return math.fsum(token.bits for token in bits) / len(bits)


@pytest.mark.parametrize("min_count", [2, 3, 5])
@pytest.mark.parametrize("smoothing", SMOOTHINGS)
@pytest.mark.parametrize("order", [2, 3, 4])
def test_it_still_sums_to_one(order, smoothing, min_count):
    for seed in range(10):
        documents = random_corpus(seed + 200)
        if not any(documents):
            continue
        model = of_words(documents, order, smoothing)
        small = model.pruned(min_count)
        for words in histories(documents, order, np.random.default_rng(seed)):
            text = " ".join(words)
            shares = small.next(text)
            assert math.fsum(shares.values()) == pytest.approx(1, abs=CLOSE), (seed, words)
            for token in small.surprisal(text):  # as `next` has it
                assert token.bits >= 0
        if math.isfinite(small.lost.bits_after):
            assert small.lost.bits_before == pytest.approx(entropy(model, documents), rel=1e-9, abs=1e-12), seed
            assert small.lost.bits_after == pytest.approx(entropy(small, documents), rel=1e-9, abs=1e-12), seed


def test_what_stays_is_as_it_was():
    documents = LARGE
    model = of_words(documents, 3, "kneser-ney")
    small = model.pruned(2)
    before, after = dict(_ngrams(model)), dict(_ngrams(small))
    assert after.items() <= before.items()
    seen = dict.fromkeys(before, 0)
    for words in documents:
        padded = ["<s>", *words, "</s>"]
        for size in (1, 2, 3):
            for i in range(len(padded) - size + 1):
                seen[" ".join(padded[i : i + size])] += 1
    assert after.keys() == {ngram for ngram, times in seen.items() if times >= 2 or " " not in ngram}
    lost = [sum(ngram.count(" ") == size for ngram in before.keys() - after.keys()) for size in range(3)]
    assert small.lost.ngrams == tuple(lost) and small.lost.of == model.table.ngrams


def _ngrams(model):
    table = model.table
    return ((table.text(i), float(table.log_prob[i])) for i in range(len(table)))


def test_what_held_out_texts_lose():
    documents, new = LARGE, [" ".join(words) for words in random_corpus(13)]
    model = of_words(documents, 3, "kneser-ney")
    small = model.pruned(2, held_out=iter(new))
    before, after = small.lost.held_out
    assert 2**before == pytest.approx(model.perplexity(new)) and 2**after == pytest.approx(small.perplexity(new))
    assert f"held-out texts {after:.4f} bits a token, {after - before:+.4f}" in str(small.lost)
    assert model.pruned(2).lost.held_out is None


def test_a_model_that_loses_nothing_is_the_same():
    model = of_words(LARGE, 3, "kneser-ney")
    same = model.pruned(1)
    assert same.lost.ngrams == (0, 0, 0) and same.lost.bits_after == same.lost.bits_before
    assert same.log_prob("the cat sat") == model.log_prob("the cat sat")
    assert same.sample(5, seed=1) == model.sample(5, seed=1)


def test_a_plausible_fault_is_found(monkeypatch):
    """Back-offs left as they were: nothing sums to 1 any more."""
    from priori.language import pruning

    model = of_words(LARGE, 3, "kneser-ney")
    monkeypatch.setattr(pruning, "_fitting", lambda table, kept: table.backoff)
    small = model.pruned(3)
    assert max(abs(math.fsum(small.next(word).values()) - 1) for word in ("the", "cat", "dog", "sat", "a")) > 1e-3


def test_it_is_written_and_drawn_from(tmp_path):
    import kenlm

    model = of_words(LARGE, 3, "kneser-ney")
    small = model.pruned(2)
    small.to_arpa(tmp_path / "small.arpa")
    reader = kenlm.Model(str(tmp_path / "small.arpa"))
    for words in random_corpus(13):
        text = " ".join(words)
        assert reader.score(text) == pytest.approx(small.log_prob(text) / math.log(10), abs=1e-4)
    assert len(small.sample(3, seed=1, temperature=0.5)) == 3
    assert f"{sum(small.table.ngrams):,} n-grams; lost" in repr(small)


@pytest.mark.parametrize("min_count", [0, -1, 1.5, True, "2"])
def test_what_is_no_number_of_times_is_refused(min_count):
    with pytest.raises(DataError, match="give a whole number from 1"):
        LanguageModel(order=2).fit(["a b"]).pruned(min_count)
