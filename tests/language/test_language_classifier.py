"""Classifying by a language model of each class: its definition, naive Bayes at order 1, what classifiers do."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
from small_corpora import class_steps, of_class

import priori
from corpora import EVERY_DATASET, dataset, needs_data
from priori.errors import DataError, EstimateError
from priori.model.inspection import log_likelihood

SMOOTHINGS = ["kneser-ney", "absolute:0.7", "dirichlet:2", "jelinek-mercer:0.3"]
few = settings(max_examples=40, deadline=None, derandomize=True)


@pytest.mark.parametrize("name", EVERY_DATASET)
def test_order_1_is_multinomial_naive_bayes(name):
    texts, labels = dataset(name)
    texts, labels, new = texts[:300], labels[:300], texts[300:400]
    ours = priori.TextClassifier(
        event="language", ngrams=(1, 1), smoothing="dirichlet", alpha=0.5, compat="sklearn", calibrate=False
    ).fit(texts, labels)
    vectorizer = CountVectorizer()
    theirs = MultinomialNB(alpha=0.5).fit(vectorizer.fit_transform(texts), labels)
    expected = theirs.predict_joint_log_proba(vectorizer.transform(new))
    np.testing.assert_allclose(ours.log_joint(new), expected, rtol=1e-12)


@few
@given(st.data())
@pytest.mark.parametrize("unknown", ["ignore", "prior"])
@pytest.mark.parametrize("smoothing", SMOOTHINGS)
@pytest.mark.parametrize("features", ["words", "chars"])
def test_is_what_the_definition_says(features, smoothing, unknown, data):
    joiner = " " if features == "words" else ""
    documents = st.lists(st.sampled_from("abcd"), max_size=7)
    texts = [data.draw(documents) for _ in range(data.draw(st.integers(2, 7)))]
    labels = ["x", "y", *(data.draw(st.sampled_from("xy")) for _ in texts[2:])]
    new = data.draw(st.lists(st.sampled_from("abcde"), max_size=7))
    order = data.draw(st.integers(1, 4))
    alpha = 0.5 if smoothing.startswith("dirichlet") else 1.0
    model = priori.TextClassifier(
        event="language", features=features, ngrams=(1, order), smoothing=smoothing, alpha=alpha, unknown=unknown,
        calibrate=False,
    ).fit([joiner.join(text) for text in texts], labels)  # fmt: skip
    for k, label in enumerate("xy"):
        own = [text for text, each in zip(texts, labels, strict=True) if each == label]
        expected = math.log(len(own) / len(texts))
        if order > 1 or unknown == "prior" or any(texts):  # else there is nothing to tell classes by
            definition = of_class(own, texts, order, smoothing, alpha, unknown == "prior")
            expected += sum(log_p for _, log_p in class_steps(definition, new))
        found = model.log_joint([joiner.join(new)])[0, k]
        assert found == pytest.approx(expected, rel=1e-11, abs=1e-11)


TEXTS = ["free entry text win", "win a free phone now", "lunch at noon", "see you at home at noon"]
LABELS = ["spam", "spam", "ham", "ham"]


@pytest.mark.parametrize("settings", [
    {"ngrams": (1, 3)}, {"features": "chars", "ngrams": (1, 4)}, {"ngrams": (1, 1)}, {"tokenizer": str.split},
    {"ngrams": (1, 2), "unknown": "prior", "smoothing": "dirichlet:2"}, {"ngrams": (1, 2), "calibrate": False},
])  # fmt: skip
def test_explanations_add_up(settings):
    model = priori.TextClassifier(event="language", **settings).fit(TEXTS, LABELS)
    text = "free phone at noon zebra"
    found = model.explain(text, "spam")
    log_p = dict(zip(model.classes_, model.predict_log_proba([text])[0], strict=True))
    assert found.log_odds == pytest.approx(log_p["spam"] - log_p["ham"], rel=1e-12)
    assert {row.feature for row in found.contributions} & {"<s> free", "free", "\x02free", "free p"}


def test_likelihood_is_that_of_the_documents():
    model = priori.TextClassifier(event="language", ngrams=(1, 3), calibrate=False).fit(TEXTS, LABELS)
    joint = model.log_joint(TEXTS)[range(4), [list(model.classes_).index(label) for label in LABELS]]
    assert log_likelihood(model.model_).total == pytest.approx(joint.sum(), rel=1e-12)


def test_learning_forgetting_and_files(tmp_path):
    whole = priori.TextClassifier(event="language", ngrams=(1, 3)).fit(TEXTS, LABELS)
    parts = priori.TextClassifier(event="language", ngrams=(1, 3)).fit(TEXTS[::2], LABELS[::2])
    parts.learn(TEXTS[1::2], LABELS[1::2])
    assert parts.model_.counts == whole.model_.counts
    whole.save(tmp_path / "whole.priori"), parts.save(tmp_path / "parts.priori")
    assert (tmp_path / "whole.priori").read_bytes() == (tmp_path / "parts.priori").read_bytes()
    loaded = priori.load(tmp_path / "whole.priori")
    assert loaded.get_params()["smoothing"] == "kneser-ney"
    np.testing.assert_array_equal(loaded.predict_proba(TEXTS), whole.predict_proba(TEXTS))
    assert (
        whole.forget(TEXTS[1::2], LABELS[1::2]).model_.counts
        == priori.TextClassifier(event="language", ngrams=(1, 3)).fit(TEXTS[::2], LABELS[::2]).model_.counts
    )


def test_the_model_of_one_class_can_be_asked():
    model = priori.TextClassifier(event="language", ngrams=(1, 2), calibrate=False).fit(TEXTS, LABELS)
    texts = ["free lunch", "at noon"]
    prior = np.log(0.5)
    for k, label in enumerate(model.classes_):
        one = model.language_model(label)
        assert one.log_prob(texts) + prior == pytest.approx(model.log_joint(texts)[:, k], rel=1e-12)
        assert "</s>" in one.next("free") and one.vocabulary == model.language_model("ham").vocabulary
    with pytest.raises(DataError, match="there is no class 'eggs'"):
        model.language_model("eggs")
    with pytest.raises(DataError, match="has no language models"):
        priori.TextClassifier().fit(TEXTS, LABELS).language_model("ham")


def test_another_smoothing_needs_no_training():
    model = priori.TextClassifier(event="language", ngrams=(1, 2)).fit(TEXTS, LABELS)
    other = priori.TextClassifier(event="language", ngrams=(1, 2), smoothing="absolute").fit(TEXTS, LABELS)
    model.set_params(smoothing="absolute")
    np.testing.assert_array_equal(model.predict_proba(TEXTS), other.predict_proba(TEXTS))


@pytest.mark.parametrize("settings, said", [
    ({"smoothing": "good-turing"}, "unknown; choose kneser-ney"),
    ({"smoothing": "absolute:2"}, "out of range"),
    ({"smoothing": "kneser-ney:1"}, "takes no number"),
    ({"smoothing": "dirichlet:much"}, "is no number"),
    ({"alpha": 0.5}, "alpha=0.5 is of smoothing='dirichlet'"),
    ({"estimate": "map"}, "read by its smoothing"),
    ({"binary": True}, "counts every token"),
    ({"vocabulary": ["free"]}, "counts every token"),
    ({"max_terms": 5}, "cannot stand without the shorter ones"),
])  # fmt: skip
def test_what_is_no_language_model_is_refused(settings, said):
    with pytest.raises(DataError, match=said):
        priori.TextClassifier(event="language", **settings).fit(TEXTS, LABELS)


def test_smoothing_that_leaves_nothing_is_refused():
    model = priori.TextClassifier(event="language", smoothing="dirichlet:0", alpha=0.0, calibrate=False)
    with pytest.raises(EstimateError, match="call unseen words impossible"):
        model.fit(TEXTS, LABELS).predict(TEXTS)
    with pytest.raises(EstimateError, match="no whole numbers"):
        weights = [0.5, 1, 1, 1]
        priori.TextClassifier(event="language", calibrate=False).fit(TEXTS, LABELS, weights).predict(TEXTS)


def test_counts_of_another_kind_are_no_language_model():
    bags = priori.TextClassifier(ngrams=(1, 2)).fit(TEXTS, LABELS)
    with pytest.raises(DataError, match="no beginning and end"):
        bags.set_params(event="language").predict(TEXTS)
    with pytest.raises(DataError, match="labelled texts only"):
        priori.TextClassifier(event="language").fit([*TEXTS, "noon"], [*LABELS, None])


def test_marks_in_a_text_are_no_marks():
    model = priori.TextClassifier(event="language", features="chars", ngrams=(1, 3), calibrate=False)
    plain = model.fit(["a b", "b c"], ["x", "y"]).log_joint(["a b"])
    np.testing.assert_array_equal(model.log_joint(["a\x02b"]), plain)
    words = priori.TextClassifier(event="language", ngrams=(1, 2), tokenizer=str.split)
    with pytest.raises(DataError, match="'<s>' or '</s>' stands for the beginning"):
        words.fit(["a <s> b", "b"], ["x", "y"])


@needs_data
@pytest.mark.parametrize("name, order, least", [("langid17", 5, 0.99), ("udhr_langid", 4, 0.97)])
def test_languages_are_told_apart(name, order, least):
    """A random 80 % learned (seed 0), the rest classified."""
    import corpora

    table = corpora.pq.read_table(corpora.Path(str(corpora.DATA)) / f"{name}.parquet").to_pydict()
    places = np.random.default_rng(0).permutation(len(table["text"]))
    cut = len(places) * 8 // 10
    (texts, labels), (new, truth) = (
        ([table["text"][i] for i in part], [table["label"][i] for i in part]) for part in (places[:cut], places[cut:])
    )
    model = priori.TextClassifier(event="language", features="chars", ngrams=(1, order)).fit(texts, labels)
    assert (model.predict(new) == np.array(truth)).mean() >= least
