"""Models of texts are ranked by what labels lose that they have not seen."""

import json
import math

import numpy as np
import pytest
from selecting import LABELS, TEXTS, copies, means, refit_losses

import priori
from priori.data import read_objects
from priori.errors import DataError
from priori.select.candidates import Grid, name_of
from priori.select.criteria import dealt
from priori.select.documents import Rows
from priori.select.search import select_model
from priori.text import Analyzer

PLAIN = {"alphas": (0.3, 1.0), "calibrate": False}
# Sums of some twenty logarithms of the order of 10, each rounded: far below 1e-12 of the mean.
CLOSE = 1e-11


def fold_of_texts(k, seed=0):
    """The fold of each text, in the order in which they were given."""
    rows = Rows.of(read_objects(TEXTS, [f"{i:02}" for i in range(len(TEXTS))]), seed=seed)
    order = rows.cls  # the labels are the places
    judged = Rows.of(read_objects(TEXTS, LABELS), seed=seed)
    fold = np.empty(len(TEXTS), np.intp)
    fold[order] = dealt(judged, k, seed)
    return fold


def test_leave_one_out_is_what_refits_say_with_copies_left_out_together():
    found = select_model(TEXTS, LABELS, **PLAIN, binary=(False, True))
    assert len(found.candidates) == 2 * 2 * (4 + 2 + 2) - 2 * 2  # presences are presences
    for each in found.candidates:
        loss, right = refit_losses(each, copies())
        log_loss, accuracy = means(loss, right)
        assert each.leave_one_out.log_loss == pytest.approx(log_loss, rel=CLOSE)
        assert each.leave_one_out.accuracy == pytest.approx(accuracy)
        assert each.raw_log_loss == each.leave_one_out.log_loss and not each.calibrated


def test_parting_copies_would_flatter():
    texts, labels = TEXTS * 2, LABELS * 2
    best = select_model(texts, labels, **PLAIN).best
    apart = means(*refit_losses(best, np.arange(len(texts)), texts, labels))[0]
    together = means(*refit_losses(best, np.tile(copies(), 2), texts, labels))[0]
    assert best.leave_one_out.log_loss == pytest.approx(together, rel=CLOSE)
    assert apart < 0.8 * together


def test_groups_are_left_out_together_and_copies_that_have_none():
    groups = [None] * 18 + ["ann", "ann"]
    groups[0] = groups[7] = "bob"
    whole = copies().max() + 1  # numbers of groups follow those of texts
    named = [text if group is None else whole + (group == "ann") for text, group in zip(copies(), groups, strict=True)]
    part = np.array(named)
    for each in select_model(TEXTS, LABELS, groups=groups, **PLAIN).candidates:
        assert each.leave_one_out.log_loss == pytest.approx(means(*refit_losses(each, part))[0], rel=CLOSE)


def test_weights_count_in_the_statistics_and_in_the_loss():
    weights = [1, 0.5, 2, 1, 3, 0.25, 1, 1, 1, 2, 1, 1, 0.5, 1, 1, 1, 1, 1, 1, 1]
    for each in select_model(TEXTS, LABELS, weights=weights, **PLAIN).candidates:
        log_loss, accuracy = means(*refit_losses(each, copies(), weights=weights), weights)
        assert each.leave_one_out.log_loss == pytest.approx(log_loss, rel=CLOSE)
        assert each.leave_one_out.accuracy == pytest.approx(accuracy)


@pytest.mark.parametrize("settings", [PLAIN, {"alphas": ("auto", 0.3)}])
def test_k_fold_is_training_without_the_fold_smoothing_and_calibration_included(settings):
    found = select_model(TEXTS, LABELS, criterion="k-fold", folds=4, **settings)
    fold = fold_of_texts(4)
    assert len(set(zip(copies().tolist(), fold.tolist(), strict=True))) == len(set(copies().tolist()))
    for each in found.candidates:
        log_loss, accuracy = means(*refit_losses(each, fold))
        assert each.k_fold.log_loss == pytest.approx(log_loss, rel=1e-9)
        assert each.k_fold.accuracy == pytest.approx(accuracy)


def test_the_held_out_are_scored_by_a_model_that_never_saw_them():
    found = select_model(TEXTS, LABELS, holdout=0.3, seed=1, **PLAIN)
    held = Rows.of(read_objects(TEXTS, LABELS), seed=1).split(0.3)[0].batch.text.to_pylist()
    part = np.array([text in held for text in TEXTS])
    assert 0 < part.sum() == found.held_out < len(TEXTS) and found.documents == (~part).sum()
    assert not part[1] ^ part[2], "copies are on one side"
    for each in found.candidates:
        loss, right = refit_losses(each, np.where(part, 0, np.arange(1, len(TEXTS) + 1)))
        log_loss, accuracy = means(np.where(part, loss, np.nan), right)
        assert each.holdout.log_loss == pytest.approx(log_loss, rel=CLOSE)
        assert each.holdout.accuracy == pytest.approx(accuracy)


@pytest.mark.parametrize("criterion", ["leave-one-out", "k-fold", "holdout"])
def test_the_criterion_ranks(criterion):
    found = select_model(TEXTS, LABELS, criterion=criterion, folds=3, holdout=0.25, seed=1)
    losses = [each.loss(criterion).log_loss for each in found.candidates]
    assert losses == sorted(losses) and found.criterion == criterion and found.best is found.candidates[0]
    for each, loss in zip(found.candidates, losses, strict=True):
        assert each.behind[0] == pytest.approx(loss - losses[0], abs=1e-12)


def test_the_order_of_the_texts_does_not_matter():
    order = np.random.default_rng(4).permutation(len(TEXTS))
    first = select_model(TEXTS, LABELS, holdout=0.25, seed=1)
    second = select_model([TEXTS[i] for i in order], [LABELS[i] for i in order], holdout=0.25, seed=1)
    for a, b in zip(first.candidates, second.candidates, strict=True):
        assert a.name == b.name and a.alpha == pytest.approx(b.alpha)
        assert a.leave_one_out.log_loss == pytest.approx(b.leave_one_out.log_loss, rel=1e-9)
        assert a.holdout.log_loss == pytest.approx(b.holdout.log_loss, rel=1e-9)


def test_automatic_smoothing_and_calibration_are_those_of_the_model_itself():
    texts = [text for i, text in enumerate(TEXTS) if i not in (2, 15)]  # copies of features are copies of words here
    labels = [label for i, label in enumerate(LABELS) if i not in (2, 15)]
    found = select_model(texts, labels, ngrams=[(1, 1)], events=["multinomial"], estimates=["bayes"])
    auto = next(each for each in found.candidates if each.asked == "auto")
    fitted = priori.TextClassifier().fit(texts, labels).model_.fitted
    assert auto.alpha == pytest.approx(fitted.alpha, rel=1e-6)
    assert auto.leave_one_out.log_loss == pytest.approx(fitted.log_loss, rel=1e-6)
    assert auto.raw_log_loss == pytest.approx(fitted.raw_log_loss, rel=1e-6)


def test_the_settings_of_the_best_make_a_classifier():
    best = select_model(TEXTS, LABELS).best
    model = priori.TextClassifier(**best.settings()).fit(TEXTS, LABELS)
    assert model.model_.analyzer == best.analyzer
    assert set(model.predict(TEXTS)) <= set(LABELS)


def test_labels_stay_what_they_were():
    numbers = [["ham", "spam", "work"].index(label) for label in LABELS]
    assert select_model(TEXTS, numbers).best.readings.label_type == "int"


def test_a_class_of_one_text_is_not_judged_and_an_unlabelled_text_is_left_aside():
    found = select_model([*TEXTS, "a new word", "no label"], [*LABELS, "other", None])
    assert (found.alone, found.unlabelled, found.best.leave_one_out.documents) == (1, 1, len(TEXTS))
    assert all(math.isfinite(each.leave_one_out.log_loss) for each in found.candidates)


def test_a_likelihood_without_smoothing_loses_infinitely_and_is_last():
    found = select_model(TEXTS, LABELS, estimates=("ml", "bayes"), folds=3)
    assert {each.estimate for each in found.candidates[:-4]} == {"bayes"}
    assert [each.leave_one_out.log_loss for each in found.candidates[-4:]] == [math.inf] * 4
    values = found.to_json()["candidates"][-1]
    assert values["leave_one_out"]["log_loss"] is None and values["alpha"] is None and values["behind"] is None
    assert "∞" in str(found)


def test_json_has_all_of_it():
    found = select_model(TEXTS, LABELS, folds=3, average=True)
    values = json.loads(json.dumps(found.to_json(), allow_nan=False))
    assert values["best"] == values["candidates"][0]["name"] == found.best.name
    assert (values["documents"], values["left_out"], values["folds"], values["held_out"]) == (20, 20, 3, 0)
    assert set(values["candidates"][0]) == {
        "name", "representation", "features", "ngrams", "binary", "event", "estimate", "alpha", "alpha_asked",
        "calibrate", "calibrated", "leave_one_out", "raw_log_loss", "k_fold", "holdout", "behind",
        "behind_standard_error", "log_evidence", "parameters", "log_likelihood", "aic", "bic", "seconds",
    }  # fmt: skip
    assert set(values["candidates"][0]["k_fold"]) == {"log_loss", "standard_error", "accuracy", "documents"}
    assert len({each["name"] for each in values["candidates"]}) == len(values["candidates"]) == 16


def test_many_classes_and_few_documents_to_leave_out():
    texts = [f"w{k} w{(k + j) % 300} shared" for k in range(300) for j in range(1, 3)]
    found = select_model(texts, [f"c{k}" for k in range(300) for _ in range(2)], ngrams=[(1, 1)], left_out=50)
    assert found.left_out == 50 and found.documents == 600
    assert all(math.isfinite(each.leave_one_out.log_loss) for each in found.candidates)


def test_candidates_that_say_the_same_are_one():
    grid = Grid(estimates=("ml", "map", "bayes", "integrated"), alphas=("auto", 0.5, 1, 2, "evidence"))
    names = [(r.event, r.estimate, r.prior.alpha) for r in grid.readings(Analyzer())]
    assert len(names) == len(set(names)) == (1 + 3 + 5 + 5) + (1 + 3 + 5) + (2 + 4)
    assert ("bernoulli", "integrated", 1.0) not in names and ("multinomial", "map", 0.5) not in names
    assert name_of(Analyzer(features="chars_across", ngrams=(2, 4))) == "chars across 2-4"


@pytest.mark.parametrize(
    ("texts", "labels", "settings", "says"),
    [
        (TEXTS, ["spam"] * 20, {}, "one class only"),
        (TEXTS[:3], ["a", "b", "c"], {}, "one text only"),
        (["", "", ""], ["a", "b", "a"], {}, "one text only"),
        ([], [], {}, "no rows"),
        (TEXTS, [None] * 20, {}, "none of the 20 rows has a label"),
        (TEXTS, LABELS, {"folds": 30}, "different texts"),
        (TEXTS, LABELS, {"folds": 1}, "folds=1"),
        (TEXTS[:6], LABELS[:6], {"holdout": 0.999}, "held out"),
        (TEXTS, LABELS, {"holdout": 1}, "no share"),
        (TEXTS, LABELS, {"criterion": "aic"}, "choose leave-one-out"),
        (TEXTS, LABELS, {"events": "multinomial"}, "names no candidates"),
        (TEXTS, LABELS, {"events": ["poisson"]}, "event='poisson'"),
        (TEXTS, LABELS, {"estimates": ["map"], "alphas": [0.5]}, "no candidate exists"),
        (TEXTS, LABELS, {"ngrams": ["x"]}, "write it like 1-2"),
        (TEXTS, LABELS, {"features": ["stems"]}, "features='stems'"),
        (TEXTS, LABELS, {"groups": [1, 2]}, "2 groups for 20 rows"),
        (TEXTS, LABELS, {"left_out": 1}, "left_out=1"),
        (TEXTS, LABELS, {"seed": -1}, "seed=-1"),
        (TEXTS, LABELS, {"seed": 0.5}, "seed=0.5"),
        (TEXTS, LABELS, {"groups": "author"}, "column 'author'"),
    ],
)
def test_refusals(texts, labels, settings, says):
    with pytest.raises(DataError, match=says):
        select_model(texts, labels, **settings)
