"""The area under the ROC curve against scikit-learn and against its definition; costs against brute force."""

import itertools
import json
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from priori.decisions import Loss, Scorecard, curves, roc_curve
from priori.decisions.losses import least_loss
from priori.errors import DataError

CLASSES = ["b", "a", "d", "c"]


@st.composite
def scored(draw, classes=4, labels=(*CLASSES,)):
    """Probabilities with many ties, and true labels."""
    n = draw(st.integers(1, 30))
    row = st.lists(st.integers(0, 3), min_size=classes, max_size=classes).filter(any)
    p = np.array(draw(st.lists(row, min_size=n, max_size=n)), dtype=np.float64)
    truth = draw(st.lists(st.sampled_from(labels[:classes]), min_size=n, max_size=n))
    return p / p.sum(axis=1, keepdims=True), truth


def evaluate(p, truth, classes=CLASSES, loss=None):
    card = Scorecard(classes[: p.shape[1]], loss=loss)
    card.add(p, truth)
    return card.result()


@given(scored())
def test_the_auc_of_many_classes_is_scikit_learns_averaged_over_those_that_occur(data):
    p, truth = data
    got = evaluate(p, truth)
    positive = [np.array([label == name for label in truth]) for name in CLASSES]
    areas = [metrics.roc_auc_score(here, p[:, k]) for k, here in enumerate(positive) if here.any() and not here.all()]
    if areas:
        assert got.auc == pytest.approx(np.mean(areas), rel=1e-14)
        assert got.auc_note is None
    else:
        assert got.auc is None and "of one class" in got.auc_note


def test_with_every_class_there_it_is_the_macro_average_of_scikit_learn():
    rng = np.random.default_rng(3)
    p = rng.dirichlet([0.5] * 4, size=400).round(2)
    p /= p.sum(axis=1, keepdims=True)
    truth = [CLASSES[k] for k in rng.integers(0, 4, size=400)]
    order = np.argsort(CLASSES)
    expected = metrics.roc_auc_score(truth, p[:, order], multi_class="ovr", labels=sorted(CLASSES))
    assert evaluate(p, truth).auc == pytest.approx(expected, rel=1e-14)


@given(scored(classes=2))
def test_of_two_classes_it_is_exactly_how_often_the_second_is_ranked_above_the_first(data):
    p, truth = data
    got = evaluate(p, truth)
    ours = [q for q, label in zip(p[:, 1], truth, strict=True) if label == "a"]
    others = [q for q, label in zip(p[:, 1], truth, strict=True) if label == "b"]
    if not ours or not others:
        assert got.auc is None
        return
    halves = sum(2 * int(mine > other) + int(mine == other) for mine in ours for other in others)
    assert got.auc == float(Fraction(halves, 2 * len(ours) * len(others)))


def test_labels_that_are_no_class_cannot_be_ranked():
    note = evaluate(np.array([[0.5, 0.5], [0.9, 0.1]]), ["x", "y"]).auc_note
    assert note == "not measured: none of 2 documents has a label that was learned; learn them"


@given(scored(classes=3))
def test_the_curve_goes_through_every_point_of_scikit_learns(data):
    p, truth = data
    for label, curve in evaluate(p, truth).roc().items():
        here = np.array([name == label for name in truth])
        x, y, thresholds = metrics.roc_curve(here, p[:, CLASSES.index(label)], drop_intermediate=False)
        corners = set(zip(curve.false_positive_rate, curve.true_positive_rate, curve.thresholds, strict=True))
        assert corners <= set(zip(x, y, thresholds, strict=True))
        assert curve.area == pytest.approx(metrics.auc(x, y), rel=1e-14)
        assert metrics.auc(curve.false_positive_rate, curve.true_positive_rate) == pytest.approx(curve.area, rel=1e-14)


def test_points_between_corners_are_left_out():
    curve = roc_curve(np.array([0.9, 0.8, 0.7, 0.6]), np.array([True, True, False, False]))
    assert list(zip(curve.alarms, curve.hits, curve.thresholds, strict=True)) == [
        (0, 0, np.inf),
        (0, 2, 0.8),
        (2, 2, 0.6),
    ]
    assert curve.area == 1.0


def test_documents_of_labels_never_learned_are_left_out_and_said():
    p = np.array([[0.9, 0.1], [0.2, 0.8], [0.3, 0.7], [0.5, 0.5]])
    got = evaluate(p, ["b", "a", "b", "new"])
    assert got.auc == metrics.roc_auc_score([0, 1, 0], p[:3, 1])
    assert got.to_json()["auc_note"] == "without 1 of labels never learned, which no class can rank"
    assert set(got.roc()) == {"a", "b"}


def test_too_many_probabilities_are_not_kept(monkeypatch):
    monkeypatch.setattr(curves, "MOST_KEPT", 8)
    p = np.array([[0.9, 0.1], [0.2, 0.8]])
    card = Scorecard(["b", "a"])
    card.add(p, ["b", "a"])
    card.add(p, ["b", "a"])
    assert card.result().auc == 1.0
    for _ in range(2):
        card.add(p[:1], ["b"])
        got = card.result().to_json()
        assert got["auc"] is None and "--where" in got["auc_note"]
        assert "of 2 classes are more than the 8 probabilities" in got["auc_note"]
    assert card.result().roc() == {}


@given(scored(), st.data())
def test_the_cost_is_that_of_deciding_one_by_one(data, choices):
    p, truth = data
    cell = st.integers(-5, 5)
    matrix = np.array(choices.draw(st.lists(st.lists(cell, min_size=4, max_size=4), min_size=4, max_size=6)), float)
    got = evaluate(p, truth, loss=matrix)
    total, rejected = 0.0, 0
    for row, label in zip(p, truth, strict=True):
        expected = [sum(q * x for q, x in zip(row, losses, strict=True)) for losses in matrix]
        decision = min(range(len(matrix)), key=lambda d: (round(expected[d], 12), d))
        total += matrix[decision, CLASSES.index(label)]
        rejected += decision >= 4
        # subtle: where two actions are as good to rounding, either may be taken, and the costs may differ
        if sorted(round(x, 12) for x in expected)[:1] * 2 == sorted(round(x, 12) for x in expected)[:2]:
            return
    assert got.cost == pytest.approx(total / len(truth), abs=1e-12)
    assert got.rejected == rejected / len(truth)
    assert got.decisions is not None
    assert got.decisions.get("reject", 0) == rejected and sum(got.decisions.values()) == len(truth)
    assert got.to_json()["cost"] == got.cost


def test_the_loss_of_errors_costs_the_error_rate_and_without_a_loss_there_is_no_cost():
    rng = np.random.default_rng(0)
    p = rng.dirichlet([1.0] * 4, size=200)
    truth = [CLASSES[k] for k in rng.integers(0, 4, size=200)]
    got = evaluate(p, truth, loss=1 - np.eye(4))
    assert got.cost == pytest.approx(1 - got.accuracy, rel=1e-14)
    assert got.rejected == 0.0
    assert "cost" not in evaluate(p, truth).to_json() and evaluate(p, truth).cost is None


def test_a_loss_with_names_says_which_actions_are_classes():
    p = np.array([[0.9, 0.1], [0.5, 0.5], [0.1, 0.9]])
    loss = SimpleNamespace(actions=("ask", "a", "b"), labels=("b", "a"), matrix=[[0.2, 0.2], [1, 0], [0, 1]])
    got = evaluate(p, ["b", "b", "b"], loss=loss)
    assert got.rejected == 0  # to ask is no class, and no refusal
    assert got.to_json()["decisions"] == {"ask": 1, "a": 1, "b": 1}
    assert got.cost == pytest.approx((0 + 0.2 + 1) / 3)
    with pytest.raises(DataError, match="order it alike"):
        Scorecard(["a", "b"], loss=loss)


def test_only_the_action_to_refuse_is_rejected():
    p = np.array([[0.9, 0.1], [0.55, 0.45], [0.45, 0.55], [0.05, 0.95]])
    loss = Loss.of({"aside": {"b": 0.2, "a": 0.6}, "reject": 0.4}, ["b", "a"])
    got = evaluate(p, ["a", "a", "b", "b"], loss=loss)
    best = loss.best(p).tolist()
    assert got.rejected == sum(loss.actions[k] == "reject" for k in best) / 4
    assert got.decisions == {name: best.count(k) for k, name in enumerate(loss.actions)}
    assert 0 < got.rejected < 1 - (best.count(0) + best.count(1)) / 4  # something else is no class either
    with pytest.raises(DataError, match="a class is called 'reject'"):
        Scorecard(["a", "reject"], loss=[[0, 1], [1, 0], [0.2, 0.2]])


@given(scored(), st.data())
def test_decisions_are_those_that_a_loss_makes_itself(data, choices):
    p, _ = data
    cell = st.sampled_from([0.0, 0.25, 0.5, 1.0, 2.0])
    row = st.lists(cell, min_size=4, max_size=4)
    loss = Loss(("b", "a", "aside"), tuple(CLASSES), choices.draw(st.lists(row, min_size=3, max_size=3)))
    expected = loss.expected(p)
    least = expected.min(axis=1)
    # an expected loss is a sum of four products of numbers up to 2, so its error stays below 2^-49
    assert (expected[np.arange(len(p)), least_loss(p, loss.matrix)] - least <= 2.0**-48).all()


def test_labels_never_learned_have_no_cost_and_it_is_said():
    got = evaluate(np.array([[0.9, 0.1], [0.2, 0.8]]), ["new", "b"], loss=[[0, 1], [1, 0]])
    assert got.cost == 1.0
    assert got.to_json()["cost_note"] == "without 1 of labels never learned, for which the loss has no column"
    assert evaluate(np.array([[0.9, 0.1]]), ["new"], loss=[[0, 1], [1, 0]]).to_json()["cost"] is None


@pytest.mark.parametrize(
    ("loss", "message"),
    [
        ([[0, 1]], "names none of them"),
        ([[0, 1, 2]], "of shape"),
        ([0, 1], "of shape"),
        ([["x", 1], [1, 0]], "no matrix of numbers"),
        ([[0, np.inf], [1, 0]], "not finite"),
        ([[0, 1e308], [1, 0]], "too large"),
    ],
)
def test_a_loss_that_does_not_fit_is_refused(loss, message):
    with pytest.raises(DataError, match=message):
        Scorecard(["a", "b"], loss=loss)


@given(scored(labels=(*CLASSES, "never")), st.randoms(use_true_random=False), st.data())
def test_neither_batches_nor_order_change_a_bit_of_auc_and_cost(data, random, choices):
    p, truth = data
    loss = np.array([[0, 1, 1, 1], [3, 0, 1, 1], [1, 1, 0, 2], [1, 1, 1, 0], [0.3] * 4])
    order = list(range(len(truth)))
    random.shuffle(order)
    card = Scorecard(CLASSES, loss=loss)
    cuts = sorted(choices.draw(st.sets(st.integers(0, len(order)))) | {0, len(order)})
    for start, stop in itertools.pairwise(cuts):
        rows = order[start:stop]
        card.add(p[rows], [truth[row] for row in rows])
    assert json.dumps(card.result().to_json()) == json.dumps(evaluate(p, truth, loss=loss).to_json())
