"""Leave-one-out of language models against models that were trained again without the documents."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from priori.columns.words.left_out import language, language_groups
from priori.columns.words.readings import Prior, Readings
from priori.errors import EstimateError
from priori.language.smoothing import Smoothing
from priori.model.classifier import Model
from priori.model.fitting.calibration import LeftOutLabels, fit_calibration
from priori.model.leave_one_out import encoded, left_out_scores
from priori.text import Analyzer
from refits import batch

SMOOTHINGS = ["kneser-ney", "absolute", "absolute:0.7", "dirichlet:2", "jelinek-mercer:0.3"]
few = settings(max_examples=60, deadline=None, derandomize=True)


PRIORS = ["ml", "uniform", 0.7, {"x": 0.2, "y": 0.3, "z": 0.5}]
CLOSE = {"rtol": 1e-11, "atol": 1e-11}


def readings_of(smoothing, unknown="ignore", alpha=0.5, class_prior="ml"):
    alpha = alpha if smoothing.startswith("dirichlet") else 1.0
    return Readings(
        event="language", prior=Prior(alpha), class_prior=class_prior, unknown=unknown,
        smoothing=Smoothing.of(smoothing), calibrate=False,
    )  # fmt: skip


def trained(texts, labels, readings, features="words", order=3, weights=None):
    analyzer = Analyzer(features=features).of_language(order)
    return Model.train([batch(texts, labels, weights)], analyzer, readings, weighted=weights is not None, jobs=1)


def scores(model, texts, labels, groups=None, weights=None):
    return left_out_scores(model, encoded(model, [batch(texts, labels, weights)], groups)).joint


def refitted(model, texts, labels, groups, weights=None, **settings):
    """log p(x, y) by training again for each group, (n, K); a class without documents is impossible."""
    joint = np.full((len(texts), len(model.labels)), -np.inf)
    for group in set(groups):
        kept = [i for i in range(len(texts)) if groups[i] != group]
        if not kept:
            continue
        part = trained(
            [texts[i] for i in kept], [labels[i] for i in kept], model.readings,
            weights=None if weights is None else [weights[i] for i in kept], **settings,
        )  # fmt: skip
        place = [model.labels.index(label) for label in part.labels]
        for i in range(len(texts)):
            if groups[i] == group:
                joint[i, place] = part.log_joint(batch([texts[i]]))[0]
    return joint


@st.composite
def corpora_of(draw, joiner):
    size = draw(st.integers(2, 9))
    texts = [joiner.join(draw(st.lists(st.sampled_from("abcdeé"), max_size=8))) for _ in range(size)]
    return texts, [draw(st.sampled_from("xyz")) for _ in range(size)], [draw(st.integers(0, 3)) for _ in range(size)]


@few
@given(st.data())
@pytest.mark.parametrize("smoothing", SMOOTHINGS)
@pytest.mark.parametrize("features", ["words", "chars_across"])
def test_equals_refits(features, smoothing, data):
    texts, labels, groups = data.draw(corpora_of(" " if features == "words" else ""))
    order, unknown = data.draw(st.integers(1, 4)), data.draw(st.sampled_from(["ignore", "prior"]))
    readings = readings_of(smoothing, unknown, class_prior=data.draw(st.sampled_from(PRIORS)))
    model = trained(texts, labels, readings, features, order)
    for grouped in (None, groups):  # each alone, and in groups, which may be of several classes
        expected = refitted(model, texts, labels, grouped or range(len(texts)), features=features, order=order)
        np.testing.assert_allclose(scores(model, texts, labels, grouped), expected, **CLOSE)


@few
@given(st.data())
@pytest.mark.parametrize("smoothing", SMOOTHINGS)
def test_weights_are_taken_back_as_they_were_given(smoothing, data):
    texts, labels, _ = data.draw(corpora_of(" "))
    whole = smoothing.startswith(("kneser-ney", "absolute"))
    weights = [data.draw(st.sampled_from([1.0, 2.0, 3.0] if whole else [0.5, 1.0, 1.75])) for _ in texts]
    model = trained(texts, labels, readings_of(smoothing), weights=weights)
    expected = refitted(model, texts, labels, range(len(texts)), weights)
    np.testing.assert_allclose(scores(model, texts, labels, weights=weights), expected, **CLOSE)


TEXTS = ["a b a b c", "b c a", "a a b d", "c a b", "b b c a d", "a c"]
LABELS = ["x", "y", "x", "y", "x", "y"]


@pytest.mark.parametrize("class_prior", PRIORS)
def test_a_class_that_vanishes_has_no_part_in_the_prior(class_prior):
    texts, labels = [*TEXTS, "c c a"], [*LABELS, "z"]
    model = trained(texts, labels, readings_of("dirichlet:2", class_prior=class_prior))
    found = scores(model, texts, labels)
    left = trained(TEXTS, LABELS, model.readings).log_joint(batch(texts[-1:]))
    np.testing.assert_allclose(found[-1], [*left[0], -np.inf], **CLOSE)
    np.testing.assert_allclose(found, refitted(model, texts, labels, range(len(texts))), **CLOSE)


@pytest.mark.parametrize("smoothing", ["kneser-ney", "dirichlet:2"])
def test_parts_are_parts_of_the_whole(smoothing, monkeypatch):
    """Documents are looked at some at a time: groups stay together, and rows come back where they were."""
    texts, labels = TEXTS * 3, LABELS * 3
    groups = [i % 7 for i in range(len(texts))]
    model = trained(texts, labels, readings_of(smoothing, "prior"))
    for grouped in (None, groups):
        expected = refitted(model, texts, labels, grouped or range(len(texts)))
        with monkeypatch.context() as some:
            some.setattr(language, "ENTRIES", 40)
            parts = counted(some, language_groups.Part, "scores")
            np.testing.assert_allclose(scores(model, texts, labels, grouped), expected, **CLOSE)
            assert len(parts) > 4
            some.setattr(language, "_in_parts", _torn)
            assert grouped is None or np.abs(scores(model, texts, labels, grouped) - expected).max() > 1e-3


def counted(monkeypatch, owner, name):
    """A list that grows with every call of a method."""
    calls, whole = [], getattr(owner, name)
    monkeypatch.setattr(owner, name, lambda *given: calls.append(name) or whole(*given))
    return calls


def _torn(rows):
    """A planted fault: parts that end within a group."""
    return (rows.rows(np.arange(i, min(i + 2, len(rows)))) for i in range(0, len(rows), 2))


NEW = ["a b c zz a b", "zz zz zz", "a", "", "b b", "b c a zz"]


@pytest.mark.parametrize("unknown", ["ignore", "prior"])
@pytest.mark.parametrize("smoothing", SMOOTHINGS)
@pytest.mark.parametrize("order", [1, 2, 5])
def test_held_out_documents_are_scored_as_they_are(order, smoothing, unknown, monkeypatch):
    """Longer than all that were learned: n-grams are counted up to the order, whether any was seen or not."""
    texts, labels = ["a", "b", "c", "a", "b b"], list("xyxyy")
    model = trained(texts, labels, readings_of(smoothing, unknown), order=order)

    def held_out():
        documents = encoded(model, [batch(NEW, ["x"] * len(NEW))], learned=False)
        return left_out_scores(model, documents).joint

    np.testing.assert_allclose(held_out(), model.log_joint(batch(NEW)), **CLOSE)
    if order == 5 and unknown == "prior":  # a planted fault: the longest that was seen
        seen = model.weights.language.nodes.longest
        assert seen == 4
        _plant(monkeypatch, lambda part: replace(part, language=replace(part.language, order=seen)))
        assert np.abs(held_out() - model.log_joint(batch(NEW))).max() > 0.1


def _plant(monkeypatch, change):
    """Change every part before it is scored."""
    whole = language_groups.Part.of.__func__
    monkeypatch.setattr(
        language_groups.Part, "of", classmethod(lambda cls, *given, **more: change(whole(cls, *given, **more)))
    )


@pytest.mark.parametrize("fault", ["counts of counts", "continuations", "vocabulary"])
def test_a_planted_fault_is_found(fault, monkeypatch):
    texts, labels = [*TEXTS, "a zebra b"], [*LABELS, "x"]
    model = trained(texts, labels, readings_of("kneser-ney", "prior"))
    expected = refitted(model, texts, labels, range(len(texts)))
    assert np.abs(scores(model, texts, labels) - expected).max() < 1e-11
    if fault == "counts of counts":  # discounts of the whole
        monkeypatch.setattr(language_groups, "counts_of_counts", lambda *_: 0.0)
    elif fault == "continuations":  # an n-gram that goes leaves its ways on to the left standing
        whole = language_groups.Part._tallied
        monkeypatch.setattr(
            language_groups.Part,
            "_tallied",
            lambda part, nodes, pair: whole(part, replace(nodes, suffix=np.full_like(nodes.suffix, -1)), pair),
        )
    else:  # a word that goes keeps its share of what is left
        _plant(monkeypatch, lambda part: replace(part, vocabulary=np.full_like(part.vocabulary, part.language.size)))
    assert np.abs(scores(model, texts, labels) - expected).max() > 1e-4


def test_folds_are_groups_too():
    model = trained(TEXTS, LABELS, readings_of("kneser-ney"))
    groups = [0, 0, 1, 1, 2, 2]
    expected = refitted(model, TEXTS, LABELS, groups)
    np.testing.assert_allclose(scores(model, TEXTS, LABELS, groups), expected, rtol=1e-11)


def test_calibration_is_fitted_on_documents_left_out():
    model = trained(TEXTS * 3, LABELS * 3, Readings(event="language", calibrate=True))
    assert model.fitted.calibration is not None
    assert model.fitted.documents == len(set(TEXTS))  # copies are left out together
    assert model.fitted.alpha is None  # there is none to choose


@pytest.mark.parametrize("order", [1, 2])
def test_alpha_of_dirichlet_is_chosen(order):
    """By the least calibrated loss of documents that refits leave out, and what an alpha costs before any is seen."""
    rng = np.random.default_rng(order)
    shares = {label: rng.dirichlet(np.full(12, 0.3)) for label in "xy"}
    labels = [*"xy"] * 20
    texts = [" ".join(rng.choice(list("abcdefghijkl"), 1 + i % 9, p=shares[labels[i]])) for i in range(len(labels))]
    readings = Readings(event="language", prior=Prior("auto"), smoothing=Smoothing.of("dirichlet:3"), calibrate=True)
    fitted = trained(texts, labels, readings, order=order).fitted
    costs = {
        alpha: loss * len(texts) + unlikely(alpha)
        for alpha, loss in zip(fitted.curve.alphas, fitted.curve.losses, strict=True)
    }
    assert fitted.alpha == min(costs, key=costs.get) and len(costs) > 3
    by_refits = {alpha: refitted_loss(texts, labels, alpha, order) + unlikely(alpha) for alpha in costs}
    assert costs == pytest.approx(by_refits, rel=1e-3)
    near = [
        refitted_loss(texts, labels, alpha, order) + unlikely(alpha) for alpha in (fitted.alpha * 2, fitted.alpha / 2)
    ]
    assert by_refits[fitted.alpha] < min(near) - 1e-3


def unlikely(alpha):
    """Minus a normal logarithm of alpha around 0.1, ten times more or less within 1.4 deviations."""
    return 0.5 * (math.log(alpha / 0.1) / (0.7 * math.log(10))) ** 2


def refitted_loss(texts, labels, alpha, order):
    """Of all documents under the best calibration, each scored by a model that never saw it, nor its copies."""
    model = trained(texts, labels, readings_of("dirichlet:3", alpha=alpha), order=order)
    found = left_out_scores(model, encoded(model, [batch(texts, labels)], "texts"))
    copies = texts if order > 1 else [" ".join(sorted(text.split())) for text in texts]
    joint = refitted(model, texts, labels, copies, order=order)
    cls = np.array([model.labels.index(label) for label in labels], np.int32)
    return fit_calibration(LeftOutLabels(joint, found.features, cls, np.ones(len(texts)))).loss


def test_more_than_was_learned_cannot_be_left_out():
    model = trained(TEXTS, LABELS, readings_of("kneser-ney"))
    with pytest.raises(EstimateError, match="more often than their class has learned it"):
        scores(model, TEXTS, LABELS, weights=[3.0] * len(TEXTS))
