"""Thresholds: scipy's exact intervals, brute force, and the promise kept on samples of known distributions."""

import json
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from priori.decisions import threshold_for_false_positives, threshold_for_precision
from priori.decisions.thresholds import upper_bound
from priori.errors import DataError

CONFIDENCE = 0.95
ALARM = 1e-7  # how often a test of chance may fail without a fault


def exceeded_at_most(times, repetitions, chance):
    return times <= stats.binom.isf(ALARM, repetitions, chance)


@given(st.integers(1, 300), st.data(), st.floats(0.5, 0.999))
def test_the_bound_is_that_of_scipy(n, data, confidence):
    k = data.draw(st.integers(0, n))
    interval = stats.binomtest(k, n, alternative="less").proportion_ci(confidence, method="exact")
    assert upper_bound(k, n, confidence) == pytest.approx(interval.high, rel=1e-8)


def risk(k, n, rate):
    """That more than rate n of n new ones come before the (k + 1)-th old one, the highest first, all orders alike."""
    return stats.nhypergeom.sf(math.floor(rate * n + 1e-9), 2 * n, n, k + 1)


def brute_force(negatives, rate, confidence):
    """Every k tried."""
    n, best = len(negatives), None
    for k in range(n):
        if (k + 1) / (n + 1) <= rate if confidence is None else risk(k, n, rate) <= 1 - confidence:
            best = k
    return best, None if best is None else sorted(negatives, reverse=True)[best]


@given(
    st.lists(st.integers(0, 30), min_size=1, max_size=60),
    st.sampled_from([0.043, 0.1, 0.31, 0.5, 0.97]),
    st.sampled_from([None, 0.6, 0.95]),
)
def test_brute_force(negatives, rate, confidence):
    k, value = brute_force(negatives, rate, confidence)
    scores, mask = [*negatives, 5, 31], [True] * len(negatives) + [False] * 2
    if k is None:
        with pytest.raises(DataError, match="cannot promise"):
            threshold_for_false_positives(scores, mask, rate, confidence=confidence)
        return
    found = threshold_for_false_positives(scores, mask, rate, confidence=confidence)
    assert (found.k, found.value, found.n) == (k, value, len(negatives))
    assert sum(score > found.value for score in negatives) <= k
    assert found.recall == np.mean([value < 5, value < 31])


@pytest.mark.parametrize("confidence", [None, 0.8, 0.95, 0.999])
@pytest.mark.parametrize("rate", [0.001, 0.005, 0.01, 0.07, 0.3])
def test_it_says_how_many_negatives_are_needed_and_so_many_are_enough(rate, confidence):
    with pytest.raises(DataError, match=r"1 negatives cannot promise at most [0-9.e-]+ % of false positives") as found:
        threshold_for_false_positives([0.5], [True], rate, confidence=confidence)
    needed = int(str(found.value).partition("give ")[2].partition(", or")[0].replace(",", ""))
    scores = np.linspace(0, 1, needed)
    enough = threshold_for_false_positives(scores, np.ones(needed), rate, confidence=confidence)
    assert (enough.k, enough.value, enough.recall) == (0, 1.0, None)
    with pytest.raises(DataError, match="cannot promise"):
        threshold_for_false_positives(scores[1:], np.ones(needed - 1), rate, confidence=confidence)


def by_promise(scores, rate):
    return threshold_for_false_positives(scores, np.ones(len(scores), dtype=bool), rate).value


def by_two_too_many(scores, rate):
    """The planted fault: k + 2 instead of k."""
    n = len(scores)
    k = threshold_for_false_positives(scores, np.ones(n), rate).k
    return np.sort(scores)[n - 1 - (k + 2)]


def by_plain_quantile(scores, rate):
    """The planted fault: the quantile without a bound."""
    return np.quantile(scores, 1 - rate)


SAMPLES, SIZE, RATE = 4000, 400, 0.02


@pytest.fixture(scope="module")
def negatives():
    return np.random.default_rng(5).random((SAMPLES, SIZE))


def times_exceeded(samples, rule):
    """In how many samples more than the rate of as many new negatives lie above."""
    new = np.random.default_rng(7).random(samples.shape)
    above = [int((fresh > rule(scores, RATE)).sum()) for scores, fresh in zip(samples, new, strict=True)]
    return sum(times > RATE * SIZE for times in above)


def test_the_promise_of_false_positives_is_kept(negatives):
    times = times_exceeded(negatives, by_promise)
    assert exceeded_at_most(times, SAMPLES, 1 - CONFIDENCE)
    # and no more is given away than whole numbers force
    found = threshold_for_false_positives(negatives[0], np.ones(SIZE), RATE)
    assert found.bound <= RATE  # in the long run, too
    chance = risk(found.k, SIZE, RATE)
    assert stats.binom.ppf(ALARM, SAMPLES, chance) <= times <= stats.binom.isf(ALARM, SAMPLES, chance)


@pytest.mark.parametrize("fault", [by_two_too_many, by_plain_quantile])
def test_the_promise_would_catch(negatives, fault):
    assert not exceeded_at_most(times_exceeded(negatives, fault), SAMPLES, 1 - CONFIDENCE)


def test_without_confidence_the_rate_holds_on_average(negatives):
    def rates(k):
        return 1 - np.sort(negatives, axis=1)[:, SIZE - 1 - k]

    found = threshold_for_false_positives(negatives[0], np.ones(SIZE), RATE, confidence=None)
    assert found.bound == (found.k + 1) / (SIZE + 1) <= RATE < (found.k + 2) / (SIZE + 1)
    spread = -stats.norm.ppf(ALARM) * math.sqrt(RATE / SIZE / SAMPLES)
    assert abs(rates(found.k).mean() - found.bound) < spread
    assert rates(found.k + 2).mean() > RATE + spread  # the planted fault


def test_copies_are_no_evidence():
    """Each text ten times over: by group the promise is that of the texts, without groups it is broken."""
    rng = np.random.default_rng(6)
    copies, samples, alone, together = 10, 400, 0, 0
    for _ in range(samples):
        scores = np.repeat(rng.random(200), copies)
        groups = np.repeat(np.arange(200), copies)
        mask = np.ones(len(scores), dtype=bool)
        alone += 1 - threshold_for_false_positives(scores, mask, RATE).value > RATE
        together += 1 - threshold_for_false_positives(scores, mask, RATE, groups=groups).value > RATE
    assert exceeded_at_most(together, samples, 1 - CONFIDENCE)
    assert not exceeded_at_most(alone, samples, 1 - CONFIDENCE)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 20), st.booleans()), min_size=1, max_size=40))
def test_a_group_counts_by_its_largest_score(rows):
    highest = {}
    for group, score, negative in rows:
        if negative:
            highest[group] = max(score, highest.get(group, -1))
    names, scores, mask = (list(column) for column in zip(*rows, strict=True))
    try:
        alone = threshold_for_false_positives(list(highest.values()), [True] * len(highest), 0.5, confidence=0.6)
    except DataError:
        with pytest.raises(DataError, match="cannot promise"):
            threshold_for_false_positives(scores, mask, 0.5, confidence=0.6, groups=names)
        return
    grouped = threshold_for_false_positives(scores, mask, 0.5, confidence=0.6, groups=[f"g{name}" for name in names])
    assert (grouped.value, grouped.n, grouped.k, grouped.bound) == (alone.value, alone.n, alone.k, alone.bound)


# --- precision -------------------------------------------------------------------------------------------------------


def true_precision(value, share, gap):
    """Of positives N(gap, 1) and negatives N(0, 1)."""
    right, wrong = share * stats.norm.sf(value - gap), (1 - share) * stats.norm.sf(value)
    return right / (right + wrong)


def labelled(rng, n, share, gap):
    positive = rng.random(n) < share
    return rng.standard_normal(n) + gap * positive, positive


def by_learning_then_testing(scores, positive, precision):
    try:
        return threshold_for_precision(scores, positive, precision).value
    except DataError:
        return None  # nothing promised


def by_what_was_seen(scores, positive, precision):
    """The planted fault: the lowest threshold whose precision in the sample is as wanted."""
    order = np.argsort(-scores)
    seen = np.cumsum(positive[order]) / np.arange(1, len(scores) + 1)
    return scores[order][np.flatnonzero(seen >= precision).max()]


def by_each_alone(scores, positive, precision):
    """The planted fault: every threshold tested as if it were the only one."""
    order = np.argsort(-scores)
    above = np.arange(1, len(scores))
    hits = np.cumsum(positive[order])[:-1]
    enough = np.flatnonzero(stats.binom.sf(hits - 1, above, precision) <= 1 - CONFIDENCE)
    return scores[order][1:][enough.max()] if len(enough) else None


def precision_is_kept(rule, share, gap, samples=400, wanted=0.8):
    rng, broken = np.random.default_rng(7), 0
    for _ in range(samples):
        scores, positive = labelled(rng, 1000, share, gap)
        value = rule(scores, positive, wanted)
        broken += value is not None and true_precision(value, share, gap) < wanted
    return exceeded_at_most(broken, samples, 1 - CONFIDENCE)


TELLING, MUTE = (0.4, 1.5), (0.799, 0.0)  # scores that tell the classes apart, and scores that say nothing


@pytest.mark.parametrize("world", [TELLING, MUTE])
def test_the_promise_of_precision_is_kept(world):
    assert precision_is_kept(by_learning_then_testing, *world)


@pytest.mark.parametrize(("fault", "world"), [(by_what_was_seen, TELLING), (by_each_alone, MUTE)])
def test_the_promise_of_precision_would_catch(fault, world):
    assert not precision_is_kept(fault, *world)


def test_telling_scores_are_promised_something():
    scores, positive = labelled(np.random.default_rng(7), 5000, *TELLING)
    assert 0.8 < true_precision(threshold_for_precision(scores, positive, 0.8).value, *TELLING) < 0.85


@given(st.integers(0, 1000), st.sampled_from([0.5, 0.8, 0.9]), st.integers(1, 40))
def test_what_is_said_of_a_precision_is_so(seed, precision, ties):
    scores, positive = labelled(np.random.default_rng(seed), 400, 0.5, 2.0)
    scores = np.rint(scores * ties) / ties
    try:
        found = threshold_for_precision(scores, positive, precision)
    except DataError:
        assume(False)
    above = scores > found.value
    assert (found.n, found.k) == (above.sum(), (above & ~positive).sum())
    assert found.recall == above[positive].mean()
    interval = stats.binomtest(found.n - found.k, found.n, alternative="greater")
    alone = interval.proportion_ci(CONFIDENCE, method="exact").low
    least = interval.proportion_ci(1 - (1 - CONFIDENCE) / 50, method="exact").low
    assert precision <= found.bound
    assert least - 1e-12 <= found.bound <= alone + 1e-12


def test_groups_count_once_for_a_precision():
    scores, positive = labelled(np.random.default_rng(1), 600, 0.5, 3.0)
    alone = threshold_for_precision(scores, positive, 0.9)
    copied = threshold_for_precision(np.tile(scores, 3), np.tile(positive, 3), 0.9, groups=np.tile(np.arange(600), 3))
    assert copied == alone


@given(st.lists(st.tuples(st.integers(0, 200), st.integers(0, 20), st.booleans()), min_size=60, max_size=200))
def test_a_group_is_right_for_a_precision_only_as_a_whole(rows):
    highest, right = {}, {}
    for group, score, positive in rows:
        highest[group] = max(score, highest.get(group, -1))
        right[group] = positive and right.get(group, True)
    names, scores, mask = (list(column) for column in zip(*rows, strict=True))
    alone = promised(list(highest.values()), list(right.values()), None)
    assert promised(scores, mask, names) == alone
    assert promised(scores[::-1], mask[::-1], names[::-1]) == alone  # and their order says nothing


def promised(scores, positive, groups):
    try:
        return threshold_for_precision(scores, positive, 0.2, confidence=0.6, groups=groups)
    except DataError as error:
        return str(error)


def test_copies_in_two_classes_are_not_right_by_the_order_of_the_classes():
    texts = np.repeat(np.arange(600), 2)
    positive = (texts % 2 == 0) | (np.arange(1200) % 2 == 0)  # every other text in both classes, the positive one first
    with pytest.raises(DataError, match="no threshold promises"):  # though the first of each text is right
        threshold_for_precision(1 - texts / 600, positive, 0.9, groups=texts)


def test_the_best_that_can_be_promised_is_said():
    scores, positive = labelled(np.random.default_rng(2), 2000, 0.3, 0.2)
    with pytest.raises(DataError, match="no threshold promises a precision of 90 % with 95 % confidence") as found:
        threshold_for_precision(scores, positive, 0.9)
    best = float(str(found.value).partition("the best promises ")[2].partition("%")[0]) / 100
    assert threshold_for_precision(scores, positive, best - 1e-3).bound >= best - 1e-3
    with pytest.raises(DataError, match="no threshold promises"):
        threshold_for_precision(scores, ~np.ones(2000, dtype=bool), 0.9)


@pytest.mark.parametrize("precision", [0.5, 0.9, 0.99])
def test_as_many_documents_as_a_precision_needs_are_enough(precision):
    needed = math.ceil(math.log((1 - CONFIDENCE) / 50) / math.log(precision)) + 1
    scores = np.linspace(0, 1, needed)
    with pytest.raises(DataError, match=f"give {needed:,} or more"):
        threshold_for_precision(scores[1:], np.ones(needed - 1), precision)
    assert threshold_for_precision(scores, np.ones(needed), precision).n == needed - 1


def test_thresholds_are_written_as_json():
    for found in (
        threshold_for_false_positives(np.arange(200), np.arange(200) < 150, 0.05),
        threshold_for_precision(np.arange(200), np.arange(200) > 50, 0.8),
    ):
        assert json.loads(json.dumps(found.to_json(), allow_nan=False))["value"] == found.value


@pytest.mark.parametrize("choose", [threshold_for_false_positives, threshold_for_precision])
@pytest.mark.parametrize(
    ("given", "named", "words"),
    [
        (([0.1, np.nan], [1, 1], 0.5), {}, "a score is not finite"),
        (([0.1, np.inf], [1, 1], 0.5), {}, "a score is not finite"),
        ((["a", "b"], [1, 1], 0.5), {}, "the scores are no numbers"),
        (([0.1, 0.2], [True], 0.5), {}, r"scores of shape \(2,\) do not fit"),
        (([[0.1, 0.2]], [[True, True]], 0.5), {}, r"scores of shape \(1, 2\)"),
        (([0.1, 0.2], ["x", "y"], 0.5), {}, "holds other values than true and false"),
        (([0.1, 0.2], [2, 1], 0.5), {}, "holds other values than true and false"),
        (([0.1, 0.2], [1, 1], 0.0), {}, "=0.0 is no share that can be promised"),
        (([0.1, 0.2], [1, 1], 1.0), {}, "=1.0 is no share"),
        (([0.1, 0.2], [1, 1], np.nan), {}, "=nan is no share"),
        (([0.1, 0.2], [1, 1], "few"), {}, "='few' is no share"),
        (([0.1, 0.2], [1, 1], 0.5), {"confidence": 1.0}, "confidence=1.0 is no share"),
        (([0.1, 0.2], [1, 1], 0.5), {"groups": [1]}, r"groups are of shape \(1,\)"),
        (([], [], 0.5), {}, "0 (negatives|documents) cannot promise"),
    ],
)
def test_what_cannot_be_promised(choose, given, named, words):
    with pytest.raises(DataError, match=words) as found:
        choose(*given, **named)
    assert "\n" not in str(found.value)
