"""Drawn cells have the distribution that the scores say: chi-square and Kolmogorov-Smirnov, and a planted fault.

Each test is at a level of 1e-4 and its seed is fixed, so it fails only if the code changes; the fault shows at 1e-12.
"""

import numpy as np
import pytest
from scipy import integrate, stats

from columns.column_cases import CASES, WORDS, learned, readings
from priori.columns.base import Codes, Rows
from priori.columns.bin_tree import bucket_of, middle_of
from priori.errors import EstimateError

BY_NAME = {case.name: case for case in CASES}
SIZE = 4000
LEVEL = 1e-4


def drawn(name, k, estimate="bayes", n=60):
    case = BY_NAME[name]
    reading = case.family.read(learned(case, n)[2], readings(estimate))
    return reading, reading.sample(np.full(SIZE, k, np.int32), np.random.default_rng(k))


def chi_square(observed, shares):
    """p of counts under probabilities; rare cells are pooled, so that each expects five or more."""
    order = np.argsort(shares)
    observed, expected = observed[order], shares[order] / shares.sum() * observed.sum()
    first = int(np.searchsorted(np.cumsum(expected), 5))
    pooled = [np.concatenate([[values[: first + 1].sum()], values[first + 1 :]]) for values in (observed, expected)]
    return stats.chisquare(*pooled).pvalue


@pytest.mark.parametrize("name", ["bernoulli", "categorical", "categorical, stated", "poisson"])
@pytest.mark.parametrize("estimate", ["map", "bayes"])
@pytest.mark.parametrize("k", range(3))
def test_values_are_drawn_as_often_as_they_score(name, estimate, k):
    reading, cells = drawn(name, k, estimate)
    if name == "poisson":
        values = np.arange(cells.max() + 1)
        scores = reading.log_prob(values)
    else:
        values = reading.keys
        scores = reading.log_prob(Codes(np.arange(len(values), dtype=np.int32), tuple(values)))
    observed = np.array([(cells == value).sum() for value in values])
    shares = np.exp(scores)
    assert observed.sum() == SIZE
    assert chi_square(observed, shares[:, k]) > LEVEL
    assert chi_square(observed, np.roll(shares, 1, axis=0)[:, k]) < 1e-12  # the fault: values out of place


@pytest.mark.parametrize("name", ["gaussian", "student", "lognormal", "exponential", "gamma"])
@pytest.mark.parametrize("estimate", ["ml", "map", "bayes"])
@pytest.mark.parametrize("k", range(3))
def test_numbers_are_drawn_from_their_density(name, estimate, k):
    """Against the distribution function that quadrature of the scores gives, from the smallest to the largest draw."""
    reading, cells = drawn(name, k, estimate)
    at = np.quantile(cells, np.linspace(0.001, 0.999, 4001))
    density = np.exp(reading.log_prob(at)[:, k])
    inside = integrate.cumulative_trapezoid(density, at, initial=0)
    middle = cells[(cells >= at[0]) & (cells <= at[-1])]

    def cdf(x):
        return np.interp(x, at, inside / inside[-1])

    assert inside[-1] == pytest.approx(0.998, abs=0.012)  # of all, but for the spread of extreme quantiles
    assert stats.kstest(middle, cdf).pvalue > LEVEL
    spread = 1.3 * (middle - np.median(middle)) + np.median(middle)
    assert stats.kstest(spread, cdf).pvalue < 1e-6  # the fault: a scale that is a third too large


@pytest.mark.parametrize("name", ["binned 4", "binned", "binned counts"])
@pytest.mark.parametrize("k", range(3))
def test_buckets_are_drawn_as_often_as_they_score(name, k):
    reading, cells = drawn(name, k, n=200)
    keys = reading.stats.keys.astype(np.int64)
    shares = np.exp(reading.log_ratio(middle_of(keys)))[:, k] * reading.totals
    places = np.searchsorted(keys, bucket_of(cells))
    assert (keys[places] == bucket_of(cells)).all()
    assert chi_square(np.bincount(places, minlength=len(keys)), shares) > LEVEL
    if name == "binned counts":
        assert (cells == np.rint(cells)).all()


def test_rows_of_numbers_have_means_and_covariances():
    reading, cells = drawn("gaussian_joint, shared", 1, "ml")
    g = reading.gaussians
    spread = np.sqrt(np.diag(np.atleast_3d(g.covariances.T).T[0]) / SIZE)
    assert (np.abs(cells.mean(axis=0) - g.means[1]) < 4.5 * spread).all()
    np.testing.assert_allclose(np.cov(cells.T), np.reshape(g.covariances, (-1, 3, 3))[0], atol=0.2)


def test_counts_that_share_a_total_are_multinomial():
    reading, cells = drawn("multinomial", 2)
    assert (cells.sum(axis=1) == 5).all()
    assert chi_square(cells.sum(axis=0), reading.probabilities[2]) > LEVEL


def test_texts_have_the_words_of_their_class():
    reading, cells = drawn("text", 1)
    words = [word for text in cells for word in text.split()]
    observed = np.array([words.count(word) for word in WORDS if word in words])
    assert observed.sum() == len(words)
    counts = reading.stats.of_all_labels()
    terms = list(counts.term_texts())
    shares = np.array([1.5] * len(terms))
    for term, k, times in zip(counts.pair_term, counts.pair_class, counts.pair_occurrences * counts.unit, strict=True):
        shares[term] += times * (k == 1)
    by_word = np.array([shares[terms.index(word)] for word in WORDS if word in words])
    assert chi_square(observed, by_word) > LEVEL


@pytest.mark.parametrize(
    "name", ["gaussian", "student", "lognormal", "gamma", "exponential", "poisson", "binned counts"]
)
@pytest.mark.parametrize("number", [0.0, 3.0])
def test_a_constant_column_is_drawn_as_it_is(name, number):
    case = BY_NAME[name]
    if number == 0 and name in ("lognormal", "gamma"):
        return  # these have no density there
    rows = Rows(("a", "b"), np.array([0, 0, 1], np.int32))
    reading = case.family.read(case.family.count(np.full(3, number), rows), readings("bayes"))
    cells = reading.sample(rows.group, np.random.default_rng(0))
    if name == "poisson" or (name == "exponential" and number):
        assert not reading.constant  # numbers may all be alike, and still have a rate
    else:
        scores = reading.log_prob(np.array([number, 7.0]))
        np.testing.assert_allclose(scores, scores[:, :1] + np.zeros(2), rtol=1e-15)  # the same in both classes
        np.testing.assert_allclose(cells, number, rtol=1e-15)


@pytest.mark.parametrize("name", ["categorical", "binned", "gaussian", "text", "poisson"])
def test_nothing_learned_is_nothing_to_draw(name):
    """An error of ours, or cells that are no numbers: never a made-up one."""
    case = BY_NAME[name]
    empty = case.family.read(case.family.zero(("a",), 1), readings("bayes"))
    try:
        cells = empty.sample(np.zeros(3, np.int32), np.random.default_rng(0))
    except EstimateError as error:
        assert "leave it out" in str(error)
    else:
        assert name == "text"
        assert cells.tolist() == [""] * 3
