"""The four techniques: by hand, by scikit-learn, by permutations, and each against what it must be in a limit."""

import json
import math
from fractions import Fraction
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp
from sklearn.metrics import log_loss
from sklearn.naive_bayes import MultinomialNB

from priori.data import read_objects
from priori.errors import DataError
from priori.estimators.text_classifier import TextClassifier
from priori.latent import Corpus, Recipe, Settings, Temper, em, starts
from priori.select import Effort, compare_techniques, technique_curves
from priori.select.method_curves import label_sizes
from priori.select.method_scores import decisions, judge
from priori.select.methods import (
    Task,
    bayesian,
    em_as_in_the_lecture,
    em_tuned,
    gibbs_sampling,
    hidden_text_classifier,
    integrated,
    relative_frequencies,
    text_classifier,
)
from priori.text import Analyzer

CASES = settings(derandomize=True, deadline=None, max_examples=100)
QUICK = Effort(restarts=2, iterations=15, chains=2, burn_in=5, samples=8)


def corpora(seed, documents=30, terms=8, classes=3, labelled=1.0):
    """Counts with labels for some, drawn from topics that overlap."""
    rng = np.random.default_rng(seed)
    truth = np.concatenate([np.arange(classes), rng.integers(0, classes, documents - classes)])
    theta = rng.dirichlet(np.full(terms, 0.5), classes)
    counts = np.array([rng.multinomial(rng.integers(1, 12), theta[c]) for c in truth])
    hidden = rng.random(documents) >= labelled
    hidden[:classes] = False
    return Corpus.of_counts(counts, [None if h else f"c{c}" for c, h in zip(truth, hidden, strict=True)]), counts


def task_of(train, test=None, effort=QUICK):
    return Task(train, test or train, train.labels, 0, effort, 1)


# --- by hand ----------------------------------------------------------------------------------------------------------


def test_relative_frequencies_by_hand_and_the_documents_that_they_cannot_decide():
    #                                x  y  z  w;  theta_a = (2/3, 1/3, 0), theta_b = (0, 1/2, 1/2); w is in neither
    train = Corpus.of_counts([[2, 1, 0, 0], [0, 1, 1, 0], [0, 0, 0, 3]], ["a", "b", None])
    test = Corpus.of_counts(
        [[1, 0, 0, 0], [0, 2, 0, 0], [1, 0, 1, 0], [0, 0, 0, 0], [0, 0, 0, 5], [0, 1, 0, 1]],
        ["a", "b", "a", "b", "a", "a"],
    )
    scored = relative_frequencies(task_of(train, test))
    likelihoods = [
        (Fraction(2, 3), 0),
        (Fraction(1, 9), Fraction(1, 4)),
        (0, 0),  # x is never in b, z never in a
        (1, 1),
        (1, 1),  # w is nobody's, so it is left out
        (Fraction(1, 3), Fraction(1, 2)),
    ]
    expected = [[math.log(p / 2) if p else -math.inf for p in pair] for pair in likelihoods]
    np.testing.assert_allclose(scored.log_joint, expected, rtol=1e-14)
    assert decisions(scored.log_joint, scored.length).tolist() == [0, 1, -1, -1, -1, 1]
    found = judge(scored.log_joint, test.cls, 2, length=scored.length)
    assert (found.documents, found.right, found.undecided, found.impossible) == (6, 2, 3, 0)
    assert found.accuracy == 2 / 6
    # p(own class): 1; 9/13; nothing known, so one half, of three; (1/3) / (5/6)
    assert found.log_loss == pytest.approx(-(math.log(9 / 13) + 3 * math.log(0.5) + math.log(0.4)) / 6, rel=1e-14)


def test_labelled_texts_without_a_word_decide_nothing():
    train = Corpus.of_counts([[0, 0], [0, 0], [3, 1]], ["a", "b", None])
    test = Corpus.of_counts([[1, 0]], ["a"])
    for technique in (relative_frequencies, bayesian, integrated):
        scored = technique(task_of(train, test))
        assert decisions(scored.log_joint, scored.length) == -1


def test_a_class_of_probability_0_makes_the_log_loss_infinite_and_json_says_null():
    found = judge(np.array([[0.0, -np.inf], [-np.inf, 0.0]]), np.array([0, 0], np.int32), 2, length=[1, 1])
    assert found.log_loss == math.inf and found.impossible == 1 and found.undecided == 0
    assert found.to_json()["log_loss"] is None


@CASES
@given(st.integers(0, 2**32))
def test_the_posterior_mean_is_scikit_learns(seed):
    train, counts = corpora(seed)
    test = Corpus.of_counts(np.random.default_rng(seed + 1).integers(0, 4, (6, counts.shape[1])))
    seen = counts.sum(axis=0) > 0  # a word that no document has is unknown
    share = np.bincount(train.cls, minlength=3) + 1.0
    peer = MultinomialNB(alpha=0.7, class_prior=share / share.sum()).fit(counts[:, seen], train.cls)
    table = np.zeros((6, counts.shape[1]))
    np.add.at(table, (np.repeat(np.arange(6), np.diff(test.offsets)), test.term), test.count)
    scored = bayesian(task_of(train, test, Effort(alpha=0.7)))
    np.testing.assert_allclose(scored.log_joint, peer.predict_joint_log_proba(table[:, seen]), rtol=1e-12)
    posterior = scored.log_joint - logsumexp(scored.log_joint, axis=1, keepdims=True)
    truth = np.array([0, 1, 2, 0, 1, 2], np.int32)
    found = judge(scored.log_joint, truth, 3, length=test.length)
    assert found.log_loss == pytest.approx(log_loss(truth, np.exp(posterior)), rel=1e-9)


@CASES
@given(st.integers(0, 2**32))
def test_integrated_is_the_urn_word_by_word(seed):
    train, counts = corpora(seed, documents=12, terms=5)
    seen = np.flatnonzero(counts.sum(axis=0))
    words = np.random.default_rng(seed + 1).integers(0, 5, 7)
    words = words[np.isin(words, seen)]
    test = Corpus.of_counts(np.bincount(words, minlength=5)[None])
    scored = integrated(task_of(train, test, Effort(alpha=0.5)))
    for c in range(3):
        urn = counts[train.cls == c].sum(axis=0) + 0.5
        expected = math.log(((train.cls == c).sum() + 1) / (len(counts) + 3))
        for word in words:
            expected += math.log(urn[word] / urn[seen].sum())
            urn[word] += 1
        assert scored.log_joint[0, c] == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize("labelled", [0.0, 0.3])
def test_em_is_plain_numpys(labelled):
    """Five iterations of maximum likelihood on expected counts, from where the row begins."""
    corpus, counts = corpora(3, labelled=labelled)
    effort = Effort(restarts=1, iterations=5)
    if not labelled:
        corpus = corpus.with_classes(np.full(len(corpus), -1, np.int32), ())
    task = Task(corpus, corpus, ("c0", "c1", "c2"), 4, effort, 1)
    member = np.eye(3)[np.maximum(corpus.cls, 0)] * (corpus.cls >= 0)[:, None]
    if labelled:  # it begins at the posterior means of the labelled documents
        theta = (member.T @ counts + 1) / ((member.T @ counts).sum(axis=1, keepdims=True) + corpus.terms)
        joint = counts @ np.log(theta).T + np.log(member.sum(axis=0) + 1)
        shares = np.exp(joint - logsumexp(joint, axis=1, keepdims=True))
    else:
        settings_ = Settings(task.classes, estimate="ml", temper=Temper())
        shares = starts.random(corpus, settings_, np.random.default_rng([4, 1]))
    for _ in range(6):
        shares = np.where((corpus.cls >= 0)[:, None], member, shares)
        expected = shares.T @ counts
        log_theta = np.log(np.maximum(expected, 1e-300)) - np.log(expected.sum(axis=1, keepdims=True))
        joint = counts @ log_theta.T + np.log(shares.sum(axis=0) / len(corpus))
        shares = np.exp(joint - logsumexp(joint, axis=1, keepdims=True))
    scored = em_as_in_the_lecture(task)
    possible = joint > -600  # below, plain numpy has a word of probability 1e-300 where there is none
    np.testing.assert_allclose(scored.log_joint[possible], joint[possible], rtol=1e-9)
    assert possible.sum() > len(corpus)


def test_em_tuned_is_em_run_by_hand():
    corpus, _ = corpora(5, labelled=0.2)
    task = task_of(corpus, effort=Effort(iterations=30))
    once = Corpus.of_counts(_table(corpus) > 0).with_classes(corpus.cls, corpus.labels)
    ours = Recipe(iterations=30).settings(once, corpus.labels)
    steps = list(islice(em(once, ours, starts.labelled(once, ours, 0)), 30))
    gains = np.diff([step.objective for step in steps])
    ended = np.flatnonzero((gains <= 1e-7 * abs(steps[-1].objective)) & (np.arange(len(gains)) >= 18))
    last = ended[0] + 2 if len(ended) else 30  # iterations: at least 20, then until the objective hardly rises
    *_, step = islice(em(once, ours, starts.labelled(once, ours, 0)), last)
    responsibilities = step.state.responsibilities()
    scored = em_tuned(task)
    tempered = scored.log_joint * scored.temper[:, None]
    open_ = ~corpus.labelled
    np.testing.assert_allclose(
        np.exp(tempered - logsumexp(tempered, axis=1, keepdims=True))[open_], responsibilities[open_], rtol=1e-9
    )


def _table(corpus):
    table = np.zeros((len(corpus), corpus.terms), np.int32)
    np.add.at(table, (np.repeat(np.arange(len(corpus)), np.diff(corpus.offsets)), corpus.term), corpus.count)
    return table


@pytest.mark.parametrize("labelled", [4, 24])
def test_the_text_classifier_is_itself(labelled):
    rng = np.random.default_rng(0)
    words = [["ship", "sail", "salt", "and", "the", "sea"], ["tree", "leaf", "moss", "and", "the", "wood"]]
    texts = [" ".join(rng.choice(words[row % 2], 9)) for row in range(30)]
    names = [("sea", "wood")[row % 2] if row < labelled else None for row in range(24)]
    train, test = [
        Corpus.of(
            lambda part=part, own=own: read_objects(part, own), Analyzer(vocabulary=tuple({*words[0], *words[1]}))
        )
        for part, own in ((texts[:24], names), (texts[24:], None))
    ]
    peer = TextClassifier().fit(texts[:24], names)
    scored = text_classifier(Task(train, test, ("sea", "wood"), 0, QUICK, 1))
    np.testing.assert_allclose(np.exp(scored.log_joint), peer.predict_proba(texts[24:]), rtol=1e-9)
    assert ("unlabelled" in scored.settings) == (labelled < 24)


def test_the_text_classifier_without_labels_is_itself():
    rng = np.random.default_rng(0)
    words = [["ship", "sail", "salt", "and", "the", "sea"], ["tree", "leaf", "moss", "and", "the", "wood"]]
    texts = [" ".join(rng.choice(words[row % 2], 9)) for row in range(30)]
    vocabulary = Analyzer(vocabulary=tuple(sorted({*words[0], *words[1]})))
    train, test = [Corpus.of(lambda part=part: read_objects(part), vocabulary) for part in (texts[:24], texts[24:])]
    peer = TextClassifier(n_classes=2, random_state=3).fit(texts[:24], [None] * 24)
    scored = hidden_text_classifier(Task(train, test, ("a", "b"), 3, QUICK, 1))
    np.testing.assert_allclose(np.exp(scored.log_joint), peer.predict_proba(texts[24:]), rtol=1e-9)
    assert "n_classes=2" in scored.settings


# --- limits -----------------------------------------------------------------------------------------------------------


def test_with_all_labels_em_is_relative_frequencies_and_gibbs_is_bayesian():
    train, _ = corpora(1)
    test, _ = corpora(2)
    task = task_of(train, test)
    np.testing.assert_allclose(
        em_as_in_the_lecture(task).log_joint, relative_frequencies(task).log_joint, rtol=1e-12, atol=1e-12
    )
    np.testing.assert_allclose(gibbs_sampling(task).log_joint, bayesian(task).log_joint, rtol=1e-12)


def separate(documents=120, words=40):
    """Three classes that share no word but one."""
    rng = np.random.default_rng(0)
    truth = np.arange(documents) % 3
    theta = np.zeros((3, 13))
    for c in range(3):
        theta[c, 4 * c : 4 * c + 4] = 0.2
    theta[:, 12] = 0.2
    counts = np.array([rng.multinomial(words, theta[c]) for c in truth])
    return Corpus.of_counts(counts, [f"c{c}" for c in truth])


def test_classes_that_lie_apart_are_found_by_all():
    found = compare_techniques(separate(), effort=Effort(restarts=10, chains=2, burn_in=20, samples=20), seed=1)
    assert [row.name for row in found.rows if row.supervised] == [
        "relative frequencies", "Bayesian", "Bayesian, integrated"]  # fmt: skip
    assert all(row.judgement.accuracy == 1 and row.judgement.undecided == 0 for row in found.rows if row.supervised)
    assert found["EM, tuned"].judgement.accuracy == found["EM"].judgement.accuracy == 1
    assert found["EM"].matched and found["EM"].labelled == 0 and not found["Bayesian"].matched
    assert found.train_documents + found.test_documents == 120
    json.dumps(found.to_json(), allow_nan=False)


def test_without_labels_there_is_no_supervised_row():
    found = compare_techniques(separate(), labels=0, effort=QUICK)
    had = [row.name for row in found.rows if row.judgement is not None]
    assert had == ["EM", "EM, tuned", "Gibbs", "TextClassifier"] and all(row.labelled == 0 for row in found.rows)
    assert "none is left" in found["Bayesian"].settings
    assert found["Bayesian"].to_json()["available"] is False
    with pytest.raises(DataError, match="no technique 'MCMC'"):
        found["MCMC"]


def test_more_classes_than_labels_are_looked_for_by_those_that_can():
    found = compare_techniques(separate(), labels=2, classes=5, effort=QUICK)
    assert found.components == 5 and len(found.classes) == 3
    assert all(row.labelled == 6 for row in found.rows)
    assert all(row.judgement.accuracy <= 1 for row in found.rows)


def test_chains_that_do_not_agree_are_said_to_and_the_best_is_shown():
    rng = np.random.default_rng(0)  # four topics for two classes: each chain ends at its own pairs of them
    theta = rng.dirichlet(np.full(20, 0.1), 4)
    counts = np.array([rng.multinomial(200, theta[i % 4]) for i in range(60)])
    corpus = Corpus.of_counts(counts)
    scored = gibbs_sampling(Task(corpus, corpus, ("1", "2"), 0, Effort(chains=6, burn_in=20, samples=20), 1))
    assert "do not agree" in scored.note and "R-hat" in scored.settings
    one = gibbs_sampling(Task(corpus, corpus, ("1", "2"), 0, Effort(chains=1, burn_in=50, samples=20), 1))
    assert one.note is None and "R-hat 1.00" in one.settings


def test_chains_that_cannot_be_judged_are_averaged_and_it_is_said(monkeypatch):
    monkeypatch.setattr("priori.select.methods.installed", lambda: False)
    scored = gibbs_sampling(task_of(corpora(1, labelled=0.3)[0]))
    assert "needs arviz-stats: pip install 'priori[mcmc]'" in scored.note and "R-hat" not in scored.settings


# --- curves -----------------------------------------------------------------------------------------------------------


def test_curves_are_the_rows_of_each_size():
    corpus = separate(60, 5)
    found = technique_curves(corpus, sizes=[None, 2, 0, 2], repeats=2, effort=QUICK, seed=7)
    assert found.sizes == (0, 2, None)
    assert found["Bayesian"].sizes == (2, None) and found["Gibbs"].sizes == (0, 2, None)
    for repeat in (0, 1):
        at_two = compare_techniques(corpus, labels=2, effort=QUICK, seed=7 + repeat)
        for curve in found.curves:
            judged = at_two[curve.name].judgement
            place = curve.sizes.index(2)
            assert curve.accuracy.values[repeat, place] == judged.accuracy
            assert curve.undecided.values[repeat, place] == judged.undecided / judged.documents
            assert curve.log_loss.values[repeat, place] == judged.log_loss
    json.dumps(found.to_json(), allow_nan=False)
    assert label_sizes([0] * 50 + [1] * 3) == (0, 1, 2, 5, 10, 20, None)
    with pytest.raises(DataError, match="repeats=0"):
        technique_curves(corpus, repeats=0)
    with pytest.raises(DataError, match="from 0"):
        technique_curves(corpus, sizes=[-1])
