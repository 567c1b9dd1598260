"""Powers of columns: the loss against finite differences and a generic minimiser, and what planted columns get."""

import math
from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import check_grad, minimize
from scipy.special import logsumexp

from priori import NaiveBayes
from priori.model.fitting import powers

seeds = st.integers(0, 2**32 - 1)


def problem(seed, n=30, classes=3, columns=4, holes=0.3):
    """Rows that were left out, with cells that are missing; a missing cell may say something too."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, classes, n).astype(np.int32)
    scores = rng.normal(size=(n, classes, columns))
    scores[np.arange(n), group] += 0.5
    prior = np.log(rng.dirichlet(np.ones(classes)))
    there = rng.random((n, columns)) >= holes
    return powers.LeftOut(np.tile(prior, (n, 1)), scores, there, group, rng.integers(1, 4, n) / 2)


def taken(rows, places, **changes):
    columns = (rows.log_prior, rows.scores, rows.there, rows.group, rows.weight)
    return replace(powers.LeftOut(*(column[places] for column in columns)), **changes)


def plain_powers(tempers, there):
    """f t_j + (1 - f) 2 / (1 + √m) of one row, f = (m - 1) / (d - 1); a row without cells is as one of one cell."""
    m, d = int(there.sum()), len(there)
    m = max(m, 1)
    share = (m - 1) / (d - 1) if d > 1 else 1.0
    return [share * t + (1 - share) * 2 / (1 + math.sqrt(m)) for t in tempers]


def plain_loss(tempers, rows):
    """-Σ w log p(y | x), row by row."""
    total = 0.0
    for i, k in enumerate(rows.group):
        joint = rows.log_prior[i] + rows.scores[i] @ plain_powers(tempers, rows.there[i])
        total += rows.weight[i] * (logsumexp(joint) - joint[k])
    return total


@given(seed=seeds)
def test_the_loss_is_that_of_the_labels(seed):
    rows = problem(seed)
    tempers = np.random.default_rng(seed).random(4) * 2
    assert rows.loss(tempers)[0] == pytest.approx(plain_loss(tempers, rows), rel=1e-12)
    assert rows.loss_of_one(0.3) == pytest.approx(plain_loss(np.full(4, 0.3), rows), rel=1e-12)


@given(seed=seeds)
def test_the_gradient_is_that_of_finite_differences(seed):
    rows = problem(seed)
    at = np.random.default_rng(seed).random(4) * 2
    error = check_grad(lambda t: rows.loss(t)[0], lambda t: rows.loss(t)[1], at)
    assert error < 1e-5 * np.linalg.norm(rows.loss(at)[1]) + 1e-5  # differences of 1.5e-8 of values of about 100


@given(seed=seeds)
def test_the_loss_is_convex(seed):
    rows, rng = problem(seed), np.random.default_rng(seed)
    a, b, share = rng.random(4) * 3, rng.random(4) * 3, rng.random()
    between = rows.loss(share * a + (1 - share) * b)[0]
    assert between <= share * rows.loss(a)[0] + (1 - share) * rows.loss(b)[0] + 1e-9


@given(seed=seeds, holes=st.sampled_from([0.0, 0.3]))
@settings(max_examples=15)
def test_the_powers_are_those_of_a_generic_minimiser(seed, holes):
    """One power on a fine grid first, then those of the columns without any gradient."""
    rows = problem(seed, holes=holes)
    with patch.object(powers, "SPREADS", (0.5,)):
        found = powers.fitted(rows)
    grid = np.linspace(np.log(powers.LEAST), np.log(powers.MOST), 4001)
    about = np.log(2 / (1 + np.sqrt(4)))
    present = rows.there.sum(axis=1)[:, None, None]
    share = (np.maximum(present, 1) - 1) / 3
    tempers = share * np.exp(grid) + (1 - share) * 2 / (1 + np.sqrt(np.maximum(present, 1)))
    joint = rows.log_prior[..., None] + rows.scores.sum(axis=2)[..., None] * tempers
    losses = rows.weight @ (logsumexp(joint, axis=1) - joint[np.arange(30), rows.group])
    one = np.exp(grid[np.argmin(losses + (grid - about) ** 2 / (2 * 0.5**2))])

    def loss(tempers):
        return plain_loss(tempers, rows) + ((tempers - one) ** 2).sum() / (2 * 0.5**2)

    generic = minimize(loss, np.full(4, one), method="COBYQA", bounds=[(0, None)] * 4)
    assert loss(found) <= generic.fun + 1e-4
    np.testing.assert_allclose(found, generic.x, atol=5e-3)  # the loss bends by 4 at least; the grid steps by 0.0013
    assert (found >= 0).all()


@given(seed=seeds, holes=st.sampled_from([0.0, 0.3]))
@settings(max_examples=15)
def test_the_curvature_is_that_of_finite_differences(seed, holes):
    rows = problem(seed, holes=holes)
    tempers = np.random.default_rng(seed).uniform(0.1, 1.5, 4)
    step = 1e-5
    slopes = [(rows.loss(tempers + step * e)[1] - rows.loss(tempers - step * e)[1]) / (2 * step) for e in np.eye(4)]
    np.testing.assert_allclose(rows.curvature(tempers), slopes, rtol=1e-4, atol=1e-4)


def test_how_far_powers_differ_is_read_off_the_rows():
    """Columns that deserve one power keep it; one that repeats nothing among many that do gets its own."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 3000)
    alike = {f"x{j}": rng.normal(y, 1.5) for j in range(6)}
    spread = np.ptp(NaiveBayes(columns="gaussian").fit(alike, y).model_.tempers)
    common = rng.normal(y, 1.5)
    copies = {f"x{j}": common for j in range(5)} | {"other": rng.normal(y, 1.5)}
    tempers = NaiveBayes(columns="gaussian").fit(copies, y).model_.tempers
    assert spread < 0.2
    assert tempers[-1] > 2 * tempers[:-1].max()


@given(seed=seeds, data=st.data())
@settings(max_examples=25)
def test_order_does_not_matter_and_weights_are_rows(seed, data):
    rows = problem(seed)
    rows = replace(rows, weight=2 * rows.weight)
    order = np.array(data.draw(st.permutations(range(30))))
    found = powers.fitted(rows)
    np.testing.assert_allclose(powers.fitted(taken(rows, order)), found, atol=1e-4)
    twice = np.repeat(np.arange(30), rows.weight.astype(int))
    repeated = powers.fitted(taken(rows, twice, weight=np.ones(len(twice))))
    np.testing.assert_allclose(repeated, found, atol=1e-4)
    np.testing.assert_array_equal(powers.fitted(rows), found)


def test_rows_that_are_impossible_do_not_vote():
    rows = problem(1)
    impossible = rows.scores.copy()
    impossible[::3, 0, 1] = -np.inf
    impossible[1, 2, 0] = np.nan
    others = np.setdiff1d(np.arange(30), [*range(0, 30, 3), 1])
    found = powers.fitted(replace(rows, scores=impossible))
    np.testing.assert_array_equal(found, powers.fitted(taken(rows, others)))
    none = powers.fitted(replace(rows, scores=np.full_like(rows.scores, -np.inf)))
    np.testing.assert_array_equal(none, np.full(4, powers.rule(4)))


def test_rows_of_one_class_say_no_more_than_the_rule():
    found = powers.fitted(replace(problem(2), group=np.ones(30, np.int32)))
    np.testing.assert_array_equal(found, np.full(4, powers.rule(4)))


def test_the_rule_is_one_for_one_column_and_falls():
    assert powers.rule(0) == powers.rule(1) == 1
    assert powers.rule(4) == pytest.approx(2 / 3)
    tempers = [powers.rule(d) for d in range(1, 50)]
    assert (np.diff(tempers) < 0).all()


def normal_scores(x, shift):
    """log N(x; 0, 1) and log N(x; shift, 1) but for what they share."""
    return np.stack([np.zeros_like(x), shift * x - shift**2 / 2], axis=1)


def test_planted_columns_get_the_powers_they_deserve():
    """4000 rows tell a power to about 1 / √(4000 · 0.3) = 0.03, or 1.4 times that where two columns share one."""
    rng = np.random.default_rng(0)
    n, shift = 4000, 1.2
    group = rng.integers(0, 2, n).astype(np.int32)

    def powers_of(*columns):
        there = np.ones((n, len(columns)), bool)
        rows = powers.LeftOut(np.full((n, 2), np.log(0.5)), np.stack(columns, axis=2), there, group, np.ones(n))
        return powers.fitted(rows)

    def column(informed=True):
        return normal_scores(rng.normal(size=n) + shift * group * informed, shift)

    first, second, noise = column(), column(), column(informed=False)
    tempers = powers_of(first, second)
    np.testing.assert_allclose(tempers, [1, 1], atol=0.15)
    tempers = powers_of(first, first)
    np.testing.assert_allclose(tempers, [0.5, 0.5], atol=0.075)
    assert tempers[0] == pytest.approx(tempers[1], abs=1e-4)
    tempers = powers_of(first, noise)
    np.testing.assert_allclose(tempers, [1, 0], atol=0.15)


@given(there=arrays(bool, (6, 5)), tempers=arrays(float, 5, elements=st.floats(0, 3)))
def test_powers_in_rows_are_between_the_fitted_and_the_rule(there, tempers):
    found = powers.in_rows_of(tempers, there)
    np.testing.assert_allclose(found, [plain_powers(tempers, row) for row in there], rtol=1e-14, atol=1e-15)
    common = np.array([[powers.rule(int(row.sum()))] for row in there])
    assert (found >= np.minimum(tempers, common) * (1 - 1e-15)).all()
    assert (found <= np.maximum(tempers, common) * (1 + 1e-15)).all()


@given(tempers=arrays(float, 7, elements=st.floats(0, 3)))
def test_where_all_is_there_the_powers_are_the_fitted_ones(tempers):
    np.testing.assert_array_equal(powers.in_rows_of(tempers, np.ones((3, 7), bool)), np.tile(tempers, (3, 1)))


@given(tempers=arrays(float, 100, elements=st.floats(0, 3)), at=st.integers(0, 99))
def test_one_cell_of_many_is_believed_as_if_it_were_alone(tempers, at):
    found = powers.in_rows_of(tempers, np.arange(100)[None] == at)
    np.testing.assert_array_equal(found, np.ones((1, 100)))
