"""The penalty chosen by evidence and by leave-one-out, against refits, scikit-learn and the families themselves."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.linear_model import BayesianRidge, Ridge, RidgeCV

from priori.errors import DataError, EstimateError
from priori.families import (
    NormalGammaRegression,
    NormalRegression,
    leave_one_out,
    penalty_by_evidence,
    penalty_by_press,
    press,
)

RNG = np.random.default_rng(7)
X = RNG.normal([3.0, -1.0, 0.5, 2.0], [1.0, 2.0, 0.3, 1.0], (25, 4))
T = X @ [1.5, -0.7, 0.5, 0.0] + 4 + RNG.normal(0, 1.5, 25)
STATS = NormalRegression.statistics(X, T)
every_intercept = pytest.mark.parametrize("intercept", ["flat", "penalised", None])


def refit(X, t, penalty, intercept):
    """Predict from a fit of scikit-learn's."""
    if intercept == "penalised":
        model = Ridge(penalty, fit_intercept=False).fit(np.column_stack([X, np.ones(len(X))]), t)
        return lambda rows: np.column_stack([rows, np.ones(len(rows))]) @ model.coef_
    return Ridge(penalty, fit_intercept=intercept == "flat").fit(X, t).predict


@every_intercept
@given(penalty=st.floats(0.01, 100), seed=st.integers(0, 1000))
def test_leaving_out_is_refitting(intercept, penalty, seed):
    rng = np.random.default_rng(seed)
    X, t = rng.normal(2, 1, (8, 3)), rng.normal(1, 2, 8)
    errors = [
        t[i] - refit(np.delete(X, i, axis=0), np.delete(t, i), penalty, intercept)(X[i : i + 1])[0] for i in range(8)
    ]
    np.testing.assert_allclose(leave_one_out(X, t, penalty, intercept), errors, rtol=1e-7, atol=1e-9)
    assert press(X, t, penalty, intercept) == pytest.approx(np.sum(np.square(errors)), rel=1e-7)


@every_intercept
def test_a_row_of_weight_two_is_left_out_once(intercept):
    weights = np.random.default_rng(8).integers(0, 4, 25)
    plain = press(np.repeat(X, weights, axis=0), np.repeat(T, weights), 0.7, intercept)
    assert press(X, T, 0.7, intercept, weights) == pytest.approx(plain, rel=1e-10)


def test_missing_targets_have_no_error():
    t = T.copy()
    t[[3, 8]] = math.nan
    errors = leave_one_out(X, t, 0.7)
    kept = leave_one_out(np.delete(X, [3, 8], axis=0), np.delete(t, [3, 8]), 0.7)
    np.testing.assert_allclose(np.delete(errors, [3, 8]), kept, rtol=1e-12)
    assert (errors[[3, 8]] == 0).all()


@every_intercept
def test_the_best_press_is_scikit_learn_s(intercept):
    """RidgeCV scores a grid by leave-one-out; ours is between the grid's neighbours, and better than all of it."""
    grid = np.geomspace(1e-3, 1e3, 61)
    design = np.column_stack([X, np.ones(25)]) if intercept == "penalised" else X
    peer = RidgeCV(grid, fit_intercept=intercept == "flat").fit(design, T)
    chosen = penalty_by_press(X, T, intercept)
    assert peer.alpha_ / 1.3 < chosen.penalty < peer.alpha_ * 1.3
    assert -chosen.score == pytest.approx(press(X, T, chosen.penalty, intercept), rel=1e-10)
    assert -chosen.score <= min(press(X, T, penalty, intercept) for penalty in grid)
    assert peer.best_score_ * 25 == pytest.approx(-press(X, T, peer.alpha_, intercept), rel=1e-8)


@every_intercept
def test_the_evidence_is_the_families_own(intercept):
    """All three readings of the precision, at the penalty that each chooses, and lower beside it."""
    best = penalty_by_evidence(STATS, intercept)
    known = penalty_by_evidence(STATS, intercept, precision=0.6)
    gamma = penalty_by_evidence(STATS, intercept, shape=2.5, rate=3.0)

    def of(penalty, precision):
        return NormalRegression(1 / (penalty * precision), precision, intercept).log_evidence(STATS)

    def of_gamma(penalty):
        return NormalGammaRegression(penalty, 2.5, 3.0, intercept).log_evidence(STATS)

    assert best.score == pytest.approx(of(best.penalty, best.precision), rel=1e-10)
    assert known.score == pytest.approx(of(known.penalty, 0.6), rel=1e-10)
    assert gamma.score == pytest.approx(of_gamma(gamma.penalty), rel=1e-10)
    assert best.weight_variance == pytest.approx(1 / (best.penalty * best.precision))
    for factor in (0.5, 0.99, 1.01, 2.0):
        assert of(best.penalty * factor, best.precision) < best.score
        assert of(best.penalty, best.precision * factor) < best.score
        assert of(known.penalty * factor, 0.6) < known.score
        assert of_gamma(gamma.penalty * factor) < gamma.score


def test_the_evidence_s_best_is_bayesian_ridge_s():
    """Without an intercept and without hyper-priors, its fixed point is where the evidence is stationary."""
    peer = BayesianRidge(
        max_iter=10_000, tol=1e-12, alpha_1=0, alpha_2=0, lambda_1=0, lambda_2=0, fit_intercept=False
    ).fit(X, T)
    best = penalty_by_evidence(STATS, None)
    assert best.precision == pytest.approx(peer.alpha_, rel=1e-5)
    assert best.penalty == pytest.approx(peer.lambda_ / peer.alpha_, rel=1e-5)


def test_a_search_over_both_finds_the_same():
    def minus(theta):
        penalty, precision = np.exp(theta)
        return -NormalRegression(1 / (penalty * precision), precision).log_evidence(STATS)

    found = minimize(minus, [0.0, 0.0], method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-11, "maxiter": 4000})
    best = penalty_by_evidence(STATS)
    np.testing.assert_allclose(np.exp(found.x), [best.penalty, best.precision], rtol=1e-4)


def test_one_column_in_closed_form():
    """Setting the derivative to 0: α = λ R / ((m - 1) P - R), with R the residual, P the explained, m the contrasts."""
    x, t = np.array([0.0, 1, 2, 3]), np.array([1.0, 3, 4.5, 7])
    stats = NormalRegression.statistics(x, t)
    scatter, explained = stats.scatter[0, 0], stats.scatter[0, 1] ** 2 / stats.scatter[0, 0]
    residual = stats.scatter[1, 1] - explained
    expected = scatter * residual / ((3 - 1) * explained - residual)
    assert penalty_by_evidence(stats).penalty == pytest.approx(expected, rel=1e-7)


def test_more_columns_than_rows():
    rng = np.random.default_rng(3)
    wide = rng.normal(size=(12, 30))
    t = wide[:, :3].sum(axis=1) + rng.normal(0, 4.0, 12)
    by_press = penalty_by_press(wide, t, None)
    assert by_press.penalty > 0
    assert -by_press.score == pytest.approx(press(wide, t, by_press.penalty, None), rel=1e-8)
    known = penalty_by_evidence(NormalRegression.statistics(wide, t), precision=1.0)
    assert known.score == pytest.approx(
        NormalRegression(1 / known.penalty, 1.0).log_evidence(NormalRegression.statistics(wide, t)), rel=1e-8
    )


def test_where_no_penalty_is_best():
    x = np.arange(6.0)
    orthogonal = np.array([1.0, -1, 0, 0, -1, 1])  # the column explains nothing of it
    with pytest.raises(EstimateError, match="columns tell nothing of the targets"):
        penalty_by_evidence(NormalRegression.statistics(x, orthogonal))
    with pytest.raises(EstimateError, match="columns tell nothing of the targets"):
        penalty_by_press(x, orthogonal)
    with pytest.raises(EstimateError, match="as if the targets had no noise"):
        penalty_by_evidence(NormalRegression.statistics(x, 2 * x + 1))
    assert penalty_by_press(x, 2 * x + 1).penalty == 0
    with pytest.raises(EstimateError, match="no column varies"):
        penalty_by_evidence(NormalRegression.statistics(np.zeros(6), x))
    with pytest.raises(DataError, match="nothing to penalise"):
        penalty_by_evidence(NormalRegression.statistics(np.zeros((0, 2)), []))
    with pytest.raises(DataError, match="or none of them"):
        penalty_by_evidence(STATS, shape=1.0)
    with pytest.raises(EstimateError, match=r"row 2 .* alone decides"):
        press([[0.0, 1.0], [0.0, 2.0], [1.0, 1.0], [0.0, 5.0]], [1.0, 2.0, 4.0, 3.0])
