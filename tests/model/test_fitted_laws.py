"""Laws of models whose smoothing and calibration are left to their documents: order, learning, forgetting, merging."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import corpora
from corpora import labels, model_of, rows, texts
from priori.columns.words.readings import Prior, Readings
from priori.data import read_objects
from priori.errors import DataError, EstimateError
from priori.estimators.text_classifier import TextClassifier
from priori.model.classifier import Model
from priori.model.explanation import explain
from priori.model.fitting.refit import recalibrated, recalibrated_on
from priori.model.leave_one_out import encoded, leave_one_out
from priori.text import Analyzer

steady = settings(max_examples=25, deadline=None, derandomize=True)
AUTOMATIC = Readings.automatic()
ROWS = list(zip(*(column[:300] for column in corpora.dataset("sms_spam")), strict=True))
FURTHER = list(zip(*(column[300:400] for column in corpora.dataset("sms_spam")), strict=True))
SOME = [text for text, _ in FURTHER[:20]] + ["", "unheard of things"]


def batches(some):
    return read_objects(*(list(column) for column in zip(*some, strict=True)))


def scores(model):
    return model.log_posterior(next(read_objects(SOME)))


def same(first, second):
    """Also where there is a monotone map."""
    return first.to_json("d") == second.to_json("d")


def saved(model, path):
    model.save(path)
    return path.read_bytes()


@given(rows, st.randoms(use_true_random=False))
@steady
def test_order_and_batches_change_no_byte(tmp_path_factory, some, random):
    folder = tmp_path_factory.mktemp("order")
    mixed = random.sample(some, len(some))
    cut = random.randrange(len(some) + 1)
    parts = [part for part in (mixed[:cut], mixed[cut:]) if part]
    whole = saved(model_of(some, readings=AUTOMATIC), folder / "a.priori")
    split = (batch for part in parts for batch in batches(part))
    assert saved(Model.train(split, Analyzer(), AUTOMATIC, jobs=2), folder / "b.priori") == whole


@given(rows, rows)
@steady
def test_merged_models_are_fitted_as_one_trained_on_both(first, second):
    both = model_of(first, readings=AUTOMATIC) + model_of(second, readings=AUTOMATIC)
    assert both.fitted == model_of([*first, *second], readings=AUTOMATIC).fitted
    assert not both.fitted.stale


@given(rows, st.tuples(texts, labels))
@steady
def test_learning_refits_at_once_and_forgetting_gives_back_what_was_fitted(some, further):
    model = model_of(some, readings=AUTOMATIC)
    more = model.learn(batches([further]))
    assert more.fitted == model_of([*some, further], readings=AUTOMATIC).fitted
    assert more.forget(batches([further])).fitted == model.fitted


def test_without_documents_what_was_fitted_stays_and_says_that_it_is_stale(tmp_path):
    with_sample, bare = model_of(ROWS, readings=AUTOMATIC), model_of(ROWS, readings=AUTOMATIC, keep_sample=False)
    assert bare.summary.sample is None and bare.fitted == with_sample.fitted and not bare.fitted.stale
    more = bare.learn(batches(FURTHER))
    assert more.fitted.stale and more.fitted == replace(bare.fitted, digest=more.fitted.digest)
    more.save(tmp_path / "m.priori")
    again = Model.load(tmp_path / "m.priori")
    assert again.fitted.stale and again.fitted == more.fitted
    np.testing.assert_array_equal(scores(again), scores(more))
    assert again.learn(batches(FURTHER[:3])).fitted.digest == more.fitted.digest
    # what is back where it was is not stale in its file
    saved(more.forget(batches(FURTHER)), tmp_path / "back.priori")
    assert Model.load(tmp_path / "back.priori").fitted == bare.fitted
    fresh = recalibrated_on(more, batches(ROWS + FURTHER))
    assert fresh.fitted == model_of(ROWS + FURTHER, readings=AUTOMATIC).fitted
    np.testing.assert_array_equal(scores(fresh), scores(model_of(ROWS + FURTHER, readings=AUTOMATIC)))
    merged = bare + with_sample
    assert merged.fitted.stale and merged.summary.sample is None
    with pytest.raises(DataError, match="keeps no documents"):
        recalibrated(more)
    assert recalibrated(with_sample).fitted == with_sample.fitted


def test_evidence_is_never_stale_for_it_needs_no_documents(tmp_path):
    readings = Readings(prior=Prior("evidence"))
    bare = model_of(ROWS, readings=readings, keep_sample=False)
    more = bare.learn(batches(FURTHER))
    assert not more.fitted.stale and more.fitted.alpha == model_of(ROWS + FURTHER, readings=readings).fitted.alpha
    saved(more, tmp_path / "m.priori")
    assert Model.load(tmp_path / "m.priori").fitted == more.fitted
    assert recalibrated(more).fitted.alpha == more.fitted.alpha
    assert str(more.fitted) == f"alpha {more.fitted.alpha:.3g}"  # and nothing of documents that it did not need


def test_other_documents_are_told_from_those_learned():
    bare = model_of(ROWS, readings=AUTOMATIC, keep_sample=False)
    with pytest.raises(DataError, match="--held-out"):
        recalibrated_on(bare, batches(FURTHER))
    held = recalibrated_on(bare, batches(FURTHER), held_out=True)
    assert held.fitted != bare.fitted and not held.fitted.stale
    # their loss is that of the model itself on them, each text once for every copy
    texts_, labels_ = zip(*FURTHER, strict=True)
    log_p = held.log_posterior(next(read_objects(list(texts_))))
    own = [log_p[i, held.labels.index(label)] for i, label in enumerate(labels_)]
    assert held.fitted.log_loss == pytest.approx(-np.mean(own), rel=1e-9)
    with pytest.raises(DataError, match="'news' was never learned"):
        recalibrated_on(bare, batches([("goal", "news")]), held_out=True)
    with pytest.raises(DataError, match="has a label"):
        recalibrated_on(bare, read_objects(["goal"], [None]))


def test_a_pruned_model_is_fitted_on_the_documents_it_learned(tmp_path):
    whole = model_of(ROWS, readings=AUTOMATIC)
    pruned = model_of(ROWS, readings=AUTOMATIC, max_terms=100)
    assert recalibrated_on(pruned.without_sample(), batches(ROWS)).fitted == pruned.fitted
    assert whole.fitted != pruned.fitted
    saved(whole, tmp_path / "m.priori")
    assert Model.load(tmp_path / "m.priori").pruned(100).fitted == pruned.fitted
    assert whole.without_sample().pruned(100).fitted.stale


def test_another_reading_is_fitted_for_itself():
    model = model_of(ROWS, readings=AUTOMATIC)
    for event in ("bernoulli", "complement"):
        readings = replace(AUTOMATIC, event=event)
        assert model.read_as(readings).fitted == model_of(ROWS, readings=readings).fitted
    plain = model.read_as(Readings())
    assert plain.fitted is None
    np.testing.assert_array_equal(scores(plain), scores(model_of(ROWS)))
    assert plain.read_as(AUTOMATIC).fitted == model.fitted
    bare = model.without_sample()
    assert bare.read_as(Readings()).read_as(AUTOMATIC).fitted == model.fitted  # it was kept all the while
    with pytest.raises(EstimateError, match="priori calibrate"):
        scores(bare.read_as(replace(AUTOMATIC, event="bernoulli")))


def test_pickling_keeps_what_was_fitted():
    for model in (model_of(ROWS, readings=AUTOMATIC), model_of(ROWS, readings=AUTOMATIC, keep_sample=False)):
        expected = scores(model)
        again = pickle.loads(pickle.dumps(model))
        assert again.stored == model.fitted
        np.testing.assert_array_equal(scores(again), expected)


def of_classes(calibrate=True, class_prior="ml", event="multinomial"):
    third = [(f"goal {text[:30]}", "news") for text, _ in FURTHER]
    return model_of(ROWS + third, readings=Readings(event, "bayes", Prior("auto"), class_prior, calibrate=calibrate))


GIVEN = {"ham": 0.2, "news": 0.5, "spam": 0.3}


@pytest.mark.parametrize("class_prior", ["uniform", GIVEN], ids=["uniform", "given"])
@pytest.mark.parametrize("calibrate", [True, "monotone"])
@pytest.mark.parametrize("event", ["multinomial", "bernoulli", "complement"])
def test_a_class_prior_that_is_given_reweights_what_was_calibrated(class_prior, calibrate, event):
    learned, other = of_classes(calibrate, event=event), of_classes(calibrate, class_prior, event)
    assert same(replace(other.fitted, readings=learned.readings), learned.fitted)
    old = learned.counts.class_documents / learned.counts.class_documents.sum()
    new = np.array([1 / 3] * 3) if class_prior == "uniform" else np.array([GIVEN[label] for label in learned.labels])
    expected = np.exp(scores(learned)) * new / old
    expected /= expected.sum(axis=1, keepdims=True)
    batch = next(read_objects(SOME))
    np.testing.assert_allclose(np.exp(other.log_posterior(batch)), expected, rtol=1e-9)
    np.testing.assert_allclose(other.posterior(batch), expected, rtol=1e-9)
    np.testing.assert_allclose(other.posterior_of_texts(SOME), expected, rtol=1e-9)
    assert same(learned.read_as(other.readings).fitted, other.fitted)
    reread = other.read_as(replace(other.readings, class_prior="uniform")).fitted
    assert same(replace(reread, readings=other.readings), other.fitted)  # another given prior needs no other fit


def test_a_class_that_is_given_no_probability_has_none():
    model = of_classes(class_prior={"ham": 0.4, "news": 0.0, "spam": 0.6})
    found = np.exp(scores(model))
    assert (found[:, 1] == 0).all()
    np.testing.assert_allclose(found.sum(axis=1), 1, rtol=1e-12)


def test_a_monotone_map_lets_no_class_overtake_another(tmp_path):
    plain, mapped = of_classes(True), of_classes("monotone")
    before, after = scores(plain), scores(mapped)
    for a in range(3):
        for b in range(3):
            assert (after[:, a] >= after[:, b])[before[:, a] > before[:, b]].all()
    np.testing.assert_allclose(np.exp(after).sum(axis=1), 1, rtol=1e-12)
    expected = mapped.calibration.monotone.apply(before)
    np.testing.assert_allclose(after, expected, rtol=1e-9, atol=1e-12)
    saved(mapped, tmp_path / "m.priori")
    again = Model.load(tmp_path / "m.priori")
    np.testing.assert_array_equal(scores(again), after)
    assert again.fitted.to_json("d") == mapped.fitted.to_json("d")
    classifier = TextClassifier(calibrate="monotone").fit(*zip(*ROWS, strict=True))
    np.testing.assert_allclose(np.exp(classifier.predict_log_proba(SOME)), classifier.predict_proba(SOME), rtol=1e-12)
    left = classifier.leave_one_out(*zip(*ROWS[:20], strict=True))
    np.testing.assert_allclose(np.exp(left).sum(axis=1), 1, rtol=1e-12)


def test_alpha_alone_may_be_left_to_the_documents():
    model = model_of(ROWS, readings=Readings(prior=Prior("auto")))
    assert model.calibration is None and model.fitted.curve.chosen == model.fitted.alpha
    np.testing.assert_array_equal(
        scores(model), scores(model_of(ROWS, readings=Readings(prior=Prior(model.fitted.alpha))))
    )
    calibrated = model_of(ROWS, readings=Readings(prior=Prior(0.5), calibrate=True))
    assert calibrated.fitted.alpha is None and calibrated.fitted.curve is None
    assert calibrated.plain_readings.prior.alpha == 0.5


@pytest.mark.parametrize("event", ["multinomial", "bernoulli", "complement", "urn"])
@pytest.mark.parametrize("unknown", ["ignore", "prior"])
@pytest.mark.parametrize(
    "options", [{}, {"binary": True}, {"ngrams": (1, 2)}, {"vocabulary": ("call", "free", "you")}], ids=str
)
def test_the_compiled_scorer_calibrates_as_the_formulas_do(event, unknown, options):
    estimate = "integrated" if event == "urn" else "bayes"
    readings = Readings(event.replace("urn", "multinomial"), estimate, Prior("auto"), unknown=unknown, calibrate=True)
    model = model_of(ROWS, Analyzer(**options), readings)
    lengths = ["", "call", "call call", "free you call " * 40, "unheard of", "free unheard you", *SOME]
    batch = next(read_objects(lengths))
    documents = encoded(model, read_objects(lengths, ["ham"] * len(lengths)), learned=False)
    expected = leave_one_out(model, documents)  # of documents that were not learned: by numpy, with nothing left out
    np.testing.assert_allclose(model.log_posterior(batch), expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(np.exp(expected), model.posterior(batch), rtol=1e-9)
    if event in ("multinomial", "urn"):  # an empty document has the class prior, mixed with noise
        share = model.counts.class_documents / model.counts.class_documents.sum()
        noise = model.calibration.noise
        np.testing.assert_allclose(model.posterior(batch)[0], (1 - noise) * share + noise / 2, rtol=1e-12)


@pytest.mark.parametrize("calibrate", [True, False, "monotone"])
@pytest.mark.parametrize("event", ["multinomial", "bernoulli", "complement", "urn"])
@pytest.mark.parametrize("class_prior", ["ml", GIVEN], ids=["ml", "given"])
def test_contributions_add_up_to_the_calibrated_log_odds(calibrate, event, class_prior):
    estimate = "integrated" if event == "urn" else "bayes"
    readings = Readings(
        event.replace("urn", "multinomial"), estimate, Prior("auto"), class_prior, "prior", "str", calibrate
    )
    model = of_classes().read_as(readings)
    for text in SOME[:6] + SOME[-2:]:
        batch = next(read_objects([text]))
        logs = model.log_posterior(batch)[0]
        for label, against in (("spam", "ham"), ("news", "ham"), (None, None)):
            found = explain(model, batch, label, against)
            odds = logs[model.labels.index(found.label)] - logs[model.labels.index(found.against)]
            assert found.log_odds == pytest.approx(odds, rel=1e-9, abs=1e-9)
