"""Leave-one-out of language models against models that were trained again without the documents."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from priori.classifier import Model
from priori.leave_one_out import encoded, left_out_scores
from priori.left_out import language_part
from priori.readings import Prior, Readings
from priori.smoothing import Smoothing
from priori.text import Analyzer
from refits import batch

SMOOTHINGS = ["kneser-ney", "absolute", "absolute:0.7", "dirichlet:2", "jelinek-mercer:0.3"]
few = settings(max_examples=60, deadline=None, derandomize=True)


def readings_of(smoothing, unknown="ignore", alpha=0.5):
    alpha = alpha if smoothing.startswith("dirichlet") else 1.0
    return Readings(
        event="language", prior=Prior(alpha), unknown=unknown, smoothing=Smoothing.of(smoothing), calibrate=False
    )


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
    model = trained(texts, labels, readings_of(smoothing, unknown), features, order)
    for grouped in (None, groups):  # each alone, and in groups, which may be of several classes
        expected = refitted(model, texts, labels, grouped or range(len(texts)), features=features, order=order)
        np.testing.assert_allclose(scores(model, texts, labels, grouped), expected, rtol=1e-11, atol=1e-11)


@few
@given(st.data())
@pytest.mark.parametrize("smoothing", SMOOTHINGS)
def test_weights_are_taken_back_as_they_were_given(smoothing, data):
    texts, labels, _ = data.draw(corpora_of(" "))
    whole = smoothing.startswith(("kneser-ney", "absolute"))
    weights = [data.draw(st.sampled_from([1.0, 2.0, 3.0] if whole else [0.5, 1.0, 1.75])) for _ in texts]
    model = trained(texts, labels, readings_of(smoothing), weights=weights)
    expected = refitted(model, texts, labels, range(len(texts)), weights)
    np.testing.assert_allclose(scores(model, texts, labels, weights=weights), expected, rtol=1e-11, atol=1e-11)


TEXTS = ["a b a b c", "b c a", "a a b d", "c a b", "b b c a d", "a c"]
LABELS = ["x", "y", "x", "y", "x", "y"]


def worst(model):
    found = scores(model, TEXTS, LABELS)
    return float(np.abs(found - refitted(model, TEXTS, LABELS, range(len(TEXTS)))).max())


@pytest.mark.parametrize("fault", ["counts of counts", "continuations", "vocabulary"])
def test_a_planted_fault_is_found(fault, monkeypatch):
    texts, labels = [*TEXTS, "a zebra b"], [*LABELS, "x"]
    model = trained(texts, labels, readings_of("kneser-ney", "prior"))
    expected = refitted(model, texts, labels, range(len(texts)))
    assert np.abs(scores(model, texts, labels) - expected).max() < 1e-11
    if fault == "counts of counts":  # discounts of the whole
        monkeypatch.setattr(language_part, "counts_of_counts", lambda *_: 0.0)
    elif fault == "continuations":  # an n-gram that goes leaves its ways on to the left standing
        monkeypatch.setattr(language_part.np, "flatnonzero", _blind_to_lost(np.flatnonzero))
    else:  # a word that goes keeps its share of what is left
        whole = language_part.Part.of.__func__

        def with_whole_vocabulary(cls, weights, *rest, **more):
            part = whole(cls, weights, *rest, **more)
            part.vocabulary[:] = weights.language.size
            return part

        monkeypatch.setattr(language_part.Part, "of", classmethod(with_whole_vocabulary))
    assert np.abs(scores(model, texts, labels) - expected).max() > 1e-4


def _blind_to_lost(flatnonzero):
    """Finds nothing among few: the n-grams that are lost are the only such question asked of so many at once."""

    def blind(values):
        found = flatnonzero(values)
        return found[:0] if 0 < len(found) < 0.5 * len(values) and values.dtype == bool else found

    return blind


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


def test_alpha_of_dirichlet_is_chosen():
    readings = Readings(event="language", prior=Prior("auto"), smoothing=Smoothing.of("dirichlet:3"), calibrate=True)
    model = trained(TEXTS, LABELS, readings)
    losses = dict(zip(model.fitted.curve.alphas, model.fitted.curve.losses, strict=True))
    assert model.fitted.alpha in losses
