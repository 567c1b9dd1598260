"""A model watched without labels: shares by hand, refits for what would be expected, and how often it cries wolf."""

import json

import numpy as np
import pytest
from scipy import stats

from priori import NaiveBayes, TextClassifier
from priori.columns.words.left_out.grouped_rows import Documents
from priori.decisions import estimated_prior
from priori.errors import DataError
from priori.model.decision_rule import posterior_prior
from priori.model.drift import FAR, Drift
from priori.model.unknown_words import UnknownWords

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
    gained = 2 * (estimate.log_likelihood[-1] - estimate.log_likelihood[0])
    assert found.p_value == pytest.approx(stats.chi2.sf(gained / (1 + 60 / 500), 1), abs=1e-6)
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


def zipf(rng, n, words=2000):
    """Texts of two classes in Zipf's law, drawn at once."""
    base = 1 / np.arange(1, words + 1)
    truth, sizes = rng.integers(0, 2, n), rng.integers(5, 40, n)
    tables = [np.cumsum(base * np.where((np.arange(words) < 400) & (np.arange(words) % 2 == k), 3, 1)) for k in (0, 1)]
    drawn = [np.searchsorted(tables[k], rng.random(m) * tables[k][-1]) for k, m in zip(truth, sizes, strict=True)]
    return [" ".join(f"w{word}" for word in row) for row in drawn], [f"c{k}" for k in truth]


SIZES = [(300, 300), (300, 4000), (100, 5000)]  # documents learned, and new ones


@pytest.fixture(scope="module")
def nulls():
    """Nothing has moved: what is said then, 20 times for each of the sizes."""
    rng = np.random.default_rng(5)
    return [
        (new / learned, TextClassifier().fit(*zipf(rng, learned)).drift(zipf(rng, new)[0]))
        for learned, new in SIZES
        for _ in range(20)
    ]


def test_a_mix_that_has_not_moved_is_seldom_told(nulls):
    most = stats.binom.isf(ALARM, len(nulls), 0.1)
    assert sum(found.p_value < 0.05 for _, found in nulls) <= most
    assert not any(found.other_mix or found.other_text or found.known_text for _, found in nulls)
    # the planted fault: the learned mix taken as known
    known = [stats.chi2.sf(stats.chi2.isf(found.p_value, 1) * (1 + ratio), 1) for ratio, found in nulls]
    assert sum(p < 0.05 for p in known) > most


def test_a_model_that_leans_to_a_class_does_not_cry():
    rng = np.random.default_rng(3)
    X, y = zipf(rng, 600)
    some = [i for i, label in enumerate(y) if label == "c0" or i % 4 == 0]  # and words that tell little
    model = TextClassifier(alpha=30.0, calibrate=False).fit([X[i] for i in some[:300]], [y[i] for i in some[:300]])
    found = model.drift([X[i] for i in some[300:]])
    assert found.p_value < 1e-3 and found.mix_z < FAR  # the estimate is wrong, and it was for the learned ones
    assert not found.other_mix and "for learned ones look as moved" in found.verdict


def squares_of_z(repetitions=400):
    rng, total = np.random.default_rng(6), 0.0
    for _ in range(repetitions):
        model = TextClassifier(alpha=1.0, calibrate=False).fit(*zipf(rng, 40, words=1000))
        total += model.drift(zipf(rng, 200, words=1000)[0]).unknown_z ** 2
    return total


def test_the_error_of_what_is_expected_counts(monkeypatch):
    most = stats.chi2.isf(ALARM, 400)
    assert squares_of_z() <= most
    # the planted fault: without the words of two documents
    monkeypatch.setattr("priori.model.unknown_words._shared_by_two", lambda model, documents: 0.0)
    assert squares_of_z() > most


@pytest.mark.parametrize("binary", [False, True])
def test_features_of_two_documents_by_hand(binary):
    X, y = documents(np.random.default_rng(9), 60, words=300)
    X, y = [*X, X[0], X[1], X[1]], [*y, y[0], y[1], y[1]]  # a copy is a document too
    rows = [text.split() for text in X]
    rows = [sorted(set(row)) for row in rows] if binary else rows
    two = {word for word in set().union(*rows) if sum(word in row for row in rows) == 2}
    total = 0
    for i, mine in enumerate(rows):
        for j, theirs in enumerate(rows):
            both = two & set(mine) & set(theirs)
            total += (i != j) * sum(word in both for word in mine) * sum(word in both for word in theirs)
    model = TextClassifier(binary=binary).fit(X, y).model_
    kept = Documents.of_sample(model.summary.sample, model.counts.unit, model.analyzer.binary)
    assert total > 50 and UnknownWords.of_kept(model, kept, 1).shared == total


def test_a_class_of_prior_0_cannot_come():
    X, y = documents(np.random.default_rng(0), 200)
    found = TextClassifier(class_prior={"ham": 1.0, "spam": 0.0}).fit(X, y).drift(X[:50])
    assert found.p_value == 1 and found.estimated_mix.tolist() == [1, 0] and not found.other_mix


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
    assert "more than by chance, but not by much: much the same kind of text" in found.verdict


def test_where_every_word_is_known_nothing_is_strange():
    X, y = ["an ox", "an ox is", "ox is", "an is"] * 5, ["x", "y", "x", "y"] * 5
    found = TextClassifier().fit(X, y).drift(X)
    assert found.unknown_z == 0 and "much the same kind of text" in found.verdict


def test_few_unknown_words_less_are_no_news_either():
    mix = np.array([0.7, 0.3])
    found = Drift(10**6, ("a", "b"), mix, mix, mix, 0.5, 0.9, 0.2, 0.9, 0.018, 0.02, -5.0)
    assert not found.known_text and "may have been learned" not in found.verdict
    assert "fewer than by chance, but not by much: much the same kind of text" in found.verdict


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
