"""Leave-one-out at its edges: order and batches, what cannot be left out, and what is left of odd corpora."""

import numpy as np
import pytest

from priori.columns.words.readings import Prior, Readings
from priori.errors import DataError, EstimateError
from priori.estimators.text_classifier import TextClassifier
from priori.model.classifier import Model
from priori.model.evaluation import kept_of, left_out_evaluation_of
from priori.model.leave_one_out import encoded, leave_one_out
from refits import batch, trained

TEXTS = ["win a prize", "win cash now", "lunch at noon", "see you at lunch", "a prize at noon", "win a prize"]
LABELS = ["spam", "spam", "ham", "ham", "ham", "spam"]
EVENTS = ["multinomial", "bernoulli", "complement"]
many = pytest.mark.filterwarnings("ignore:only one class")


@pytest.mark.parametrize("event", EVENTS)
def test_neither_order_nor_batches_nor_jobs_change_a_number(event):
    model = trained(TEXTS, LABELS, Readings(event, prior=Prior("auto"), calibrate=True))
    groups = [0, 1, 2, 2, 1, 0]
    whole = leave_one_out(model, encoded(model, [batch(TEXTS, LABELS)], groups))
    parts = [batch(TEXTS[:1], LABELS[:1]), batch(TEXTS[1:4], LABELS[1:4]), batch(TEXTS[4:], LABELS[4:])]
    np.testing.assert_array_equal(leave_one_out(model, encoded(model, parts, groups), jobs=2), whole)
    order = [3, 0, 5, 1, 4, 2]
    texts, labels, theirs = ([values[i] for i in order] for values in (TEXTS, LABELS, groups))
    np.testing.assert_array_equal(leave_one_out(model, encoded(model, [batch(texts, labels)], theirs)), whole[order])


def test_copies_of_a_text_can_be_left_out_together():
    model = trained(TEXTS, LABELS)
    together = leave_one_out(model, encoded(model, [batch(TEXTS, LABELS)], "texts"))
    rest = trained(TEXTS[1:5], LABELS[1:5])
    np.testing.assert_allclose(together[0], rest.log_posterior(batch(TEXTS[:1]))[0], rtol=1e-10)
    np.testing.assert_array_equal(together[0], together[5])
    alone = leave_one_out(model, encoded(model, [batch(TEXTS, LABELS)]))
    assert alone[0, 1] > together[0, 1]  # its copy is still there


def test_rows_of_no_group_are_left_out_alone():
    model = TextClassifier().fit(TEXTS, LABELS)
    some = model.leave_one_out(TEXTS, LABELS, groups=["a", None, None, "a", float("nan"), None])
    np.testing.assert_array_equal(some, model.leave_one_out(TEXTS, LABELS, groups=[0, 1, 2, 0, 3, 4]))


def test_weights_are_taken_out_as_they_were_counted():
    weights = [0.1, 0.7, 1 / 3, 2.0, 0.0, 1e-6]  # none of them but two a whole number of units
    model = TextClassifier(calibrate=False, alpha=0.5).fit(TEXTS, LABELS, weights)
    found = model.leave_one_out(TEXTS, LABELS, weights)
    for out in range(len(TEXTS)):
        kept = [i for i in range(len(TEXTS)) if i != out]
        rest = TextClassifier(calibrate=False, alpha=0.5)
        rest.fit([TEXTS[i] for i in kept], [LABELS[i] for i in kept], [weights[i] for i in kept])
        np.testing.assert_allclose(found[out], rest.predict_log_proba(TEXTS[out : out + 1])[0], rtol=1e-10)


@pytest.mark.parametrize("calibrate", [True, False, "monotone"])
def test_a_class_that_only_the_document_had_is_impossible(calibrate):
    model = TextClassifier(calibrate=calibrate).fit([*TEXTS, "win"], [*LABELS, "other"])
    found = model.leave_one_out([*TEXTS, "win"], [*LABELS, "other"])
    other = list(model.classes_).index("other")
    assert found[-1, other] == -np.inf
    assert np.isfinite(np.delete(found[-1], other)).all() and np.isfinite(found[:-1]).all()
    np.testing.assert_allclose(np.exp(found).sum(axis=1), 1, rtol=1e-12)


def test_what_was_never_learned_cannot_be_left_out():
    model = trained(TEXTS, LABELS)
    for texts, labels in (
        (["win a prize at noon"], ["spam"]),  # a word more than was learned of its class
        (["win win win win win"], ["spam"]),  # more often
        (["prize"] * 3, ["ham"] * 3),
    ):
        documents = encoded(model, [batch(texts, labels)], [0] * len(texts))
        with pytest.raises(DataError, match="row 0 was never learned"):
            leave_one_out(model, documents)
    with pytest.raises(DataError, match="'news' was never learned"):
        encoded(model, [batch(["win"], ["news"])])
    for parts in (
        [batch(["unheard win"], ["spam"])],
        [batch(TEXTS, LABELS), batch(["win", "unheard"], ["spam", "ham"])],
    ):
        with pytest.raises(DataError, match=f"never seen 'unheard', so document {0 if len(parts) == 1 else 7} was not"):
            encoded(model, parts)
    few = trained(TEXTS, LABELS).pruned(2)
    assert len(encoded(few, [batch(TEXTS, LABELS)])) == len(TEXTS)  # pruned words were learned
    held_out = encoded(model, [batch(["win a prize at noon", "unheard of"], ["spam", "ham"])], learned=False)
    expected = model.log_posterior(batch(["win a prize at noon", "unheard of"]))
    np.testing.assert_allclose(leave_one_out(model, held_out), expected, rtol=1e-12)


def test_unlabelled_documents_and_wrong_groups_are_refused():
    model = trained(TEXTS, LABELS)
    with pytest.raises(DataError, match="no labels"):
        encoded(model, [batch(TEXTS)])
    with pytest.raises(DataError, match="no label"):
        TextClassifier().fit(TEXTS, LABELS).leave_one_out(TEXTS[:2], ["spam", None])
    with pytest.raises(DataError, match="no documents"):
        encoded(model, [])
    for groups in ([1, 2], 5, "authors", [[1], [2], [3], [4], [5], [6]]):
        with pytest.raises(DataError, match="group"):
            encoded(model, [batch(TEXTS, LABELS)], groups)
    with pytest.raises(DataError, match="vocabulary='new'"):
        TextClassifier().fit(TEXTS, LABELS).leave_one_out(TEXTS, LABELS, vocabulary="new")
    with pytest.raises(DataError, match="keeps no documents"):
        kept_of(model.without_sample())


def test_the_last_document_leaves_nothing_to_say():
    model = trained(["a"], ["x"])
    with pytest.raises(EstimateError, match="no class would be left"):
        leave_one_out(model, encoded(model, [batch(["a"], ["x"])]))


def test_the_evaluation_of_kept_documents_is_that_of_their_left_out_probabilities():
    model = trained(TEXTS, LABELS, Readings.automatic())
    log_p = leave_one_out(model, encoded(model, [batch(TEXTS, LABELS)], "texts"))[:5]  # the last is a copy
    own = log_p[range(5), [model.labels.index(label) for label in LABELS[:5]]]
    found = kept_of(model).evaluation()
    assert found.n == 5
    assert found.log_loss == pytest.approx(-own.mean(), rel=1e-12)
    assert found.accuracy == pytest.approx((own > np.log(0.5)).mean())
    alone = trained([*TEXTS, "noon"], [*LABELS, "only"], Readings.automatic())
    kept = kept_of(alone)
    assert kept.lone == 1 and kept.evaluation().n == 5  # nothing is known of a class without its only document
    assert np.isfinite(kept.evaluation().log_loss)
    # any label may be noise, also that of a class of one document
    assert np.isfinite(left_out_evaluation_of(alone, [batch([*TEXTS, "noon"], [*LABELS, "only"])]).log_loss)


ODD = {
    "a thousand classes": ([f"w{i % 700} w{i % 11}" for i in range(1400)], [f"c{i % 1000}" for i in range(1400)]),
    "only classes of one document": ([f"w{i} same" for i in range(50)], [f"c{i}" for i in range(50)]),
    "copies": (["to be or not"] * 20 + ["that is"] * 20, ["x"] * 20 + ["y"] * 20),
    "copies of other classes": (["to be"] * 30, ["x", "y", "z"] * 10),
    "one word each": (["a", "b", "a", "c", "b", "d"], ["x", "y", "x", "x", "y", "y"]),
    "no word at all": ([""] * 5, ["x", "y", "x", "x", "y"]),
    "an empty one": (["a b", "", "b c", "c"], ["x", "y", "y", "x"]),
    "one class": (["a b", "b", ""], ["x"] * 3),
    "two documents": (["a", "b"], ["x", "y"]),
    "one document": (["a"], ["x"]),
}


@many
@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("name", ODD)
def test_odd_corpora_give_probabilities_or_say_why_not(name, event, tmp_path):
    texts, labels = ODD[name]
    model = TextClassifier(event=event).fit(texts, labels)
    model.save(tmp_path / "odd.priori")
    assert Model.load(tmp_path / "odd.priori").fitted == model.model_.fitted
    for found in (model.predict_proba(texts), model.predict_proba(["", "unheard", "a to w1"])):
        assert np.isfinite(found).all()
        np.testing.assert_allclose(found.sum(axis=1), 1, rtol=1e-9)
    calibration = model.model_.calibration
    assert 0 < calibration.scale < 1e3 and 0 < calibration.noise < 1 and abs(calibration.power) < 4
    sizes = {label: labels.count(label) for label in set(labels)}
    if len(texts) == 1:
        with pytest.raises(EstimateError, match="no class would be left"):
            model.leave_one_out(texts, labels)
        return
    left = model.leave_one_out(texts, labels)
    np.testing.assert_allclose(np.exp(left).sum(axis=1), 1, rtol=1e-9)
    own = left[np.arange(len(labels)), [list(model.classes_).index(label) for label in labels]]
    assert [bool(p > -np.inf) for p in own] == [sizes[label] > 1 for label in labels]


def test_a_thousand_classes_are_scored_as_by_refits():
    texts, labels = ODD["a thousand classes"]
    model = trained(texts, labels, Readings(prior=Prior(0.1)))
    chosen = list(range(0, 1400, 307))
    found = leave_one_out(model, encoded(model, [batch([texts[i] for i in chosen], [labels[i] for i in chosen])]))
    for at, i in enumerate(chosen):
        refit = model.forget([batch([texts[i]], [labels[i]])])
        there = [model.labels.index(label) for label in refit.labels]
        assert np.isfinite(found[at]).sum() == len(there)  # a class of one document is gone without it
        np.testing.assert_allclose(found[at, there], refit.log_posterior(batch([texts[i]]))[0], rtol=1e-10)


def test_a_model_that_came_from_elsewhere_leaves_out_the_same(tmp_path):
    model = trained(TEXTS, LABELS, Readings.automatic())
    model.save(tmp_path / "m.priori")
    again = Model.load(tmp_path / "m.priori")
    documents = [batch(TEXTS, LABELS)]
    np.testing.assert_array_equal(
        leave_one_out(again, encoded(again, documents)), leave_one_out(model, encoded(model, documents))
    )
