"""Every container of documents gives the same model, and a frame of its own kind comes back."""

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer

import priori
from corpora import dataset
from priori import TextClassifier
from priori.errors import DataError

TEXTS, LABELS = (column[:300] for column in dataset("sms_spam"))


@pytest.fixture(scope="module")
def expected():
    return TextClassifier().fit(TEXTS, LABELS)


def relation(column):
    table = pa.table({"text": TEXTS, "label": LABELS})
    return duckdb.from_arrow(table).project(column)


CONTAINERS = {
    "list": list,
    "tuple": tuple,
    "numpy": np.array,
    "numpy of objects": lambda values: np.array(values, object),
    "pandas": pd.Series,
    "pandas of objects": lambda values: pd.Series(values, dtype=object),
    "pandas with another index": lambda values: pd.Series(values, index=range(900, 900 + len(values))),
    "polars": pl.Series,
    "arrow": pa.array,
    "arrow in chunks": lambda values: pa.chunked_array([values[:7], values[7:]]),
    "arrow dictionary": lambda values: pa.array(values).dictionary_encode(),
    "arrow slice": lambda values: pa.array(["before", *values]).slice(1),
}


@pytest.mark.parametrize("name", CONTAINERS)
def test_columns(expected, name):
    texts, labels = CONTAINERS[name](TEXTS), CONTAINERS[name](LABELS)
    fitted = TextClassifier().fit(texts, labels)
    assert fitted.model_.counts == expected.model_.counts
    assert fitted.classes_.tolist() == ["ham", "spam"]
    assert np.array_equal(fitted.predict_proba(texts), expected.predict_proba(TEXTS))
    assert np.array_equal(fitted.predict(texts), expected.predict(TEXTS))


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"text": TEXTS, "label": LABELS}),
        pl.DataFrame({"text": TEXTS, "label": LABELS}),
        pa.table({"text": TEXTS, "label": LABELS}),
        relation("text, label"),
    ],
    ids=["pandas", "polars", "pyarrow", "duckdb"],
)
def test_frames(expected, frame):
    fitted = TextClassifier().fit(frame, LABELS)
    assert fitted.model_.counts == expected.model_.counts
    assert np.array_equal(fitted.predict_proba(frame), expected.predict_proba(TEXTS))
    found = fitted.classify(frame)
    assert type(found) is (pa.Table if "duckdb" in type(frame).__module__ else type(frame))
    check_classified(found, expected)


def check_classified(found, expected):
    proba = expected.predict_proba(TEXTS)
    columns = ["label", "probability", "p(ham)", "p(spam)"]
    assert list(found.column_names if isinstance(found, pa.Table) else found.columns) == columns
    assert np.asarray(found["label"]).tolist() == expected.predict(TEXTS).tolist()
    assert np.asarray(found["probability"]).tolist() == proba.max(axis=1).tolist()
    assert np.asarray(found["p(spam)"]).tolist() == proba[:, 1].tolist()


@pytest.mark.parametrize("name", ["list", "numpy", "pandas", "pandas with another index", "polars", "arrow"])
def test_classify_answers_in_kind(expected, name):
    texts = CONTAINERS[name](TEXTS)
    found = expected.classify(texts)
    kind = {"pandas": pd.DataFrame, "polars": pl.DataFrame}.get(name.partition(" ")[0], pa.Table)
    assert type(found) is kind
    if kind is pd.DataFrame:
        assert found.index.equals(texts.index)
    check_classified(found, expected)


@pytest.mark.parametrize("labels", [[0, 1] * 150, [True, False] * 150, [0.5, 1.5] * 150])
def test_classify_keeps_the_type_of_labels(labels):
    fitted = TextClassifier().fit(TEXTS, labels)
    for texts in (TEXTS, pd.Series(TEXTS), pl.Series(TEXTS)):
        assert np.asarray(fitted.classify(texts)["label"]).tolist() == fitted.predict(TEXTS).tolist()


# --- documents whose words are already told apart ----------------------------------------------------------------


def tokens(text):
    return text.lower().split()


@pytest.fixture(scope="module")
def split():
    return TextClassifier(tokenizer=tokens).fit(TEXTS, LABELS)


def test_token_lists_are_what_a_tokenizer_gives(split):
    lists = [tokens(text) for text in TEXTS]
    given = TextClassifier().fit(lists, LABELS)
    assert given.model_.counts == split.model_.counts
    assert np.array_equal(given.predict_proba(lists), split.predict_proba(TEXTS))
    arrow = pa.array(lists)
    assert np.array_equal(given.predict_proba(arrow), split.predict_proba(TEXTS))


def test_counts_and_matrices(split):
    counts = [dict(zip(*np.unique(tokens(text) or ["x"][:0], return_counts=True), strict=True)) for text in TEXTS]
    counts = [{str(word): int(n) for word, n in row.items()} for row in counts]
    given = TextClassifier().fit(counts, LABELS)
    assert given.model_.counts == split.model_.counts
    assert given.predict_proba(counts) == pytest.approx(split.predict_proba(TEXTS), abs=1e-12)
    vectorizer = CountVectorizer(analyzer=tokens)
    X = vectorizer.fit_transform(TEXTS)
    for matrix in (X, sp.csr_array(X), X.tocsc(), X.astype(float)):
        fitted = TextClassifier(feature_names=vectorizer.get_feature_names_out()).fit(matrix, LABELS)
        assert fitted.model_.counts == split.model_.counts
        assert fitted.predict_proba(matrix) == pytest.approx(split.predict_proba(TEXTS), abs=1e-12)
    assert fitted.partial_fit(X[:5], LABELS[:5]).forget(X[:5], LABELS[:5]).model_.counts == split.model_.counts


def test_matrices_that_are_no_counts():
    X = sp.csr_array(np.array([[1.0, 0.5], [0, 2]]))
    names = ["a", "b"]
    for matrix, given, fact in [
        (X, names, "TF-IDF"),
        (-X.astype(int), names, "counts"),
        (X.astype(int), None, "feature_names"),
        (X.astype(int), ["a"], "2 columns"),
    ]:
        with pytest.raises(DataError, match=fact):
            TextClassifier(feature_names=given).fit(matrix, ["x", "y"])
    with pytest.raises(DataError, match="labels"):
        TextClassifier(feature_names=names).fit(X.astype(int), ["x"])


def test_ngrams_of_tokens_but_not_of_counts():
    given = TextClassifier(ngrams=(1, 2)).fit([["free", "Entry"], ["see", "you"]], ["x", "y"])
    assert given.get_feature_names_out().tolist() == ["Entry", "free", "free Entry", "see", "see you", "you"]
    with pytest.raises(DataError, match="n-grams"):
        TextClassifier(ngrams=(1, 2)).fit([{"a": 1}, {"b": 1}], ["x", "y"])


def test_a_tokenizer_is_given_again_after_loading(split, tmp_path):
    split.save(tmp_path / "m.priori")
    loaded = priori.load(tmp_path / "m.priori")
    for use in (
        lambda: loaded.predict(TEXTS),
        lambda: loaded.predict_proba(pd.Series(TEXTS)),
        lambda: loaded.explain("free"),
        lambda: loaded.learn(TEXTS, LABELS),
    ):
        with pytest.raises(DataError, match="tokenizer"):
            use()
    again = priori.load(tmp_path / "m.priori", tokenizer=tokens)
    assert np.array_equal(again.predict_proba(TEXTS), split.predict_proba(TEXTS))
    assert again.learn(TEXTS[:9], LABELS[:9]).forget(TEXTS[:9], LABELS[:9]).model_.counts == split.model_.counts
    assert again.explain(TEXTS[0]).log_odds == split.explain(TEXTS[0]).log_odds


@pytest.mark.parametrize("broken", [lambda text: "abc", lambda text: [1], lambda text: [None], lambda text: [b"a"]])
def test_a_tokenizer_that_gives_no_words(broken):
    with pytest.raises(DataError, match="tokenizer"):
        TextClassifier(tokenizer=broken).fit(TEXTS, LABELS)


def test_a_tokenizer_may_yield():
    ours = TextClassifier(tokenizer=lambda text: (word for word in tokens(text))).fit(TEXTS, LABELS)
    assert ours.predict(TEXTS[:3]).tolist() == ours.predict(np.array(TEXTS[:3])).tolist()


def test_an_exception_of_the_tokenizer_comes_through():
    def fails(text):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        TextClassifier(tokenizer=fails).fit(TEXTS, LABELS)
