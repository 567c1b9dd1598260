"""Logarithms of probabilities that are too small for a float, and other corners of the estimator."""

import numpy as np
import pyarrow as pa
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB

import priori
from priori.errors import DataError

TEXTS, LABELS = ["a a b", "b b c", "c a"], ["x", "y", "y"]


def test_log_probabilities_do_not_underflow():
    """log(0.0) of an underflowed probability was -inf, and the log loss with it."""
    model = priori.TextClassifier(compat="sklearn", alpha=1, calibrate=False).fit(
        [f"{t} aa bb aa" for t in TEXTS], LABELS
    )
    vectorizer = CountVectorizer()
    theirs = MultinomialNB().fit(vectorizer.fit_transform([f"{t} aa bb aa" for t in TEXTS]), LABELS)
    document = ["aa " * 20_000]
    expected = theirs.predict_log_proba(vectorizer.transform(document))
    np.testing.assert_allclose(model.predict_log_proba(document), expected, rtol=1e-9, atol=1e-9)
    sharp = priori.TextClassifier(alpha=1, calibrate=False).fit(["a " * 50, "b " * 50], ["x", "y"])
    assert sharp.predict_proba(["a " * 5_000])[0, 1] == 0
    assert np.isfinite(sharp.predict_log_proba(["a " * 5_000])).all()
    assert np.isfinite(sharp.evaluate(["a " * 5_000], ["y"]).log_loss)


def test_merging_keeps_the_classes_named_to_either():
    left = priori.TextClassifier().partial_fit(["a"], ["x"], classes=["x", "z"])
    right = priori.TextClassifier().partial_fit(["b"], ["y"], classes=["w", "y"])
    assert (left + right).classes_.tolist() == ["w", "x", "y", "z"]


def test_a_prior_changed_in_place_is_noticed():
    alpha = {"a": 1.0}
    model = priori.TextClassifier(alpha=alpha).fit(TEXTS, LABELS)
    before = model.predict_proba(["a"])
    alpha["a"] = 50.0
    assert not np.array_equal(model.predict_proba(["a"]), before)


def test_counts_in_slices_and_many_batches():
    """The keys of a slice of a map are those of the whole."""
    counts = pa.array(
        [[("a", 2), ("b", 1)], [("b", 2), ("c", 1)], [("c", 1), ("a", 1)]], pa.map_(pa.string(), pa.int64())
    )
    model = priori.TextClassifier().fit(TEXTS, LABELS)
    np.testing.assert_array_equal(model.predict_proba(counts.slice(1, 2)), model.predict_proba(TEXTS[1:]))
    many = pa.chunked_array([counts] * 30_000).combine_chunks()
    assert priori.TextClassifier().fit(many, LABELS * 30_000).model_.counts.class_documents.tolist() == [30_000, 60_000]


def test_counts_have_no_ngrams_when_scored_either():
    model = priori.TextClassifier(ngrams=(1, 2)).fit(TEXTS, LABELS)
    with pytest.raises(DataError, match="no n-grams"):
        model.predict([{"a": 1}])


def test_a_tokenizer_is_held_to_lists_when_scoring_too():
    def tokenizer(text):
        return text.split() if "!" not in text else text

    model = priori.TextClassifier(tokenizer=tokenizer).fit(TEXTS, LABELS)
    with pytest.raises(DataError, match="must return a list of str"):
        model.predict_proba(["a b!"])
