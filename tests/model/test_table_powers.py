"""Tempers of a model: better log loss on fresh rows, kept in the file, forgotten when the rows change."""

import numpy as np
import pytest
from scipy.special import expit, logit

from model.estimators import mixed_table
from priori.columns.base import Rows
from priori.errors import EstimateError
from priori.estimators.loading import table_estimator
from priori.estimators.naive_bayes import NaiveBayes
from priori.model import table_left_out
from priori.model.fitting import powers
from priori.model.posterior import powered
from priori.model.table_classifier import TableModel

TABLE, LABELS = mixed_table(150)


def correlated(rng, n, copies=6, values=12):
    """One informative category, repeated with few errors, and noise of many values."""
    y = rng.integers(0, 2, n)
    told = np.where(rng.random(n) < 0.7, y, 1 - y)
    table = {f"c{j}": np.where(rng.random(n) < 0.95, told, 1 - told).astype(str).tolist() for j in range(copies)}
    table |= {f"noise{j}": rng.integers(0, values, n).astype(str).tolist() for j in range(2)}
    return table, y.astype(str).tolist()


def log_losses(model, table, y):
    logs = model.predict_log_proba(table)
    return -logs[np.arange(len(y)), np.searchsorted(model.classes_, y)]


def test_fitted_tempers_predict_fresh_rows_better_than_naive_bayes():
    """12 tables: the mean gain is positive by more than 4 of its standard errors."""
    gains = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        train, fresh = correlated(rng, 200), correlated(rng, 1000)
        auto, one = (NaiveBayes(temper=power).fit(*train) for power in ("auto", 1))
        gains.append(float(log_losses(one, *fresh).mean() - log_losses(auto, *fresh).mean()))
    assert np.mean(gains) > 4 * np.std(gains, ddof=1) / np.sqrt(len(gains)) > 0


def many_values(rng, n):
    """Columns of so many values that each says much of the rows it was learned from, and nothing of others."""
    y = rng.integers(0, 2, n)
    return {f"c{j}": (rng.integers(0, n, n)).astype(str).tolist() for j in range(3)}, y.astype(str).tolist()


def gains_over_the_prior(seeds=8):
    """Of log loss on fresh rows against p(y) alone, where nothing can be told."""
    found = []
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        table, y = many_values(rng, 150)
        fresh = {name: rng.permutation(column).tolist() for name, column in table.items()}
        truth = rng.integers(0, 2, 150).astype(str).tolist()
        model = NaiveBayes(columns="categorical").fit(table, y)
        found.append(float(np.log(2) - log_losses(model, fresh, truth).mean()))
    return np.mean(found)


def test_rows_are_left_out_when_their_powers_are_fitted(monkeypatch):
    """Columns that say nothing get next to no power; a fit on rows that were not left out believes them."""
    assert gains_over_the_prior() > -0.05

    def not_left_out(factor, cells, rows):
        return factor.log_scores(cells)

    monkeypatch.setattr(table_left_out, "_without", not_left_out)
    assert gains_over_the_prior() < -0.2


def test_weights_stand_for_rows():
    times = np.random.default_rng(0).integers(1, 4, 150)
    repeated = np.repeat(np.arange(150), times)
    table = {name: [column[i] for i in repeated] for name, column in TABLE.items()}
    weighted = NaiveBayes().fit(TABLE, LABELS, sample_weight=times).model_
    plain = NaiveBayes().fit(table, [LABELS[i] for i in repeated]).model_
    assert weighted.kept == plain.kept
    np.testing.assert_array_equal(weighted.tempers, plain.tempers)


def test_order_and_threads_do_not_matter():
    order = np.random.default_rng(1).permutation(150)
    table = {name: [column[i] for i in order] for name, column in TABLE.items()}
    first = NaiveBayes(n_jobs=1).fit(TABLE, LABELS).model_
    second = NaiveBayes(n_jobs=3).fit(table, [LABELS[i] for i in order]).model_
    np.testing.assert_array_equal(first.tempers, second.tempers)


def test_only_so_many_scores_are_looked_at(monkeypatch):
    model = NaiveBayes().fit(TABLE, LABELS).model_
    monkeypatch.setattr(powers, "ROOM", 40 * 3 * len(model.parts))
    seen = []
    real = powers.fitted
    monkeypatch.setattr(powers, "fitted", lambda rows: seen.append(rows.scores.shape) or real(rows))
    assert np.isfinite(model.tempers).all()
    assert seen == [(40, 3, len(model.parts))]


def refuse(*_):
    raise RuntimeError("the tempers are fitted again")


def test_a_file_holds_them_so_that_they_are_not_fitted_again(tmp_path, monkeypatch):
    model = NaiveBayes().fit(TABLE, LABELS)
    model.save(tmp_path / "m")
    monkeypatch.setattr(table_left_out, "fitted_tempers", refuse)
    found = TableModel.load(tmp_path / "m")
    assert found.kept == model.model_.kept
    np.testing.assert_array_equal(found.tempers, model.model_.tempers)
    np.testing.assert_array_equal(table_estimator(found).predict_log_proba(TABLE), model.predict_log_proba(TABLE))
    one = {name: column[:1] for name, column in TABLE.items()}
    changed = [
        lambda m: m.learn(one, LABELS[:1]),
        lambda m: m.forget(one, LABELS[:1]),
        lambda m: m + model,
        lambda m: (m + model) - model,
        lambda m: m.set_params(alpha=2.0),
        lambda m: m.set_params(missing="evidence"),
    ]
    for change in changed:
        with pytest.raises(RuntimeError, match="fitted again"):
            change(table_estimator(TableModel.load(tmp_path / "m"))).predict(TABLE)
    plain = table_estimator(TableModel.load(tmp_path / "m")).set_params(temper=1)
    assert np.isfinite(plain.predict_log_proba(TABLE)).all()


def test_learning_and_forgetting_fits_what_was_fitted_before():
    model = NaiveBayes().fit(TABLE, LABELS)
    before = model.model_.tempers
    more, y = mixed_table(60, seed=5)
    assert not np.array_equal(model.learn(more, y).model_.tempers, before)
    np.testing.assert_array_equal(model.forget(more, y).model_.tempers, before)


def test_a_number_is_the_power_of_every_column():
    model = NaiveBayes(temper=0.25).fit(TABLE, LABELS).model_
    np.testing.assert_array_equal(model.tempers, np.full(len(model.parts), 0.25))
    batch = next(iter(NaiveBayes(temper=0.25).fit(TABLE, LABELS)._batches(TABLE)))
    cells = [part.cells(batch) for part in model.parts]
    np.testing.assert_array_equal(model.powers(cells), np.full((150, len(model.parts)), 0.25))


def test_what_is_impossible_says_nothing_where_its_power_is_none():
    scores = np.array([[-np.inf, -1.0], [-np.inf, -2.0], [-3.0, -np.inf]])
    found = powered(np.array([0.0, 0.5, 0.0]), scores)
    np.testing.assert_array_equal(found, [[0, 0], [-np.inf, -1.0], [0, 0]])


def twins(rng, n, errors=0.0):
    """A category that tells the class of four rows in five, and another that repeats it but for some errors."""
    y = rng.integers(0, 2, n)
    first = np.where(rng.random(n) < 0.8, y, 1 - y)
    second = np.where(rng.random(n) < errors, 1 - first, first)
    return {"first": first.astype(str).tolist(), "second": second.astype(str).tolist()}, y.astype(str).tolist()


def losses_of_the_second_alone(errors):
    """Powers, and log losses: of the pair where the first is missing, and of a model of the second."""
    rng = np.random.default_rng(0)
    train, (fresh, y) = twins(rng, 4000, errors), twins(rng, 4000, errors)
    pair, alone = NaiveBayes().fit(*train), NaiveBayes().fit({"second": train[0]["second"]}, train[1])
    half = {"first": [None] * 4000, "second": fresh["second"]}
    losses = log_losses(pair, half, y).mean(), log_losses(alone, {"second": fresh["second"]}, y).mean()
    return pair.model_.tempers, *losses


def lost_by(power, share):
    """What it costs to read a column that is right in this share of rows to a power: KL(p, σ(t logit p))."""
    told = expit(power * logit(share))
    return share * np.log(share / told) + (1 - share) * np.log((1 - share) / (1 - told))


def test_of_twins_each_has_half_the_power_and_more_where_the_other_is_missing():
    """½ each, and 1 where the other is missing: no less than the column tells by itself."""
    tempers, found, alone = losses_of_the_second_alone(errors=0.0)
    np.testing.assert_allclose(tempers, 0.5, atol=0.1)
    assert found < np.log(2) - 0.1
    # a row's loss differs by one of two numbers that are ¼ logit 0.8 apart: five times 0.35 √(0.8 · 0.2 / 4000)
    assert found - alone == pytest.approx(lost_by(1.0, 0.8), abs=0.011)


def test_a_column_that_is_silent_for_its_twin_speaks_where_the_twin_is_missing():
    """A copy with errors tells nothing beside its original, so that its power is 0; alone it has 1."""
    tempers, found, alone = losses_of_the_second_alone(errors=0.05)
    assert tempers[0] == pytest.approx(1, abs=0.2)
    assert tempers[1] == pytest.approx(0, abs=0.2)
    right = 0.8 * 0.95 + 0.2 * 0.05
    assert found < np.log(2) - 0.05
    # five times ½ logit 0.77 √(0.77 · 0.23 / 4000)
    assert found - alone == pytest.approx(lost_by(1.0, right), abs=0.02)


def test_posteriors_are_those_of_the_powers():
    """p(y) Π p(x_j | y)^t_ij, from the densities themselves, which share a factor that the scores leave out."""
    model = NaiveBayes().fit(TABLE, LABELS)
    batch = next(iter(model._batches(TABLE)))
    inner = model.model_
    cells = [part.cells(batch) for part in inner.parts]
    tempers = inner.powers(cells)
    there = np.column_stack([~part.family.missing(cells[at]) for at, part in enumerate(inner.parts)])
    np.testing.assert_array_equal(tempers, powers.in_rows_of(inner.tempers, there))
    joint = inner.log_prior + sum(
        tempers[:, [at]] * factor.log_prob(cells[at]) for at, factor in enumerate(inner.factors)
    )
    expected = joint - np.logaddexp.reduce(joint, axis=1, keepdims=True)
    np.testing.assert_allclose(inner.log_posterior(batch), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    ("table", "y"),
    [
        ({"a": [1.0, 2.0, 3.0]}, ["p", "p", "p"]),
        ({"a": [1.0, 2.0, 3.0]}, ["p", "q", "r"]),
        ({"a": [1.0, 2.0, 3.0, 4.0]}, ["p", "q", "q", "q"]),
        ({"a": [1.0], "b": ["x"]}, ["p"]),
        ({"a": [1.0, 2.0, 3.0, 4.0], "b": [None, None, None, 2.0]}, ["p", "p", "q", "q"]),
        ({"a": [5.0] * 6}, ["p", "p", "p", "q", "q", "q"]),
        ({"a": ["x"] * 6}, ["p", "p", "p", "q", "q", "q"]),
    ],
    ids=["one class", "one row each", "one row in one", "one row", "one number", "one value", "one category"],
)
@pytest.mark.parametrize("missing", ["ignore", "evidence"])
def test_little_data_has_tempers_too(table, y, missing):
    model = NaiveBayes(missing=missing).fit(table, y)
    assert np.isfinite(model.model_.tempers).all()
    assert (model.model_.tempers >= 0).all()
    np.testing.assert_allclose(model.predict_proba(table).sum(axis=1), 1, rtol=1e-12)


@pytest.mark.parametrize(
    "family", ["gaussian", "gamma", "lognormal", "poisson", "exponential", "binned", "categorical"]
)
def test_under_ml_rows_that_cannot_be_left_out_do_not_vote(family):
    """Of two numbers one has no variance; a model that can be read has tempers, and predicts."""
    rng = np.random.default_rng(0)
    table = {"a": np.r_[rng.integers(1, 9, 40), 3, 5].tolist(), "b": np.r_[rng.integers(1, 9, 40), 2, 8].tolist()}
    y = ["p", "q"] * 20 + ["r", "r"]
    model = NaiveBayes(columns=family, estimate="ml").fit(table, y)
    assert np.isfinite(model.model_.tempers).all()
    assert not np.isnan(model.predict_log_proba(table)).any()


def test_what_cannot_be_read_at_all_is_told():
    model = NaiveBayes(columns="gaussian", estimate="ml").fit({"a": [1.0, 2.0, 3.0, 4.0]}, ["p", "p", "p", "q"])
    with pytest.raises(EstimateError, match="column 'a'"):
        model.predict({"a": [1.0]})


def test_missing_texts_say_nothing_and_stop_nothing():
    table = {"text": ["the cat", None, "a mat", None, "the mat", ""], "n": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]}
    y = ["p", "q", "p", "q", "q", "p"]
    model = NaiveBayes(columns={"n": None}).fit(table, y)
    np.testing.assert_allclose(model.predict_proba({"text": [None], "n": [1.0]}), [[0.5, 0.5]])
    kept, factor = model.model_.kept, model.model_.factors[0]
    rows = Rows(model.model_.labels, kept.rows(model.model_.labels).group, kept.weight)
    found = factor.without(kept.cells[0], rows, almost=True)
    assert (found[factor.part.family.missing(kept.cells[0])] == 0).all()
    exact = factor.without(kept.cells[0], rows)  # of a smaller vocabulary, for all classes alike
    np.testing.assert_allclose(np.diff(found), np.diff(exact), atol=1e-9)


def test_leaving_out_for_the_fit_is_leaving_out():
    """What is fitted is what `without` says, but for columns whose bins and vocabulary stay."""
    model = NaiveBayes(columns={"age": "gaussian", "income": "gamma", "visits": "poisson", "text": None}).fit(
        TABLE, LABELS
    )
    inner = model.model_
    kept = inner.kept
    rows = Rows(inner.labels, kept.rows(inner.labels).group, kept.weight)
    for at, factor in enumerate(inner.factors):
        if "born (year)" in factor.part.name:
            continue
        np.testing.assert_allclose(
            factor.without(kept.cells[at], rows, almost=True), factor.without(kept.cells[at], rows), atol=1e-9
        )
