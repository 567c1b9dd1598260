"""Corners of what is fitted: maximum likelihood, given priors, the complement, large groups, many classes."""

from dataclasses import replace

import numpy as np
import pytest

from priori.columns.words.left_out.grouped_rows import Documents
from priori.columns.words.readings import Prior, Readings
from priori.estimators.text_classifier import TextClassifier
from priori.model.fitting.words import fit_readings
from refits import batch, trained

TEXTS = ["free win cash", "free entry cash", "lunch at noon", "see you at lunch", "meeting at noon", "home at five"]
LABELS = ["spam"] * 2 + ["ham"] * 4
GIVEN = {"ham": 0.1, "spam": 0.9}


def test_maximum_likelihood_keeps_a_given_class_prior_and_leaves_nothing_to_documents():
    model = TextClassifier(estimate="ml", class_prior=GIVEN).fit(TEXTS, LABELS)
    assert model.fitted_ is None
    assert model.predict_proba([""]).tolist() == [pytest.approx([0.1, 0.9])]
    assert TextClassifier(estimate="ml", keep_sample=False).fit(TEXTS, LABELS).predict(["free"]).tolist() == ["spam"]


def test_another_class_prior_needs_no_documents():
    kept = trained(TEXTS, LABELS, Readings.automatic())
    bare = kept.without_sample()
    for prior in ("uniform", GIVEN):
        readings = replace(kept.readings, class_prior=prior)
        np.testing.assert_array_equal(
            bare.read_as(readings).posterior(batch(TEXTS)), kept.read_as(readings).posterior(batch(TEXTS))
        )


def rare_words(rng, documents, low, high):
    """One class in ten, told apart by words that both have."""
    labels = np.where(rng.random(documents) < 0.1, "b", "a")
    words = np.array([f"w{i}" for i in range(40)])
    share = {"a": np.linspace(1, 3, 40), "b": np.linspace(3, 1, 40)}
    texts = [
        " ".join(rng.choice(words, rng.integers(low, high), p=share[label] / share[label].sum())) for label in labels
    ]
    return texts, labels.tolist()


@pytest.mark.parametrize("event", ["multinomial", "complement"])
def test_short_texts_of_rare_classes_are_not_believed_too_much(event):
    """The complement has no class prior of its own: without one, texts of a word or two were 25 % of the rare class."""
    rng = np.random.default_rng(3)
    texts, labels = rare_words(rng, 3000, 0, 3)
    model = TextClassifier(event=event).fit(texts, labels)
    new, truth = rare_words(rng, 3000, 0, 3)
    mean, share = model.predict_proba(new)[:, 1].mean(), np.mean(np.array(truth) == "b")
    assert abs(mean - share) < 4 * np.sqrt(0.09 / 3000) + 0.01  # chance of both samples, and the noise of the mixture


def test_alpha_is_chosen_though_the_first_group_is_large():
    rng = np.random.default_rng(4)
    texts, labels = rare_words(rng, 1800, 5, 30)
    model = trained(texts, labels)
    classes = np.array([model.labels.index(label) for label in labels], np.int32)
    documents = Documents.of_encoded(model.encode(batch(texts)), classes)
    grouped = documents.in_blocks([0] * 1500 + list(range(1, 301)))
    found = fit_readings(model.counts, Readings.automatic(), None, grouped, False)
    assert found.documents > 1000
    assert len({round(loss, 6) for loss in found.curve.losses}) > 1  # some documents were looked at


def test_an_event_that_the_prior_rules_out_is_not_chosen():
    readings = Readings("auto", prior=Prior("auto", {"free": 0.0}), calibrate=True)
    assert trained(TEXTS, LABELS, readings).fitted.event in ("multinomial", "bernoulli")


def test_a_stale_monotone_map_is_left_out_when_a_class_comes():
    bare = trained(TEXTS, LABELS, Readings(prior=Prior("auto"), calibrate="monotone")).without_sample()
    more = bare.learn([batch(["goal at noon", "a goal"], ["news", "news"])])
    assert more.fitted.stale
    assert more.posterior(batch(TEXTS)).sum(axis=1) == pytest.approx(1)
