"""The checks of scikit-learn's that make sense for an estimator whose input is text.

Its own `check_estimator` stops after one check for such input, so they are named here, each with its reason:

clone, get_params, set_params   model selection copies estimators by their parameters
no work in __init__             a parameter is stored as it came, and judged by fit
fit returns self, refit         a second fit forgets the first
classes_                        every column of a probability has a name, sorted as numpy sorts
not fitted                      the error that model selection knows
pickle, joblib                  estimators travel between processes
predict agrees with proba       one decision rule
clear errors                    2-D, None, bytes, one string, lengths that differ, several labels a row
label types                     what goes in as int comes out as int
sample weights                  weight 2 is a row twice, weight 0 is no row
partial_fit                     chunks are the whole
"""

import io
import pickle

import joblib
import numpy as np
import pytest
from messages import LABELS, NEW, TEXTS
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError

import priori
from corpora import dataset
from priori import Prior, TextClassifier
from priori.errors import DataError

SETTINGS = {
    "features": "chars",
    "ngrams": (2, 3),
    "lowercase": False,
    "fold_accents": True,
    "min_length": 2,
    "binary": True,
    "compat": "sklearn",
    "tokenizer": str.split,
    "vocabulary": ["free", "lunch"],
    "stop_words": ["a"],
    "stem": "english",
    "feature_names": ["free"],
    "event": "bernoulli",
    "select": "mi:2",
    "estimate": "map",
    "alpha": Prior(0.5, {"free": 2.0}),
    "class_prior": {"ham": 0.5, "spam": 0.5},
    "unknown": "prior",
    "smoothing": "dirichlet:2",
    "calibrate": "monotone",
    "max_terms": 7,
    "keep_sample": False,
    "unlabelled": "skip",
    "unlabelled_weight": 0.5,
    "n_classes": 3,
    "seeds": {"a": ["b"]},
    "random_state": 7,
    "n_jobs": 1,
    "progress": print,
}


def test_it_is_a_classifier():
    assert is_classifier(TextClassifier())
    assert TextClassifier().__sklearn_tags__().input_tags.string


def test_parameters_go_round():
    assert set(TextClassifier().get_params()) == set(SETTINGS)  # none is forgotten here
    estimator = TextClassifier(**SETTINGS)
    assert all(estimator.get_params()[name] is value for name, value in SETTINGS.items())
    assert clone(estimator).get_params() == estimator.get_params()
    assert TextClassifier().set_params(**SETTINGS).get_params() == estimator.get_params()
    with pytest.raises(ValueError, match="nonsense"):
        TextClassifier().set_params(nonsense=1)


@pytest.mark.parametrize(
    "bad",
    [
        {"features": "sentences"},
        {"ngrams": (2, 1)},
        {"min_length": 0},
        {"compat": "nltk"},
        {"vocabulary": []},
        {"stop_words": []},
        {"stop_words": "klingon"},
        {"stem": "klingon"},
        {"stem": "english", "features": "chars"},
        {"event": "poisson"},
        {"estimate": "auto"},
        {"alpha": -1},
        {"alpha": "mle"},
        {"calibrate": "isotonic"},
        {"class_prior": None},
        {"unknown": "guess"},
        {"max_terms": 0},
        {"n_jobs": 0},
    ],
)
def test_bad_parameters_are_refused_by_fit(bad):
    estimator = TextClassifier(**bad)  # never here
    with pytest.raises(DataError):
        estimator.fit(TEXTS, LABELS)
    assert not hasattr(estimator, "classes_")


def test_a_clone_is_not_fitted(fitted):
    with pytest.raises(NotFittedError):
        clone(fitted).predict(TEXTS)


@pytest.mark.parametrize("method", ["predict", "predict_proba", "predict_log_proba", "log_joint", "classify"])
def test_not_fitted(method):
    with pytest.raises(NotFittedError):
        getattr(TextClassifier(), method)(TEXTS)


def test_nothing_else_works_unfitted_either(tmp_path):
    for use in (
        lambda e: e.explain("a"),
        lambda e: e.evaluate(TEXTS, LABELS),
        lambda e: e.score(TEXTS, LABELS),
        lambda e: e.learn(TEXTS, LABELS),
        lambda e: e.forget(TEXTS, LABELS),
        lambda e: e.save(tmp_path / "m.priori"),
        lambda e: e.get_feature_names_out(),
        lambda e: e + e,
    ):
        with pytest.raises(NotFittedError):
            use(TextClassifier())
    assert not list(tmp_path.iterdir())


def test_fit_returns_self_and_begins_anew(fitted):
    before = fitted.predict_proba(NEW)
    assert fitted.fit(["other words"] * 2, ["a", "b"]) is fitted
    assert fitted.classes_.tolist() == ["a", "b"]
    assert np.array_equal(fitted.fit(TEXTS, LABELS).predict_proba(NEW), before)
    assert np.array_equal(fitted.fit(TEXTS, LABELS).predict_proba(NEW), before)


def test_fit_leaves_its_arguments_alone():
    texts, labels, weights = list(TEXTS), np.array(LABELS), np.ones(5)
    TextClassifier().fit(texts, labels, weights).predict(texts)
    assert texts == TEXTS
    assert labels.tolist() == LABELS
    assert weights.tolist() == [1.0] * 5


def test_a_failed_fit_leaves_the_fitted_model_alone(fitted):
    before = fitted.predict_proba(NEW)
    for X, y in [([None], ["a"]), (["a"], ["a", "b"]), ([], [])]:
        with pytest.raises(DataError):
            fitted.fit(X, y)
        with pytest.raises(DataError):
            fitted.learn([*X, b"x"], [*y, "c"])
    assert np.array_equal(fitted.predict_proba(NEW), before)


def test_the_ways_to_predict_agree(fitted):
    proba = fitted.predict_proba(NEW)
    assert proba.shape == (3, 2)
    assert proba.sum(axis=1) == pytest.approx(1, abs=1e-15)
    assert np.array_equal(fitted.predict(NEW), fitted.classes_[proba.argmax(axis=1)])
    assert fitted.predict_log_proba(NEW) == pytest.approx(np.log(proba), abs=1e-14)
    joint = fitted.set_params(calibrate=False).log_joint(NEW)
    proba = fitted.predict_proba(NEW)
    assert np.exp(joint - np.logaddexp.reduce(joint, axis=1, keepdims=True)) == pytest.approx(proba, abs=1e-14)
    assert np.concatenate([fitted.predict_proba([text]) for text in NEW]).tolist() == proba.tolist()
    assert fitted.score(TEXTS, LABELS) == np.mean(fitted.predict(TEXTS) == LABELS)
    assert fitted.predict([]).shape == (0,)
    assert fitted.predict_proba([]).shape == (0, 2)


@pytest.mark.parametrize(
    "setting",
    [
        {"alpha": 0.1},
        {"alpha": {"free": 5}},
        {"event": "bernoulli"},
        {"event": "complement"},
        {"estimate": "integrated", "unknown": "prior"},
        {"class_prior": "uniform"},
        {"class_prior": {"ham": 0.25, "spam": 0.75}},
    ],
)
def test_another_reading_needs_no_refit(fitted, setting, tmp_path):
    before = fitted.predict_proba(NEW)
    anew = TextClassifier(**setting).fit(TEXTS, LABELS)
    assert np.array_equal(fitted.set_params(**setting).predict_proba(NEW), anew.predict_proba(NEW))
    assert not np.array_equal(anew.predict_proba(NEW), before)
    fitted.save(tmp_path / "a.priori")
    anew.save(tmp_path / "b.priori")
    assert (tmp_path / "a.priori").read_bytes() == (tmp_path / "b.priori").read_bytes()
    loaded = priori.load(tmp_path / "a.priori")
    assert np.array_equal(loaded.predict_proba(NEW), anew.predict_proba(NEW))
    assert {name: getattr(loaded, name) for name in setting if name != "alpha"}.items() <= setting.items()
    assert np.array_equal(
        fitted.set_params(**{n: getattr(TextClassifier(), n) for n in setting}).predict_proba(NEW), before
    )


@pytest.mark.parametrize("tokenizer", [None, str.split])
def test_pickle_and_joblib(tokenizer):
    fitted = TextClassifier(alpha=0.3, tokenizer=tokenizer, compat="sklearn").fit(TEXTS, LABELS)
    expected = fitted.predict_proba(NEW)
    file = io.BytesIO()
    joblib.dump(fitted, file)
    file.seek(0)
    for copy in (pickle.loads(pickle.dumps(fitted)), joblib.load(file)):
        assert np.array_equal(copy.predict_proba(NEW), expected)
        assert repr(copy) == repr(fitted)
        assert copy.learn(["another"], ["ham"]).predict_proba(NEW).shape == (3, 2)
    assert np.array_equal(fitted.predict_proba(NEW), expected)
    assert pickle.loads(pickle.dumps(TextClassifier(alpha=2))).alpha == 2


@pytest.mark.parametrize(
    ("X", "y", "fact"),
    [
        (np.array([["a", "b"], ["c", "d"]]), ["x", "y"], "2 dimensions"),
        (np.array([[1.0, 2.0]]), ["x"], "2 dimensions"),
        (None, ["x"], "None"),
        (["a", None], ["x", "y"], "None"),
        ([None, "a"], ["x", "y"], "None"),
        (["a", float("nan")], ["x", "y"], "missing"),
        ([b"a"], ["x"], "bytes"),
        (["a", b"b"], ["x", "y"], "bytes"),
        (b"abc", ["x"], "bytes"),
        ("one text", ["x"], "list"),
        ([1, 2], ["x", "y"], "int"),
        (7, ["x"], "int"),
        (["a", "b"], ["x"], "1 labels"),
        (["a"], ["x", "y"], "2 labels"),
        (["a", "b"], None, "y is None"),
        (["a", "b"], "xy", "one text"),
        (["a", "b"], [["x", "y"], ["y"]], "multi-label"),
        (["a", "b"], np.array([[0, 1], [1, 0]]), "multi-label"),
        (["a", "b"], [1, "x"], "mix"),
        (["a", "b"], [b"x", b"y"], "bytes"),
        (["a", "b"], [None, None], "label"),
        ([], [], "no rows"),
    ],
)
def test_clear_errors_of_fit(X, y, fact):
    with pytest.raises(DataError, match=fact) as caught:
        TextClassifier().fit(X, y)
    assert isinstance(caught.value, ValueError)  # what scikit-learn's tools expect
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "X", [np.array([["a"], ["b"]]), None, "text", b"text", ["a", None], [None], ["a", b"b"], [1], 3]
)
@pytest.mark.parametrize("method", ["predict", "predict_proba", "predict_log_proba", "log_joint"])
def test_clear_errors_of_predict(fitted, X, method):
    with pytest.raises(DataError):
        getattr(fitted, method)(X)


@pytest.mark.parametrize(
    ("labels", "classes", "kind"),
    [
        (["b", "a", "b", "a", "é"], ["a", "b", "é"], "U"),
        ([10, 9, 10, 9, -1], [-1, 9, 10], "i"),
        (np.array([10, 9, 10, 9, 2], np.uint8), [2, 9, 10], "i"),
        ([True, False, True, False, False], [False, True], "b"),
        ([0.5, -1.5, 0.5, 10.0, 2.0], [-1.5, 0.5, 2.0, 10.0], "f"),
        (["001", "01", "1", "001", "1"], ["001", "01", "1"], "U"),
    ],
)
def test_labels_come_out_as_they_went_in(labels, classes, kind, tmp_path):
    fitted = TextClassifier(alpha=0.01).fit(TEXTS, labels)
    fitted.save(tmp_path / "m.priori")
    for model in (fitted, priori.load(tmp_path / "m.priori"), pickle.loads(pickle.dumps(fitted))):
        assert model.classes_.tolist() == classes
        assert model.classes_.dtype.kind == kind
        assert model.classes_.tolist() == sorted(classes)
        assert model.predict(TEXTS).tolist() == list(labels)
        proba = model.predict_proba(TEXTS)
        assert [model.classes_[i] for i in proba.argmax(axis=1)] == list(labels)
        if kind != "f":  # scikit-learn's accuracy takes fractions for a regression
            assert model.score(TEXTS, labels) == 1.0
    assert np.array_equal(fitted.log_joint(TEXTS).argmax(axis=1), proba.argmax(axis=1))


def test_priors_are_named_by_labels_of_any_type():
    whole = TextClassifier(class_prior={9: 0.25, 10: 0.75}, alpha={10: {"free": 3.0}}).fit(TEXTS, [10, 9, 10, 9, 10])
    texts = TextClassifier(class_prior={"9": 0.25, "10": 0.75}, alpha={"10": {"free": 3.0}})
    texts.fit(TEXTS, ["10", "9", "10", "9", "10"])
    assert np.array_equal(whole.predict_proba(NEW), texts.predict_proba(NEW)[:, ::-1])  # "10" < "9", but 9 < 10
    assert whole.explain("free lunch", label=10, against=9).label == "10"


def test_an_unlabelled_row_can_be_skipped():
    for missing in (None, float("nan")):
        some = TextClassifier(unlabelled="skip").fit([*TEXTS, "more words"], [*LABELS, missing])
        assert np.array_equal(some.predict_proba(NEW), TextClassifier().fit(TEXTS, LABELS).predict_proba(NEW))


def test_one_class_warns():
    with pytest.warns(UserWarning, match="only one class"):
        model = TextClassifier().fit(["a", "b"], ["x", "x"])
    assert model.predict(["c"]).tolist() == ["x"]
    assert model.predict_proba(["a"]).tolist() == [[1.0]]


def test_sample_weights(fitted):
    twice = TextClassifier().fit(TEXTS, LABELS, sample_weight=[1, 2, 0, 1, 1])
    rows = TextClassifier().fit([TEXTS[i] for i in (0, 1, 1, 3, 4)], [LABELS[i] for i in (0, 1, 1, 3, 4)])
    assert np.array_equal(twice.predict_proba(NEW), rows.predict_proba(NEW))
    ones = TextClassifier().fit(TEXTS, LABELS, sample_weight=np.ones(5))
    assert np.array_equal(ones.predict_proba(NEW), fitted.predict_proba(NEW))
    for bad in ([1, 1], [-1, 1, 1, 1, 1], [np.nan] * 5, [np.inf] * 5, "abc", [[1] * 5]):
        with pytest.raises(ValueError):
            TextClassifier().fit(TEXTS, LABELS, sample_weight=bad)


def test_chunks_are_the_whole():
    texts, labels = dataset("sms_spam")
    whole = TextClassifier().fit(texts, labels)
    chunks = TextClassifier()
    for start in range(0, len(texts), 1_111):
        assert chunks.partial_fit(texts[start : start + 1_111], labels[start : start + 1_111]) is chunks
    assert chunks.model_.counts == whole.model_.counts
    assert np.array_equal(chunks.predict_proba(texts[:99]), whole.predict_proba(texts[:99]))


def test_classes_still_to_come():
    model = TextClassifier().partial_fit(["a b"], ["y"], classes=["z", "y", "x"])
    assert model.classes_.tolist() == ["x", "y", "z"]
    assert model.predict_proba(["a"]).tolist() == [[0.0, 1.0, 0.0]]
    assert model.predict_log_proba(["a"]).tolist() == [[-np.inf, 0.0, -np.inf]]
    assert np.isneginf(model.log_joint(["a"])).tolist() == [[True, False, True]]
    model.partial_fit(["c", "d"], ["x", "z"])
    assert np.array_equal(
        model.predict_proba(["a c"]), TextClassifier().fit(["a b", "c", "d"], ["y", "x", "z"]).predict_proba(["a c"])
    )
    assert TextClassifier().partial_fit(["a"], [2], classes=[10, 2]).classes_.tolist() == [2, 10]


def test_it_shows_its_numbers(fitted):
    assert "2 classes, 5 documents, 10 terms" in repr(fitted)
    html = TextClassifier(alpha=0.25).fit([*TEXTS, "<b>"], [*LABELS, "<i>&"])._repr_html_()
    assert "alpha=0.25" in html
    assert "&lt;i&gt;&amp;" in html
    assert "<i>&" not in html
    assert "11 distinct terms" in html
    assert "not fitted" in TextClassifier()._repr_html_()
    assert repr(TextClassifier()) == "TextClassifier()"
    assert set(fitted._repr_mimebundle_()) == {"text/plain", "text/html"}
