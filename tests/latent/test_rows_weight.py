"""The weight of rows without a label: judged on labelled rows that EM has never seen, copies of one on one side."""

import numpy as np
import pytest
from rows_cases import hidden_rows, numbers

from priori.columns.binned import BinnedColumn
from priori.columns.joint import GaussianColumns
from priori.latent import rows_weight
from priori.latent.rows_fit import Search, fit_rows
from priori.latent.rows_starts import labelled_step
from priori.latent.rows_weight import choose_weight
from priori.table_readings import TableReadings

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
    asked, fold = rows_weight._dealt(rows, 0)
    assert asked.tolist() == list(range(60))
    assert (fold.reshape(15, 4) == fold[::4, None]).all()
    assert set(fold.tolist()) == set(range(5))
    by_row = np.arange(len(rows))
    assert rows.alike()[:60].tolist() == np.repeat(np.arange(15), 4).tolist()
    monkeypatch.setattr(type(rows), "alike", lambda self: by_row)  # the planted bug
    _, parted = rows_weight._dealt(rows, 0)
    assert not (parted.reshape(15, 4) == parted[::4, None]).all()


def test_a_class_of_one_row_is_never_held_out():
    x = np.array([[0.0], [0.0], [0.0], [5.0], [6.0], [7.0], [8.0], [1.0]])
    rows = hidden_rows(numbers(x), ["a", "a", "a", "b", "b", "b", "b", None], "gaussian")
    asked, fold = rows_weight._dealt(rows, 0)
    assert asked.tolist() == [3, 4, 5, 6]  # those of a are one row, three times
    assert len(set(fold.tolist())) > 1
    only = hidden_rows(numbers(x[[0, 3, 7]]), ["a", "b", None], "gaussian")
    assert choose_weight(only, TableReadings(), Search()).losses == {}


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
    assert list(choice.losses) == [0.0, *rows_weight.GRID]
