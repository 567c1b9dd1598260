"""Tables that are drawn: of the columns and types that were learned, and as often as the model says."""

import datetime

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from scipy.stats import chi2, kstest

from model.estimators import mixed_table, naive_bayes
from priori.data.schema import Schema
from priori.model import sampling
from priori.model.sampling import sample_table

MOST = 1e-5  # chance of a false alarm of each test


def typed(n=400, seed=0):
    table, y = mixed_table(n, seed)
    moments = [None if day is None else datetime.datetime(day.year, day.month, day.day, i % 24) for i, day in
               enumerate(table["born"])]  # fmt: skip
    columns = {name: pa.array(column) for name, column in table.items()}
    columns["grade"] = pa.array([str(i % 3) for i in range(n)]).dictionary_encode()
    columns["seen"] = pa.array(moments, pa.timestamp("us"))
    columns["left"] = columns["smokes"]
    return pa.table(columns), y


TABLE, LABELS = typed()
CHOICES = {
    "auto": {},
    "evidence": {"missing": "evidence"},
    "categories": {"columns": "categorical"},
    "some": {"columns": {"left": None, "visits": None, "age": "gaussian", "income": "lognormal"}},
    "joint": {"columns": {("visits", "age", "smokes"): "gaussian_joint", "income": "gamma"}},
    "given": {"columns": {"visits": "poisson", "born": "categorical", "seen": "categorical", "left": "gaussian"}},
}


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("size", [0, 1, 200])
def test_a_drawn_table_has_the_columns_that_were_learned(choice, size):
    model = naive_bayes(**CHOICES[choice]).fit(TABLE, LABELS)
    group, table = sample_table(model.model_, size, np.random.default_rng(0))
    assert len(group) == table.num_rows == size
    used = {column for part in model.model_.parts for column in part.columns}
    expected = [field for field in Schema.of(TABLE.schema).fields if field.name in used]
    assert list(Schema.of(table.schema).fields) == expected
    if used == set(TABLE.column_names) and size:
        assert np.isfinite(model.log_joint(table)).all()
        assert set(model.predict(table)) <= {"no", "perhaps", "yes"}
        model.learn(table, [model.model_.labels[k] for k in group]).forget(
            table, [model.model_.labels[k] for k in group]
        )
    nulls = sum(column.null_count for column in table.columns)
    if size != 1:
        assert (nulls > 0) == (choice == "evidence" and size > 1)


def test_bernoulli_columns_of_numbers_are_numbers():
    table = pa.table({"k": [0, 1, 1, 0, None], "r": [0.0, 1.0, 0.0, 1.0, 1.0]})
    model = naive_bayes(columns="bernoulli").fit(table, ["p", "q", "p", "q", "q"])
    drawn, _ = model.sample(50, 0)
    assert drawn.schema.types == [pa.int64(), pa.float64()]
    assert set(drawn["k"].to_pylist()) == {0, 1}


def test_fractions_of_seconds_are_kept():
    times = [datetime.datetime(2020, 1, 1, 5, 6, 7, 250_000), datetime.datetime(1890, 2, 3)]
    model = naive_bayes(columns="categorical").fit({"t": times * 3}, ["p", "q"] * 3)
    drawn, _ = model.sample(50, 0)
    assert set(drawn["t"].to_pylist()) == set(times)


def fits(counts, shares):
    """Whether counts are likely under these shares: Pearson's chi-square, at the level above."""
    expected = counts.sum() * shares
    return chi2.sf(((counts - expected) ** 2 / expected).sum(), len(counts) - 1) > MOST


def frequencies_fit(size=4000):
    """Categories, truth values, months, weekdays, hours and whole numbers by class, as the readings have them."""
    model = naive_bayes(class_prior="uniform").fit(TABLE, LABELS).model_
    group, table = sample_table(model, size, np.random.default_rng(1))
    fine = [fits(np.bincount(group, minlength=3), np.full(3, 1 / 3))]
    found = {
        "job": table["job"].to_pylist(),
        "smokes": [str(value).lower() for value in table["smokes"].to_pylist()],
        "born (month)": pc.month(table["born"]).to_pylist(),
        "born (weekday)": pc.day_of_week(table["born"], count_from_zero=False).to_pylist(),
        "seen (month)": pc.month(table["seen"]).to_pylist(),
        "seen (hour)": pc.hour(table["seen"]).to_pylist(),
    }
    for factor in model.factors:
        if factor.part.name in found:
            values = np.array([str(value) for value in found[factor.part.name]])
            keys = factor.reading.keys.tolist()
            shares = np.exp(factor.reading.table[:-1])
            for k in range(3):
                counts = np.array([(values[group == k] == key).sum() for key in keys])
                assert counts.sum() == (group == k).sum()
                fine.append(fits(counts, shares[:, k] / shares[:, k].sum()))
    return all(fine)


def test_values_are_drawn_as_often_as_the_model_says():
    """19 chi-square tests with a chance of 1e-5 each to fail."""
    assert frequencies_fit()


def test_a_weekday_that_is_off_by_one_is_seen(monkeypatch):
    monkeypatch.setattr(sampling, "EPOCH_WEEKDAY", 4)
    assert not frequencies_fit()


def test_years_and_numbers_are_drawn_as_they_were():
    """Kolmogorov-Smirnov against the normal of each class; years among those that were seen."""
    model = naive_bayes(columns={"income": "lognormal", "age": "gaussian"}, estimate="mean").fit(TABLE, LABELS)
    group, table = sample_table(model.model_, 3000, np.random.default_rng(2))
    factor = next(factor for factor in model.model_.factors if factor.part.name == "income")
    x = np.sort(table["income"].to_numpy()[group == 1])
    fine = np.linspace(np.log(x[0]) - 8, np.log(x[-1]) + 8, 20_001)
    density = np.exp(factor.log_prob(np.exp(fine))[:, 1] + fine)
    total = np.r_[0.0, np.cumsum((density[1:] + density[:-1]) / 2 * np.diff(fine))]
    assert total[-1] == pytest.approx(1, abs=1e-3)
    assert kstest(x, lambda values: np.interp(np.log(values), fine, total)).pvalue > MOST
    years = set(pc.year(table["born"]).to_pylist())
    assert years <= set(pc.year(TABLE["born"]).drop_null().to_pylist())


def test_missing_cells_are_drawn_as_often_as_the_model_says():
    model = naive_bayes(missing="evidence").fit(TABLE, LABELS).model_
    group, table = sample_table(model, 6000, np.random.default_rng(3))
    for factor in model.factors:
        if factor.part.calendar in (None, "year"):
            lost = table[factor.part.columns[0]].is_null().to_numpy()
            gone, there = factor.stats.missing / 2**20, factor.stats.n
            for k in range(3):
                share = (gone[k] + 1) / (gone[k] + there[k] + 2)
                counts = np.array([lost[group == k].sum(), (~lost[group == k]).sum()])
                assert fits(counts, np.array([share, 1 - share]))


def test_the_same_seed_draws_the_same_table():
    model = naive_bayes().fit(TABLE, LABELS)
    first, y = model.sample(50, 7)
    again, z = model.sample(50, 7)
    assert first.equals(again)
    assert y.tolist() == z.tolist()
    other, _ = model.sample(50, 8)
    assert not first.equals(other)
