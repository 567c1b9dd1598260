"""Powers of columns: the loss against finite differences and a generic minimiser, and what planted columns get."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import check_grad, minimize
from scipy.special import logsumexp

from priori.columns import temper

seeds = st.integers(0, 2**32 - 1)


def problem(seed, n=30, classes=3, columns=4):
    rng = np.random.default_rng(seed)
    group = rng.integers(0, classes, n).astype(np.int32)
    scores = rng.normal(size=(n, classes, columns))
    scores[np.arange(n), group] += 0.5
    prior = np.log(rng.dirichlet(np.ones(classes)))
    return np.tile(prior, (n, 1)), scores, group, rng.integers(1, 4, n) / 2


def plain_loss(powers, log_prior, scores, group, weight):
    """-Σ w log p(y | x), row by row."""
    total = 0.0
    for prior, row, k, w in zip(log_prior, scores, group, weight, strict=True):
        joint = prior + row @ powers
        total += w * (logsumexp(joint) - joint[k])
    return total


@given(seed=seeds)
def test_the_loss_is_that_of_the_labels_and_a_normal_prior(seed):
    data = problem(seed)
    powers = np.random.default_rng(seed).random(4) * 2
    loss, _ = temper._Rows(*data).loss(powers, 0.7)
    expected = plain_loss(powers, *data) + ((powers - 0.7) ** 2).sum() / (2 * 0.5**2)
    assert loss == pytest.approx(expected, rel=1e-12)
    assert temper._Rows(*data).loss_of_one(0.3) == pytest.approx(plain_loss(np.full(4, 0.3), *data), rel=1e-12)


@given(seed=seeds)
def test_the_gradient_is_that_of_finite_differences(seed):
    rows = temper._Rows(*problem(seed))
    at = np.random.default_rng(seed).random(4) * 2
    error = check_grad(lambda t: rows.loss(t, 0.7)[0], lambda t: rows.loss(t, 0.7)[1], at)
    assert error < 1e-5 * np.linalg.norm(rows.loss(at, 0.7)[1]) + 1e-5  # differences of 1.5e-8 of values of about 100


@given(seed=seeds)
def test_the_loss_is_convex(seed):
    rows, rng = temper._Rows(*problem(seed)), np.random.default_rng(seed)
    a, b, share = rng.random(4) * 3, rng.random(4) * 3, rng.random()
    between = rows.loss(share * a + (1 - share) * b, 0.7)[0]
    assert between <= share * rows.loss(a, 0.7)[0] + (1 - share) * rows.loss(b, 0.7)[0] + 1e-9


@given(seed=seeds)
@settings(max_examples=15)
def test_the_powers_are_those_of_a_generic_minimiser(seed):
    """One power on a fine grid first, then those of the columns without any gradient."""
    data = problem(seed)
    found = temper.fitted(*data)
    grid = np.linspace(np.log(temper.LEAST), np.log(temper.MOST), 4001)
    about = np.log(2 / (1 + np.sqrt(4)))
    joint = data[0][..., None] + data[1].sum(axis=2)[..., None] * np.exp(grid)
    losses = data[3] @ (logsumexp(joint, axis=1) - joint[np.arange(30), data[2]])
    one = np.exp(grid[np.argmin(losses + (grid - about) ** 2 / (2 * 0.5**2))])

    def loss(powers):
        return plain_loss(powers, *data) + ((powers - one) ** 2).sum() / (2 * 0.5**2)

    generic = minimize(loss, np.full(4, one), method="COBYQA", bounds=[(0, None)] * 4)
    assert loss(found) <= generic.fun + 1e-4
    np.testing.assert_allclose(found, generic.x, atol=5e-3)  # the loss bends by 4 at least; the grid steps by 0.0013
    assert (found >= 0).all()


@given(seed=seeds, data=st.data())
@settings(max_examples=25)
def test_order_does_not_matter_and_weights_are_rows(seed, data):
    log_prior, scores, group, weight = problem(seed)
    weight = 2 * weight
    order = np.array(data.draw(st.permutations(range(30))))
    found = temper.fitted(log_prior, scores, group, weight)
    again = temper.fitted(log_prior[order], scores[order], group[order], weight[order])
    np.testing.assert_allclose(again, found, atol=1e-4)
    twice = np.repeat(np.arange(30), weight.astype(int))
    repeated = temper.fitted(log_prior[twice], scores[twice], group[twice], np.ones(len(twice)))
    np.testing.assert_allclose(repeated, found, atol=1e-4)
    np.testing.assert_array_equal(temper.fitted(log_prior, scores, group, weight), found)


def test_rows_that_are_impossible_do_not_vote():
    log_prior, scores, group, weight = problem(1)
    impossible = scores.copy()
    impossible[::3, 0, 1] = -np.inf
    impossible[1, 2, 0] = np.nan
    there = np.setdiff1d(np.arange(30), [*range(0, 30, 3), 1])
    found = temper.fitted(log_prior, impossible, group, weight)
    np.testing.assert_array_equal(found, temper.fitted(log_prior[there], scores[there], group[there], weight[there]))
    none = temper.fitted(log_prior, np.full_like(scores, -np.inf), group, weight)
    np.testing.assert_array_equal(none, np.full(4, temper.rule(4)))


def test_rows_of_one_class_say_no_more_than_the_rule():
    log_prior, scores, _, weight = problem(2)
    found = temper.fitted(log_prior, scores, np.ones(30, np.int32), weight)
    np.testing.assert_array_equal(found, np.full(4, temper.rule(4)))


def test_the_rule_is_one_for_one_column_and_falls():
    assert temper.rule(0) == temper.rule(1) == 1
    assert temper.rule(4) == pytest.approx(2 / 3)
    powers = [temper.rule(d) for d in range(1, 50)]
    assert (np.diff(powers) < 0).all()


def normal_scores(x, shift):
    """log N(x; 0, 1) and log N(x; shift, 1) but for what they share."""
    return np.stack([np.zeros_like(x), shift * x - shift**2 / 2], axis=1)


def test_planted_columns_get_the_powers_they_deserve():
    """4000 rows tell a power to about 1 / √(4000 · 0.3) = 0.03, or 1.4 times that where two columns share one."""
    rng = np.random.default_rng(0)
    n, shift = 4000, 1.2
    group = rng.integers(0, 2, n).astype(np.int32)
    log_prior = np.full((n, 2), np.log(0.5))

    def column(informed=True):
        return normal_scores(rng.normal(size=n) + shift * group * informed, shift)

    first, second, noise = column(), column(), column(informed=False)
    powers = temper.fitted(log_prior, np.stack([first, second], axis=2), group, np.ones(n))
    np.testing.assert_allclose(powers, [1, 1], atol=0.15)
    powers = temper.fitted(log_prior, np.stack([first, first], axis=2), group, np.ones(n))
    np.testing.assert_allclose(powers, [0.5, 0.5], atol=0.075)
    assert powers[0] == pytest.approx(powers[1], abs=1e-4)
    powers = temper.fitted(log_prior, np.stack([first, noise], axis=2), group, np.ones(n))
    np.testing.assert_allclose(powers, [1, 0], atol=0.15)
