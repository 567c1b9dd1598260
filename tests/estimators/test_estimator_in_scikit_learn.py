"""The estimator among scikit-learn's tools, threads and processes."""

import multiprocessing
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import VotingClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score, learning_curve
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from corpora import dataset
from priori import Prior, TextClassifier

PLAIN = TextClassifier(compat="sklearn", alpha=1.0, calibrate=False)  # what scikit-learn computes


@pytest.fixture(scope="module")
def sms():
    texts, labels = dataset("sms_spam")
    return texts[:900], labels[:900]


@pytest.fixture(scope="module")
def fitted(sms):
    return TextClassifier().fit(*sms)


def shortened(texts):
    return [text[:40] for text in texts]


def test_pipelines(sms):
    texts, labels = sms
    pipeline = make_pipeline(FunctionTransformer(shortened), TextClassifier(alpha=0.5)).fit(texts, labels)
    alone = TextClassifier(alpha=0.5).fit(shortened(texts), labels)
    assert np.array_equal(pipeline.predict_proba(texts), alone.predict_proba(shortened(texts)))
    assert pipeline.classes_.tolist() == ["ham", "spam"]
    pipeline.set_params(textclassifier__alpha=2.0)
    assert np.array_equal(pipeline.predict_proba(texts), alone.set_params(alpha=2.0).predict_proba(shortened(texts)))


def test_grid_search_finds_what_scikit_learn_finds(sms):
    texts, labels = sms
    alphas = np.array([0.01, 0.1, 1, 5])
    ours = GridSearchCV(PLAIN, {"alpha": alphas}, cv=3, n_jobs=2, scoring="neg_log_loss")
    theirs = GridSearchCV(
        make_pipeline(CountVectorizer(), MultinomialNB()),
        {"multinomialnb__alpha": alphas},
        cv=3,
        scoring="neg_log_loss",
    )
    ours.fit(texts, labels)
    theirs.fit(texts, labels)
    assert ours.cv_results_["mean_test_score"] == pytest.approx(theirs.cv_results_["mean_test_score"], rel=1e-9)
    assert ours.best_estimator_.predict(["free entry, text WIN"]).tolist() == ["spam"]


def test_grids_over_everything_else(sms):
    grid = [
        {"event": ["multinomial", "bernoulli", "complement"], "alpha": [1, Prior(0.5, {"free": 2.0})]},
        {"estimate": ["integrated"], "unknown": ["prior"], "ngrams": [(1, 2)], "class_prior": ["uniform"]},
    ]
    search = GridSearchCV(TextClassifier(), grid, cv=2, error_score="raise").fit(*sms)
    assert search.best_score_ > 0.9


def test_cross_validation(sms):
    texts, labels = sms
    peer = make_pipeline(CountVectorizer(), MultinomialNB())
    ours = PLAIN
    assert np.array_equal(cross_val_score(ours, texts, labels), cross_val_score(peer, texts, labels))
    proba = cross_val_predict(ours, np.array(texts, object), labels, method="predict_proba")
    assert proba == pytest.approx(cross_val_predict(peer, texts, labels, method="predict_proba"), abs=1e-9)
    sizes, train, test = learning_curve(ours, texts, labels, train_sizes=[0.2, 1.0], cv=3, shuffle=True, random_state=0)
    assert train.shape == test.shape == (len(sizes), 3)
    incremental = learning_curve(
        ours,
        texts,
        labels,
        train_sizes=[0.2, 1.0],
        cv=3,
        shuffle=True,
        random_state=0,
        exploit_incremental_learning=True,
    )
    assert np.array_equal(incremental[2], test)  # partial_fit on the increments


def test_ensembles(sms):
    texts, labels = sms
    members = [("words", TextClassifier()), ("letters", TextClassifier(features="chars", ngrams=(2, 4)))]
    voting = VotingClassifier(members, voting="soft").fit(texts, labels)
    expected = np.mean([model.fit(texts, labels).predict_proba(texts) for _, model in members], axis=0)
    assert voting.predict_proba(texts) == pytest.approx(expected, abs=1e-12)
    assert voting.predict(texts).tolist() == np.array(["ham", "spam"])[expected.argmax(axis=1)].tolist()
    rest = OneVsRestClassifier(TextClassifier()).fit(texts, labels)
    assert rest.score(texts, labels) > 0.95


def test_calibration(sms):
    texts, labels = sms
    calibrated = CalibratedClassifierCV(TextClassifier(), cv=3).fit(texts, labels)
    assert calibrated.predict_proba(texts).shape == (len(texts), 2)
    assert calibrated.score(texts, labels) > 0.95


def test_prediction_from_eight_threads(sms):
    """Nothing is warm: the first to come build the scorer and its index together."""
    texts, labels = sms
    for _ in range(3):
        model = TextClassifier().fit(texts, labels)
        expected = TextClassifier().fit(texts, labels).predict_proba(texts)
        with ThreadPoolExecutor(8) as pool:
            results = list(pool.map(lambda i, model=model: model.predict_proba(texts[i::8]), range(8)))
        for i, result in enumerate(results):
            assert np.array_equal(result, expected[i::8])


def test_learning_in_several_threads(sms):
    texts, labels = sms
    with ThreadPoolExecutor(4) as pool:
        models = list(pool.map(lambda _: TextClassifier(n_jobs=2).fit(texts, labels), range(8)))
    assert all(model.model_.counts == models[0].model_.counts for model in models)


def predict_in_child(model, texts, labels, sender):
    again = TextClassifier(n_jobs=2).fit(texts, labels)
    sender.send((model.predict_proba(texts), again.predict_proba(texts), again.classes_.tolist()))
    sender.close()


def test_after_fork(fitted, sms):
    texts, labels = sms
    expected = fitted.predict_proba(texts)  # threads, scorer and index are in use before
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=predict_in_child, args=(fitted, texts, labels, sender))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # forking while threads run, which is the point here
        child.start()
    sender.close()
    assert receiver.poll(60)
    predicted, anew, classes = receiver.recv()
    child.join(30)
    assert child.exitcode == 0
    assert np.array_equal(predicted, expected)
    assert np.array_equal(anew, expected)
    assert classes == ["ham", "spam"]
