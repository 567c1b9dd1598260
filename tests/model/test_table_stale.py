"""Powers of models that keep no rows: fitted before the rows go, in use and stale after a change, fitted again."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from model.estimators import mixed_table, rows_of
from priori import store
from priori.errors import DataError, ModelFileError
from priori.estimators.loading import table_estimator
from priori.estimators.naive_bayes import NaiveBayes
from priori.model.fitting import powers
from priori.model.table_classifier import TableModel

TABLE, LABELS = mixed_table(150)
MORE, MORE_LABELS = mixed_table(60, seed=5)
BOTH = {name: TABLE[name] + MORE[name] for name in TABLE}
STALE = "powers of the columns are those of before"


def bare(table=TABLE, labels=LABELS, **settings):
    return NaiveBayes(keep_sample=False, **settings).fit(table, labels)


def stored(path):
    return store.read(path)["readings"]


def test_the_powers_are_those_of_the_rows_that_were_dropped(tmp_path):
    keeps, bares = NaiveBayes().fit(TABLE, LABELS), bare()
    assert bares.model_.kept is None
    assert bares.model_.fitted == keeps.model_.fitted
    assert bares.model_.fitted.fitted and not bares.model_.fitted.stale
    np.testing.assert_array_equal(bares.predict_log_proba(TABLE), keeps.predict_log_proba(TABLE))
    bares.save(tmp_path / "m")
    assert not any(name.startswith("sample") for name in store.read(tmp_path / "m"))
    loaded = TableModel.load(tmp_path / "m")
    assert loaded.fitted == bares.model_.fitted
    assert pickle.loads(pickle.dumps(bares.model_)).fitted == bares.model_.fitted
    loaded.save(tmp_path / "again")
    assert (tmp_path / "m").read_bytes() == (tmp_path / "again").read_bytes()


def test_a_file_says_no_more_where_the_rows_are_kept_or_the_rule_is_used(tmp_path):
    one = {"a": [1.0, 2.0]}, ["p", "p"]
    for model in (NaiveBayes().fit(TABLE, LABELS), NaiveBayes().fit(*one), bare(*one), bare(temper=1)):
        model.save(tmp_path / "m")
        assert set(stored(tmp_path / "m")) == {"reading", "families", "sample_bits", "tempers"}
        assert TableModel.load(tmp_path / "m").fitted == model.model_.fitted


CHANGES = {
    "learn": lambda m: m.learn(MORE, MORE_LABELS),
    "partial_fit": lambda m: m.partial_fit(MORE, MORE_LABELS),
    "a new class": lambda m: m.learn(MORE, ["new"] * 60),
    "forget": lambda m: m.forget(rows_of(TABLE, range(20)), LABELS[:20]),
    "+": lambda m: m + bare(MORE, MORE_LABELS),
    "+ of one that keeps rows": lambda m: m + NaiveBayes().fit(MORE, MORE_LABELS),
    "-": lambda m: m - bare(rows_of(TABLE, range(20)), LABELS[:20]),
}


@pytest.mark.parametrize("change", CHANGES)
def test_after_a_change_the_powers_stay_and_are_stale(change, tmp_path):
    model = bare()
    before = model.model_.fitted
    with pytest.warns(UserWarning, match=STALE):
        model = CHANGES[change](model)
    assert model.model_.kept is None
    assert model.model_.fitted == replace(before, stale=True)
    np.testing.assert_array_equal(model.model_.tempers, before.powers)
    model.save(tmp_path / "m")
    assert stored(tmp_path / "m")["tempers_fitted"] == {"rows": before.rows, "stale": True}
    loaded = table_estimator(TableModel.load(tmp_path / "m"))
    assert loaded.model_.fitted == model.model_.fitted
    np.testing.assert_array_equal(loaded.predict_log_proba(TABLE), model.predict_log_proba(TABLE))
    loaded.save(tmp_path / "again")
    assert (tmp_path / "m").read_bytes() == (tmp_path / "again").read_bytes()


def test_rows_that_are_lost_by_merging_leave_their_powers():
    keeps = NaiveBayes().fit(TABLE, LABELS)
    with pytest.warns(UserWarning, match=STALE):
        merged = keeps + bare(MORE, MORE_LABELS)
    assert merged.model_.fitted == replace(keeps.model_.fitted, stale=True)


def test_a_model_that_keeps_rows_is_never_stale():
    model = NaiveBayes().fit(TABLE, LABELS).learn(MORE, MORE_LABELS)  # warnings are errors
    assert model.model_.fitted == NaiveBayes().fit(BOTH, LABELS + MORE_LABELS).model_.fitted


def test_where_nothing_could_be_fitted_the_rule_serves_and_is_never_stale():
    model = bare(rows_of(TABLE, range(20)), ["yes"] * 20)
    rule = (powers.rule(len(model.model_.parts)),) * len(model.model_.parts)
    for each in (model, model.learn(MORE, MORE_LABELS)):  # warnings are errors
        assert (each.model_.fitted.powers, each.model_.fitted.rows) == (rule, 0)
        assert not each.model_.fitted.stale
        assert "by rule" in str(each.model_.fitted)


def test_a_reading_that_does_not_exist_yet_may_be_learned():
    """Of one number there is no variance under ml; with more there is."""
    model = bare({"a": [1.0, 2.0, 3.0, 4.0]}, ["p", "p", "p", "q"], columns="gaussian", estimate="ml")
    assert model.learn({"a": [5.0, 7.0]}, ["q", "q"]).predict({"a": [1.0]}).tolist() == ["p"]
    assert not model.model_.fitted.fitted


def test_another_reading_makes_them_stale_and_another_temper_does_not(tmp_path):
    model = bare()
    before = model.model_.fitted
    assert model.set_params(temper=1)._current().fitted is None
    model.save(tmp_path / "m")  # which holds them for later
    loaded = table_estimator(TableModel.load(tmp_path / "m")).set_params(temper="auto")
    assert model.set_params(temper="auto")._current().fitted == before == loaded._current().fitted
    with pytest.warns(UserWarning, match=STALE):
        model.set_params(alpha=3.0).predict(TABLE)
    assert model.model_.fitted == replace(before, stale=True)


def test_the_same_reading_is_not_fitted_again():
    model = NaiveBayes().fit(TABLE, LABELS).model_
    found = model.fitted
    assert model.read_as(model.readings).stored is found is not None
    assert model.read_as(replace(model.readings, alpha=3.0)).stored is None


def test_fitted_again_on_what_was_learned_they_are_those_of_a_model_that_kept_it():
    keeps = NaiveBayes().fit(BOTH, LABELS + MORE_LABELS).model_
    model = bare()
    with pytest.warns(UserWarning, match=STALE):
        model.learn(MORE, MORE_LABELS)
    assert model.recalibrate(BOTH, LABELS + MORE_LABELS) is model
    assert model.model_.fitted == keeps.fitted
    assert model.model_.kept is None
    weight = np.full(150, 2.0)
    twice = NaiveBayes(keep_sample=False).fit(TABLE, LABELS, weight).recalibrate(TABLE, LABELS, weight)
    assert twice.model_.fitted == NaiveBayes().fit(TABLE, LABELS, weight).model_.fitted


def test_on_some_rows_they_are_held_until_something_changes(tmp_path):
    model = NaiveBayes().fit(TABLE, LABELS)
    own = model.model_.fitted
    given = model.recalibrate(rows_of(TABLE, range(80)), LABELS[:80]).model_
    assert given.kept is not None and given.fitted != own and given.fitted.rows <= 80
    given.save(tmp_path / "m")
    assert TableModel.load(tmp_path / "m").fitted == given.fitted
    assert given.recalibrated().fitted == own
    assert (given + NaiveBayes().fit(MORE, MORE_LABELS).model_).fitted.rows > 150


def scores_fitted_on(monkeypatch, model, table, labels, held_out):
    """p(y | x) of the rows that powers are fitted on, under powers of 1."""
    seen = []
    monkeypatch.setattr(powers, "fitted", lambda rows: seen.append(rows) or np.ones(rows.scores.shape[2]))
    model.recalibrate(table, labels, held_out=held_out)
    found = seen[0].log_prior + seen[0].scores.sum(axis=2)
    return found - np.logaddexp.reduce(found, axis=1, keepdims=True)


def test_held_out_rows_are_scored_as_they_are_and_learned_ones_without_themselves(monkeypatch):
    families = {"age": "gaussian", "income": "gamma", "visits": "poisson", "text": None, "born": None}
    model, plain = bare(columns=families), bare(columns=families, temper=1)
    sample = NaiveBayes(columns=families).fit(MORE, MORE_LABELS).model_.kept
    expected = plain.model_.log_posterior_of(sample.cells)
    found = scores_fitted_on(monkeypatch, model, MORE, MORE_LABELS, held_out=True)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
    own = NaiveBayes(columns=families).fit(TABLE, LABELS).model_.kept
    found = scores_fitted_on(monkeypatch, model, TABLE, LABELS, held_out=False)
    order = np.lexsort(found.T)
    refits = plain.leave_one_out(TABLE, LABELS)
    np.testing.assert_allclose(found[order], refits[np.lexsort(refits.T)], rtol=1e-9, atol=1e-9)
    as_they_are = plain.model_.log_posterior_of(own.cells)  # the planted bug: learned rows that stay
    assert not np.allclose(found, as_they_are, rtol=1e-3, atol=1e-3)


def test_what_cannot_be_fitted_on_is_refused_and_changes_nothing():
    model = bare()
    before = model.model_
    for table, labels, said in (
        (MORE, MORE_LABELS, "never learned with this label"),
        (TABLE, LABELS[1:] + LABELS[:1], "never learned with this label"),
        (TABLE, ["no", "perhaps", "maybe"] * 50, "class 'maybe' was never learned; the model's are no, perhaps, yes"),
        (rows_of(TABLE, range(3)), ["no"] * 3, "all of class 'no'"),
    ):
        with pytest.raises(DataError, match=said):
            model.recalibrate(table, labels)
    with pytest.raises(DataError, match="class 'maybe' was never learned"):
        model.recalibrate(TABLE, ["no", "perhaps", "maybe"] * 50, held_out=True)
    with pytest.raises(DataError, match="keeps no rows to fit on"):
        model.model_.recalibrated()
    assert model.model_ is before
    with pytest.raises(DataError, match=r"given, 0\.5, so none are fitted"):
        bare(temper=0.5).recalibrate(TABLE, LABELS)


@pytest.mark.parametrize(
    "said",
    [None, 1, {}, {"rows": 5}, {"rows": -1, "stale": False}, {"rows": True, "stale": True}, {"rows": 0, "stale": True},
     {"rows": 5, "stale": 1}, {"rows": 5, "stale": True, "more": 0}],
)  # fmt: skip
def test_files_that_say_nonsense_of_them_are_refused(said, tmp_path):
    bare().save(tmp_path / "m")
    sections = dict(store.read(tmp_path / "m"))
    sections["readings"] = {**sections["readings"], "tempers_fitted": said}
    store.write(tmp_path / "m", sections)
    with pytest.raises(ModelFileError, match="refit them with priori calibrate"):
        TableModel.load(tmp_path / "m")
