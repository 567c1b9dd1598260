"""A model watched without labels: shares by hand, refits for what would be expected, and how often it cries wolf."""

import json

import numpy as np
import pytest
from scipy import stats

from priori import NaiveBayes, TextClassifier
from priori.decisions import estimated_prior
from priori.drift import FAR, Drift
from priori.errors import DataError
from priori.operating import posterior_prior

ALARM = 1e-7  # how often a test of chance may fail without a fault


def documents(rng, n, words=3000, spam=0.3, length=10):
    """Texts of words that are few and often, and many and seldom (Zipf's law)."""
    shares = 1 / np.arange(1, words + 1)
    truth = rng.random(n) < spam
    sizes = rng.poisson(length, n) + 1
    drawn = [rng.choice(words, size, p=shares / shares.sum()) for size in sizes]
    texts = [" ".join(f"w{w if w % 3 else f'{w}{k:d}'}" for w in row) for row, k in zip(drawn, truth, strict=True)]
    return texts, np.where(truth, "spam", "ham").tolist()


@pytest.fixture(scope="module")
def model():
    return TextClassifier().fit(*documents(np.random.default_rng(0), 500))


def test_the_numbers_by_hand(model):
    X = documents(np.random.default_rng(1), 60)[0]
    found = model.drift(X)
    known = set(model.get_feature_names_out())
    words = [word for text in X for word in text.split()]
    posterior = model.predict_proba(X)
    estimate = estimated_prior(posterior, posterior_prior(model.model_))
    assert found.n == 60
    assert found.unknown_share == pytest.approx(sum(word not in known for word in words) / len(words))
    assert found.class_mix == pytest.approx(posterior.mean(axis=0))
    assert found.estimated_mix == pytest.approx(estimate.prior, abs=1e-6)
    assert found.p_value == pytest.approx(estimate.p_value, abs=1e-6)
    assert found.expected_accuracy == pytest.approx(posterior.max(axis=1).mean())
    assert found.expected_log_loss == pytest.approx(stats.entropy(posterior, axis=1).mean())
    assert json.loads(json.dumps(found.to_json(), allow_nan=False))["verdict"] == found.verdict


def test_what_is_expected_is_what_refits_find():
    X, y = documents(np.random.default_rng(2), 40, words=60)
    X, y = [*X, X[0], X[0], X[1]], [*y, y[0], y[0], y[1]]  # copies: of what was learned twice, nothing is new
    unknown = total = 0
    for i, text in enumerate(X):
        rest = {word for j, other in enumerate(X) if j != i for word in other.split()}
        unknown += sum(word not in rest for word in text.split())
        total += len(text.split())
    found = TextClassifier().fit(X, y).drift(X)
    assert found.expected_unknown_share == pytest.approx(unknown / total)
    assert found.unknown_share == 0 and found.left_out_accuracy is not None


def cries(factor, repetitions=100):
    """How often documents as those learned are told apart, with standard errors `factor` times as large."""
    rng = np.random.default_rng(4)
    far = 0
    for _ in range(repetitions):
        model = TextClassifier(alpha=1.0, calibrate=False).fit(*documents(rng, 120, words=400))
        z = model.drift(documents(rng, 80, words=400)[0]).unknown_z
        far += abs(z) / factor > 2
    return far


def test_the_same_kind_of_text_is_seldom_told_apart():
    # two standard errors: 4.6 % by chance; a little more is allowed, for words that all new texts share
    assert cries(1.0) <= stats.binom.isf(ALARM, 100, 0.07)


def test_standard_errors_too_small_would_be_noticed():
    assert cries(0.5) > stats.binom.isf(ALARM, 100, 0.07)


def test_another_kind_of_text_is_told(model):
    found = model.drift([f"new{i} words{i} w1" for i in range(20)])
    assert found.other_text and found.unknown_z > FAR
    assert "another kind of text" in found.verdict and "may not hold" in found.verdict


def test_texts_that_were_learned_are_noticed(model):
    found = model.drift(documents(np.random.default_rng(0), 500)[0])
    assert found.unknown_share == 0 and not found.other_text
    assert "may have been learned" in found.verdict


def test_a_class_mix_that_moved_is_told(model):
    same = model.drift(documents(np.random.default_rng(7), 400)[0])
    assert not same.other_mix and "no sign of another class mix" in same.verdict
    moved = model.drift(documents(np.random.default_rng(7), 400, spam=0.8)[0])
    assert moved.other_mix and "the class mix has moved" in moved.verdict
    assert moved.estimated_mix[1] == pytest.approx(0.8, abs=0.08)


def test_a_shift_that_is_sure_and_small_is_no_news():
    mix = np.array([0.7, 0.3])
    found = Drift(10**6, ("a", "b"), mix, mix, np.array([0.705, 0.295]), 1e-9, 0.9, 0.2, 0.9, 0.02, 0.018, 5.0)
    assert not found.other_mix and not found.other_text
    assert "but few: much the same kind of text" in found.verdict


def test_what_cannot_be_known_is_none(model):
    X, y = documents(np.random.default_rng(0), 60)
    bare = TextClassifier(keep_sample=False).fit(X, y).drift(X)
    assert (bare.expected_unknown_share, bare.unknown_z, bare.left_out_accuracy) == (None, None, None)
    assert "keeps no documents" in bare.verdict
    pruned = TextClassifier(max_terms=20).fit(X, y).drift(X)
    assert pruned.unknown_share > 0 and pruned.expected_unknown_share is None
    assert model.drift([""]).unknown_share is None
    assert "too few" in model.drift(["w1 w2"]).verdict
    with pytest.raises(DataError, match="no documents"):
        model.drift([])


def test_of_a_table_the_class_mix_is_compared():
    rng = np.random.default_rng(8)
    y = rng.choice(["no", "yes"], 500, p=[0.7, 0.3])
    X = {"x": np.where(rng.random(500) < 0.9, y, "no")}
    model = NaiveBayes().fit(X, y)
    found = model.drift({"x": ["yes"] * 95 + ["no"] * 5})
    assert found.other_mix and found.estimated_mix[1] > 0.9 and found.unknown_share is None
    assert found.left_out_accuracy == pytest.approx((model.leave_one_out(X, y).argmax(axis=1) == (y == "yes")).mean())
