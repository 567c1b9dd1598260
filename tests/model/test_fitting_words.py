"""What is fitted is worth having: probabilities that were right stay, and scores that were not left out are caught."""

from dataclasses import replace

import numpy as np
import pytest

import corpora
from corpora import model_of
from priori.columns.words.left_out.grouped_rows import Documents
from priori.columns.words.readings import Prior, Readings
from priori.data import read_objects
from priori.errors import DataError, EstimateError, ModelFileError
from priori.model.fitting.calibration import LeftOutLabels, fit_calibration
from priori.model.fitting.parameters import Fitted

AUTOMATIC = Readings.automatic()


def drawn(seed, documents, classes=4, words=300, alpha=0.1, length=(0, 40)):
    """Documents of a Dirichlet-multinomial naive Bayes model: what it says of them is true."""
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.full(words, alpha * 3), classes) * 0.1 + rng.dirichlet(np.full(words, 2.0)) * 0.9
    mix = rng.dirichlet(np.full(classes, 5.0))
    rows = []
    for label in rng.choice(classes, documents, p=mix):
        text = " ".join(f"w{w}" for w in rng.choice(words, rng.integers(*length), p=shares[label]))
        rows.append((text, f"c{label}"))
    return rows


def log_loss(model, rows):
    texts, labels = zip(*rows, strict=True)
    found = model.log_posterior(next(read_objects(list(texts))))
    return -float(np.mean([found[i, model.labels.index(label)] for i, label in enumerate(labels)]))


@pytest.mark.parametrize("seed", range(2))
def test_probabilities_that_are_right_are_left_nearly_as_they_are(seed):
    rows = drawn(seed, 7000)
    train, test = rows[:4000], rows[4000:]
    model = model_of(train, readings=AUTOMATIC)
    raw = model.read_as(replace(model.plain_readings, calibrate=False))
    assert log_loss(model, test) <= log_loss(raw, test) + 0.01
    batch = next(read_objects([text for text, _ in test]))
    assert np.abs(model.posterior(batch) - raw.posterior(batch)).mean() < 0.05


def sms():
    texts, labels = corpora.dataset("sms_spam")
    rows = list(zip(texts, labels, strict=True))
    return rows[:2500], rows[2500:]


def resubstituted(model):
    """The planted bug: documents are scored by the model that has learned them."""
    documents = Documents.of_sample(model.summary.sample, model.counts.unit)
    return model.fitted_on(replace(documents, weight=np.zeros(len(documents)), counts=documents.weight))


def test_scores_that_are_not_left_out_are_caught_by_new_documents():
    train, test = sms()
    train = [(f"{text} {' '.join(text.split())[::-1]}", label) for text, label in train]  # half the words are its own
    test = [(f"{text} {' '.join(text.split())[::-1]}", label) for text, label in test]
    right = model_of(train, readings=AUTOMATIC)
    wrong = resubstituted(right)
    assert wrong.fitted.log_loss < 0.5 * right.fitted.log_loss  # it believes itself
    assert right.fitted.log_loss == pytest.approx(log_loss(right, test), abs=0.02)
    assert log_loss(wrong, test) > 1.25 * log_loss(right, test)
    assert wrong.fitted.alpha < 0.5 * right.fitted.alpha  # what it has seen need not be smoothed


@pytest.mark.parametrize("event", ["multinomial", "bernoulli", "complement"])
def test_what_left_out_messages_say_holds_for_new_ones(event):
    train, test = sms()
    model = model_of(train, readings=Readings(event, prior=Prior("auto"), calibrate=True))
    raw = model.read_as(replace(model.plain_readings, calibrate=False))
    assert model.fitted.log_loss == pytest.approx(log_loss(model, test), abs=0.02)
    assert log_loss(model, test) < log_loss(raw, test)
    assert model.fitted.log_loss < model.fitted.raw_log_loss


def test_the_event_model_of_least_left_out_loss_is_taken():
    train, _ = sms()
    single = {}
    for event in ("multinomial", "bernoulli", "complement"):
        single[event] = model_of(train[:800], readings=Readings(event, prior=Prior("auto"), calibrate=True)).fitted
    model = model_of(train[:800], readings=Readings("auto", prior=Prior("auto"), calibrate=True))
    best = min(single, key=lambda event: single[event].log_loss)
    assert model.fitted == replace(single[best], readings=model.readings, event=best)
    assert model.plain_readings.event == best and str(model.fitted).startswith(best)
    evident = model_of(train[:800], readings=Readings("auto", prior=Prior("evidence"), calibrate=True))
    assert evident.plain_readings.event in ("multinomial", "bernoulli")  # the complement has no evidence
    for event in ("multinomial", "bernoulli", "complement"):
        again = model.read_as(replace(model.readings, event=event))
        assert again.fitted == single[event]
    for wrong in ({"calibrate": False}, {"calibrate": True, "estimate": "ml"}):
        with pytest.raises(DataError, match="event='auto'"):
            Readings("auto", **wrong)


def test_few_documents_leave_the_calibration_near_its_prior():
    model = model_of([("a b", "x"), ("b c", "y"), ("a", "x"), ("c", "y")], readings=AUTOMATIC)
    found = fit_calibration(
        LeftOutLabels(np.zeros((0, 2)), np.zeros(0), np.zeros(0, np.int32), np.zeros(0))
    ).calibration(("x", "y"))
    assert abs(np.log(model.calibration.scale / found.scale)) < 0.8  # a deviation of the prior
    assert abs(model.calibration.power - found.power) < 0.25


MODEL = model_of(drawn(3, 60), readings=AUTOMATIC)
MONOTONE = model_of(drawn(3, 60), readings=replace(AUTOMATIC, calibrate="monotone"))
EVENT = model_of(drawn(3, 60), readings=replace(AUTOMATIC, event="auto"))
GIVEN = model_of(drawn(3, 60), readings=Readings(calibrate=True))
EVIDENCE = model_of(drawn(3, 60), readings=Readings(prior=Prior("evidence")))


def same(first, second):
    return first.to_json("d") == second.to_json("d") and first.stale == second.stale


@pytest.mark.parametrize("model", [MODEL, MONOTONE, EVENT, GIVEN, EVIDENCE])
def test_what_was_fitted_comes_back_from_its_json(model):
    fitted = model.fitted
    assert same(Fitted.from_json(fitted.to_json("now"), "now"), fitted)
    changed = Fitted.from_json(fitted.to_json("before"), "now")
    assert changed.stale and changed.digest == "before" and "stale" in str(changed)
    assert changed.to_json("now")["digest"] == "before"  # it is still that of before


BIG = 10**400
DAMAGE = [
    *[{"alpha": value} for value in (None, -0.5, "auto", True, BIG, 1e308, float("nan"), [])],
    *[{"accuracy": value} for value in (-1, "high", True, BIG, float("inf"))],
    *[{"documents": value} for value in (-1, 2.5, None, True, "3")],
    *[{"curve": value} for value in (3, [1], [[1, 2, 3]], [[1, None]], [["a", "b"]], [[1, BIG]], {})],
    *[{"readings": value} for value in (None, [], {"event": "x"}, {"bogus": 1}, Readings(calibrate=True).to_json())],
    *[{"event": value} for value in ("multinomial", "auto", 3, [])],
    {"calibration": 3},
    {"further": 1},
]
DAMAGED_CALIBRATION = [
    *[{"scale": value} for value in (0, -1, 1e7, None, True, "1", BIG, float("nan"))],
    *[{"power": value} for value in (9, -9, None, BIG)],
    *[{"noise": value} for value in (1, -0.1, 2, None)],
    *[{"offsets": value} for value in (None, [], {"c0": None}, {"c0": "1"}, {"c0": BIG}, {"c0": float("inf")})],
    *[{"monotone": value} for value in (3, {}, {"knots": [1], "probabilities": [2], "classes": 4})],
    {"further": 1},
]


@pytest.mark.parametrize("change", DAMAGE, ids=str)
def test_damage_is_refused(change):
    with pytest.raises(ModelFileError):
        Fitted.from_json({**MODEL.fitted.to_json("d"), **change}, "d")


@pytest.mark.parametrize("change", DAMAGED_CALIBRATION, ids=str)
def test_a_damaged_calibration_is_refused(change):
    whole = MODEL.fitted.to_json("d")
    with pytest.raises(ModelFileError):
        Fitted.from_json({**whole, "calibration": {**whole["calibration"], **change}}, "d")


def test_missing_parts_are_refused():
    whole = MODEL.fitted.to_json("d")
    for name in whole:
        with pytest.raises(ModelFileError):
            Fitted.from_json({key: value for key, value in whole.items() if key != name}, "d")
    with pytest.raises(ModelFileError):
        Fitted.from_json(None, "d")


def test_readings_tell_what_they_leave_to_the_documents():
    for readings in (AUTOMATIC, Readings(), Readings(prior=Prior("evidence", {"a": 2.0})), MONOTONE.readings):
        assert Readings.from_json(readings.to_json()) == readings
    assert AUTOMATIC.to_json()["prior"] == "auto" and AUTOMATIC.to_json()["calibrate"] is True
    assert Readings.from_json({"event": "multinomial"}) == Readings()  # as older files say it: not calibrated
    for wrong in ({"calibrate": "yes"}, {"calibrate": None}, {"calibrate": 2}, {"prior": "most"}):
        with pytest.raises(ModelFileError):
            Readings.from_json({**AUTOMATIC.to_json(), **wrong})


def test_without_documents_nothing_is_fitted_behind_ones_back():
    bare = model_of(drawn(3, 60), keep_sample=False)
    with pytest.raises(EstimateError, match="keeps none"):
        _ = bare.read_as(AUTOMATIC).fitted
    assert bare.read_as(Readings(prior=Prior("evidence"))).fitted.alpha == EVIDENCE.fitted.alpha
