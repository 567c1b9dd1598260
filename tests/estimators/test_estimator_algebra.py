"""Learning more, forgetting and merging through the estimator."""

import numpy as np
import pytest
from messages import LABELS, NEW, TEXTS

from priori import TextClassifier
from priori.errors import DataError, MergeError, NegativeCountError


def test_learn_forget_and_the_algebra(fitted):
    more, labels = ["free parking", "a new class"], ["ham", "news"]
    before = fitted.predict_proba(NEW)
    other = TextClassifier().fit(more, labels)
    both = TextClassifier().fit(TEXTS + more, LABELS + labels)
    assert np.array_equal((fitted + other).predict_proba(NEW), both.predict_proba(NEW))
    assert (fitted + other).classes_.tolist() == ["ham", "news", "spam"]
    assert np.array_equal((fitted + other - other).predict_proba(NEW), before)
    assert np.array_equal(fitted.predict_proba(NEW), before)  # + and - leave both sides alone
    assert fitted.learn(more, labels) is fitted
    assert np.array_equal(fitted.predict_proba(NEW), both.predict_proba(NEW))
    assert fitted.forget(more, labels) is fitted
    assert fitted.classes_.tolist() == ["ham", "spam"]
    assert np.array_equal(fitted.predict_proba(NEW), before)


def test_what_was_never_learned_cannot_be_forgotten(fitted):
    before = fitted.predict_proba(NEW)
    with pytest.raises(NegativeCountError):
        fitted.forget(["never learned"], ["ham"])
    with pytest.raises(DataError, match="type int"):
        fitted.forget(TEXTS[:1], [1])
    assert np.array_equal(fitted.predict_proba(NEW), before)
    negative = fitted - TextClassifier().fit(["never learned", "free"], ["ham", "spam"])
    with pytest.raises(NegativeCountError):
        negative.predict(NEW)


def test_other_analyzers_do_not_merge(fitted):
    with pytest.raises(MergeError, match="ngrams"):
        fitted + TextClassifier(ngrams=(1, 2)).fit(TEXTS, LABELS)
    with pytest.raises(MergeError, match="vocabulary"):
        fitted + TextClassifier(vocabulary=["free"]).fit(TEXTS, LABELS)
