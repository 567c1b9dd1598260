"""Rows left out by groups: as refits without the group, for every family of columns; folds are such groups."""

import numpy as np
import pandas as pd
import pytest

import priori
from model.estimators import discriminant, mixed_table, naive_bayes, rows_of
from priori.errors import DataError, EstimateError
from priori.select import folds

N = 36
LABELS = ["no", "yes"]


def table_of(kind, seed=0):
    """One column for the family, with holes where it may have some, and labels."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, N)
    draw = {
        "real": lambda: rng.normal(y, 1 + y).tolist(),
        "positive": lambda: rng.gamma(2 + y, 1.5).tolist(),
        "count": lambda: rng.poisson(1 + 2 * y).tolist(),
        "value": lambda: rng.choice(["u", "v", "w"], N).tolist(),
        "truth": lambda: np.less(rng.random(N), 0.3 + 0.3 * y).tolist(),
        "text": lambda: [" ".join(rng.choice(list("abcd")[k:], 3)) for k in y],
    }[kind]
    values = [None if rng.random() < 0.1 else value for value in draw()]
    return {"x": values}, [LABELS[k] for k in y]


def refits(make, table, y, group, weight=None):
    """Brute force: one fit without each group; a class that it does not know has probability 0."""
    classes, expected = sorted(set(y)), np.full((len(y), len(set(y))), -np.inf)
    weight = np.ones(len(y)) if weight is None else weight
    for g in sorted(set(group)):
        mine, others = [i for i, h in enumerate(group) if h == g], [i for i, h in enumerate(group) if h != g]
        rest = make().fit(taken(table, others), [y[i] for i in others], weight[others])
        places = [classes.index(label) for label in rest.classes_]
        expected[np.ix_(mine, places)] = rest.predict_log_proba(taken(table, mine))
    return expected


def taken(table, places):
    return rows_of(table, places) if isinstance(table, dict) else table[places]


@pytest.mark.parametrize(
    ("family", "kind"),
    [
        ("gaussian", "real"), ("student", "real"), ("binned", "real"), ("lognormal", "positive"), ("gamma", "positive"),
        ("exponential", "positive"), ("poisson", "count"), ("categorical", "value"), ("bernoulli", "truth"),
        ("text", "text"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("estimate", ["ml", "map", "bayes"])
def test_every_family_without_a_group_is_as_refitted(family, kind, estimate):
    table, y = table_of(kind)
    group = np.random.default_rng(1).integers(0, 14, N)  # of one row, and of several

    def make():
        return naive_bayes(columns={"x": family}, estimate=estimate, alpha=1.5)

    model = make().fit(table, y)
    try:
        expected = refits(make, table, y, group)
    except EstimateError as error:  # such as a text of which no word is left
        with pytest.raises(EstimateError):
            model.leave_one_out(table, y, groups=group)
        assert "impossible" in str(error)
        return
    np.testing.assert_allclose(model.leave_one_out(table, y, groups=group), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("options", [{}, {"missing": "evidence"}, {"estimate": "map", "alpha": 1.5}])
@pytest.mark.parametrize("class_prior", ["ml", "uniform", 0.5])
def test_mixed_tables_with_holes_and_weights(options, class_prior):
    table, y = mixed_table(40, seed=3)
    rng = np.random.default_rng(0)
    times, group = rng.integers(1, 3, 40) / 2, rng.integers(0, 20, 40)

    def make():
        return naive_bayes(**options, class_prior=class_prior)

    found = make().fit(table, y, times).leave_one_out(table, y, times, groups=group)
    np.testing.assert_allclose(found, refits(make, table, y, group, times), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("covariance", ["shared", "full", "diagonal"])
@pytest.mark.parametrize("estimate", ["ml", "map", "bayes"])
def test_discriminants_without_a_group_are_as_refitted(covariance, estimate):
    rng = np.random.default_rng(4)
    y = rng.integers(0, 3, 60)
    X = rng.normal(size=(60, 3)) @ rng.normal(size=(3, 3)) + y[:, None]
    X[rng.random(X.shape) < 0.03] = np.nan
    group = rng.integers(0, 25, 60)

    def make():
        return discriminant(covariance=covariance, estimate=estimate)

    found = make().fit(X, y).leave_one_out(X, y, groups=group)
    np.testing.assert_allclose(found, refits(make, X, y.tolist(), group), rtol=1e-8, atol=1e-8)


def test_groups_of_one_are_leaving_one_out():
    table, y = mixed_table(40, seed=3)
    model = naive_bayes().fit(table, y)
    alone = model.leave_one_out(table, y)
    np.testing.assert_array_equal(model.leave_one_out(table, y, groups=range(40)), alone)
    np.testing.assert_array_equal(model.leave_one_out(table, y, groups=[None] * 40), alone)
    some = model.leave_one_out(table, y, groups=[0, 0, *[None] * 38])
    np.testing.assert_array_equal(some[2:], alone[2:])
    assert not np.allclose(some[:2], alone[:2])


@pytest.mark.parametrize("options", [{}, {"estimate": "ml"}, {"class_prior": "uniform"}, {"class_prior": 1.0}])
@pytest.mark.parametrize("together", [False, True])
def test_a_class_of_which_nothing_is_left_is_impossible(options, together):
    """Its columns have nothing to be estimated from under ml, and the others are as a refit has them."""
    X = {"x": [0.0, 1.0, 2.5, 3.0, 2.0, 9.0, 9.5]}
    y = ["a", "a", "a", "b", "b", "c", "c"] if together else ["a", "a", "a", "b", "b", "b", "c"]
    group = [0, 1, 2, 3, 4, 5, 5] if together else range(7)

    def make():
        return naive_bayes(columns={"x": "exponential"}, **options)

    found = make().fit(X, y).leave_one_out(X, y, groups=group)
    assert not np.isnan(found).any()
    assert found[-1, 2] == -np.inf
    np.testing.assert_allclose(np.exp(found).sum(axis=1), 1, rtol=1e-12)
    np.testing.assert_allclose(found, refits(make, X, y, list(group)), rtol=1e-9, atol=1e-9)
    if not together:
        np.testing.assert_array_equal(make().fit(X, y).leave_one_out(X, y), found)


def test_equal_rows_are_left_out_together():
    rows = [("u", 1.0), ("v", 2.0), ("u", 1.0), ("u", None), ("v", -0.0), ("v", 0.0), ("u", None), ("u", 5.0)]
    table = {"c": [c for c, _ in rows], "n": [n for _, n in rows]}
    y = [0, 1, 1, 0, 1, 0, 1, 0]
    model = naive_bayes().fit(table, y)
    named = [0, 1, 0, 2, 3, 3, 2, 4]  # whatever the label
    np.testing.assert_array_equal(
        model.leave_one_out(table, y, groups="rows"), model.leave_one_out(table, y, groups=named)
    )


def test_folds_are_groups():
    table, y = mixed_table(60, seed=5)
    model = naive_bayes().fit(table, y)
    dealt = folds(60, 5, 7, labels=y)
    found = model.k_fold(table, y, folds=5, seed=7)
    np.testing.assert_array_equal(found, model.leave_one_out(table, y, groups=dealt))
    np.testing.assert_allclose(found, refits(naive_bayes, table, y, dealt), rtol=1e-9, atol=1e-9)
    authors = np.random.default_rng(0).integers(0, 12, 60)
    kept = model.k_fold(table, y, folds=4, groups=authors)
    np.testing.assert_array_equal(kept, model.leave_one_out(table, y, groups=folds(60, 4, 0, authors, y)))


def test_groups_reach_over_batches():
    """A frame of more rows than one batch holds; a group has some in the first and some in the last."""
    n = 140_000
    x = np.tile([0.0, 1.0, 2.0, 3.0], n // 4)
    frame, y = pd.DataFrame({"x": x}), np.tile([0, 0, 1, 1], n // 4)
    model = naive_bayes(columns={"x": "gaussian"}).fit(frame, y)
    group = np.arange(n) % 7
    found = model.leave_one_out(frame, y, groups=group)
    rest = naive_bayes(columns={"x": "gaussian"}).fit(frame[group != 3], y[group != 3])
    np.testing.assert_allclose(found[group == 3], rest.predict_log_proba(frame[group == 3]), rtol=1e-9, atol=1e-9)


def test_fitted_tempers_stay_as_they_are():
    table, y = mixed_table(80, seed=2)
    model = priori.NaiveBayes(temper="auto").fit(table, y)
    group = np.arange(80) // 2
    found = model.leave_one_out(table, y, groups=group)
    for g in range(3):
        rest = [i for i in range(80) if i // 2 != g]
        refit = priori.NaiveBayes(temper="auto").fit(rows_of(table, rest), [y[i] for i in rest])
        mine = [i for i in range(80) if i // 2 == g]
        as_before = refit.model_.__class__(**{**refit.model_.__getstate__(), "stored": model.model_.fitted})
        refit.model_ = as_before
        np.testing.assert_allclose(found[mine], refit.predict_log_proba(rows_of(table, mine)), rtol=1e-9, atol=1e-9)


def fitted():
    return naive_bayes(columns={"x": "gaussian"}).fit({"x": [1.0, 2.0, 3.0, 4.0]}, [0, 0, 1, 1])


@pytest.mark.parametrize(
    ("call", "kind", "said"),
    [
        (lambda t, y: fitted().leave_one_out(t, y, groups=[1, 2]), DataError, "2 groups for 4 rows"),
        (lambda t, y: fitted().leave_one_out(t, y, groups="author"), DataError, "one for each, or 'rows'"),
        (lambda t, y: fitted().leave_one_out(t, y, groups=[1] * 4), EstimateError, "with all that was learned"),
        (lambda t, y: fitted().leave_one_out({"x": [1.0, 7.0]}, [0, 0], groups=[1, 1]), DataError, "never learned"),
        (lambda t, y: fitted().leave_one_out({"x": [1.0, 1.0]}, [0, 0], groups=[1, 1]), DataError, "never learned"),
        (lambda t, y: fitted().k_fold(t, y, folds=5), DataError, "4 rows for 5 folds"),
        (
            lambda t, y: naive_bayes(columns={"x": "gaussian"}, estimate="ml").fit(t, y).leave_one_out(t, y),
            EstimateError,
            "column 'x'",
        ),
    ],
)  # fmt: skip
def test_refusals(call, kind, said):
    with pytest.raises(kind, match=said):
        call({"x": [1.0, 2.0, 3.0, 4.0]}, [0, 0, 1, 1])


def test_complaints_have_the_number_of_the_row():
    model = fitted()
    with pytest.raises(DataError, match="row 4 was never learned"):
        model.leave_one_out({"x": [1.0, 2.0, 3.0, 50.0]}, [0, 0, 1, 1], groups=[0, 0, None, None])
