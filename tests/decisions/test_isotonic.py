"""The monotone map: scikit-learn's isotonic regression, brute force, its laws, and miscalibration that is known."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import log_softmax, logsumexp
from sklearn.isotonic import IsotonicRegression

from priori.decisions import MonotoneMap, fit_monotone
from priori.decisions.isotonic import log_odds
from priori.errors import DataError, EstimateError, ModelFileError

rows = st.lists(
    st.tuples(st.integers(-8, 8).map(float), st.booleans(), st.sampled_from([0.25, 1.0, 1.0, 3.0])),
    min_size=1,
    max_size=60,
)


def imagined(scores, right, weights):
    """With the two outcomes that are imagined, at scores of their own."""
    scores, right, weights = (np.array(values, dtype=float) for values in (scores, right, weights))
    return (
        np.concatenate([[scores.min() - 1], scores, [scores.max() + 1]]),
        np.concatenate([[1], right, [0]]),
        np.concatenate([[1], weights, [1]]),
    )


@given(rows)
def test_the_blocks_are_those_of_scikit_learn(data):
    scores, right, weights = zip(*data, strict=True)
    found = MonotoneMap.fitted(scores, right, weights)
    x, y, w = imagined(scores, right, weights)
    fitted = IsotonicRegression().fit(x, y, sample_weight=w).predict(x)[1:-1]
    # blocks of equal values, told apart by more than rounding
    values = sorted({round(value, 9) for value in fitted})
    np.testing.assert_allclose(found.probabilities, values, atol=1e-9)
    for knot, value in zip(found.knots, values, strict=True):
        here = np.abs(fitted - value) < 1e-8
        assert knot == pytest.approx(np.average(x[1:-1][here], weights=w[1:-1][here]), abs=1e-12)


@given(rows)
def test_a_maximum_of_minima(data):
    """f(x) = max over a ≤ x of min over b ≥ x of the mean from a to b: the definition, tried out."""
    x, y, w = imagined(*zip(*data, strict=True))
    values = np.unique(x)

    def mean(a, b):
        inside = (x >= a) & (x <= b)
        return np.average(y[inside], weights=w[inside])

    expected = {max(min(mean(a, b) for b in values if b >= v) for a in values if a <= v) for v in values[1:-1]}
    found = MonotoneMap.fitted(*zip(*data, strict=True))
    assert all(min(abs(p - q) for q in expected) < 1e-12 for p in found.probabilities)
    assert all(min(abs(p - q) for p in found.probabilities) < 1e-12 for q in expected)


@given(rows, st.lists(st.floats(allow_nan=False), min_size=2))
def test_it_never_falls_and_never_is_sure(data, asked):
    found = MonotoneMap.fitted(*zip(*data, strict=True))
    mapped = found(np.sort(asked))
    assert (np.diff(mapped) >= 0).all()
    assert ((mapped > 0) & (mapped < 1)).all()
    assert (found([-np.inf, np.inf]) == found.probabilities[[0, -1]]).all()


@given(rows)
def test_weight_two_is_twice(data):
    scores, right, weights = (list(column) for column in zip(*data, strict=True))
    twice = MonotoneMap.fitted(scores * 2, right * 2, weights * 2)
    heavy = MonotoneMap.fitted(scores, right, np.multiply(weights, 2))
    np.testing.assert_allclose(twice.knots, heavy.knots, atol=1e-12)
    np.testing.assert_allclose(twice.probabilities, heavy.probabilities, rtol=1e-12)


def test_weight_nought_is_nothing():
    found = MonotoneMap.fitted([0.0, 1.0, 5.0], [0, 1, 0], [1, 1, 0])
    alone = MonotoneMap.fitted([0.0, 1.0], [0, 1], [1, 1])
    assert found.to_json() == alone.to_json()


@pytest.mark.parametrize("right", [True, False])
def test_always_right_is_the_rule_of_laplace(right):
    found = MonotoneMap.fitted(np.arange(10.0), [right] * 10)
    assert found.probabilities.tolist() == [(10 * right + 1) / 12]


def test_infinite_scores_lie_outside():
    found = MonotoneMap.fitted([-np.inf] * 9 + [2.0] * 9 + [np.inf] * 9, [0] * 9 + [0, 1, 0] * 3 + [1] * 9)
    assert found.knots.tolist() == [1, 2, 3]
    assert found.probabilities.tolist() == [0.1, 1 / 3, 0.9]


# --- posteriors ------------------------------------------------------------------------------------------------------

logs = st.integers(1, 5).flatmap(
    lambda size: st.lists(
        st.lists(st.floats(-800, 800), min_size=size, max_size=size).map(log_softmax), min_size=1, max_size=12
    ).map(np.array)
)


@given(logs)
def test_log_odds_by_their_definition(log_posterior):
    found = log_odds(log_posterior)
    for row, odds in zip(log_posterior, found, strict=True):
        for c in range(len(row)):
            others = np.delete(row, c)
            if len(others) == 0:
                assert odds[c] == np.inf
            else:
                assert odds[c] == pytest.approx(row[c] - logsumexp(others), rel=1e-12, abs=1e-12)


@given(logs, st.data())
def test_no_class_overtakes_another(log_posterior, data):
    n, size = log_posterior.shape
    truth = data.draw(st.lists(st.integers(0, size - 1), min_size=n, max_size=n))
    found = fit_monotone(log_posterior, truth).apply(log_posterior)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(logsumexp(found, axis=1), 0, atol=1e-14)
    if size == 2:
        return  # there one class may be favoured, and that is mended
    for before, after in zip(log_posterior, found, strict=True):
        assert after[before.argmax()] == after.max()
        assert (np.diff(after[np.argsort(before)]) >= -1e-12).all()


def test_classes_that_are_impossible_or_certain():
    log_posterior = np.array([[0.0, -np.inf, -np.inf], [-np.inf, -np.inf, 0.0], [-800.0, 0.0, -np.inf]])
    found = fit_monotone(log_posterior, [0, 2, 0]).apply(log_posterior)
    assert np.isfinite(found).all()
    one = np.zeros((4, 1))
    assert fit_monotone(one, [0, 0, 0, 0]).apply(one).tolist() == one.tolist()


def simulated(rng, n, size):
    """Log-posteriors that are true, and truths drawn from them."""
    true = log_softmax(rng.normal(0, 2, (n, size)), axis=1)
    truth = (rng.random((n, 1)) > np.exp(true).cumsum(axis=1)[:, :-1]).sum(axis=1)
    return true, truth


def log_loss(log_posterior, truth):
    return -log_posterior[np.arange(len(truth)), truth].mean()


@pytest.mark.parametrize("size", [2, 3, 6])
def test_what_was_exaggerated_is_mended(size):
    """Log-posteriors three times too large; left as they are, they are the fault that the loss must show."""
    true, truth = simulated(np.random.default_rng(size), 20_000, size)
    exaggerated = log_softmax(3 * true, axis=1)
    fit, new = slice(0, 10_000), slice(10_000, None)
    mended = fit_monotone(exaggerated[fit], truth[fit]).apply(exaggerated[new])
    best, before, after = (log_loss(given, truth[new]) for given in (true[new], exaggerated[new], mended))
    assert before - best > 0.15
    # what one map for all classes cannot mend: with two it mends everything
    assert after - best < (0.005 if size == 2 else 0.05)


def test_of_two_classes_a_favoured_one_is_mended():
    true, truth = simulated(np.random.default_rng(1), 20_000, 2)
    favoured = log_softmax(true + np.array([3.0, 0.0]), axis=1)
    mended = fit_monotone(favoured, truth).apply(favoured)
    assert log_loss(favoured, truth) - log_loss(true, truth) > 0.3
    assert abs(log_loss(mended, truth) - log_loss(true, truth)) < 0.005
    assert np.exp(mended).mean(axis=0)[0] == pytest.approx((truth == 0).mean(), abs=0.005)


def test_many_pairs_take_little_time():
    rng = np.random.default_rng(2)
    found = fit_monotone(log_softmax(rng.normal(0, 3, (2000, 500)), axis=1), rng.integers(0, 500, 2000))
    assert found.classes == 500
    # a million pairs, and as many blocks at the most as right answers
    assert len(found.knots) <= 2001


@given(rows)
def test_files_hold_it_to_the_last_bit(data):
    found = MonotoneMap.fitted(*zip(*data, strict=True), classes=3)
    again = MonotoneMap.from_json(json.loads(json.dumps(found.to_json(), allow_nan=False)))
    assert again.to_json() == found.to_json()


@pytest.mark.parametrize(
    "damage",
    [
        {"knots": [1.0, 1.0]},
        {"knots": [2.0, 1.0]},
        {"knots": [0.0, math.inf]},
        {"knots": [0.0, math.nan]},
        {"knots": [0.0]},
        {"knots": [], "probabilities": []},
        {"knots": "none"},
        {"knots": None},
        {"knots": [[0.0, 1.0]], "probabilities": [[0.2, 0.4]]},
        {"probabilities": [0.0, 0.4]},
        {"probabilities": [0.2, 1.0]},
        {"probabilities": [0.4, 0.2]},
        {"probabilities": [0.4, math.nan]},
        {"probabilities": {"a": 1}},
        {"classes": 0},
        {"classes": 2.5},
        {"classes": True},
        {"classes": None},
        {"more": 1},
    ],
    ids=str,
)
def test_a_damaged_map_is_refused(damage):
    sound = {"knots": [0.0, 1.0], "probabilities": [0.2, 0.4], "classes": 2}
    MonotoneMap.from_json(sound)
    with pytest.raises(ModelFileError, match=r"monotone map of the file .*; restore a copy"):
        MonotoneMap.from_json(sound | damage)
    with pytest.raises(ModelFileError, match="other parts"):
        MonotoneMap.from_json([sound])


HALF = np.log([[0.5, 0.5]])


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: MonotoneMap.fitted([], []), DataError, "no weight is above 0"),
        (lambda: MonotoneMap.fitted([1.0], [1], [0.0]), DataError, "no weight is above 0"),
        (lambda: MonotoneMap.fitted([1.0], [1], [np.inf]), DataError, "not finite"),
        (lambda: MonotoneMap.fitted([1.0, 2.0], [1, 0], [1, -1]), DataError, "one is negative"),
        (lambda: MonotoneMap.fitted([np.nan], [1]), DataError, "a score is not a number"),
        (lambda: MonotoneMap.fitted([1.0], [2]), DataError, "neither right nor wrong"),
        (lambda: MonotoneMap.fitted([1.0], [1, 0]), DataError, "do not fit"),
        (lambda: fit_monotone(HALF, [2]), DataError, "a true class is none of the 2"),
        (lambda: fit_monotone(HALF, [-1]), DataError, "a true class is none of the 2"),
        (lambda: fit_monotone(HALF, ["a"]), DataError, "a true class is none of the 2"),
        (lambda: fit_monotone(HALF, [0, 1]), DataError, "1 rows have truths of shape"),
        (lambda: fit_monotone(HALF, [0], [1, 1]), DataError, "1 rows have truths of shape"),
        (lambda: fit_monotone(HALF[:0], []), DataError, "no weight is above 0"),
        (lambda: fit_monotone(HALF * np.nan, [0]), DataError, "holds no probability, NaN or infinity"),
        (lambda: fit_monotone(HALF * np.inf, [0]), DataError, "holds no probability, NaN or infinity"),
        (lambda: fit_monotone(HALF, [0]).apply(np.zeros((1, 3))), EstimateError, "for 2 classes .* calibrate again"),
    ],
)
def test_what_no_map_can_be(call, error, words):
    with pytest.raises(error, match=words) as found:
        call()
    assert "\n" not in str(found.value)
