"""Log joints are scikit-learn's, on every data set."""

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB

from corpora import EVERY_DATASET, dataset
from priori import TextClassifier

PEERS = {"multinomial": MultinomialNB, "bernoulli": BernoulliNB, "complement": ComplementNB}
SCORED = 1_500  # rows whose joints are compared; all rows are learned


def joints(peer, X):
    """scikit-learn's own; its Bernoulli model leaves it to predict() to make X binary."""
    return peer._joint_log_likelihood((X > 0).astype(float) if isinstance(peer, BernoulliNB) else X)


def assert_same(ours, theirs):
    assert ours.shape == theirs.shape
    error = np.abs(ours - theirs) / np.maximum(1, np.abs(theirs))
    assert error.max() <= 1e-12


@pytest.mark.parametrize("name", EVERY_DATASET)
def test_every_event_model_and_alpha_on_real_data(name):
    texts, labels = dataset(name)
    vectorizer = CountVectorizer()
    X = vectorizer.fit_transform(texts)
    ours = TextClassifier(compat="sklearn", alpha=1, calibrate=False).fit(texts, labels)
    assert ours.get_feature_names_out().tolist() == vectorizer.get_feature_names_out().tolist()
    for event, alpha in [(event, alpha) for event in PEERS for alpha in (1.0, 0.01, 3.7)]:
        peer = PEERS[event](alpha=alpha).fit(X, labels)
        assert peer.classes_.tolist() == ours.classes_.tolist()
        ours.set_params(event=event, alpha=alpha)  # one training serves all of them
        assert_same(ours.log_joint(texts[:SCORED]), joints(peer, X[:SCORED]))


@pytest.mark.parametrize("event", PEERS)
@pytest.mark.parametrize("prior", ["ml", "uniform", "given"])
def test_weights_and_class_priors(event, prior):
    texts, labels = dataset("sms_spam")
    rng = np.random.default_rng(1)
    weights = rng.integers(1, 4 << 20, len(texts)) / (1 << 20)  # any others would be rounded to such
    X = CountVectorizer().fit_transform(texts)
    peer = {
        "ml": PEERS[event](alpha=0.3),
        "uniform": PEERS[event](alpha=0.3, fit_prior=False),
        "given": PEERS[event](alpha=0.3, class_prior=[0.2, 0.8]),
    }[prior].fit(X, labels, sample_weight=weights)
    ours = TextClassifier(
        compat="sklearn",
        event=event,
        alpha=0.3,
        calibrate=False,
        class_prior={"ham": 0.2, "spam": 0.8} if prior == "given" else prior,
    ).fit(texts, labels, sample_weight=weights)
    assert_same(ours.log_joint(texts), joints(peer, X))
    if event != "bernoulli":
        assert_same(ours.predict_log_proba(texts[:500]), peer.predict_log_proba(X[:500]))


@pytest.mark.parametrize("event", PEERS)
def test_bigrams_and_a_prior_by_word(event):
    texts, labels = dataset("sms_spam")
    texts, labels = texts[:800], labels[:800]
    vectorizer = CountVectorizer(ngram_range=(1, 2))
    X = vectorizer.fit_transform(texts)
    names = vectorizer.get_feature_names_out()
    alphas = np.random.default_rng(2).uniform(0.1, 3, len(names))
    ours = TextClassifier(
        compat="sklearn",
        ngrams=(1, 2),
        event=event,
        alpha=dict(zip(names, alphas.tolist(), strict=True)),
        calibrate=False,
    )
    if event == "bernoulli":  # scikit-learn takes one alpha only there
        ours.set_params(alpha=0.5)
        alphas = 0.5
    peer = PEERS[event](alpha=alphas).fit(X, labels)
    assert_same(ours.fit(texts, labels).log_joint(texts), joints(peer, X))
