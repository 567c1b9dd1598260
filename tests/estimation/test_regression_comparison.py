"""Regressions compared: probabilities by brute force, the columns that made the targets, and what is averaged."""

import json
import math
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.special import softmax

import priori
from families.asserts import assert_refused
from priori.errors import DataError, EstimateError
from priori.estimation.distribution import Absent
from priori.families import (
    LinearMixture,
    LinearModel,
    LogisticMixture,
    LogisticRegression,
    NormalGammaRegression,
    NormalRegression,
)
from priori.families.mixture import Share
from priori.select import folds

NAMES = ("age", "dose", "size", "hour")


def rows(size=60, seed=5):
    """Targets that two of four columns made; these are offset, and one of the others is close to a cause."""
    rng = np.random.default_rng(seed)
    X = rng.normal([3.0, -1.0, 0.5, 10.0], [1.0, 2.0, 0.5, 1.0], (size, 4))
    X[:, 3] += 0.7 * X[:, 0]
    return X, 1.5 * X[:, 0] - 0.8 * X[:, 1] + 2 + rng.normal(0, 0.9, size)


def subsets(width=4):
    return [places for size in range(width + 1) for places in combinations(range(width), size)]


def test_probabilities_are_those_of_the_joint_density():
    """t is normal, or Student's t, with covariance I/β + σ² [X 1] [X 1]ᵀ: no regression is solved here."""
    X, t = rows(12)
    ones = np.ones((12, 1))
    models = {
        "normal": (NormalRegression(0.6, 1.3, "penalised"), (0, 1)),
        "through zero": (NormalRegression(0.4, 0.9, None), (1, 2, 3)),
        "gamma": (NormalGammaRegression(0.5, 2.5, 1.5, "penalised"), (0, 3)),
    }
    log_evidence = {}
    for name, (prior, columns) in models.items():
        inputs = X[:, columns] if prior.intercept is None else np.hstack([X[:, columns], ones])
        if isinstance(prior, NormalRegression):
            spread = np.eye(12) / prior.precision + prior.weight_variance * inputs @ inputs.T
            log_evidence[name] = stats.multivariate_normal(np.zeros(12), spread).logpdf(t)
        else:
            spread = prior.rate / prior.shape * (np.eye(12) + inputs @ inputs.T / prior.penalty)
            log_evidence[name] = stats.multivariate_t(np.zeros(12), spread, df=2 * prior.shape).logpdf(t)
    beliefs = {"normal": 0.2, "through zero": 0.7, "gamma": 0.1}
    shares = softmax(np.array(list(log_evidence.values())) + np.log(list(beliefs.values())))
    found = priori.compare_regressions(models, X, t, probabilities=beliefs)
    by_name = {row.name: row for row in found.rows}
    for name, share in zip(models, shares, strict=True):
        assert by_name[name].estimate.log_evidence == pytest.approx(log_evidence[name], rel=1e-9)
        assert by_name[name].probability == pytest.approx(share, rel=1e-8)
    assert [row.probability for row in found.rows] == sorted((row.probability for row in found.rows), reverse=True)


def test_flat_intercepts_compare_as_the_limit_of_wide_ones():
    """With w₀ ~ 𝒩(0, s²) and s large, the density of t falls as 1/s for all alike."""
    X, t = rows(12)
    columns, wide = [(0,), (0, 1), (2, 3)], 1e4
    dense = [
        stats.multivariate_normal(np.zeros(12), np.eye(12) / 1.3 + 0.6 * X[:, at] @ X[:, at].T + wide**2).logpdf(t)
        for at in columns
    ]
    models = {str(at): (NormalRegression(0.6, 1.3), at) for at in columns}
    found = {row.name: row.probability for row in priori.compare_regressions(models, X, t).rows}
    np.testing.assert_allclose([found[str(at)] for at in columns], softmax(dense), rtol=1e-4)


@pytest.mark.parametrize("family", ["linear", "linear-weights", NormalGammaRegression])
def test_the_columns_that_made_the_targets_win(family):
    X, t = rows()
    models = {" + ".join(NAMES[j] for j in at) or "none": (family, at) for at in subsets()}
    found = priori.compare_regressions(models, X, t, names=NAMES)
    assert found.best.name == "age + dose" and found.best.probability > 0.5
    assert sum(row.probability for row in found.rows) == pytest.approx(1)
    likely = max(found.rows, key=lambda row: row.estimate.log_likelihood)
    assert likely.name == "age + dose + size + hour"  # the likelihood never minds a column more
    assert min(found.rows, key=lambda row: row.estimate.bic).name == "age + dose"
    assert "·dose" in str(found.best.estimate.ml) and found.columns["age + dose"] == (0, 1)
    json.dumps(found.to_json(), allow_nan=False)


def test_labels_compare_too():
    X, t = rows(300)
    y = np.where(t > np.median(t), "high", "low")
    models = {str(at): ("logistic", at) for at in subsets()}
    found = priori.compare_regressions(models, X, y)
    assert found.best.name == "(0, 1)"
    average = found.average()
    assert isinstance(average, LogisticMixture) and average.classes == ("high", "low")
    table = sum(row.probability * row.estimate.predictive.probabilities(X[:, found.columns[row.name]])
                for row in found.rows)  # fmt: skip
    np.testing.assert_allclose(average.probabilities(X), table, rtol=1e-12)
    assert (average.predict(X) == np.where(table[:, 0] >= 0.5, "high", "low")).all()
    assert average.score(X, y) == pytest.approx(np.log(np.where(y == "high", *table.T)).sum())
    assert str(average).count(" + ") == 15 and average.freeze(X[:3]).mean().shape == (3, 2)


def test_three_classes_are_averaged_over_draws():
    X, t = rows(90)
    y = np.digitize(t, np.quantile(t, [0.3, 0.7]))
    models = {"some": (LogisticRegression(2.0), [0, 1]), "all": LogisticRegression(2.0)}
    with pytest.raises(EstimateError, match="give rng"):
        priori.compare_regressions(models, X, y).average()
    average = priori.compare_regressions(models, X, y, rng=np.random.default_rng(1)).average()
    np.testing.assert_allclose(average.probabilities(X).sum(axis=1), 1)
    assert set(average.sample(X, np.random.default_rng(2)).tolist()) == {0, 1, 2}


def test_the_average_is_the_average_of_the_predictives():
    X, t = rows(10)
    found = priori.compare_regressions({str(at): ("linear", at) for at in subsets()}, X, t)
    average = found.average()
    assert isinstance(average, LinearMixture) and len(average.components) == 16
    parts = [(row.probability, row.estimate.predictive, X[:, found.columns[row.name]]) for row in found.rows]
    centre = sum(p * of.predict(inputs) for p, of, inputs in parts)
    np.testing.assert_allclose(average.predict(X), centre, rtol=1e-12)
    density = sum(p * of.freeze(inputs).pdf(t) for p, of, inputs in parts)
    np.testing.assert_allclose(np.exp(average.log_prob(X, t)), density, rtol=1e-9)
    np.testing.assert_allclose(average.freeze(X).pdf(t), density, rtol=1e-9)
    weights = np.arange(10.0)
    assert average.score(X, t, weights) == pytest.approx(weights @ np.log(density))
    assert average.log_prob(X, [None, *t[1:]])[0] == 0
    places = np.linspace(-400, 400, 160_001)
    total = np.exp(average.log_prob(np.repeat(X[:1], len(places), axis=0), places)).sum() * 0.005
    assert total == pytest.approx(1, abs=1e-4)  # Student's tails reach further


def kolmogorov(draws, cdf):
    """√n times the largest distance of two distribution functions: above 2.7 once in a million times."""
    places = np.arange(1, len(draws) + 1) / len(draws)
    return np.sqrt(len(draws)) * np.abs(cdf(np.sort(draws)) - places).max()


def test_draws_of_an_average_and_a_planted_bug():
    parts = (LinearModel([1.0], 0.0, precision=1.0), LinearModel([2.0, -1.0], 4.0, precision=0.2))
    row = np.array([[2.0, 3.0, 1.0]])
    mixture, swapped = (LinearMixture(Share(w, ((0,), (1, 2)), 3), parts) for w in ([0.7, 0.3], [0.3, 0.7]))
    X = np.repeat(row, 20_000, axis=0)
    cdf = mixture.freeze(row).cdf
    assert kolmogorov(mixture.sample(X, np.random.default_rng(1)), cdf) < 2.7
    assert kolmogorov(swapped.sample(X, np.random.default_rng(1)), cdf) > 2.7


def test_columns_by_name_and_weights_as_rows():
    X, t = rows(20)
    weights = np.arange(20) % 3
    table = pd.DataFrame(X, columns=list(NAMES))
    priors = {
        "by name": (NormalGammaRegression(0.5, 2.0, 1.0), ["dose", "age"]),
        "by its own names": NormalGammaRegression(0.5, 2.0, 1.0, names=("dose", "age")),
        "by place": (NormalGammaRegression(0.5, 2.0, 1.0), [1, 0]),
        "all": NormalGammaRegression(0.5, 2.0, 1.0),
    }
    found = priori.compare_regressions(priors, table, t, weights)
    again = priori.compare_regressions(priors, table.loc[np.repeat(np.arange(20), weights)], np.repeat(t, weights))
    by_name, twice = ({row.name: row for row in of.rows} for of in (found, again))
    assert found.columns == {**dict.fromkeys(list(priors)[:3], (1, 0)), "all": (0, 1, 2, 3)}
    assert len({by_name[name].probability for name in list(priors)[:3]}) == 1
    for name, row in by_name.items():
        assert row.probability == pytest.approx(twice[name].probability, rel=1e-9)
    assert list(by_name["by place"].estimate.interval)[:2] == ["weights[dose]", "weights[age]"]
    assert "·hour" in str(by_name["all"].estimate.map)


def test_columns_without_a_name_keep_their_places():
    X, t = rows(20)
    found = priori.compare_regressions({"all": "linear", "last": ("linear", [1, 3])}, X, t)
    by_name = {row.name: row.estimate for row in found.rows}
    assert "·x₃" in str(by_name["last"].ml) and list(by_name["last"].interval)[:2] == ["weights[x₁]", "weights[x₃]"]
    assert list(by_name["all"].interval)[:2] == ["weights[0]", "weights[1]"]
    named = priori.compare_regressions({"a": (NormalRegression(1.0, 2.0, names=("dose",)), [1])}, X, t)
    assert "·dose" in str(named.best.estimate.map)


def test_a_posterior_with_a_flat_intercept_is_a_proper_prior():
    """Its intercept is settled by what was seen, so that it compares with proper ones."""
    X, t = rows(20)
    first = NormalRegression(0.6, 1.3).posterior(NormalRegression.statistics(X[:8], t[:8]))
    models = {"seen": first, "proper": NormalRegression(0.6, 1.3, "penalised")}
    found = {row.name: row for row in priori.compare_regressions(models, X[8:], t[8:]).rows}
    both = NormalRegression.statistics(X, t)
    ratio = NormalRegression(0.6, 1.3).log_evidence(both) - NormalRegression(0.6, 1.3).log_evidence(first.seen)
    assert found["seen"].estimate.log_evidence == pytest.approx(ratio, rel=1e-9)


def test_what_does_not_compare_is_refused():
    X, t = rows(20)

    def refused(models, *words, data=X, **given):
        assert_refused(DataError, lambda: priori.compare_regressions(models, data, t, **given), *words)

    flat, proper = NormalRegression(1.0, 1.0), NormalRegression(1.0, 1.0, "penalised")
    refused({"a": flat, "b": proper}, "a has a flat intercept and b has none", "the same intercept")
    refused({"a": flat, "b": NormalRegression(1.0, 1.0, None)}, "a has a flat intercept and b has none")
    refused({"a": "linear", "b": "logistic"}, "b predicts labels and a numbers")
    refused({}, "no regressions to compare")
    refused(["linear"], "give a mapping")
    refused({"a": "normal"}, "there is no regression 'normal'")
    refused({"a": 3}, "a is 3, which is no regression")
    refused({"a": int}, "which is no regression")
    refused({"a": ("linear", [0, 4])}, "a reads column 4", "0 to 3")
    refused({"a": ("linear", [-1])}, "a reads column -1")
    refused({"a": ("linear", [True, False])}, "a reads column True")
    refused({"a": ("linear", ["weight"])}, "a reads column 'weight'", "age, dose", names=NAMES)
    refused({"a": ("linear", "age")}, "give a list", names=NAMES)
    refused({"a": ("linear", 3)}, "the columns of a are 3", "give a list")
    refused({"a": "linear"}, "3 names for 4 columns", names=NAMES[:3])
    refused({"a": "linear"}, "'b' has a prior and no likelihood", probabilities={"a": 0.5, "b": 0.5})


def test_what_has_no_evidence_stands_last():
    X, t = rows(20)
    models = {
        "flat": NormalRegression(math.inf, 1.0),
        "some": NormalRegression(1.0, 1.0),
        "constant": ("linear", [4]),
    }
    found = priori.compare_regressions(models, np.column_stack([X, np.ones(20)]), t)
    assert [row.name for row in found.rows] == ["some", "flat"] and isinstance(found.rows[1].probability, Absent)
    assert "no column varies" in found.refused["constant"] and "constant is left out: " in str(found)
    assert len(found.average().components) == 1
    with pytest.raises(DataError, match="the rows have 4 columns, the models 5"):
        found.average().predict(X)
    with pytest.raises(DataError, match="2 weights for 1 regressions"):
        Share([0.5, 0.5], ((0,),), 1)


def test_linear_folds_are_refits():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3))
    t = X @ [1.0, -2.0, 0.0] + rng.normal(size=30)
    t[4] = np.nan
    weights = rng.integers(1, 3, 30)
    found = priori.compare_regressions({"all": "linear", "first": ("linear", [0])}, X, t, weights, folds=4, seed=2)
    dealt = folds(30, 4, 2)
    for row in found.rows:
        mine, total = X[:, list(found.columns[row.name])], 0.0
        for k in range(4):
            rest = row.estimate.prior.posterior(
                type(row.estimate.prior).statistics(mine[dealt != k], t[dealt != k], weights[dealt != k])
            )
            total += rest.predictive().score(mine[dealt == k], t[dealt == k], weights[dealt == k])
        assert row.to_json()["k_fold"] == pytest.approx(total, rel=1e-10)
        assert "±" in str(found) and row.to_json()["k_fold_error"] > 0
    assert found.best.name == "all"


def test_the_standard_error_of_groups_is_that_of_their_sums():
    rng = np.random.default_rng(4)
    X, group = rng.normal(size=(30, 2)), np.repeat(np.arange(10), 3)
    t = X @ [1.0, -2.0] + rng.normal(size=10)[group]
    row = priori.compare_regressions({"all": "linear"}, X, t, folds=5, groups=group).best
    sums = row.left_out["k_fold"].log_probs.reshape(10, 3).sum(axis=1)
    assert row.to_json()["k_fold_error"] == pytest.approx(np.sqrt(10) * np.std(sums, ddof=1))


def test_logistic_folds_are_refits():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 2))
    y = np.where(X[:, 0] + rng.normal(size=40) > 0, "yes", "no").tolist()
    y[3] = None
    prior = LogisticRegression(weight_variance=2.0)
    found = priori.compare_regressions({"both": prior}, X, y, folds=5).best
    dealt = folds(40, 5, 0, labels=y)
    known = np.array([label is not None for label in y])
    total = 0.0
    for k in range(5):
        rest, mine = np.flatnonzero((dealt != k) & known), np.flatnonzero((dealt == k) & known)
        model = prior.posterior(X[rest], [y[i] for i in rest]).predictive()
        total += model.log_prob(X[mine], [y[i] for i in mine]).sum()
    assert found.to_json()["k_fold"] == pytest.approx(total, rel=1e-9)


def test_three_classes_need_draws_to_be_left_out():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 1)), list("abc") * 20
    without = priori.compare_regressions({"one": LogisticRegression(2.0)}, X, y, folds=3).best.to_json()
    assert without["k_fold"] is None and "give rng" in without["absent"]["k_fold"]
    drawn = priori.compare_regressions({"one": LogisticRegression(2.0)}, X, y, folds=3, rng=rng).best.to_json()
    assert drawn["k_fold"] == pytest.approx(60 * np.log(1 / 3), rel=0.2)
