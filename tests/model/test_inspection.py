"""The likelihood of the training data, against sums over documents and against the chain rule."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from priori.columns.words.readings import Prior, Readings
from priori.data import ReadOptions, read_objects
from priori.errors import EstimateError
from priori.model.classifier import Model
from priori.model.inspection import inspect, log_likelihood
from priori.text import Analyzer

CORPUS = st.lists(
    st.tuples(st.lists(st.sampled_from("abcd"), min_size=1, max_size=5), st.sampled_from("xyz")),
    min_size=2,
    max_size=12,
)
PRIORS = st.sampled_from(
    [
        Prior(1.0),
        Prior(0.3),
        Prior(2.5),
        Prior(0.7, {"a": 2.0, "unseen": 1.5}),
        Prior(1.2, {"b": 0.4}, {"x": {"a": 3.0}}),
    ]
)


def model_of(corpus, readings, vocabulary=None):
    texts, labels = [" ".join(words) for words, _ in corpus], [label for _, label in corpus]
    batches = read_objects(texts, labels=labels, options=ReadOptions())
    return Model.train(batches, Analyzer(vocabulary=vocabulary), readings, jobs=1)


def alpha_of(prior, label, word):
    return prior.classes.get(label, {}).get(word, prior.terms.get(word, prior.alpha))


def words_of(corpus, prior):
    return sorted({word for words, _ in corpus for word in words} | set(prior.terms))


@given(CORPUS, PRIORS, st.sampled_from(["multinomial", "bernoulli"]), st.sampled_from(["ml", 0.5, "uniform"]))
def test_it_is_the_sum_of_the_log_joints_of_the_documents(corpus, prior, event, class_prior):
    corpus = [*corpus, (["a"], "x")]
    model = model_of(corpus, Readings(event=event, prior=prior, class_prior=class_prior))
    texts = [" ".join(words) for words, _ in corpus]
    (batch,) = read_objects(texts, options=ReadOptions(label=None))
    joint = model.log_joint(batch)
    own = [model.labels.index(label) for _, label in corpus]
    assert log_likelihood(model).total == pytest.approx(math.fsum(joint[np.arange(len(own)), own]), rel=1e-11)


@given(CORPUS)
def test_maximum_likelihood_written_out(corpus):
    found = log_likelihood(model_of(corpus, Readings(estimate="ml")))
    labels = [label for _, label in corpus]
    expected_label = sum(math.log(labels.count(label) / len(labels)) for label in labels)
    by_class = {label: [w for words, own in corpus if own == label for w in words] for label in labels}
    expected = sum(math.log(own.count(word) / len(own)) for own in by_class.values() for word in own)
    assert found.label == pytest.approx(expected_label, abs=1e-10)
    assert found.feature == pytest.approx(expected, abs=1e-10)
    bernoulli = log_likelihood(model_of(corpus, Readings(event="bernoulli", estimate="ml"))).feature
    total = 0.0
    for label in set(labels):
        documents = [words for words, own in corpus if own == label]
        for word in {w for words, _ in corpus for w in words}:
            present = sum(word in words for words in documents)
            for count in (present, len(documents) - present):
                total += count * math.log(count / len(documents)) if count else 0.0
    assert bernoulli == pytest.approx(total, abs=1e-10)


@given(CORPUS, PRIORS)
def test_the_urn_obeys_the_chain_rule(corpus, prior):
    """Each word is drawn from what was drawn before it in its class: their product is the evidence."""
    corpus = [*corpus, (["a"], "x")]
    vocabulary = words_of(corpus, prior)
    total = 0.0
    for label in {label for _, label in corpus}:
        urn = {word: alpha_of(prior, label, word) for word in vocabulary}
        for word in (word for words, own in corpus if own == label for word in words):
            total += math.log(urn[word] / sum(urn.values()))
            urn[word] += 1
    found = log_likelihood(model_of(corpus, Readings(estimate="integrated", prior=prior)))
    assert found.feature == pytest.approx(total, rel=1e-10)


@given(CORPUS, PRIORS)
def test_presences_obey_the_chain_rule(corpus, prior):
    corpus = [*corpus, (["a"], "x")]
    total = 0.0
    for label in {label for _, label in corpus}:
        for word in words_of(corpus, prior):
            yes = no = alpha_of(prior, label, word)
            for present in (word in words for words, own in corpus if own == label):
                total += math.log((yes if present else no) / (yes + no))
                yes, no = (yes + 1, no) if present else (yes, no + 1)
    found = log_likelihood(model_of(corpus, Readings(event="bernoulli", estimate="integrated", prior=prior)))
    assert found.feature == pytest.approx(total, rel=1e-10)


def test_there_is_none_for_the_complement_and_inspect_says_so():
    corpus = [(["a", "b"], "x"), (["c"], "y")]
    model = model_of(corpus, Readings(event="complement"))
    with pytest.raises(EstimateError):
        log_likelihood(model)
    found = inspect(model)
    assert found.log_likelihood is None and "discriminant" in found.why_not
    assert found.documents == 2 and found.to_json()["log_likelihood"] is None


def test_a_class_given_probability_0_makes_the_data_impossible():
    model = model_of([(["a"], "x"), (["b"], "y")], Readings(class_prior={"x": 1.0, "y": 0.0}))
    assert log_likelihood(model).label == -math.inf
    assert inspect(model).to_json()["log_likelihood"]["total"] is None


def test_a_given_vocabulary_counts_in_full():
    corpus = [(["a", "b"], "x"), (["c"], "y")]
    model = model_of(corpus, Readings(), vocabulary=("a", "b", "c", "d", "e"))
    expected = 2 * math.log(2 / 7) + math.log(2 / 6)
    assert log_likelihood(model).feature == pytest.approx(expected)
