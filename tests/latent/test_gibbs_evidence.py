"""log p(D) by enumeration and by annealed importance sampling; the uncollapsed sampler beside the collapsed one."""

import math
from itertools import islice, pairwise

import numpy as np
import pytest
from gibbs_reference import labelings, log_joint
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp
from scipy.stats import kstest
from toys import hidden_of, lopsided

from priori.errors import DataError
from priori.latent.annealed_evidence import LogEvidence, annealed_log_evidence, enumerated_log_evidence, powers
from priori.latent.corpus import Corpus
from priori.latent.gibbs_sampling.sampler import log_dirichlet, uncollapsed_gibbs


def problem(seed=3, length=5):
    toy = lopsided()
    _, counts = toy.draw(1, length, np.random.default_rng(seed))
    every = labelings(toy)
    joints = sum(log_joint(toy, every, np.tile(counts[0], (len(every), 1, 1))))
    hidden = hidden_of(toy, counts[0])
    return hidden, {"prior": hidden.prior, "class_prior": hidden.documents}, every, joints


def test_enumeration_sums_the_joints():
    hidden, priors, _, joints = problem()
    assert math.isclose(enumerated_log_evidence(hidden.corpus, **priors), logsumexp(joints), rel_tol=1e-13)


def test_one_document_is_one_urn():
    """With one class the evidence is the joint itself; all classes alike, one document says nothing of its class."""
    corpus = Corpus.of_counts([[2, 1, 0]])
    want = math.log(0.5 * 1.5 * 0.5 / (1.5 * 2.5 * 3.5))
    for classes in (1, 4):
        assert math.isclose(enumerated_log_evidence(corpus, classes, prior=0.5), want, rel_tol=1e-14)
        assert np.allclose(annealed_log_evidence(corpus, classes, prior=0.5, runs=3).log_weights, want, rtol=1e-12)


def test_annealed_importance_sampling_meets_the_enumeration():
    hidden, priors, _, joints = problem()
    found = annealed_log_evidence(hidden.corpus, **priors, runs=400, schedule=powers(30), seed=1)
    exact = logsumexp(joints)
    assert abs(found.value - exact) < 5 * found.standard_error
    assert found.standard_error < 0.05
    assert found.effective_runs > 100


def test_the_estimate_is_unbiased_even_with_one_step():
    """One step is plain importance sampling from p(L): the mean of the weights is p(D) all the same."""
    hidden, priors, _, joints = problem(length=2)
    found = annealed_log_evidence(hidden.corpus, **priors, runs=20000, schedule=[0.0, 1.0], seed=2)
    assert abs(found.value - logsumexp(joints)) < 5 * found.standard_error
    rough = annealed_log_evidence(hidden.corpus, **priors, runs=20000, schedule=[0.0, 0.5, 1.0], seed=2)
    assert abs(rough.value - logsumexp(joints)) < 5 * rough.standard_error


def test_planted_bridges_with_a_gap_are_caught():
    """Sweeps at another power than the bridge's leave the estimate far off, by more than its standard error allows."""
    hidden, _, _, joints = problem()
    generator = np.random.default_rng(3)
    betas, weights = powers(30), []
    for _ in range(400):
        chain = hidden.chain(hidden.corpus.cls)
        log_weight = chain.log_prior()
        chain.sweep(generator.random(6), True, 0.0)
        for low, high in pairwise(betas):
            log_weight += (high - low) * chain.log_likelihood()
            chain.sweep(generator.random(6), True, 1.0)
        weights.append(log_weight)
    found = LogEvidence(np.array(weights))
    assert abs(found.value - logsumexp(joints)) > 5 * found.standard_error


def test_runs_do_not_depend_on_threads():
    hidden, priors, _, _ = problem()
    one, two = (annealed_log_evidence(hidden.corpus, **priors, runs=5, jobs=jobs) for jobs in (1, 2))
    np.testing.assert_array_equal(one.log_weights, two.log_weights)


def test_the_right_number_of_classes_has_the_most_evidence():
    rng = np.random.default_rng(0)
    theta = np.kron(np.eye(3), np.full(3, 0.3)) + 0.1 / 9
    corpus = Corpus.of_counts(rng.multinomial(12, theta[np.arange(24) % 3]))
    found = {k: annealed_log_evidence(corpus, k, prior=0.3, runs=10, seed=k) for k in (1, 2, 3)}
    assert found[3].value > found[2].value > found[1].value


def test_numbers_of_estimates():
    found = LogEvidence(np.log([1.0, 3.0]) - 5000)
    assert math.isclose(found.value, math.log(2) - 5000)
    assert math.isclose(found.standard_error, math.sqrt(2) / 2 / math.sqrt(2))
    assert math.isclose(found.effective_runs, 16 / 10)
    assert LogEvidence(np.zeros(1)).standard_error == math.inf
    assert math.isclose(found.spread, math.log(3) / math.sqrt(2))
    assert found.agree
    assert not LogEvidence(np.zeros(1)).agree
    assert not LogEvidence(np.array([0.0, 0.0, 0.0, -9.0])).agree  # three of four decide, but one came to another place
    assert not LogEvidence(np.array([0.0] * 9 + [3.0])).agree  # near each other, but one decides


@settings(derandomize=True, deadline=None, max_examples=200)
@given(st.lists(st.floats(-1e4, 1e4), min_size=2, max_size=30))
def test_the_standard_error_is_never_more_than_one(log_weights):
    """So that it cannot tell how far off a mean is which one run decides."""
    found = LogEvidence(np.array(log_weights))
    assert found.standard_error <= 1 + 1e-9
    assert 1 - 1e-9 <= found.effective_runs <= len(log_weights) * (1 + 1e-9)


@pytest.mark.parametrize(("spread", "agreeing"), [(0.3, (0.95, 1)), (0.5, (0.95, 1)), (1.5, (0, 0.05)), (3.0, (0, 0))])
def test_runs_that_agree_are_not_far_off(spread, agreeing):
    """Weights whose logarithm is normal have the mean exp(s²/2). A gate on the standard error would let some pass whose
    mean is off by several nats."""
    rng = np.random.default_rng(0)
    found = [LogEvidence(rng.normal(0.0, spread, 20)) for _ in range(500)]
    off = np.array([abs(one.value - spread**2 / 2) for one in found])
    agree = np.array([one.agree for one in found])
    assert agreeing[0] <= agree.mean() <= agreeing[1]
    if agreeing[0]:
        assert off[agree].max() < 0.7
    if spread == 3.0:  # the planted gate
        passed = np.array([one.standard_error for one in found]) <= 0.5
        assert passed.mean() > 0.2
        assert (off[passed] > 1).mean() > 0.7


def test_what_cannot_be_estimated_is_said():
    corpus = Corpus.of_counts(np.ones((30, 2), int))
    with pytest.raises(DataError, match="use annealed_log_evidence"):
        enumerated_log_evidence(corpus, 2, prior=1.0)
    with pytest.raises(DataError, match="rise from 0 to 1"):
        annealed_log_evidence(corpus, 2, prior=1.0, schedule=[0.0, 0.5])
    with pytest.raises(DataError, match="one run"):
        annealed_log_evidence(corpus, 2, prior=1.0, runs=0)
    with pytest.raises(DataError, match="one step"):
        powers(0)


def test_the_uncollapsed_sampler_has_the_same_posterior():
    hidden, priors, every, joints = problem()
    shares = np.exp(joints - logsumexp(joints))
    marginal = np.stack([shares @ (every == c) for c in range(3)], axis=1)
    states = list(islice(uncollapsed_gibbs(hidden.corpus, **priors, seed=8), 6000))[1000:]
    batches = np.stack([state.conditionals for state in states]).reshape(50, -1, *marginal.shape).mean(axis=1)
    error = batches.std(axis=0, ddof=1) / math.sqrt(50)
    assert (np.abs(batches.mean(axis=0) - marginal) <= 6 * error + 1e-15).all()
    joint = np.array([state.log_joint for state in states]).reshape(50, -1).mean(axis=1)
    assert abs(joint.mean() - shares @ joints) < 6 * joint.std(ddof=1) / math.sqrt(50)
    known = hidden.corpus.labelled
    assert all((state.labels[known] == hidden.corpus.cls[known]).all() for state in states)


def test_logarithms_of_dirichlet_draws():
    draws = log_dirichlet(np.tile([[2.0], [0.5]], (1, 4000)), np.random.default_rng(0))
    np.testing.assert_allclose(np.exp(draws).sum(axis=0), 1, rtol=1e-15 * 4)
    assert kstest(np.exp(draws[0]), "beta", (2.0, 0.5)).pvalue > 1e-6
    tiny = log_dirichlet(np.full((3, 100), 1e-5), np.random.default_rng(0))
    assert np.isfinite(tiny).all()
    assert (tiny.min(axis=0) < -800).all()  # where a draw itself would be 0
