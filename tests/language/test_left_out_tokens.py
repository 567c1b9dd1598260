"""mu and the weights that are found: under no other are tokens likelier that are left out of what predicts them."""

import math
from collections import Counter
from importlib import import_module

import numpy as np
import pytest
from chen_goodman import Model, NGrams
from scipy.optimize import minimize_scalar
from small_corpora import WORDS, of_words, random_corpus

from priori.language.probabilities import LeftOutTokens

ALPHA = 0.5
SCANNED = {  # from one end to the other of where numbers are sought
    "dirichlet": [4.0**x for x in np.linspace(-5, 12, 341)],
    "jelinek-mercer": [1 / (1 + math.exp(-x)) for x in np.linspace(-13.86, 13.86, 401)],
}


def chained(seed):
    """Documents in which a word says much of the next."""
    rng = np.random.default_rng(seed)
    next_shares, documents = rng.dirichlet(np.full(8, 0.2), 8), []
    for length in rng.integers(0, 12, 40):
        words = [rng.integers(8)]
        while len(words) < length:
            words.append(rng.choice(8, p=next_shares[words[-1]]))
        documents.append([WORDS[k] for k in words[:length]])
    return documents


CORPORA = [*map(chained, range(10)), *(found for seed in range(15) if len(found := random_corpus(seed)) >= 8)]


def likelihood(documents, order, kind, numbers, n):
    """The sum over n-grams, as a function of the number of order n; `numbers` are those of all orders."""
    ngrams = NGrams(order, documents)
    definition = Model(ngrams, kind, ALPHA, numbers=numbers)
    cells = Counter()
    for gram, count in ngrams.raw.items():
        if len(gram) == n:
            total = sum(definition.follow[gram[:-1]].values())
            shorter = definition.p(gram[-1], gram[1:-1]) if n > 1 else 1 / len(definition.vocabulary)
            cells[count, total, float(shorter)] += count

    def p(x, count, total, shorter):
        if kind == "dirichlet":
            return (count - 1 + x * shorter) / (total - 1 + x)
        return (1 - x) * (count - 1) / (total - 1) + x * shorter if total > 1 else shorter

    return lambda x: math.fsum(times * math.log(p(x, *cell)) for cell, times in cells.items())


def falls_short(documents, order, kind):
    """By what part what is found is less likely than the best of a scan; the worst of all orders."""
    model = of_words(documents, order, kind, **({"alpha": ALPHA} if kind == "dirichlet" else {}))
    found, scanned, worst = model.parameters, SCANNED[kind], 0.0
    assert len(found) == order
    if kind == "dirichlet":
        assert found[0] == ALPHA * (len(model.vocabulary) + 1)  # no number is sought for it
    for n in range(1 + (kind == "dirichlet"), order + 1):
        own, x = likelihood(documents, order, kind, found, n), found[n - 1]
        near = [y for y in (x * (1 - 1e-3), x * (1 + 1e-3)) if scanned[0] <= y <= scanned[-1]]
        highest = max(map(own, [*scanned, *near]))
        worst = max(worst, (highest - own(x)) / abs(highest))
    return worst


@pytest.mark.parametrize("kind", SCANNED)
@pytest.mark.parametrize("order", [2, 3])
def test_no_other_number_makes_left_out_tokens_likelier(order, kind, monkeypatch):
    for documents in CORPORA:
        assert falls_short(documents, order, kind) < 1e-12
    monkeypatch.setattr(LeftOutTokens, "of", classmethod(_not_left_out))
    assert sum(falls_short(documents, order, kind) > 1e-3 for documents in CORPORA) > len(CORPORA) / 2


def _not_left_out(cls, count, total, share):
    """A planted fault: each token is among the counts that predict it."""
    return cls(np.zeros(0), np.zeros(0), 0.0, count, count, total, share)


def test_the_highest_of_several_peaks_is_found(monkeypatch):
    """One history that much follows, and many that the same word follows twice: these want a mu of 0.0143."""
    rng = np.random.default_rng(0)
    documents = [[f"x{i}" for i in rng.integers(0, 50, 50_000)], *[[f"q{i}", f"r{i}"] for i in range(36) for _ in "12"]]
    assert falls_short(documents, 2, "dirichlet") < 1e-12
    assert of_words(documents, 2, "dirichlet").parameters[1] == pytest.approx(0.0143, rel=0.01)
    monkeypatch.setattr(import_module("priori.language.probabilities"), "peak", _one_peak)
    assert falls_short(documents, 2, "dirichlet") > 1e-4


def _one_peak(value, slope, grid):
    """A planted fault: a search that knows of one peak only."""
    bounds = math.log(grid[0]), math.log(grid[-1])
    return math.exp(minimize_scalar(lambda x: -value(math.exp(x)), bounds, bounds=bounds, method="bounded").x)
