"""Estimators asked about what they keep, and k-fold of texts: against what they are defined by."""

import numpy as np
import pytest

from priori import NaiveBayes, TextClassifier
from priori.data.folds import folds
from priori.errors import DataError

RNG = np.random.default_rng(5)
LABELS = RNG.choice(["ham", "spam"], 80).tolist()
TEXTS = [
    " ".join(RNG.choice(["free", "win", "a", "b", "c"] if label == "spam" else ["lunch", "see", "a", "b", "c"], 6))
    + f" t{i}"  # no two are copies
    for i, label in enumerate(LABELS)
]
TABLE = {"x": (RNG.normal(size=80) + (np.array(LABELS) == "spam")).tolist(), "c": RNG.choice(["u", "v"], 80).tolist()}


def test_an_evaluation_without_data_is_that_of_what_is_kept_each_left_out():
    texts = TextClassifier().fit(TEXTS, LABELS)
    rows = NaiveBayes().fit(TABLE, LABELS)
    for model, X in ((texts, TEXTS), (rows, TABLE)):
        logs = model.leave_one_out(X, LABELS)
        own = logs[np.arange(80), np.searchsorted(model.classes_, LABELS)]
        found = model.evaluate()
        assert found.n == 80
        assert found.log_loss == pytest.approx(-own.mean(), rel=1e-9)
    with pytest.raises(DataError, match="keeps no documents"):
        TextClassifier(keep_sample=False).fit(TEXTS, LABELS).evaluate()


def test_recalibrating_without_data_fits_on_what_is_kept():
    texts = TextClassifier().fit(TEXTS, LABELS)
    wanted = texts.predict_proba(TEXTS)
    other = texts.recalibrate(TEXTS[:30], LABELS[:30]).predict_proba(TEXTS)
    assert not np.array_equal(other, wanted)
    np.testing.assert_array_equal(texts.recalibrate().predict_proba(TEXTS), wanted)
    rows = NaiveBayes().fit(TABLE, LABELS)
    powers = rows.fitted_
    assert powers is not None and powers.fitted
    wanted = rows.predict_proba(TABLE)
    np.testing.assert_array_equal(rows.recalibrate().predict_proba(TABLE), wanted)
    assert NaiveBayes(temper=1.0).fit(TABLE, LABELS).fitted_ is None
    with pytest.raises(DataError, match="keeps no documents"):
        TextClassifier(keep_sample=False).fit(TEXTS, LABELS).recalibrate()


@pytest.mark.parametrize("model", [TextClassifier().fit(TEXTS, LABELS), NaiveBayes().fit(TABLE, LABELS)], ids=repr)
def test_half_of_the_data_is_none(model):
    with pytest.raises(DataError, match="y is None; give X and y, or neither"):
        model.evaluate(TEXTS)
    with pytest.raises(DataError, match="X is None"):
        model.recalibrate(y=LABELS)
    with pytest.raises(DataError, match="held_out= is about X and y"):
        model.recalibrate(held_out=True)


@pytest.mark.parametrize("groups", [None, "texts", [f"g{i // 4}" for i in range(80)]], ids=["none", "texts", "fours"])
def test_k_fold_of_texts_is_that_of_refits(groups):
    settings = {"alpha": 0.7, "calibrate": False}
    model = TextClassifier(**settings).fit(TEXTS, LABELS)
    found = model.k_fold(TEXTS, LABELS, folds=4, seed=3, groups=groups)
    together = TEXTS if groups == "texts" else groups
    fold = folds(80, 4, 3, together, LABELS)
    for each in range(4):
        inside = np.flatnonzero(fold != each)
        refit = TextClassifier(**settings).fit([TEXTS[i] for i in inside], [LABELS[i] for i in inside])
        outside = np.flatnonzero(fold == each)
        wanted = refit.predict_log_proba([TEXTS[i] for i in outside])
        np.testing.assert_allclose(found[outside], wanted, rtol=1e-9, atol=1e-12)


def test_k_fold_keeps_alpha_and_calibration_as_they_are():
    model = TextClassifier().fit(TEXTS, LABELS)
    before = model.fitted_
    logs = model.k_fold(TEXTS, LABELS, folds=80)
    assert model.fitted_ is before
    np.testing.assert_allclose(logs, model.leave_one_out(TEXTS, LABELS), rtol=1e-12, atol=1e-12)
