"""A climb from several starts: annealing is plain numpy's, and starts end when they may."""

import numpy as np
import pytest
from scipy.special import logsumexp

from priori.latent import Climb, Corpus, Recipe, Seeds, Temper, starts

CLASSES = ("a", "b")


def documents():
    rng = np.random.default_rng(4)
    theta = rng.dirichlet(np.full(9, 0.4), 2)
    return np.stack([rng.multinomial(rng.integers(1, 25), theta[i % 2]) for i in range(20)])


def climbed(counts, recipe, seed=0):
    """The steps of every start, as (restart, iteration, objective)."""
    corpus = Corpus.of_counts(counts)
    climb = Climb(corpus, recipe.settings(corpus, CLASSES), recipe, seed=seed, jobs=1)
    return [(told.restart, told.step.iteration, told.step.objective) for told in climb]


def plain(counts, shares, softness):
    """The objective of each iteration, t_i = softness / √(n_i / 50) or so, alpha .1, one document imagined a class."""
    n = counts.sum(axis=1)
    t = np.minimum(1.0, 1 + n / (n + 1) * (50**-0.5 * ((n + 1) / 50) ** -0.5 - 1))
    found = []
    for soft in softness:
        pi = (shares.sum(axis=0) + 1) / (len(counts) + 2)
        theta = shares.T @ counts + 0.1
        log_theta = np.log(theta / theta.sum(axis=1, keepdims=True))
        s = (soft * t)[:, None] * (np.log(pi) + counts @ log_theta.T)
        prior = 0.1 * log_theta.sum() + np.log(pi).sum()
        found.append((logsumexp(s, axis=1) / (soft * t)).sum() + prior)
        shares = np.exp(s - logsumexp(s, axis=1, keepdims=True))
    return found


@pytest.mark.parametrize("anneal", [0, 1, 4])
def test_annealing_raises_the_temper_from_half_of_it(anneal):
    counts = documents()
    recipe = Recipe(restarts=1, anneal=anneal, iterations=9 - anneal)
    corpus = Corpus.of_counts(counts)
    start = starts.random(corpus, recipe.settings(corpus, CLASSES), np.random.default_rng([7, 1]))
    rising = {0: [], 1: [0.5], 4: [0.5, 0.625, 0.75, 0.875]}[anneal]
    expected = plain(counts, start, [*rising, *[1.0] * (9 - anneal)])
    found = [objective for _, _, objective in climbed(counts, recipe, seed=7)]
    np.testing.assert_allclose(found, expected, rtol=1e-11)


def test_no_start_ends_before_the_temper_is_what_it_should_be():
    counts = documents()
    for anneal, least, last in ((0, 1, 2), (0, 5, 5), (6, 1, 8), (6, 30, 12)):
        recipe = Recipe(restarts=2, anneal=anneal, least_iterations=least, iterations=12 - anneal, tolerance=1e9)
        steps = climbed(counts, recipe)
        assert [step[:2] for step in steps] == [(k, i) for k in (1, 2) for i in range(1, last + 1)]


@pytest.mark.parametrize("how", ["labels", "seeds"])
def test_maximum_likelihood_begins_with_words_that_no_label_tells(how):
    """The last two documents have words that the others have not: from these alone no class could have made them."""
    counts = np.array([[3, 1, 0, 0, 0], [0, 0, 2, 1, 0], [2, 0, 0, 0, 1], [0, 0, 1, 0, 4]])
    labels = ["a", "b", None, None] if how == "labels" else None
    corpus = Corpus.of_counts(counts, labels)
    seeds = Seeds.of({"a": ["t1"], "b": ["t3"]}) if how == "seeds" else None
    recipe = Recipe(estimate="ml", alpha=0.0, temper=Temper(), iterations=30)
    settings = recipe.settings(corpus, CLASSES, seeds)
    climb = Climb(corpus, settings, recipe, seeds=seeds, jobs=1)
    objectives = [told.step.objective for told in climb]
    assert np.isfinite(objectives).all() and (np.diff(objectives) >= -1e-12 * abs(objectives[-1])).all()
    assert climb.summit().shares.argmax(axis=1)[:2].tolist() == [0, 1]
