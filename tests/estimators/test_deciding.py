"""decide() of the estimators: laws, the promise of a threshold through a whole model, and what is refused."""

import numpy as np
import pytest
from scipy import stats

from priori import GaussianDiscriminant, NaiveBayes, TextClassifier
from priori.decisions import estimated_prior, reweighted, threshold_for_false_positives
from priori.errors import DataError
from priori.model.decision_rule import Wanted, policy_of, posterior_prior
from priori.model.evaluation import kept_of
from priori.model.table_left_out import FEW

WORDS = 400
ALARM = 1e-7  # how often a test of chance may fail without a fault


def documents(rng, n, spam=0.4, classes=("ham", "spam")):
    """Texts of twelve words each, of classes that differ a little in all of them."""
    lean = np.random.default_rng(7).dirichlet(np.ones(WORDS) * 0.8, len(classes))
    shares = [1 - spam, *[spam / (len(classes) - 1)] * (len(classes) - 1)]
    truth = rng.choice(len(classes), n, p=shares)
    drawn = [rng.choice(WORDS, 12, p=0.35 * lean[k] + 0.65 / WORDS) for k in truth]
    return [" ".join(f"w{w}" for w in row) for row in drawn], [classes[k] for k in truth]


@pytest.fixture(scope="module")
def texts():
    return documents(np.random.default_rng(0), 600)


@pytest.fixture(scope="module")
def model(texts):
    return TextClassifier().fit(*texts)


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(3)
    y = rng.choice(["no", "yes"], 700, p=[0.7, 0.3])
    x = rng.normal(np.where(y == "yes", 1.0, 0.0))
    colour = np.where(rng.random(700) < 0.6, y, rng.choice(["no", "yes"], 700))
    return {"x": x, "colour": colour.tolist()}, y.tolist()


def test_the_0_1_loss_decides_what_is_predicted(model, texts, table):
    assert model.decide(texts[0]).actions.tolist() == model.predict(texts[0]).tolist()
    assert model.decide(texts[0], rule="map").actions.tolist() == model.predict(texts[0]).tolist()
    for estimator in (NaiveBayes(), GaussianDiscriminant(), NaiveBayes(cost={"no": {"yes": 5}})):
        X = table[0] if isinstance(estimator, NaiveBayes) else {"x": table[0]["x"]}
        fitted = estimator.fit(X, table[1])
        assert fitted.decide(X).actions.tolist() == fitted.predict(X).tolist()


def test_reject_at_no_cost_rejects_all_and_at_cost_1_none(model, texts):
    assert model.decide(texts[0], reject=0).rejected.all()
    for cost in (1, 2.5):
        assert model.decide(texts[0], reject=cost).actions.tolist() == model.predict(texts[0]).tolist()
    some = model.decide(texts[0], reject=0.2)
    assert (some.rejected == (model.predict_proba(texts[0]).max(axis=1) < 0.8)).all()


def test_the_threshold_is_that_of_documents_left_out_with_their_copies(texts):
    X, y = texts[0] + texts[0][:50] * 2, texts[1] + texts[1][:50] * 2
    model = TextClassifier().fit(X, y)
    scores = np.exp(model.leave_one_out(X, y, groups="texts")[:, 1])
    wanted = threshold_for_false_positives(scores, np.array(y) != "spam", 0.05, groups=np.array(X))
    made = model.decide(X, max_false_positive=0.05)
    found = made.thresholds["spam"]
    assert (found.value, found.n, found.k) == (pytest.approx(wanted.value), wanted.n, wanted.k)
    assert ((made.actions == "spam") == (model.predict_proba(X)[:, 1] > found.value)).all()
    assert kept_of(model.model_).threshold("spam", "false positives", 0.05) == found
    ham = model.decide(X, max_false_positive=0.05, positive="ham")
    assert set(ham.thresholds) == {"ham"}
    assert ham.actions.tolist() == model.decide(X, max_false_positive={"ham": 0.05}).actions.tolist()


def rates(resubstituted, repetitions=60, rate=0.15, confidence=0.9):
    """How often the share of false positives among new documents is above what was promised."""
    rng = np.random.default_rng(11)
    new = documents(rng, 1500, spam=0)[0]
    above = 0
    for _ in range(repetitions):
        X, y = documents(rng, 200)
        model = TextClassifier(alpha=0.1, calibrate=False).fit(X, y)
        if resubstituted:
            scores = model.predict_proba(X)[:, 1]
            value = threshold_for_false_positives(scores, np.array(y) != "spam", rate, confidence=confidence).value
            called = model.predict_proba(new)[:, 1] > value
        else:
            called = model.decide(new, max_false_positive=rate, confidence=confidence).actions == "spam"
        above += int(called.sum() > stats.binom.isf(0.01, len(new), rate))
    return above, stats.binom.isf(ALARM, repetitions, 1 - confidence)


def test_the_promise_is_kept_by_a_whole_model():
    broken, most = rates(resubstituted=False)
    assert broken <= most


def test_scores_of_learned_documents_would_break_the_promise():
    broken, most = rates(resubstituted=True)
    assert broken > most


def test_a_precision_that_is_promised(model, texts):
    made = model.decide(texts[0], min_precision=0.6)
    assert made.thresholds["spam"].bound >= 0.6
    with pytest.raises(DataError, match="class mix that was learned"):
        model.decide(texts[0], min_precision=0.6, class_prior="uniform")


def test_a_class_prior_at_the_place_of_use(model, texts):
    shifted = reweighted(model.predict_proba(texts[0]), posterior_prior(model.model_), [0.95, 0.05])
    made = model.decide(texts[0], class_prior={"ham": 0.95, "spam": 0.05})
    assert made.actions.tolist() == model.classes_[shifted.argmax(axis=1)].tolist()
    equal = model.decide(texts[0], class_prior="uniform")
    assert model.decide(texts[0], rule="ml").actions.tolist() == equal.actions.tolist()


@pytest.mark.parametrize("settings", [{}, {"calibrate": False, "alpha": 1}, {"class_prior": {"ham": 0.5, "spam": 0.5}}])
def test_an_estimated_class_prior_is_near_the_truth(texts, settings):
    model = TextClassifier(**settings).fit(*texts)
    new, truth = documents(np.random.default_rng(5), 800, spam=0.9)
    made = model.decide(new, class_prior="estimate")
    old = posterior_prior(model.model_)
    assert made.prior.prior == pytest.approx(estimated_prior(model.predict_proba(new), old).prior, abs=1e-6)
    if model.calibrate:  # honest probabilities
        assert made.prior.prior[1] == pytest.approx(np.mean(np.array(truth) == "spam"), abs=0.07)
        assert made.prior.p_value < 1e-6
    with pytest.raises(DataError, match="too few"):
        model.decide(new[:5], class_prior="estimate")


def test_the_prior_inside_a_posterior(texts):
    X, y = texts
    learned = [y.count("ham") / len(y), y.count("spam") / len(y)]
    for settings, prior in (
        ({}, learned),
        ({"class_prior": 100.0}, learned),  # calibrated: that of the documents
        ({"class_prior": "uniform"}, [0.5, 0.5]),
        ({"calibrate": False, "alpha": 1, "class_prior": {"ham": 0.2, "spam": 0.8}}, [0.2, 0.8]),
        ({"calibrate": False, "alpha": 1, "event": "complement"}, [0.5, 0.5]),
    ):
        assert posterior_prior(TextClassifier(**settings).fit(X, y).model_) == pytest.approx(prior)


def left_out_in_order(model, X, y):
    """Posteriors of kept rows and of the same rows left out exactly, both in the order of p(yes) within each class."""
    kept, exact = kept_of(model.model_), np.exp(model.leave_one_out(X, y))
    truth = np.searchsorted(model.classes_, y)
    assert np.bincount(kept.cls).tolist() == np.bincount(truth).tolist()
    found = [np.sort(np.exp(kept.log_posterior[kept.cls == k, 1])) for k in (0, 1)]
    return found, [np.sort(exact[truth == k, 1]) for k in (0, 1)], exact


def test_kept_rows_of_a_table_are_left_out_as_rows_are(table):
    X, y = {"colour": table[0]["colour"]}, table[1]
    model = NaiveBayes().fit(X, y)
    found, exact, scores = left_out_in_order(model, X, y)
    for k in (0, 1):
        assert found[k] == pytest.approx(exact[k], rel=1e-9)
    threshold = model.decide(X, max_false_positive=0.9).thresholds["yes"]
    wanted = threshold_for_false_positives(scores[:, 1], np.array(y) != "yes", 0.9)
    assert (threshold.value, threshold.n, threshold.k) == (pytest.approx(wanted.value), wanted.n, wanted.k)


def test_edges_of_bins_stay_only_where_one_row_moves_them_little(table):
    for n, tolerance in ((60, 1e-9), (FEW + 100, 0.05)):
        X, y = {"x": table[0]["x"][:n]}, table[1][:n]
        found, exact, _ = left_out_in_order(NaiveBayes().fit(X, y), X, y)
        for k in (0, 1):
            assert found[k] == pytest.approx(exact[k], abs=tolerance)


def test_equal_rows_of_a_table_each_count(table):
    X = {"colour": table[0]["colour"]}
    model = NaiveBayes().fit(X, table[1])
    assert len(model.model_.kept) == 4
    kept = kept_of(model.model_)
    assert len(kept.cls) == 700
    assert np.bincount(kept.cls).tolist() == [table[1].count("no"), table[1].count("yes")]
    assert model.decide(X, max_false_positive=0.5).thresholds["yes"].n == table[1].count("no")


def test_labels_that_are_numbers_keep_their_order():
    X, y = documents(np.random.default_rng(2), 400, classes=(10, 9))
    model = TextClassifier().fit(X, y)
    assert model.classes_.tolist() == [9, 10]
    made = model.decide(X, max_false_positive=0.1, loss={10: {9: 4}})
    assert list(made.thresholds) == [10]
    assert set(made.actions.tolist()) == {9, 10}
    assert policy_of(model.model_, Wanted(), model.classes_).old == pytest.approx(
        [y.count(9) / len(y), y.count(10) / len(y)]
    )


def test_a_class_still_to_come_has_no_threshold(texts):
    model = TextClassifier().partial_fit(*texts, classes=["ham", "spam", "eggs"])
    assert model.decide(texts[0][:3], max_false_positive=0.1, positive="spam").labels == ("eggs", "ham", "spam")
    for options in ({"max_false_positive": 0.1, "positive": "eggs"}, {"class_prior": {"eggs": 1, "ham": 0, "spam": 0}}):
        with pytest.raises(DataError, match="never learned"):
            model.decide(texts[0], **options)


def test_three_classes_need_a_name():
    X, y = documents(np.random.default_rng(4), 300, classes=("a", "b", "c"))
    model = TextClassifier().fit(X, y)
    with pytest.raises(DataError, match=r"there are 3; name it with --positive \(positive=\)"):
        model.decide(X, max_false_positive=0.1)
    with pytest.raises(DataError, match="mix of the others"):
        model.decide(X, max_false_positive=0.1, positive="b", class_prior="uniform")
    assert set(model.decide(X, max_false_positive=0.1, positive="b").actions) <= {"a", "b", "c"}


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"max_false_positive": 0.1, "min_precision": 0.9}, "one promise"),
        ({"positive": "spam"}, r"give --max-false-positive \(max_false_positive=\) with it"),
        (
            {"max_false_positive": 0.1, "positive": "eggs"},
            "'eggs' is no class, so nothing can be promised of it; the classes are ham, spam",
        ),
        ({"max_false_positive": {}}, "none is named"),
        ({"max_false_positive": {"spam": 0.1}, "positive": "spam"}, "named twice"),
        ({"max_false_positive": {"spam": 0.1, "ham": 0.1}}, "every class has a threshold"),
        ({"min_precision": {"spam": 0.5, "ham": 0.5}}, "of one class"),
        ({"max_false_positive": 1e-6}, "cannot promise"),
        ({"min_precision": 0.6, "confidence": None}, "give a confidence"),
        ({"class_prior": "guess"}, "'uniform' or 'estimate'"),
        ({"class_prior": {"ham": 1}}, "does not name class 'spam'"),
        ({"rule": "ml", "class_prior": "uniform"}, "equal class priors"),
        ({"rule": "map", "loss": {"ham": {"spam": 2}}}, "0/1 loss"),
        ({"rule": "best"}, "'bayes', 'map' or 'ml'"),
    ],
)
def test_what_cannot_be_is_refused(model, texts, options, why):
    with pytest.raises(DataError, match=why):
        model.decide(texts[0][:40], **options)


def test_a_model_that_keeps_nothing_has_no_thresholds(texts, table):
    with pytest.raises(DataError, match="keep_sample=True"):
        TextClassifier(keep_sample=False).fit(*texts).decide(texts[0], max_false_positive=0.1)
    with pytest.raises(DataError, match="keep_sample=True"):
        NaiveBayes(keep_sample=False).fit(*table).decide(table[0], max_false_positive=0.1)
    with pytest.raises(DataError, match="keeps no rows"):
        GaussianDiscriminant().fit({"x": table[0]["x"]}, table[1]).decide({"x": [1.0]}, max_false_positive=0.1)
