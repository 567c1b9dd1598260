"""Several chains: averages against enumeration, alignment, threads, diagnostics."""

import logging
import sys
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from arviz_stats.base import array_stats
from gibbs_reference import labelings, log_joint
from toys import hidden_of, lopsided

from pictures import curve, on_paper, said
from priori.columns.words.em import WordPrior
from priori.decisions.clustering_measures import matched_accuracy
from priori.errors import DataError, PrioriError
from priori.latent.corpus import Corpus
from priori.latent.gibbs_sampling.chains import gibbs_chains
from priori.latent.gibbs_sampling.diagnostics import diagnose, order_by, sorted_within
from priori.latent.gibbs_sampling.parallel_chains import Schedule, Tally
from priori.latent.gibbs_sampling.sampler import annealing, gibbs, sweeps
from priori.latent.gibbs_sampling.setup import Hidden
from priori.plots import save, trace_figure


def three_topics(documents=60, length=30, seed=0):
    """Documents of three classes that share no frequent word, and their classes."""
    rng = np.random.default_rng(seed)
    theta = np.kron(np.eye(3), np.full(4, 0.9 / 4)) + 0.1 / 12
    truth = rng.integers(0, 3, documents)
    return rng.multinomial(length, theta[truth]), truth


def run(corpus, classes=None, **settings):
    given = {"prior": 0.5, "chains": 3, "burn_in": 20, "samples": 20, "power": annealing(15, 0.05)} | settings
    return gibbs_chains(corpus, classes, **given)


def test_averages_are_the_enumerated_posterior():
    toy = lopsided()
    _, counts = toy.draw(1, 4, np.random.default_rng(3))
    hidden = hidden_of(toy, counts[0])
    every = labelings(toy)
    joint = sum(log_joint(toy, every, np.tile(counts[0], (len(every), 1, 1))))
    shares = np.exp(joint - joint.max())
    shares /= shares.sum()
    marginal = np.stack([shares @ (every == c) for c in range(3)], axis=1)
    result = run(hidden.corpus, prior=hidden.prior, class_prior=hidden.documents, chains=40, samples=400, power=1.0)
    error = result.by_chain.std(axis=0, ddof=1) / np.sqrt(40)  # of independent chains
    assert (np.abs(result.probabilities - marginal) <= 6 * error + 1e-15).all()
    assert error.max() < 0.01
    words = np.einsum("ik,iv->vk", result.probabilities, counts[0])
    np.testing.assert_allclose(result.counts, words, rtol=1e-13)
    np.testing.assert_allclose(result.documents, result.probabilities.sum(axis=0))
    theta = (words + toy.alpha.T) / (words.sum(axis=0) + toy.alpha.sum(axis=1))
    np.testing.assert_allclose(result.word_probabilities, theta, rtol=1e-13)
    class_share = (marginal.sum(axis=0) + toy.documents) / (6 + toy.documents.sum())  # the mean over all labelings
    noise = result.by_chain.sum(axis=1).std(axis=0, ddof=1) / np.sqrt(40) / (6 + toy.documents.sum())
    assert (np.abs(result.class_probabilities - class_share) <= 6 * noise).all()
    assert noise.max() < 0.002
    assert result.agree
    assert result.warning is None


def test_chains_that_number_classes_differently_are_aligned():
    counts, truth = three_topics()
    result = run(Corpus.of_counts(counts), 3, chains=6)
    assert result.agree
    assert matched_accuracy(truth, result.probabilities.argmax(axis=1)) == 1
    # The same documents in every chain, so that averages are as certain as each of them.
    assert np.abs(result.by_chain - result.by_chain[0]).max() < 0.1
    assert result.probabilities.max(axis=1).min() > 0.9


def test_only_classes_that_nothing_tells_apart_change_places():
    counts, _ = three_topics(30)
    labels = ["x"] + [None] * 29
    corpus = Corpus.of_counts(counts, labels)
    seed = WordPrior(0.5, np.array([2], np.int32), np.array([0], np.int32), np.array([3.0]))
    result = run(corpus, 7, prior=seed, class_prior=[1, 1, 1, 2, 2, 3, 3], diagnose=False, samples=2)
    assert result.names == ("x", "1", "2", "3", "4", "5", "6")
    assert result.hidden.groups == ((1,), (3, 4), (5, 6))
    assert result.agree is None
    order = order_by(np.eye(7)[[2, 0, 1, 4, 3, 6, 5]], result.hidden.groups)
    np.testing.assert_array_equal(order, [0, 1, 2, 4, 3, 6, 5])
    sizes = np.array([[1, 2, 3, 4, 5, 6, 7]])
    np.testing.assert_array_equal(sorted_within(sizes, result.hidden.groups), [[1, 2, 3, 5, 4, 7, 6]])


def test_alignment_undoes_any_permutation():
    rng = np.random.default_rng(2)
    theta = rng.dirichlet(np.full(50, 0.3), 8).T
    for _ in range(20):
        moved = rng.permutation(8)
        order = order_by(np.sqrt(theta).T @ np.sqrt(theta[:, moved]), (tuple(range(8)),))
        np.testing.assert_array_equal(theta[:, moved][:, order], theta)


def test_any_number_of_threads_gives_the_same():
    counts, _ = three_topics(40, 8)
    one, many = (run(Corpus.of_counts(counts), 4, chains=5, samples=10, jobs=jobs) for jobs in (1, 5))
    np.testing.assert_array_equal(one.by_chain, many.by_chain)
    np.testing.assert_array_equal(one.log_joint, many.log_joint)
    np.testing.assert_array_equal(one.sizes, many.sizes)
    assert one.diagnoses == many.diagnoses
    assert len({trace.tobytes() for trace in one.log_joint}) == 5  # and chains differ


def test_thinning_takes_every_so_manieth_sweep():
    counts, _ = three_topics(20, 5)
    corpus = Corpus.of_counts(counts, ["a", "b", "c"] + [None] * 17)
    thinned = run(corpus, chains=1, burn_in=3, samples=5, thin=4, power=1.0)
    seen = []
    run(corpus, chains=1, burn_in=3, samples=20, power=1.0, progress=lambda _, state: seen.append(state))
    chosen = [state.conditionals for state in seen if state.sweep > 3 and (state.sweep - 3) % 4 == 0]
    np.testing.assert_allclose(thinned.probabilities, np.mean(chosen, axis=0), rtol=1e-15)
    assert [state.sweep for state in seen] == list(range(24))


@pytest.mark.parametrize("thin", [1, 3])
def test_conditionals_are_filled_where_a_snapshot_is_taken_and_draws_stay_as_they_are(thin):
    counts, _ = three_topics(20, 5)
    corpus = Corpus.of_counts(counts)
    states = []
    run(corpus, 3, chains=2, burn_in=4, samples=4, thin=thin, power=1.0, seed=6, progress=lambda *at: states.append(at))
    schedule = Schedule(4, 4, thin)
    filled = [state.sweep for number, state in states if number == 1 and state.conditionals is not None]
    assert filled == [4 + thin * (k + 1) for k in range(4)]
    assert filled == [sweep for sweep in range(1 + schedule.sweeps) if schedule.taken(sweep)]
    assert [schedule.snapshots(sweep) for sweep in filled] == [1, 2, 3, 4]
    alone = gibbs(corpus, 3, prior=0.5, seed=np.random.SeedSequence(6).spawn(2)[1], conditionals=True)
    for state in (state for number, state in states if number == 1):
        same = next(alone)
        np.testing.assert_array_equal(state.labels, same.labels)
        if state.conditionals is not None:
            np.testing.assert_array_equal(state.conditionals, same.conditionals)


def test_chains_in_different_places_are_reported(caplog):
    """Long documents of four groups in two classes: which two share a class is decided early, and for good."""
    rng = np.random.default_rng(1)
    theta = np.kron(np.eye(4), np.full(3, 1 / 3))
    counts = rng.multinomial(200, theta[np.arange(24) % 4])
    with caplog.at_level(logging.WARNING, "priori"):
        result = gibbs_chains(Corpus.of_counts(counts), 2, prior=0.1, chains=6, burn_in=5, samples=20)
    assert result.agree is False
    assert "the chains do not agree" in result.warning
    assert result.warning in caplog.text
    assert "R-hat of the log joint is ∞" in result.warning
    means = result.log_joint[:, 6:].mean(axis=1)
    assert means[result.best] == means.max()


def test_diagnoses_are_arvizs_and_never_nan():
    rng = np.random.default_rng(0)
    draws = rng.normal(size=(4, 50)) + np.arange(4)[:, None]
    ours = diagnose(draws)
    assert ours.rhat == float(array_stats.rhat(draws, chain_axis=0, draw_axis=1, method="rank"))
    assert ours.ess == float(array_stats.ess(draws, chain_axis=0, draw_axis=1, method="bulk"))
    assert not ours.agree
    assert diagnose(np.ones((3, 10))).rhat == 1
    assert diagnose(np.repeat(np.arange(3.0)[:, None], 10, axis=1)).rhat == np.inf
    middle = np.zeros((2, 5))
    middle[0, 2] = 1.0
    assert diagnose(middle).rhat == 1
    two = np.where(rng.random((4, 50)) < 0.5, 3.0, 4.0)
    assert 0.9 < diagnose(two).rhat < 1.1
    assert diagnose(rng.normal(size=(1, 100))).agree
    assert not diagnose(np.linspace(0, 1, 100)[None]).agree
    with pytest.raises(DataError, match="at least 4"):
        diagnose(np.ones((2, 3)))


def test_what_cannot_be_run_is_said(monkeypatch):
    corpus = Corpus.of_counts([[1, 0], [0, 1]])
    with pytest.raises(DataError, match="at least one chain"):
        run(corpus, 2, chains=0)
    with pytest.raises(DataError, match="one chain"):
        run(corpus, 2, start=next(gibbs(corpus, 2, prior=1.0)))
    with pytest.raises(DataError, match="let it end at 1"):
        run(corpus, 2, power=0.5)
    with pytest.raises(DataError, match="whether chains agree"):
        run(corpus, 2, samples=3)
    monkeypatch.setitem(sys.modules, "arviz_stats.base", None)
    with pytest.raises(PrioriError, match=r"priori\[mcmc\]"):
        run(corpus, 2)
    assert run(corpus, 2, diagnose=False).agree is None


def test_traces_are_drawn(tmp_path):
    counts, _ = three_topics(40, 10)
    result = run(Corpus.of_counts(counts, ["a name"] + [None] * 39), 3)
    figure = trace_figure(result)
    save(figure, tmp_path / "traces.png")
    assert on_paper(figure)
    left, right = figure.axes
    for chain in range(3):
        x, y = curve(left, f"chain {chain + 1}")
        np.testing.assert_array_equal(x, np.arange(41))
        np.testing.assert_array_equal(y, result.log_joint[chain])
    assert len(right.lines) == 9
    assert "the chains" in said(figure)
    assert "a name" in said(figure)  # a class that keeps its place


def test_classes_that_change_places_within_a_chain_are_put_back():
    """A chain that switches labels half-way says the same of every document all along; its mean must say so too."""
    counts, truth = three_topics()
    hidden = Hidden.of(Corpus.of_counts(counts), 3, 0.5)
    sure = np.where(np.eye(3)[truth] > 0, 0.9, 0.05)
    tally = Tally.begin(hidden, Schedule(burn_in=0, samples=6, thin=1))
    (state, *_) = islice(sweeps(hidden, seed=0), 1)
    tally.add(state)
    for sweep in range(1, 7):
        order = [0, 1, 2] if sweep < 4 else [2, 0, 1]
        tally.add(replace(state, sweep=sweep, conditionals=sure[:, order]))
    np.testing.assert_allclose(tally.shares, sure)


def test_a_result_says_what_it_is_in_a_line():
    counts, _ = three_topics()
    result = run(Corpus.of_counts(counts), 3, diagnose=False)
    assert repr(result) == "<GibbsResult: 3 chains, 60 documents, 3 classes>"
