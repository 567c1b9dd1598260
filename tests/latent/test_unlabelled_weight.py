"""The weight of rows without a label: judged on labelled rows that EM has never seen, copies of one on one side."""

import numpy as np
import pytest
from rows_cases import hidden_rows, numbers
from scipy.special import logsumexp
from scipy.stats import norm

from priori.columns.bins import BinnedColumn
from priori.columns.joint.column import GaussianColumns
from priori.columns.readings import TableReadings
from priori.latent import unlabelled_weight
from priori.latent.em_algorithm.restarts import Search, fit_rows
from priori.latent.starts import labelled_step
from priori.latent.unlabelled_weight import choose_weight

HELD = np.array([0, 3, 20])  # labelled rows


def mixed(changed=False):
    """A table of several types; `changed`: with other cells in the rows that are held out."""
    rng = np.random.default_rng(0)
    k = rng.integers(0, 2, 40)
    table = {
        "height": rng.normal(5.0 * k, 1.0),
        "width": rng.normal(-3.0 * k, 1.0),
        "bins": rng.normal(2.0 * k, 1.0),
        "eggs": rng.poisson(2 + 5 * k),
        "kind": np.array([f"kind {value}" for value in k], object),
        "words": np.array([f"word{value} and {w}" for value, w in zip(k, rng.integers(0, 5, 40), strict=True)], object),
    }
    if changed:
        others = {"height": 99.0, "width": 77.0, "bins": 1e3, "eggs": 400, "kind": "other", "words": "quite another"}
        for name, value in others.items():
            table[name][HELD] = value
    return table, [str(value) if row < 24 else None for row, value in enumerate(k)]


@pytest.mark.parametrize("weight", [0.0, 0.3, 1.0])
def test_rows_held_out_have_no_say(weight):
    """Whatever their cells hold, all parameters stay; hidden among the unlabelled, as a plant, they would have one."""
    columns = {
        ("height", "width"): GaussianColumns("full"), "bins": BinnedColumn(4), "eggs": "poisson", "kind": "categorical",
        "words": "text",
    }  # fmt: skip

    def parameters(changed, out):
        table, y = mixed(changed)
        rows = hidden_rows({name: column.tolist() for name, column in table.items()}, y, columns)
        rows = rows.holding_out(HELD) if out else rows
        if not weight:
            return labelled_step(rows, TableReadings())
        return fit_rows(rows, TableReadings(), Search(most_iterations=5), np.random.default_rng(0), weight).step

    once, again = parameters(False, True), parameters(True, True)
    assert once.objective == pytest.approx(again.objective, rel=1e-12)
    for one, other in zip(once.parameters, again.parameters, strict=True):
        for name, values in one.items():
            np.testing.assert_allclose(other[name], values, rtol=1e-9, atol=1e-12)
    assert np.isfinite(once.log_posterior).all()
    np.testing.assert_allclose(np.exp(again.log_posterior).sum(axis=1), 1)
    planted = parameters(True, False)
    assert abs(planted.objective - once.objective) > 1


def test_copies_are_held_out_together(monkeypatch):
    """Nothing but noise, each row four times over: folds that part copies would find labels where there are none."""
    rng = np.random.default_rng(1)
    x, y = np.repeat(rng.normal(size=(15, 2)), 4, axis=0), np.repeat(rng.integers(0, 2, 15), 4).astype(str)
    table, labels = np.vstack([x, rng.normal(size=(30, 2))]), [*y, *[None] * 30]
    rows = hidden_rows(numbers(table), labels, "gaussian")
    asked, fold = unlabelled_weight._dealt(rows, 0)
    assert asked.tolist() == list(range(60))
    assert (fold[:60].reshape(15, 4) == fold[:60:4, None]).all()
    assert set(fold[:60].tolist()) == set(range(5)) and set(fold[60:].tolist()) == {-1}
    by_row = np.arange(len(rows))
    assert rows.alike()[:60].tolist() == np.repeat(np.arange(15), 4).tolist()
    monkeypatch.setattr(type(rows), "alike", lambda self: by_row)  # the planted bug
    _, parted = unlabelled_weight._dealt(rows, 0)
    assert not (parted[:60].reshape(15, 4) == parted[:60:4, None]).all()


def test_a_class_of_one_row_is_never_held_out():
    x = np.array([[0.0], [0.0], [0.0], [5.0], [6.0], [7.0], [8.0], [1.0]])
    rows = hidden_rows(numbers(x), ["a", "a", "a", "b", "b", "b", "b", None], "gaussian")
    asked, fold = unlabelled_weight._dealt(rows, 0)
    assert asked.tolist() == [3, 4, 5, 6]  # those of a are one row, three times
    assert len(set(fold[3:7].tolist())) > 1 and set(fold[[0, 1, 2, 7]].tolist()) == {-1}
    only = hidden_rows(numbers(x[[0, 3, 7]]), ["a", "b", None], "gaussian")
    assert choose_weight(only, TableReadings(), Search()).losses == {}


def test_a_row_like_one_that_stays_does_so_too():
    """Row 3 has the cells of class a: held out with its likes, it would take all of that class along."""
    x = np.array([[0.0], [0.0], [5.0], [0.0], [6.0], [7.0], [8.0], [0.0]])
    rows = hidden_rows(numbers(x), ["a", "a", "b", "b", "b", "b", "b", None], "gaussian")
    asked, fold = unlabelled_weight._dealt(rows, 0)
    assert asked.tolist() == [2, 4, 5, 6]
    assert set(fold[[0, 1, 3, 7]].tolist()) == {-1}


@pytest.mark.parametrize("weight", [0.0, 0.3])
def test_losses_are_those_of_refits_without_the_fold_and_its_likes(weight):
    """Rows 0 and 1 have copies without a label, which would tell EM of them."""
    rng = np.random.default_rng(3)
    k = rng.integers(0, 2, 40)
    x = rng.normal(k[:, None], 1.0, (40, 2))
    x[30:32] = x[:2]
    rows = hidden_rows(numbers(x), [str(value) if row < 14 else None for row, value in enumerate(k)], "gaussian")
    readings, search = TableReadings(), Search(most_iterations=5)
    asked, fold = unlabelled_weight._dealt(rows, 0)
    assert asked.tolist() == list(range(14)) and fold[30:32].tolist() == fold[:2].tolist()
    losses = unlabelled_weight._losses(rows, readings, search, (asked, fold), weight)
    for at in range(unlabelled_weight.FOLDS):
        held = x[:14][fold[:14] == at]
        rest = rows.taken(np.flatnonzero(~(x[:, None] == held).all(axis=2).any(axis=1)))
        step = labelled_step(rest, readings)
        if weight:
            step = fit_rows(rest, readings, search, np.random.default_rng(0), weight).step
        joint = np.log(step.shares) + sum(
            norm.logpdf(held[:, j, None], of["means"], np.sqrt(of["variances"])) for j, of in enumerate(step.parameters)
        )
        told = joint - logsumexp(joint, axis=1, keepdims=True)
        expected = -told[np.arange(len(held)), rows.group[:14][fold[:14] == at]]
        np.testing.assert_allclose(losses[fold[:14] == at], expected, rtol=1e-9)


@pytest.mark.parametrize(("noise", "chosen"), [(0.3, 1.0), (3.0, 0.0)])
def test_the_least_loss_is_tested_and_no_other(monkeypatch, noise, chosen):
    """0.1 gains little and surely, 1.0 more, but by chance where its gains differ much among rows."""
    rows = hidden_rows(numbers(np.arange(20.0)[:, None]), [*"ab" * 6, *[None] * 8], "gaussian")
    sure, wide = np.full(12, 0.1), 0.2 + noise * np.tile([-1.0, 1.0], 6)
    gains = {0.0: 0.0, 0.1: sure, 0.3: -sure, 1.0: wide}
    monkeypatch.setattr(
        unlabelled_weight, "_losses", lambda rows, readings, search, dealt, weight: 2.0 - gains[weight] + sure
    )
    choice = choose_weight(rows, TableReadings(), Search())
    assert min(choice.losses, key=choice.losses.get) == 1.0
    assert choice.weight == chosen  # the standard error is noise / √11: 0.09, or 0.90


def test_some_rows_weigh_as_all_do(monkeypatch):
    monkeypatch.setattr(unlabelled_weight, "_MOST_ROWS", 30)
    rng = np.random.default_rng(0)
    rows = hidden_rows(
        numbers(rng.normal(size=(240, 1))), ["ab"[row % 2] for row in range(60)] + [None] * 180, "gaussian"
    )
    some = unlabelled_weight._some_rows(rows, 0)
    labelled, unlabelled = some.weight[some.known], some.weight[~some.known]
    assert (len(labelled), len(unlabelled)) == (30, 30)
    assert labelled.sum() * 180 / 60 == pytest.approx(unlabelled.sum(), rel=1e-6)
    monkeypatch.setattr(unlabelled_weight, "_MOST_ROWS", 240)
    assert unlabelled_weight._some_rows(rows, 0) is rows


def test_clusters_that_are_the_classes_are_worth_something():
    rng = np.random.default_rng(0)
    k = rng.integers(0, 2, 200)
    rows = hidden_rows(
        numbers(rng.normal(3.0 * k[:, None], 1.0, (200, 4))),
        [str(value) if row < 8 else None for row, value in enumerate(k)],
        "gaussian",
    )
    choice = choose_weight(rows, TableReadings(), Search())
    assert choice.weight > 0
    assert choice.losses[choice.weight] == min(choice.losses.values())
    assert list(choice.losses) == [0.0, *unlabelled_weight.GRID]
