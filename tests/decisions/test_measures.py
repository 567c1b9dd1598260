"""The measures against scikit-learn, against their definitions, and against the laws they must obey."""

import doctest
import itertools
import json
import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

import priori.decisions.measures
from priori.decisions import Scorecard
from priori.errors import DataError

MEASURES = ["accuracy", "macro_f1", "log_loss", "brier", "ece", "ece_floor", "auc"]
KEYS = ["n", *MEASURES, "labels", "confusion", "per_class"]
CLASSES = ["b", "a", "d", "c"]  # not sorted: the order of a model's columns is its own


@st.composite
def scored(draw, labels=(*CLASSES,)):
    """Probabilities with ties and zeros, and true labels."""
    n = draw(st.integers(1, 40))
    weights = draw(st.lists(st.lists(st.integers(0, 5), min_size=4, max_size=4).filter(any), min_size=n, max_size=n))
    p = np.array(weights, dtype=np.float64)
    truth = draw(st.lists(st.sampled_from(labels), min_size=n, max_size=n))
    return p / p.sum(axis=1, keepdims=True), truth


def evaluate(p, truth, classes=CLASSES, seed=0):
    card = Scorecard(classes)
    card.add(p, truth)
    return card.result(seed)


@given(scored())
def test_equals_scikit_learn(data):
    p, truth = data
    got = evaluate(p, truth)
    predicted = [CLASSES[k] for k in p.argmax(axis=1)]
    assert got.n == len(truth)
    assert got.accuracy == pytest.approx(metrics.accuracy_score(truth, predicted))
    assert got.macro_f1 == pytest.approx(metrics.f1_score(truth, predicted, average="macro", zero_division=0))
    assert got.labels == ("a", "b", "c", "d")
    np.testing.assert_array_equal(got.confusion, metrics.confusion_matrix(truth, predicted, labels=got.labels))
    wanted = metrics.precision_recall_fscore_support(truth, predicted, labels=got.labels, zero_division=0)
    ours = [(s.precision, s.recall, s.f1, s.support) for s in got.per_class.values()]
    np.testing.assert_allclose(np.transpose(ours), wanted, rtol=1e-12)
    assert list(got.per_class) == list(got.labels)


@given(scored())
def test_log_loss_and_brier_by_their_definitions(data):
    p, truth = data
    got = evaluate(p, truth)
    of_truth = [row[CLASSES.index(label)] for row, label in zip(p, truth, strict=True)]
    if min(of_truth) > 0:
        assert got.log_loss == pytest.approx(sum(-math.log(q) for q in of_truth) / len(truth))
    else:
        assert got.log_loss == math.inf
    each = [
        sum((q - (name == label)) ** 2 for q, name in zip(row, CLASSES, strict=True))
        for row, label in zip(p, truth, strict=True)
    ]
    assert got.brier == pytest.approx(np.mean(each))


def test_log_loss_and_brier_equal_scikit_learn():
    rng = np.random.default_rng(5)
    p = rng.dirichlet([0.4] * 4, size=500)
    truth = [CLASSES[k] for k in rng.integers(0, 4, size=500)]
    got = evaluate(p, truth)
    sorted_p = p[:, np.argsort(CLASSES)]
    assert got.log_loss == pytest.approx(metrics.log_loss(truth, sorted_p, labels=sorted(CLASSES)), rel=1e-12)
    two = p[:, :2] / p[:, :2].sum(axis=1, keepdims=True)
    binary = [label if label in "ab" else "a" for label in truth]
    once = metrics.brier_score_loss([label == "a" for label in binary], two[:, 1])
    assert evaluate(two, binary, ["b", "a"]).brier == pytest.approx(2 * once, rel=1e-12)


@given(scored(labels=(*CLASSES, "never", "nor")), st.randoms(use_true_random=False), st.data())
def test_neither_batches_nor_order_change_a_bit(data, random, choices):
    p, truth = data
    order = list(range(len(truth)))
    random.shuffle(order)
    card = Scorecard(CLASSES)
    cuts = sorted(choices.draw(st.sets(st.integers(0, len(order)))) | {0, len(order)})
    for start, stop in itertools.pairwise(cuts):
        rows = order[start:stop]
        card.add(p[rows], [truth[row] for row in rows])
    assert json.dumps(card.result().to_json()) == json.dumps(evaluate(p, truth).to_json())


def test_label_never_learned():
    """It has probability 0, is never right, and has a row of its own."""
    p = np.array([[0.5, 0.3, 0.1, 0.1], [0.2, 0.2, 0.2, 0.4]])
    got = evaluate(p, ["new", "c"])
    assert got.labels == ("a", "b", "c", "d", "new")
    assert got.log_loss == math.inf
    assert got.brier == pytest.approx((1 + 0.25 + 0.09 + 0.02 + 0.36 + 0.12) / 2)
    assert got.confusion[4].tolist() == [0, 1, 0, 0, 0]
    assert got.never_learned == ("new",)
    assert got.macro_f1 == pytest.approx(metrics.f1_score(["new", "c"], ["b", "c"], average="macro", zero_division=0))


def test_json_has_exactly_the_promised_keys_and_is_finite():
    got = evaluate(np.array([[0.5, 0.3, 0.1, 0.1], [0.1, 0.2, 0.3, 0.4]]), ["c", "d"]).to_json()
    assert list(got) == KEYS
    assert list(got["per_class"]["a"]) == ["precision", "recall", "f1", "support"]
    assert json.loads(json.dumps(got, allow_nan=False)) == got


@pytest.mark.parametrize(
    ("truth", "said", "unsaid"),
    [
        (["d"], "1 by an estimate of 0: smooth it", "never learned"),
        (["x", "y", "y"], "3 with a label never learned ('x', 'y')", "smooth"),
        (["d", "x", "y", "z", "w"], "4 with a label never learned ('w', 'x', 'y', ...)", "5 "),
    ],
)
def test_infinite_log_loss_is_null_and_says_why(truth, said, unsaid):
    got = evaluate(np.tile([0.5, 0.5, 0.0, 0.0], (len(truth), 1)), truth).to_json()
    assert got["log_loss"] is None
    assert list(got) == [*KEYS, "log_loss_note", "auc_note"]
    assert said in got["log_loss_note"]
    assert unsaid not in got["log_loss_note"]
    json.dumps(got, allow_nan=False)


def test_logarithms_keep_what_floating_point_cannot():
    """A probability of e^-2000 is 0 as a number, but no impossibility."""
    card = Scorecard(["a", "b"])
    card.add(np.array([[1.0, 0.0], [0.5, 0.5]]), ["b", "a"], np.array([[0.0, -2000.0], [-math.log(2)] * 2]))
    assert card.result().log_loss == pytest.approx((2000 + math.log(2)) / 2)
    assert card.result().impossible == 0


def test_unlabelled_documents_are_skipped_and_counted():
    p = np.array([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]])
    card = Scorecard(["a", "b"])
    card.add(p, [None, "b", None])
    card.add(p, [None, None, None])
    card.add(p[:0], [])
    assert (card.result().n, card.result().unlabelled, card.result().accuracy) == (1, 5, 1.0)


def test_first_maximum_wins():
    assert evaluate(np.full((1, 4), 0.25), ["b"]).accuracy == 1.0


def test_perfect_model():
    got = evaluate(np.eye(4)[[0, 1, 2]], CLASSES[:3])
    assert (got.accuracy, got.macro_f1, got.log_loss, got.brier, got.ece, got.ece_floor) == (1, 1, 0, 0, 0, 0)
    assert math.copysign(1, got.log_loss) == 1


@pytest.mark.parametrize(
    ("p", "truth", "message"),
    [
        ([[0.5, 0.5]], ["a", "b"], "do not fit 2 labels and 2 classes"),
        ([[1.0]], ["a"], "do not fit"),
        ([[0.5, 0.6]], ["a"], "add up to 1"),
        ([[math.nan, 1.0]], ["a"], "add up to 1"),
        ([[-0.1, 1.1]], ["a"], "add up to 1"),
        ([[0.5, 0.5]], [1], "is not text"),
    ],
)
def test_bad_input_is_refused_and_leaves_no_trace(p, truth, message):
    card = Scorecard(["a", "b"])
    with pytest.raises(DataError, match=message):
        card.add(np.array(p), truth)
    with pytest.raises(DataError, match="nothing to evaluate"):
        card.result()


def test_bad_logarithms_and_classes_are_refused():
    with pytest.raises(DataError, match="natural logarithms"):
        Scorecard(["a", "b"]).add(np.array([[0.5, 0.5]]), ["a"], np.array([[0.5, math.nan]]))
    for classes in ([], ["a", "a"]):
        with pytest.raises(DataError, match="cannot be scored"):
            Scorecard(classes)


def test_docstring_example():
    assert doctest.testmod(priori.decisions.measures).failed == 0


def test_import_stays_light():
    code = "import sys, priori.decisions; print([m for m in ('sklearn', 'scipy', 'matplotlib') if m in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"
