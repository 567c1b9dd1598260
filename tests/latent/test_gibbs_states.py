"""Chains as generators: starts, resuming, schedules, names, and what is refused."""

import json
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from gibbs_reference import sweep
from hypothesis import given, settings
from hypothesis import strategies as st
from toys import hidden_of, lopsided

from priori.columns.words.em import WordPrior
from priori.errors import DataError
from priori.latent import annealing, gibbs
from priori.latent.corpus import Corpus
from priori.latent.gibbs_sampling.sampler import GibbsState, drawn, informed, sweeps
from priori.latent.gibbs_sampling.setup import Hidden


def toy_documents(seed=7, length=6):
    toy = lopsided()
    labels, counts = toy.draw(1, length, np.random.default_rng(seed))
    return toy, labels[0], counts[0]


@pytest.mark.parametrize("start", ["informed", "uniform", "sequential", "labels"])
@pytest.mark.parametrize("stop", [0, 1, 5])
def test_a_chain_taken_out_and_handed_in_again_goes_on_as_if_never_stopped(start, stop):
    toy, labels, counts = toy_documents()
    given = {"exact": False, "power": annealing(6, 0.2), "conditionals": True}
    whole = list(
        islice(sweeps(hidden_of(toy, counts), seed=5, start=labels if start == "labels" else start, **given), 9)
    )
    text = json.dumps(whole[stop].plain())
    again = sweeps(hidden_of(toy, counts), seed=99, start=GibbsState.of_plain(json.loads(text)), **given)
    for ours, theirs in zip(again, whole[stop + 1 :], strict=False):
        assert ours.sweep == theirs.sweep
        np.testing.assert_array_equal(ours.labels, theirs.labels)
        np.testing.assert_array_equal(ours.conditionals, theirs.conditionals)
        np.testing.assert_array_equal(ours.sizes, theirs.sizes)
        assert ours.log_joint == theirs.log_joint
        assert ours.random == theirs.random


def test_uniform_numbers_are_numpys_one_for_each_document_and_sweep():
    toy, labels, counts = toy_documents()
    states = list(islice(sweeps(hidden_of(toy, counts), seed=12, start=labels), 6))
    generator = np.random.Generator(np.random.PCG64(12))
    plain = labels[None]
    for state in states[1:]:
        plain = sweep(toy, plain, counts[None], generator.random((1, len(labels))))
        np.testing.assert_array_equal(state.labels, plain[0])
        np.testing.assert_array_equal(state.sizes, np.bincount(plain[0], minlength=3))
    assert [state.sweep for state in states] == list(range(6))
    np.testing.assert_array_equal(states[0].labels, labels)


def test_states_do_not_change_when_the_chain_goes_on():
    toy, _, counts = toy_documents()
    states = sweeps(hidden_of(toy, counts), start="uniform", conditionals=True, power=0.1)
    kept = [next(states) for _ in range(20)]
    assert len({state.labels.tobytes() for state in kept}) > 1
    for state in kept[1:]:
        np.testing.assert_allclose(state.conditionals.sum(axis=1), 1, rtol=1e-15 * 4)
        known = toy.cls >= 0
        np.testing.assert_array_equal(state.labels[known], toy.cls[known])
        np.testing.assert_array_equal(state.conditionals[known], np.eye(3)[toy.cls[known]])


def test_the_informed_start_is_naive_bayes_of_the_labelled_documents():
    toy, _, counts = toy_documents()
    known = toy.cls >= 0
    words = np.stack([counts[toy.cls == c].sum(axis=0) for c in range(3)]) + toy.alpha
    joint = counts @ np.log(words / words.sum(axis=1, keepdims=True)).T
    joint += np.log(np.bincount(toy.cls[known], minlength=3) + toy.documents)
    want = np.exp(joint) / np.exp(joint).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(informed(hidden_of(toy, counts)), want, rtol=1e-12)
    uniforms = np.random.Generator(np.random.PCG64(3)).random(len(counts))
    first = next(sweeps(hidden_of(toy, counts), seed=3))
    np.testing.assert_array_equal(first.labels, np.where(known, toy.cls, drawn(want, uniforms)))


def test_without_knowledge_labels_start_by_chance():
    corpus = Corpus.of_counts(np.ones((4000, 2), int))
    for start, imagined in (("informed", [1.0, 3.0]), ("uniform", [1.0, 3.0])):
        sizes = next(gibbs(corpus, 2, prior=1.0, class_prior=imagined, start=start)).sizes
        expected = 4000 * (0.25 if start == "informed" else 0.5)
        assert abs(sizes[0] - expected) < 6 * np.sqrt(expected)


@settings(derandomize=True, deadline=None, max_examples=30)
@given(st.integers(1, 50), st.floats(0.01, 1.0))
def test_annealing_rises_to_one_and_stays(number, lowest):
    power = annealing(number, lowest)
    values = [power(sweep) for sweep in range(number + 3)]
    assert np.isclose(values[0], lowest, rtol=1e-15 * 8)
    assert values[number:] == [1.0] * 3
    assert (np.diff(values) >= 0).all()


def test_classes_are_the_labels_and_as_many_more_as_asked_for():
    corpus = Corpus.of_counts(np.eye(3, dtype=int), ["2", "ham", None])
    assert Hidden.of(corpus, 5, 1.0).names == ("2", "ham", "1", "3", "4")
    assert Hidden.of(corpus, None, 1.0).names == ("2", "ham")
    for classes, told in ((0, "0 is no number of classes"), (1, "ask for 2 or more")):
        with pytest.raises(DataError, match=told):
            Hidden.of(corpus, classes, 1.0)


def test_what_cannot_be_sampled_is_said():
    corpus = Corpus.of_counts([[1, 0], [0, 2]], ["a", None])
    with pytest.raises(DataError, match="document 1 counts 2 times"):
        gibbs(replace(corpus, weight=np.array([1.0, 2.0])), 2, prior=1.0)
    with pytest.raises(DataError, match="above 0"):
        gibbs(corpus, 2, prior=0.0)
    with pytest.raises(DataError, match="class_prior must be above 0"):
        gibbs(corpus, 2, prior=1.0, class_prior=[1.0, 0.0])
    with pytest.raises(DataError, match="one number, or one for each class"):
        gibbs(corpus, 2, prior=1.0, class_prior=[1.0, 1.0, 1.0])
    place = np.array([7], np.int32)
    with pytest.raises(DataError, match="a class or a term that is not there"):
        gibbs(corpus, 2, prior=WordPrior(1.0, np.array([0], np.int32), place, np.ones(1)))
    for start, told in (([0], "one class number"), ([0, 5], "outside"), ([1, 0], "another class"), ("far", "unknown")):
        with pytest.raises(DataError, match=told):
            next(gibbs(corpus, 2, prior=1.0, start=start))
    with pytest.raises(DataError, match="from 0 to 1"):
        next(islice(gibbs(corpus, 2, prior=1.0, power=1.5), 1, None))
    with pytest.raises(DataError, match="schedule"):
        annealing(0)


def test_the_core_checks_its_arguments():
    hidden = Hidden.of(Corpus.of_counts([[1, 0], [0, 2]]), 2, 1.0)
    chain = hidden.chain(np.array([0, 1], np.int32))
    for uniforms, told in ((np.zeros(3), "one uniform"), (np.ones(2), "lie in"), (np.full(2, np.nan), "lie in")):
        with pytest.raises(ValueError, match=told):
            chain.sweep(uniforms)
    with pytest.raises(ValueError, match="between 0 and 1"):
        chain.sweep(np.zeros(2), True, -0.5)
    with pytest.raises(ValueError, match="documents by classes"):
        chain.sweep(np.zeros(2), True, 1.0, np.zeros((2, 3)))
    with pytest.raises(ValueError, match="out of range"):
        hidden.chain(np.array([0, 2], np.int32))
    wrong = replace(hidden, corpus=replace(hidden.corpus, term=np.array([0, 9], np.int32)))
    with pytest.raises(ValueError, match="a term is out of range"):
        wrong.chain(np.array([0, 1], np.int32))
