"""Full conditionals against joints enumerated; labels against the plain sampler's; log joints against log-Gammas."""

import math
from dataclasses import replace

import numpy as np
import pytest
from gibbs_reference import BUGS, Toy, labelings, log_joint, sweep, tallies
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import gammaln
from toys import hidden_of, lopsided

from priori import _core

# gammaln is good to a few ulps of values below 40, and a conditional is a sum of about 50 of them.
TIGHT = 50 * 40 * 4 * np.finfo(float).eps


def documents(seed=3, length=4):
    """Documents of the toy; at least one says a word twice."""
    toy = lopsided()
    labels, counts = toy.draw(1, length, np.random.default_rng(seed))
    assert counts.max() > 1
    return toy, labels[0], counts[0]


def native_conditional(toy, counts, labels, i, exact=True, power=1.0):
    """p(L_i | all others) of the native chain with every document but i held."""
    hidden = hidden_of(toy, counts)
    fixed = np.arange(len(labels)) != i
    corpus, prior = hidden.corpus, hidden.prior
    chain = _core.Gibbs.of(
        corpus.offsets, corpus.term, corpus.count, corpus.terms, labels.astype(np.int32), fixed.astype(np.uint8),
        prior.alpha, prior.component, prior.term, prior.more, hidden.documents,
    )  # fmt: skip
    shares = np.zeros((len(labels), toy.shape[0]))
    chain.sweep(np.full(len(labels), 0.5), exact, power, shares)
    return shares[i]


def joint_conditional(toy, counts, labels, i, power=1.0):
    """The same by the ratio of joints."""
    others = np.tile(labels, (toy.shape[0], 1))
    others[:, i] = np.arange(toy.shape[0])
    of_labels, of_words = log_joint(toy, others, np.tile(counts, (toy.shape[0], 1, 1)))
    weights = np.exp(of_labels + power * of_words - (of_labels + power * of_words).max())
    return weights / weights.sum()


@pytest.mark.parametrize("power", [1.0, 0.3, 0.0])
def test_full_conditionals_are_ratios_of_joints_at_every_labeling(power):
    toy, _, counts = documents()
    for labels in labelings(toy):
        for i in np.flatnonzero(toy.cls < 0):
            ours = native_conditional(toy, counts, labels, i, power=power)
            np.testing.assert_allclose(ours, joint_conditional(toy, counts, labels, i, power), rtol=TIGHT)


def plain_conditional(toy, counts, labels, i, bug, steps=400):
    """p(L_i | all others) of the plain sampler, read off by drawing with evenly spaced numbers."""
    held = replace(toy, cls=np.where(np.arange(len(labels)) == i, -1, labels))
    uniforms = np.tile(((np.arange(steps) + 0.5) / steps)[:, None], (1, len(labels)))
    out = sweep(held, np.tile(labels, (steps, 1)), np.tile(counts, (steps, 1, 1)), uniforms, bug=bug)
    return np.bincount(out[:, i], minlength=toy.shape[0]) / steps


@pytest.mark.parametrize("bug", [None, *BUGS])
def test_the_enumeration_catches_what_is_planted(bug):
    toy, _, counts = documents()
    steps = 400  # each edge between two classes falls within one step, and a share has two edges
    worst = max(
        np.abs(plain_conditional(toy, counts, labels, i, bug, steps) - joint_conditional(toy, counts, labels, i)).max()
        for labels in labelings(toy)[:27]
        for i in np.flatnonzero(toy.cls < 0)
    )
    caught = worst > 2 / steps
    # A document that is not put back spoils the conditionals of those after it, and here all others are held.
    assert caught == (bug not in (None, "document not put back"))


def test_the_product_form_is_the_slides():
    toy, labels, counts = documents()
    for i in np.flatnonzero(toy.cls < 0):
        rest = np.delete(np.arange(len(labels)), i)
        words, sizes = tallies(labels[None, rest], counts[None, rest], toy.shape[0])
        theta = (words[0] + toy.alpha) / (words[0].sum(axis=1) + toy.alpha.sum(axis=1))[:, None]
        share = (sizes[0] + toy.documents) / (len(rest) + toy.documents.sum())
        weights = share * np.prod(theta ** counts[i], axis=1)
        ours = native_conditional(toy, counts, labels, i, exact=False)
        np.testing.assert_allclose(ours, weights / weights.sum(), rtol=1e-14)
        assert np.abs(ours - native_conditional(toy, counts, labels, i)).max() > 1e-3 or counts[i].max() == 1


def test_log_joint_is_the_log_gammas():
    toy, labels, counts = documents()
    chain = hidden_of(toy, counts).chain(labels.astype(np.int32))
    of_labels, of_words = log_joint(toy, labels[None], counts[None])
    assert math.isclose(chain.log_prior(), of_labels[0], rel_tol=TIGHT)
    assert math.isclose(chain.log_likelihood(), of_words[0], rel_tol=TIGHT)
    words, sizes = tallies(labels[None], counts[None], toy.shape[0])
    np.testing.assert_array_equal(chain.counts().reshape(-1, toy.shape[0]), words[0].T)
    np.testing.assert_array_equal(chain.documents(), sizes[0])


@settings(derandomize=True, deadline=None, max_examples=300)
@given(st.floats(1e-8, 1e8), st.integers(0, 10**7))
def test_rising_factorials_are_differences_of_log_gammas(x, n):
    want = gammaln(x + n) - gammaln(x)
    lost = 4 * np.finfo(float).eps * (abs(gammaln(x + n)) + abs(gammaln(x)) + 1)  # what the difference cancels
    assert abs(_core.log_rising(x, n) - want) <= lost


@settings(derandomize=True, deadline=None, max_examples=100)
@given(st.floats(1e-3, 1e9), st.integers(0, 300))
def test_rising_factorials_keep_their_digits_where_log_gammas_cancel(x, n):
    want = math.fsum(math.log(x + k) for k in range(n))
    # each logarithm and x + k are rounded; relative to a sum of logarithms of one sign, or to 1 around x = 1
    assert abs(_core.log_rising(x, n) - want) <= 8 * np.finfo(float).eps * (abs(want) + n + 50)


@st.composite
def toys(draw):
    """Random corpora: clamped labels, seed words, empty and long documents, many classes."""
    classes, terms, number = draw(st.integers(1, 30)), draw(st.integers(1, 12)), draw(st.integers(1, 12))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    alpha = np.full((classes, terms), draw(st.sampled_from([1e-6, 0.1, 1.0, 37.5])))
    if draw(st.booleans()):
        seeds = rng.random(alpha.shape) < 0.2
        alpha[seeds] += rng.gamma(1.0, 3.0, seeds.sum())
    cls = np.where(rng.random(number) < draw(st.sampled_from([0.0, 0.4])), rng.integers(0, classes, number), -1)
    counts = rng.negative_binomial(0.4, draw(st.sampled_from([0.05, 0.3])), (number, terms))
    counts[rng.random(number) < 0.2] = 0
    return Toy(alpha, rng.gamma(2.0, 1.0, classes) + 0.1, cls), counts, rng


@settings(derandomize=True, deadline=None, max_examples=150)
@given(toys(), st.booleans(), st.sampled_from([1.0, 1.0, 0.5, 0.05, 0.0]))
def test_the_same_numbers_draw_the_same_labels(given_toy, exact, power):
    toy, counts, rng = given_toy
    labels = toy.cls.copy()[None]  # the first sweep places the documents
    chain = hidden_of(toy, counts).chain(labels[0].astype(np.int32))
    for _ in range(3):
        uniforms = rng.random(len(counts))
        chain.sweep(uniforms, exact, power)
        labels = sweep(toy, labels, counts[None], uniforms[None], exact, power)
        np.testing.assert_array_equal(chain.labels(), labels[0])


def test_long_documents_neither_overflow_nor_underflow():
    """Two documents of 60,000 words each that no double could hold the probability of."""
    toy = Toy(np.full((2, 3), 1e-3), np.ones(2), np.array([0, 1, -1]))
    counts = np.array([[30000, 1, 0], [0, 1, 30000], [30000, 30000, 29999]])
    ours = native_conditional(toy, counts, np.array([0, 1, 0]), 2)
    want = joint_conditional(toy, counts, np.array([0, 1, 0]), 2)
    # log-Gammas of 90,000 are near 1e6, so that their differences are good to 1e6 ulps
    np.testing.assert_allclose(ours, want, rtol=20 * 1e6 * np.finfo(float).eps)
    assert 0.001 < ours[0] < 0.999


def test_the_portable_loops_give_the_same_bits(monkeypatch):
    rng = np.random.default_rng(0)
    for classes in (1, 3, 7, 20, 24, 25, 61):
        toy = Toy(np.full((classes, 9), 0.3), np.ones(classes), np.full(8, -1))
        toy.alpha[0, 3] = 2.0
        counts = rng.poisson(2.0, (8, 9))
        uniforms = rng.random((4, 8))
        found = []
        for wish in ("on", "off"):
            monkeypatch.setenv("PRIORI_SIMD", wish)
            chain = hidden_of(toy, counts).chain(toy.cls.astype(np.int32))
            shares = np.zeros((4, 8, classes))
            for numbers, share in zip(uniforms, shares, strict=True):
                chain.sweep(numbers, conditionals=share)
            found.append((shares.tobytes(), chain.labels().tobytes()))
        assert found[0] == found[1]
