"""The estimator: what it learns adds and subtracts, is saved as it is read, and says what is wrong with its input."""

import pickle

import numpy as np
import polars
import pyarrow as pa
import pytest

import priori
from corpora import dataset
from priori import LanguageModel
from priori.errors import DataError, ModelFileError

TEXTS = ["the cat sat on the mat", "the cat ran", "a dog sat on the cat", "", "a dog ran to the mat"]


@pytest.mark.parametrize("features", ["words", "chars"])
@pytest.mark.parametrize("order", [1, 2, 4])
def test_learning_is_a_sum(features, order):
    def learned(texts):
        return LanguageModel(order=order, features=features).fit(texts)

    whole = learned(TEXTS)
    parts = learned(TEXTS[:2]).learn(TEXTS[2:])
    assert parts.model_.counts == whole.model_.counts == (learned(TEXTS[2:]) + learned(TEXTS[:2])).model_.counts
    assert (whole - learned(TEXTS[2:])).model_.counts == learned(TEXTS[:2]).model_.counts
    assert whole.forget(TEXTS[2:]).model_.counts == learned(TEXTS[:2]).model_.counts
    assert whole.log_prob("the cat") == learned(TEXTS[:2]).log_prob("the cat")


def test_what_was_never_learned_is_not_forgotten():
    model = LanguageModel(order=2).fit(TEXTS)
    before = model.model_.counts
    with pytest.raises(DataError, match=r"more was forgotten than learned|never learned"):
        model.forget(["a zebra ran"])
    assert model.model_.counts == before
    model.forget(TEXTS)
    with pytest.raises(DataError, match="nothing is left"):
        model.log_prob("the cat")


@pytest.mark.parametrize("settings", [
    {}, {"order": 1, "smoothing": "dirichlet:2", "alpha": 0.25}, {"features": "chars", "order": 5},
    {"smoothing": "jelinek-mercer:0.1234567890123", "unknown": "ignore", "lowercase": False, "fold_accents": True},
])  # fmt: skip
def test_files_hold_all_of_it(settings, tmp_path):
    model = LanguageModel(**settings).fit(TEXTS)
    model.save(tmp_path / "m.priori")
    for loaded in (LanguageModel.load(tmp_path / "m.priori"), priori.load(tmp_path / "m.priori")):
        assert isinstance(loaded, LanguageModel)
        for name in ("order", "features", "smoothing", "alpha", "unknown", "lowercase", "fold_accents"):
            assert getattr(loaded, name) == getattr(model, name), name
        assert loaded.log_prob(TEXTS).tolist() == model.log_prob(TEXTS).tolist()
        assert loaded.sample(3, seed=2) == model.sample(3, seed=2)
        loaded.save(tmp_path / "again.priori")
        assert (tmp_path / "again.priori").read_bytes() == (tmp_path / "m.priori").read_bytes()
    assert pickle.loads(pickle.dumps(model)).log_prob("the cat") == model.log_prob("the cat")


def test_a_reading_that_was_changed_is_saved(tmp_path):
    model = LanguageModel(order=2).fit(TEXTS)
    before = model.log_prob("the cat")
    model.smoothing = "dirichlet:3"
    model.save(tmp_path / "m.priori")
    assert model.log_prob("the cat") != before
    loaded = LanguageModel.load(tmp_path / "m.priori")
    assert loaded.smoothing == "dirichlet:3" and loaded.log_prob("the cat") == model.log_prob("the cat")
    assert loaded.learn(["the end"]).smoothing == "dirichlet:3"


def test_other_models_are_told_apart(tmp_path):
    priori.TextClassifier(event="language").fit(["a b", "b c"], ["x", "y"]).save(tmp_path / "c.priori")
    with pytest.raises(DataError, match=r"holds a classifier, no language model; load it with priori\.load"):
        LanguageModel.load(tmp_path / "c.priori")
    assert isinstance(priori.load(tmp_path / "c.priori"), priori.TextClassifier)
    assert not priori.load(tmp_path / "c.priori").model_.is_language_model
    priori.NaiveBayes().fit({"a": [1.0, 2.0]}, ["x", "y"]).save(tmp_path / "t.priori")
    with pytest.raises(DataError, match="holds a model of a table"):
        LanguageModel.load(tmp_path / "t.priori")
    (tmp_path / "no.priori").write_bytes(b"nothing")
    with pytest.raises(ModelFileError):
        LanguageModel.load(tmp_path / "no.priori")


def test_texts_come_in_any_sequence():
    expected = LanguageModel(order=2).fit(TEXTS).model_.counts
    for texts in (
        tuple(TEXTS), iter(TEXTS), np.array(TEXTS), pa.array(TEXTS), pa.chunked_array([TEXTS[:2], TEXTS[2:]]),
        polars.Series(TEXTS),
    ):  # fmt: skip
        assert LanguageModel(order=2).fit(texts).model_.counts == expected
    model = LanguageModel(order=2).fit(TEXTS)
    whole = model.log_prob(TEXTS)
    for texts in (tuple(TEXTS), iter(TEXTS), np.array(TEXTS), pa.array(TEXTS), polars.Series(TEXTS)):
        assert model.log_prob(texts).tolist() == whole.tolist()
    assert whole.tolist() == [model.log_prob(text) for text in TEXTS]
    assert model.log_prob([]).shape == (0,)


@pytest.mark.parametrize("settings, said", [
    ({"order": 0}, "order=0 is no length of an n-gram; give a whole number from 1 to 16"),
    ({"order": 17}, "from 1 to 16"), ({"order": 2.0}, "from 1 to 16"), ({"order": True}, "from 1 to 16"),
    ({"features": "bytes"}, "features='bytes' is unknown; choose words or chars"),
    ({"smoothing": "good-turing"}, "unknown; choose kneser-ney"),
    ({"alpha": -1}, "alpha"), ({"alpha": float("nan")}, "alpha"), ({"unknown": "skip"}, "unknown"),
    ({"analyzer": 3}, r"give a priori\.Analyzer"), ({"lowercase": "no"}, "neither True nor False"),
    ({"features": "chars", "tokenizer": str.split}, "a tokenizer is a function"),
])  # fmt: skip
def test_settings_that_are_none_are_refused(settings, said):
    with pytest.raises(DataError, match=said):
        LanguageModel(**settings).fit(TEXTS)


def test_texts_that_are_none_are_refused():
    with pytest.raises(DataError, match="a text alone is no collection"):
        LanguageModel().fit("the cat")
    with pytest.raises(DataError):
        LanguageModel().fit(["the cat", 3])
    with pytest.raises(DataError, match="learned nothing yet"):
        LanguageModel().log_prob("the cat")
    model = LanguageModel(order=2).fit(TEXTS)
    with pytest.raises(DataError, match="one text at a time"):
        model.surprisal(["the cat"])
    with pytest.raises(DataError, match="their perplexity is 0/0"):
        LanguageModel(order=1).fit(TEXTS).perplexity([""])
    for bad in ({"n": -1}, {"longest": 0}, {"temperature": 0.0}, {"temperature": float("inf")}):
        with pytest.raises(DataError, match="give"):
            model.sample(**bad)


def test_threads_change_nothing():
    texts = dataset("sms_spam")[0]
    one, two = (LanguageModel(order=3, n_jobs=jobs).fit(texts) for jobs in (1, 2))
    assert one.model_.counts == two.model_.counts
    assert one.log_prob(texts).tolist() == two.log_prob(texts).tolist()
    assert one.perplexity(texts) == two.perplexity(texts)


def test_fixed_discounts_are_said():
    assert "fixed discounts" in LanguageModel(order=2).fit(["a b"]).notes[0]
    assert LanguageModel(order=3).fit(dataset("sms_spam")[0][:1500]).notes == ()
    assert (
        "want their histories to say nothing, or all" in LanguageModel(2, smoothing="dirichlet").fit(["a b"]).notes[0]
    )
    assert LanguageModel(2, smoothing="dirichlet:1").fit(["a b"]).notes == ()
    assert LanguageModel(order=3, smoothing="jelinek-mercer").fit(dataset("sms_spam")[0][:1500]).notes == ()


def test_words_of_ones_own():
    def parted(text):
        return text.split("|")

    model = LanguageModel(order=1, tokenizer=parted, smoothing="ml").fit(["a b|c", "c|a b|a"])
    assert model.vocabulary == ["a", "a b", "c"]  # a word with a space is one word
    assert model.log_prob("a b") == pytest.approx(np.log(2 / 5))
    assert [token for token, _ in model.surprisal("a b|zebra")] == ["a b", "zebra"]
    LanguageModel(order=1, tokenizer=parted).fit(["a||b"]).log_prob("")
    with pytest.raises(DataError, match="holds a space"):
        LanguageModel(order=2, tokenizer=parted).fit(["a b|c"])
    with pytest.raises(DataError, match="a word is empty"):
        LanguageModel(order=2, tokenizer=parted).fit(["a||b"])
    pairs = LanguageModel(order=2, tokenizer=parted).fit(["a|b", "b|c"])
    for look in (pairs.next, pairs.surprisal, pairs.log_prob):
        with pytest.raises(DataError, match="stands for the beginning or end of a document"):
            look("a|<s>")
    with pytest.raises(DataError, match="must return a list of str"):
        LanguageModel(order=2, tokenizer=lambda text: None).fit(["a"])


def test_it_is_copied_and_searched_as_scikit_learn_does():
    from sklearn.base import clone

    model = LanguageModel(order=2, smoothing="dirichlet:2").fit(TEXTS)
    other = clone(model)
    assert other.get_params() == model.get_params() and not hasattr(other, "model_")
    assert clone(model).set_params(smoothing="absolute").fit(TEXTS).smoothing == "absolute"
    with pytest.raises(DataError, match="order=0"):
        model.set_params(order=0)
    with pytest.raises(DataError, match="there is no setting 'ordr'; choose order"):
        model.set_params(ordr=3)
    assert LanguageModel(order=np.int64(2)).fit(TEXTS).log_prob("the cat") == LanguageModel(2).fit(TEXTS).log_prob(
        "the cat"
    )


def test_what_was_counted_cannot_follow_another_order():
    model = LanguageModel(order=2).fit(TEXTS)
    model.order = 3
    with pytest.raises(DataError, match="order was changed from 2, which what was counted cannot follow; call fit"):
        model.log_prob("the cat")
    assert model.fit(TEXTS).table.order == 3


@pytest.mark.parametrize("library", ["pandas", "polars", "arrow"])
def test_a_table_is_its_column_of_texts(library):
    import pandas as pd

    make = {"pandas": pd.DataFrame, "polars": polars.DataFrame, "arrow": pa.table}[library]
    table = make({"text": TEXTS, "label": list("abcde")})
    model = LanguageModel(order=2).fit(table)
    assert model.model_.counts == LanguageModel(order=2).fit(TEXTS).model_.counts
    assert model.log_prob(table).tolist() == model.log_prob(TEXTS).tolist()
    assert model.perplexity(table) == model.perplexity(TEXTS)


def test_lists_of_words_are_taken_as_they_are():
    words = [text.split() for text in TEXTS if text]
    model = LanguageModel(order=2).fit(words)
    assert model.log_prob(words).tolist() == LanguageModel(order=2).fit(TEXTS[:3] + TEXTS[4:]).log_prob(
        [text for text in TEXTS if text]
    ).tolist()  # fmt: skip
    with pytest.raises(DataError, match="the order of the words"):
        model.log_prob([{"the": 2}])


@pytest.mark.parametrize("texts", [None, 42, np.array("abc"), [None], [3], b"the cat", {"text": 3}.values()])
@pytest.mark.parametrize("verb", ["fit", "learn", "forget", "log_prob", "perplexity"])
def test_what_is_no_collection_of_texts_is_refused(verb, texts):
    model = LanguageModel(order=2).fit(TEXTS)
    with pytest.raises(DataError) as caught:
        getattr(model, verb)(texts)
    assert "\n" not in str(caught.value)


def test_one_token_costs_what_documents_need_not():
    """A text of a million tokens is scored piece by piece, each with the history before it."""
    rng = np.random.default_rng(0)
    words = rng.choice(list("abcdefgh"), 40_000)
    for features, joiner in (("words", " "), ("chars", "")):
        model = LanguageModel(order=4, features=features).fit([joiner.join(words[:5_000])])
        text = joiner.join(words)
        whole = sum(token.bits for token in model.surprisal(text))
        assert model.log_prob(text) == pytest.approx(-whole * np.log(2), rel=1e-12)
        assert model.log_prob([text]).tolist() == [model.log_prob(text)]
        last = model.surprisal(joiner.join(words[8_180:8_203]))[5:-1]  # around the end of a piece
        assert [t.bits for t in model.surprisal(text)[8_185:8_203]] == pytest.approx([t.bits for t in last])
