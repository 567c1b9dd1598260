"""Readings that choose their terms: scikit-learn's on the same columns, and a model that was given those words."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2_contingency
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.feature_selection import SelectKBest, mutual_info_classif
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB

import corpora
import priori
from corpora import model_of
from priori import TextClassifier
from priori.columns.words.readings import Prior, Readings
from priori.columns.words.term_selection import RANKINGS, TermSelection, chosen_terms
from priori.data import read_objects
from priori.errors import DataError, ModelFileError
from priori.model.classifier import Model
from priori.model.fitting.parameters import Fitted
from priori.model.leave_one_out import encoded, leave_one_out
from priori.select import chi_square, log_odds, mutual_information, word_information

CORPUS = st.lists(
    st.tuples(st.lists(st.sampled_from("abcdefgh"), max_size=6).map(" ".join), st.sampled_from("xyz")),
    min_size=2,
    max_size=25,
)
few = settings(max_examples=40, deadline=None, derandomize=True)
SMS = [column[:400] for column in corpora.dataset("sms_spam")]
NEW = ["free entry to win a prize", "see you at lunch", "", "unheard of"]


def words_of(model, selection):
    keep = chosen_terms(model.counts, TermSelection.of(selection))
    return [word for word, kept in zip(model.counts.term_texts(), keep, strict=True) if kept]


@given(CORPUS, st.integers(1, 9))
@few
def test_the_highest_are_chosen_ties_by_text(corpus, most):
    model = model_of(corpus)
    counts, words = model.counts, model.counts.term_texts()
    totals = counts.term_totals()
    z = np.max([log_odds(counts, label)[1] for label in counts.labels], axis=0) if words else np.zeros(0)
    oracles = {
        "mi": mutual_information(counts), "mi-words": word_information(counts), "chi2": chi_square(counts),
        "count": totals, "log-odds": z,
    }  # fmt: skip
    for by in RANKINGS:
        scores = np.round(oracles[by], 9)  # what only rounding tells apart may come either way
        chosen = {words.index(word) for word in words_of(model, f"{by}:{most}")}
        assert len(chosen) == min(most, len(words))
        others = set(range(len(words))) - chosen
        if chosen and others:
            assert min(scores[list(chosen)]) >= max(scores[list(others)])
    exact = sorted(range(len(words)), key=lambda j: (-totals[j], words[j].encode()))[:most]
    assert {words[j] for j in exact} == set(words_of(model, f"count:{most}"))


@given(CORPUS)
@few
def test_chi_square_is_scipys(corpus):
    counts = model_of(corpus).counts
    found = chi_square(counts)
    texts = [set(text.split()) for text, _ in corpus]
    for word, value in zip(counts.term_texts(), found, strict=True):
        table = np.array([
            [sum((word in words) is there and own == label for words, (_, own) in zip(texts, corpus, strict=True))
             for label in counts.labels]
            for there in (True, False)
        ])  # fmt: skip
        expected = 0.0 if not table.sum(axis=1).all() else chi2_contingency(table, correction=False).statistic
        assert value == pytest.approx(expected, abs=1e-9)


@given(CORPUS, st.sampled_from([0.0, 0.3, 2.0]))
@few
def test_the_lectures_information_is_its_formula_written_out(corpus, alpha):
    counts = model_of([*corpus, ("a", "x"), ("b", "y"), ("c", "z")]).counts
    table = np.zeros((counts.terms, len(counts.labels)))
    table[counts.pair_term, counts.pair_class] = counts.pair_occurrences
    phi = (table + alpha) / (table + alpha).sum(axis=0)
    joint = phi * counts.class_documents / counts.class_documents.sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = np.where(joint > 0, joint * np.log(phi / joint.sum(axis=1, keepdims=True)), 0.0)
    np.testing.assert_allclose(word_information(counts, alpha), parts.sum(axis=1), atol=1e-13)


@pytest.mark.parametrize(
    ("event", "peer"),
    [
        ("multinomial", MultinomialNB(alpha=0.5)),
        ("bernoulli", BernoulliNB(alpha=0.5)),
        ("complement", ComplementNB(alpha=0.5)),
    ],
)
@pytest.mark.parametrize("by", ["mi", "chi2", "count"])
def test_it_is_scikit_learns_on_the_same_columns(event, peer, by):
    texts, labels = SMS
    mine = TextClassifier(compat="sklearn", event=event, alpha=0.5, calibrate=False, select=f"{by}:150").fit(
        texts, labels
    )
    columns = CountVectorizer()
    X = columns.fit_transform(texts)
    scores = {
        "mi": lambda X, y: mutual_info_classif(X > 0, y, discrete_features=True),
        "chi2": lambda X, y: chi_square(mine.model_.counts),
        "count": lambda X, y: np.asarray(X.sum(axis=0)).ravel(),
    }[by]
    found = np.round(scores(X, labels), 10)
    # ties are broken by text here, and from the end there: a hair of difference makes them agree
    best = SelectKBest(lambda X, y: found - 1e-13 * np.arange(X.shape[1]), k=150).fit(X, labels)
    assert set(columns.get_feature_names_out()[best.get_support()]) == set(words_of(mine.model_, f"{by}:150"))
    peer.fit(best.transform(X), labels)
    expected = peer.predict_joint_log_proba(best.transform(columns.transform(NEW)))
    np.testing.assert_allclose(mine.log_joint(NEW), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("event", ["multinomial", "bernoulli", "complement"])
@pytest.mark.parametrize("select", ["mi:40", "chi2:40", "mi-words:40", "log-odds:40", "count:40"])
def test_it_is_a_model_that_was_given_the_chosen_words(event, select):
    texts, labels = SMS
    chosen = TextClassifier(event=event, alpha=0.3, calibrate=False, select=select).fit(texts, labels)
    given = TextClassifier(event=event, alpha=0.3, calibrate=False, vocabulary=words_of(chosen.model_, select)).fit(
        texts, labels
    )
    np.testing.assert_allclose(chosen.log_joint(NEW), given.log_joint(NEW), rtol=1e-13)
    assert chosen.explain(NEW[0]).log_odds == pytest.approx(given.explain(NEW[0]).log_odds, rel=1e-12)


@given(CORPUS, CORPUS, st.sampled_from(["mi:3", "chi2:2", "log-odds:3", "mi:auto"]))
@settings(few, max_examples=25)
def test_terms_are_chosen_from_the_counts_as_they_are(first, second, select):
    readings = replace(Readings.automatic(), select=select)
    whole = model_of([*first, *second], readings=readings)
    merged = model_of(first, readings=readings) + model_of(second, readings=readings)
    batch = lambda rows: read_objects(*(list(column) for column in zip(*rows, strict=True)))  # noqa: E731
    learned = model_of(first, readings=readings).learn(batch(second))
    new = next(read_objects(["a b c", "d e f g h"]))
    for other in (merged, learned):
        assert other.fitted == whole.fitted
        np.testing.assert_array_equal(other.log_joint(new), whole.log_joint(new))
    assert learned.forget(batch(second)).fitted == model_of(first, readings=readings).fitted


def test_another_selection_needs_no_training_and_a_file_keeps_it(tmp_path):
    texts, labels = SMS
    model = TextClassifier().fit(texts, labels)
    plain = model.predict_proba(NEW)
    model.set_params(select="mi:50")
    fresh = TextClassifier(select="mi:50").fit(texts, labels)
    np.testing.assert_array_equal(model.predict_proba(NEW), fresh.predict_proba(NEW))
    model.save(tmp_path / "m.priori")
    again = priori.load(tmp_path / "m.priori")
    assert again.select == "mi:50"
    np.testing.assert_array_equal(again.predict_proba(NEW), fresh.predict_proba(NEW))
    np.testing.assert_array_equal(model.set_params(select=None).predict_proba(NEW), plain)
    model.save(tmp_path / "n.priori")
    TextClassifier().fit(texts, labels).save(tmp_path / "o.priori")
    assert (tmp_path / "n.priori").read_bytes() == (tmp_path / "o.priori").read_bytes()
    assert b'"select"' not in (tmp_path / "n.priori").read_bytes()


def test_as_many_terms_are_read_as_left_out_documents_want():
    """Words of a class in every other document, and much that is said of neither."""
    rng = np.random.default_rng(3)
    labels = ["a", "b"] * 60
    noise = [f"w{k}" for k in range(400)]
    texts = [
        " ".join([*rng.choice(noise, 30), *[f"{label}{k}" for k in range(8) if rng.random() < 0.4]]) for label in labels
    ]
    model = TextClassifier(select="mi:auto").fit(texts, labels)
    fitted = model.model_.fitted
    sizes, losses = zip(*fitted.terms.curve, strict=True)
    assert fitted.terms.terms == sizes[int(np.argmin(losses))] == 16
    assert fitted.terms.folds is None
    assert model.model_.plain_readings.select == "mi:16"
    assert Fitted.from_json(json.loads(json.dumps(fitted.to_json("d"))), "d") == fitted
    folded = TextClassifier(select="log-odds:auto", event="bernoulli").fit(*SMS).model_.fitted
    assert folded.terms.folds is None or folded.terms.folds == 10


def test_terms_chosen_with_the_documents_label_in_sight_are_caught():
    """The planted bug: a selection that is not made anew without the document flatters; ours is at chance."""
    rng = np.random.default_rng(5)
    texts = [" ".join(rng.choice([f"w{k}" for k in range(3000)], 40)) for _ in range(80)]
    labels = [["x", "y"][k] for k in rng.integers(0, 2, 80)]
    model = TextClassifier(alpha=1.0, calibrate=False, select="mi:100").fit(texts, labels)
    own = np.array([model.classes_.tolist().index(label) for label in labels])
    rows = np.arange(80)
    honest = model.leave_one_out(texts, labels)
    fooled = model.leave_one_out(texts, labels, vocabulary="fixed")
    assert (fooled.argmax(axis=1) == own).mean() > 0.8
    assert (honest.argmax(axis=1) == own).mean() < 0.65
    assert fooled[rows, own].mean() > honest[rows, own].mean() + 0.5
    documents = encoded(model.model_, read_objects(texts, labels))
    np.testing.assert_array_equal(leave_one_out(model.model_, documents), honest)


@pytest.mark.parametrize(
    "select", ["mi", "mi:", "mi:0", "mi:-1", "mi:1.5", "beauty:5", "mi:99999999999", "", 5, "mi:٣"]
)
def test_what_is_no_selection_is_refused(select):
    with pytest.raises(DataError, match="says not which terms"):
        TextClassifier(select=select).fit(*SMS)


@pytest.mark.parametrize(
    "readings",
    [
        {"prior": Prior(1.0, {"a": 2.0})},
        {"prior": Prior(proportional=True)},
        {"estimate": "ml", "select": "mi:auto"},
        {"components": {"x1": "x"}},
    ],
)
def test_what_cannot_be_selected_is_refused(readings):
    with pytest.raises(DataError, match="select"):
        Readings(**{"select": "mi:5", **readings})


def test_texts_without_a_label_cannot_help_to_choose():
    with pytest.raises(DataError, match="no label"):
        TextClassifier(select="mi:5").fit(["a b", "b c", "c"], ["x", "y", None])


@pytest.mark.parametrize(
    "change",
    [
        {"terms": 0}, {"terms": True}, {"terms": "5"}, {"terms": None}, {"curve": 3}, {"curve": [[1]]},
        {"curve": [[1, -1.0]]}, {"curve": [[1.5, 1.0]]}, {"curve": [[1, None]]}, {"folds": -1}, {"more": 1},
    ],
)  # fmt: skip
def test_hostile_numbers_of_terms_are_refused(change):
    fitted = TextClassifier(select="mi:auto").fit(*SMS).model_.fitted
    values = fitted.to_json("d")
    values["select"] = {**values["select"], **change}
    with pytest.raises(ModelFileError):
        Fitted.from_json(values, "d")
    with pytest.raises(ModelFileError):
        Readings.from_json({**fitted.readings.to_json(), "select": 7})


def test_every_leaving_out_agrees_with_the_evaluation_of_kept_documents():
    texts, labels = SMS
    model = TextClassifier(select="chi2:60").fit(texts, labels)
    assert isinstance(model.model_, Model)
    left = model.leave_one_out(texts, labels, groups="texts")
    own = np.array([model.classes_.tolist().index(label) for label in labels])
    assert model.evaluate().accuracy == pytest.approx((left.argmax(axis=1) == own).mean(), abs=0.02)
    assert model.k_fold(texts, labels, folds=4).shape == left.shape


def test_words_that_are_not_chosen_are_no_news():
    """Drift asks what was never learned, not what is not read."""
    texts, labels = SMS
    chosen, whole = (TextClassifier(select=select).fit(texts, labels).drift(NEW) for select in ("mi:30", None))
    assert chosen.unknown_share == whole.unknown_share
    assert chosen.unknown_z == whole.unknown_z
