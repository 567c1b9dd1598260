"""Held-out real text is less surprising to longer histories, and to Kneser-Ney than to Dirichlet smoothing."""

import pytest
from small_corpora import LanguageModel

from corpora import dataset, needs_data

pytestmark = needs_data


@pytest.fixture(scope="module", params=["newsgroups20", "movie_reviews"])
def perplexity(request):
    """Of a fifth of the texts by a model of the others, in a random order that is always the same."""
    texts, _ = dataset(request.param)
    held_out = len(texts) // 5

    def measured(order, smoothing):
        model = LanguageModel(order=order, smoothing=smoothing).fit(texts[held_out:])
        return model.perplexity(texts[:held_out])

    return measured


def test_it_falls_with_order_and_with_kneser_ney(perplexity):
    kneser_ney = [perplexity(order, "kneser-ney") for order in (1, 2, 3)]
    assert kneser_ney[0] > 1.5 * kneser_ney[1] > 1.5 * kneser_ney[2]
    for order in (2, 3):
        assert kneser_ney[order - 1] < 0.95 * perplexity(order, "dirichlet")
        assert kneser_ney[order - 1] < perplexity(order, "absolute")
        assert kneser_ney[order - 1] < perplexity(order, "jelinek-mercer")
