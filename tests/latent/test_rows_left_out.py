"""What a labelled row has taught rows without a label cannot be taken away: nothing that EM made is left out of it."""

import numpy as np
import pytest

from priori import NaiveBayes, load
from priori.errors import DataError
from priori.model.table_file import TABLES
from priori.store import read, write

REFUSED = (
    r"the model has learned from rows without a label, so none can be left out: .* give rows that were not learned"
)


def noise(rows=300, labelled=6):
    """Labels that say nothing of the cells."""
    rng = np.random.default_rng(0)
    table = dict(zip("abcd", rng.normal(size=(4, rows)), strict=True))
    return table, [str(value) if row < labelled else None for row, value in enumerate(rng.integers(0, 2, rows))]


def some(table, y):
    """The labelled rows."""
    there = [row for row, label in enumerate(y) if label is not None]
    return {name: column[there] for name, column in table.items()}, [y[row] for row in there]


def learned(weight=1.0, **settings):
    """A model of noise, and the labelled rows of it."""
    table, y = noise(**settings)
    return NaiveBayes(columns="gaussian", unlabelled_weight=weight).fit(table, y), *some(table, y)


@pytest.mark.filterwarnings(r"ignore:the model .* keeps no")
def test_nothing_is_left_out_of_what_em_made(tmp_path):
    model, table, y = learned()
    model.save(tmp_path / "m.priori")
    more = NaiveBayes(columns="gaussian", keep_sample=False).fit(table, y)
    alike = (
        model,
        load(tmp_path / "m.priori"),
        model + more,
        more + model,
        load(tmp_path / "m.priori").learn(table, y),
    )
    for each in alike:
        assert each.model_.statistics.hidden and each.model_.kept is None
        for leave in (each.leave_one_out, each.k_fold, each.recalibrate):
            with pytest.raises(DataError, match=REFUSED):
                leave(table, y)
        with pytest.raises(DataError, match=REFUSED):
            each.recalibrate()
        with pytest.raises(DataError, match=r"learned from rows without a label, so it keeps none: .* give a SOURCE"):
            each.evaluate()
        with pytest.raises(DataError, match="so it keeps none"):
            each.decide(table, max_false_positive={"1": 0.1})
        assert each.recalibrate(table, y, held_out=True).fitted_.rows == 6


@pytest.mark.parametrize("how", [{"unlabelled_weight": 0.0}, {"unlabelled": "skip"}])
def test_rows_that_were_not_used_hide_nothing(how):
    table, y = noise(labelled=20)
    model = NaiveBayes(columns="gaussian", **how).fit(table, y)
    assert not model.model_.statistics.hidden
    assert model.leave_one_out(*some(table, y)).shape == (20, 2)
    assert model.evaluate().n == 20


def test_a_file_of_before_hides_nothing_and_a_wrong_one_is_refused(tmp_path):
    model, table, y = learned()
    model.save(tmp_path / "m.priori")
    sections = dict(read(tmp_path / "m.priori", TABLES))
    readings = sections["readings"]
    assert readings.pop("hidden") is True
    write(tmp_path / "old.priori", sections)
    assert load(tmp_path / "old.priori").leave_one_out(table, y).shape == (6, 2)
    readings["hidden"] = "yes"
    write(tmp_path / "bad.priori", sections)
    with pytest.raises(Exception, match="whether some rows had no label is 'yes'"):
        load(tmp_path / "bad.priori")


def test_the_powers_are_those_of_the_labelled_rows_alone():
    """Left out of what EM made, rows of noise would seem to be told well, for their fellows still speak for them."""
    for labelled in (6, 40):
        model, table, y = learned(labelled=labelled)
        alone = NaiveBayes(columns="gaussian").fit(table, y)
        assert model.fitted_ == alone.fitted_
        assert not model.fitted_.stale


@pytest.mark.filterwarnings(r"ignore:the model .* keeps none")
def test_labelled_rows_can_be_forgotten():
    """Each was counted whole; what it taught the others stays."""
    model, table, y = learned()
    before = model.model_.statistics.n.sum()
    model.forget(table, y)
    assert model.model_.statistics.n.sum() == before - 6
    assert model.model_.statistics.hidden


def test_stale_powers_say_what_can_be_done():
    model, table, y = learned(labelled=40)
    with pytest.warns(UserWarning, match=r"learned from rows without a label and keeps none.*held_out=True"):
        model.learn(table, y)
