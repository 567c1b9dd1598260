"""How often a chain visits each labeling of ten documents, against the enumerated posterior."""

import math
from itertools import islice

import numpy as np
import pytest
from gibbs_reference import Toy, labelings, log_joint
from scipy.stats import chi2
from toys import hidden_of

from priori.latent.gibbs_sampling.sampler import sweeps

DRAWS = 20000


def ten_documents():
    """K = 2, one label of each class, words that come twice."""
    alpha = np.full((2, 4), 0.5)
    alpha[0, 0], alpha[1, 3] = 1.5, 2.5
    toy = Toy(alpha, np.array([1.5, 0.8]), np.array([0, -1, -1, -1, -1, 1, -1, -1, -1, -1]))
    _, counts = toy.draw(1, 3, np.random.default_rng(5))
    return toy, counts[0]


def posterior(toy, counts):
    every = labelings(toy)
    of_labels, of_words = log_joint(toy, every, np.tile(counts, (len(every), 1, 1)))
    weights = np.exp(of_labels + of_words - (of_labels + of_words).max())
    return every, weights / weights.sum()


def memory(toy, every, shares):
    """The second largest eigenvalue of a sweep's transition matrix, by enumeration: how fast a chain forgets."""
    place = {tuple(labels): s for s, labels in enumerate(every.tolist())}
    transition = np.eye(len(every))
    for i in np.flatnonzero(toy.cls < 0):
        step = np.zeros((len(every), len(every)))
        for s, labels in enumerate(every.tolist()):
            to = [place[(*labels[:i], c, *labels[i + 1 :])] for c in range(toy.shape[0])]
            step[s, to] = shares[to] / shares[to].sum()
        transition = transition @ step
    np.testing.assert_allclose(shares @ transition, shares, atol=1e-14)
    return np.sort(np.abs(np.linalg.eigvals(transition)))[-2]


def chi_square(toy, counts, every, shares, exact):
    """p-value of the visits; thinned so that what one draw says of the next is below one in ten thousand."""
    thin = math.ceil(math.log(1e-4) / math.log(memory(toy, every, shares)))
    chain = hidden_of(toy, counts).chain(toy.cls.astype(np.int32))
    generator = np.random.default_rng(11)
    base = toy.shape[0] ** np.arange(len(counts))
    found = {int(code): s for s, code in enumerate(every @ base)}
    visits = np.zeros(len(every))
    for draw in range(DRAWS + 10):
        for uniforms in generator.random((thin, len(counts))):
            chain.sweep(uniforms, exact)
        if draw >= 10:
            visits[found[int(chain.labels() @ base)]] += 1
    observed, expected = pooled(visits, shares * DRAWS)
    return chi2.sf(((observed - expected) ** 2 / expected).sum(), len(expected) - 1), len(expected)


def pooled(observed, expected, least=20):
    """Rare labelings together, so that every cell expects enough for the chi-square law."""
    cells, room = [], np.zeros(2)
    for s in np.argsort(expected):
        room = room + np.array([observed[s], expected[s]])
        if room[1] >= least:
            cells.append(room)
            room = np.zeros(2)
    return np.array([*cells[:-1], cells[-1] + room]).T


@pytest.mark.parametrize("exact", [True, False])
def test_visits_are_the_posterior_and_the_product_form_is_caught(exact):
    toy, counts = ten_documents()
    every, shares = posterior(toy, counts)
    assert len(every) == 256
    p, cells = chi_square(toy, counts, every, shares, exact)
    assert cells > 50
    assert (p > 1e-6) == exact


def test_conditionals_average_to_the_marginals():
    toy, counts = ten_documents()
    every, shares = posterior(toy, counts)
    marginal = np.stack([shares @ (every == c) for c in range(2)], axis=1)
    states = sweeps(hidden_of(toy, counts), seed=4, conditionals=True)
    draws = np.stack([state.conditionals for state in islice(states, 500, 8000)])
    batches = draws.reshape(50, -1, *marginal.shape).mean(axis=1)
    error = batches.std(axis=0, ddof=1) / math.sqrt(len(batches))
    assert (np.abs(batches.mean(axis=0) - marginal) <= 6 * error + 1e-15).all()
