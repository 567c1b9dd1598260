"""Leave-one-out against brute force: every event model, estimate and prior, weights, groups and vocabularies."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import corpora
from priori.columns.words.readings import Prior, Readings
from priori.errors import EstimateError
from priori.model.classifier import Model
from priori.model.leave_one_out import encoded, leave_one_out, left_out_scores
from refits import batch, left_out, refitted, trained

EVENTS = [
    ("multinomial", "ml"),
    ("multinomial", "map"),
    ("multinomial", "bayes"),
    ("multinomial", "integrated"),
    ("bernoulli", "ml"),
    ("bernoulli", "map"),
    ("bernoulli", "bayes"),
    ("complement", "bayes"),
]
WORDS = ["a", "b", "c", "dd", "amazing", "é"]
CLASSES = ["x", "y", "z"]
few = settings(max_examples=50, deadline=None, derandomize=True)


@st.composite
def priors(draw, estimate):
    least = 1.0 if estimate == "map" else 0.0
    alphas = st.sampled_from([0.1, 0.5, 1.0, 2.5]).map(lambda alpha: least + alpha)
    tables = st.dictionaries(st.sampled_from([*WORDS, "unseen"]), alphas, max_size=2)
    return Prior(draw(alphas), draw(tables), draw(st.dictionaries(st.sampled_from(CLASSES), tables, max_size=2)))


@st.composite
def corpora_of_a_few(draw):
    """Texts, labels, weights and groups of documents that may be empty, alike, or their class's only one."""
    n = draw(st.integers(1, 7))
    some = [draw(st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)) for _ in range(n)]
    labels = [draw(st.sampled_from(CLASSES)) for _ in range(n)]
    weights = draw(st.none() | st.lists(st.sampled_from([0.25, 0.5, 1.0, 3.0]), min_size=n, max_size=n))
    groups = draw(st.none() | st.lists(st.integers(0, 3), min_size=n, max_size=n))
    return some, labels, weights, groups


@st.composite
def settings_of_a_model(draw, event, estimate, labels):
    shares = {label: 0.5**k for k, label in enumerate(CLASSES, 1)}
    shares[CLASSES[-1]] *= 2
    class_prior = draw(st.sampled_from(["ml", "uniform", 2.0, shares]))
    prior = draw(priors(estimate))
    prior = replace(prior, classes={label: table for label, table in prior.classes.items() if label in labels})
    readings = Readings(event, estimate, prior, class_prior, draw(st.sampled_from(["ignore", "prior"])))
    named = {*prior.terms, *(word for table in prior.classes.values() for word in table)}
    analyzer = {"binary": draw(st.booleans()), "ngrams": draw(st.sampled_from([(1, 1), (1, 2)]))}
    kind = draw(st.sampled_from(["all", "given", "pruned"]))
    if kind == "given":
        analyzer["vocabulary"] = tuple(sorted({*named, "a", "c", "zebra"}))
    if kind == "pruned" and not named:
        analyzer["max_terms"] = draw(st.integers(1, 4))
    return readings, analyzer


def outcome(scores, *arguments):
    """The scores, or that there are none."""
    try:
        return scores(*arguments)
    except EstimateError:
        return None


@pytest.mark.parametrize(("event", "estimate"), EVENTS)
@given(data=st.data())
@few
def test_scores_without_a_document_or_its_group_are_those_of_a_model_that_never_saw_it(event, estimate, data):
    texts, labels, weights, groups = data.draw(corpora_of_a_few())
    readings, options = data.draw(settings_of_a_model(event, estimate, labels))
    fixed = data.draw(st.booleans())
    model = trained(texts, labels, readings, weights, **options)
    assume(outcome(lambda: model.weights) is not None)
    expected = outcome(refitted, model, texts, labels, weights, groups, fixed)
    found = outcome(left_out, model, texts, labels, weights, groups, fixed)
    if expected is None:  # some refit does not exist: then we say so, or its documents are impossible
        assert found is None or not np.isfinite(found).all()
        return
    if event == "complement":  # which has a class prior where one class is left, and nothing to be told apart
        alone = np.isfinite(expected).sum(axis=1) == 1
        assert (np.isfinite(found) == np.isfinite(expected)).all()
        found, expected = found[~alone], expected[~alone]
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)


CALIBRATED = [
    Readings(calibrate=True),
    Readings(prior=Prior("auto"), calibrate=True, class_prior="uniform"),
    Readings("bernoulli", calibrate=True, class_prior={"x": 0.5, "y": 0.125, "z": 0.375}, unknown="prior"),
    Readings("complement", prior=Prior(0.5), calibrate=True),
    Readings("multinomial", "integrated", calibrate=True, class_prior=2.0),
]


@pytest.mark.parametrize("readings", CALIBRATED, ids=lambda readings: f"{readings.event}-{readings.estimate}")
@given(data=st.data())
@settings(few, max_examples=20)
def test_calibrated_probabilities_are_those_of_refits_under_the_same_calibration(readings, data):
    texts, labels, weights, groups = data.draw(corpora_of_a_few())
    options = {"binary": data.draw(st.booleans()), "max_terms": data.draw(st.sampled_from([None, 2, 3]))}
    fixed = data.draw(st.booleans())
    model = trained(texts, labels, readings, weights, **options)
    documents = encoded(model, [batch(texts, labels, weights)], groups)
    expected = outcome(refitted, model, texts, labels, weights, groups, fixed, Model.log_posterior)
    found = outcome(leave_one_out, model, documents, fixed)
    if expected is None or not np.isfinite(expected.max(axis=1)).all():
        assert found is None
        return
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("event", ["multinomial", "bernoulli", "complement"])
@pytest.mark.parametrize("calibrate", [False, True])
def test_200_messages_are_scored_as_by_200_refits(event, calibrate):
    texts, labels = corpora.dataset("sms_spam")
    model = trained(texts, labels, Readings(event, prior=Prior("auto" if calibrate else 0.3), calibrate=calibrate))
    chosen = np.random.default_rng(0).choice(len(texts), 200, replace=False).tolist()
    some, theirs = [texts[i] for i in chosen], [labels[i] for i in chosen]
    documents = encoded(model, [batch(some, theirs)])
    found = leave_one_out(model, documents)
    for at, (text, label) in enumerate(zip(some, theirs, strict=True)):
        refit = bare(model).forget([batch([text], [label])])
        np.testing.assert_allclose(found[at], refit.log_posterior(batch([text]))[0], rtol=1e-10, atol=1e-12)
    scores = left_out_scores(model, documents).joint
    for at in range(3):  # and by a model that really never saw them
        rest = [i for i in range(len(texts)) if i != chosen[at]]
        refit = trained([texts[i] for i in rest], [labels[i] for i in rest], model.plain_readings)
        np.testing.assert_allclose(scores[at], refit.log_joint(batch([some[at]]))[0], rtol=1e-10)


def bare(model):
    """Without documents, so that what was fitted stays as it is."""
    return model.without_sample()
