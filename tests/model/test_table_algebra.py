"""Learning, forgetting and merging of tables: exact, in any order, in any batches."""

import datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import priori
from model.estimators import discriminant, mixed_table, naive_bayes, rows_of
from priori.errors import DataError, MergeError, NegativeCountError
from priori.model.table_file import digest

# What every kind of column may hold, nasty values among them.
cells = {
    "n": st.none() | st.sampled_from([0.0, -0.0, 1.5, 1e300, -5e-324, 17.0]) | st.floats(-100, 100),
    "k": st.none() | st.integers(-5, 2000),
    "c": st.none() | st.sampled_from(["", "a", "b", "é", "\U0001f600", "10", "9", "x\0y"]),
    "b": st.none() | st.booleans(),
    "d": st.none() | st.dates(datetime.date(1600, 1, 1), datetime.date(2300, 1, 1)),
    "text": st.none() | st.sampled_from(["", "the cat", "the the mat", "été", "on the mat \U0001f600"]),
}
FIRST = {
    "n": 1.0,
    "k": 1,
    "c": "a",
    "b": True,
    "d": datetime.date(2000, 1, 1),
    "text": "the",
}  # so that types are known
weights = st.sampled_from([1.0, 0.5, 2.0, 0.0, 3.25])
labelled = st.tuples(st.fixed_dictionaries(cells), st.sampled_from(["x", "y", "z", None]), weights)
tables = st.lists(labelled, min_size=1, max_size=12)


def fitted(rows, **options):
    """A model of a first, plain row (so that the schema is the same) and these."""
    model = naive_bayes(**options).fit([FIRST], ["x"])
    return learned(model, rows) if rows else model


def learned(model, rows):
    model.learn(typed(rows), [label for _, label, _ in rows], [weight for *_, weight in rows])
    return model


def forgotten(model, rows):
    model.forget(typed(rows), [label for _, label, _ in rows], [weight for *_, weight in rows])
    return model


def typed(rows):
    import pyarrow as pa

    kinds = {
        "n": pa.float64(),
        "k": pa.int64(),
        "c": pa.string(),
        "b": pa.bool_(),
        "d": pa.date32(),
        "text": pa.string(),
    }
    return pa.table({name: pa.array([row[name] for row, *_ in rows], kind) for name, kind in kinds.items()})


FAMILIES = [{}, {"columns": {"n": "gaussian", "k": "student"}}, {"columns": {("n", "k"): "gaussian_joint"}}]


@pytest.mark.parametrize("options", FAMILIES, ids=["binned", "normal", "joint"])
@given(rows=tables, data=st.data())
@settings(max_examples=25, deadline=None)
def test_any_order_and_any_batches_are_one(options, rows, data, tmp_path_factory):
    whole = fitted(rows, **options)
    order = data.draw(st.permutations(range(len(rows))))
    cut = data.draw(st.integers(0, len(rows)))
    mixed = [rows[i] for i in order]
    other = fitted(mixed[:cut], **options)
    if mixed[cut:]:
        learned(other, mixed[cut:])
    assert other.model_.statistics == whole.model_.statistics
    assert digest(other.model_) == digest(whole.model_)
    if options == FAMILIES[0]:
        np.testing.assert_array_equal(other.predict_log_proba(typed(rows)), whole.predict_log_proba(typed(rows)))
    folder = tmp_path_factory.mktemp("order")
    whole.save(folder / "a"), other.save(folder / "b")
    assert (folder / "a").read_bytes() == (folder / "b").read_bytes()


@pytest.mark.parametrize("options", FAMILIES, ids=["binned", "normal", "joint"])
@given(rows=tables, more=tables)
@settings(max_examples=25, deadline=None)
def test_forgetting_is_never_having_learned(options, rows, more):
    """Also of classes, categories, dates, words and buckets that vanish."""
    plain = fitted(rows, **options)
    model = forgotten(learned(fitted(rows, **options), more), more)
    assert model.model_.statistics == plain.model_.statistics
    assert model.model_.labels == plain.model_.labels
    assert digest(model.model_) == digest(plain.model_)
    assert model.classes_.tolist() == plain.classes_.tolist()
    if options == FAMILIES[0]:
        np.testing.assert_array_equal(model.predict_log_proba(typed(rows)), plain.predict_log_proba(typed(rows)))


@given(first=tables, second=tables)
@settings(max_examples=25, deadline=None)
def test_merging_commutes_and_can_be_undone(first, second):
    a, b = fitted(first), fitted(second)
    both = a + b
    assert both.model_.statistics == (b + a).model_.statistics
    assert both.model_.statistics == learned(a + fitted([]), second).model_.statistics
    assert (both - b).model_.statistics == a.model_.statistics
    assert digest((both - b).model_) == digest(a.model_)


@given(rows=tables, other=tables)
@settings(max_examples=25, deadline=None)
def test_forgetting_what_was_never_learned_is_refused_and_loses_nothing(rows, other):
    """Unless the statistics are such that the rows might have been learned."""
    model = fitted(rows)
    before, predicted = digest(model.model_), model.predict_log_proba(typed(rows))
    try:
        forgotten(model, other)
    except NegativeCountError as error:
        assert "forget only" in str(error)
        assert "\n" not in str(error)
        assert digest(model.model_) == before
        np.testing.assert_array_equal(model.predict_log_proba(typed(rows)), predicted)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"c": "never"}, "column 'c' would have the value 'never' less than no times"),
        ({"c": None}, "column 'c' would have less than no missing cells"),
        ({"b": False}, "column 'b' would have the value 'false' less than no times"),
        ({"text": "dog"}, "dog"),
        ({"d": datetime.date(1999, 1, 1)}, r"column 'd \(year\)' would have"),
        ({"text": None}, "text"),
    ],
)
def test_what_was_never_learned_is_named(row, words):
    model = fitted([(FIRST, "x", 1.0)] * 3)
    with pytest.raises(NegativeCountError, match=words):
        forgotten(model, [({**FIRST, **row}, "x", 1.0)])
    with pytest.raises(NegativeCountError, match="class 'w' would have -1 rows; more was forgotten than learned"):
        forgotten(model, [(FIRST, "w", 1.0)])
    with pytest.raises(NegativeCountError, match="class 'x' would have -1 rows"):
        forgotten(model, [(FIRST, "x", 5.0)])
    assert model.model_.statistics.n.tolist() == [4.0]


def test_all_can_be_forgotten_and_learned_again():
    table, y = mixed_table(60)
    model = naive_bayes().fit(table, y)
    identity = digest(model.model_)
    model.forget(table, y)
    assert model.model_.labels == ()
    assert model.model_.statistics.rows == 0
    with pytest.raises(priori.errors.PrioriError, match="the model has no classes"):
        model.predict(table)
    assert digest(model.learn(table, y).model_) == identity


def test_a_large_table_in_any_batches():
    """Every column kind with holes; 8 batches in another order; half of it forgotten."""
    table, y = mixed_table(4000)
    whole = naive_bayes().fit(table, y)
    order = np.random.default_rng(1).permutation(4000)
    parts = naive_bayes().fit(rows_of(table, order[:500]), [y[i] for i in order[:500]])
    for at in range(500, 4000, 500):
        parts.partial_fit(rows_of(table, order[at : at + 500]), [y[i] for i in order[at : at + 500]])
    assert parts.model_.statistics == whole.model_.statistics
    np.testing.assert_array_equal(parts.predict_log_proba(table), whole.predict_log_proba(table))
    half = rows_of(table, range(2000)), y[:2000]
    rest = rows_of(table, range(2000, 4000)), y[2000:]
    whole.forget(*half)
    alone = naive_bayes().fit(*rest)
    assert whole.model_.statistics == alone.model_.statistics
    np.testing.assert_array_equal(whole.predict_log_proba(table), alone.predict_log_proba(table))


@pytest.mark.parametrize("covariance", ["shared", "full", "diagonal"])
def test_discriminants_forget_a_million_from_near_a_million(covariance):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 2)), np.arange(100) % 2
    far = 1e6 + rng.normal(size=(100_000, 2))
    model = discriminant(covariance=covariance, estimate="ml").fit(X, y)
    before = model.predict_log_proba(X)
    model.learn(far, np.zeros(len(far), int)).forget(far, np.zeros(len(far), int))
    np.testing.assert_array_equal(model.predict_log_proba(X), before)


def test_weights_stand_for_rows():
    table, y = mixed_table(80)
    times = np.random.default_rng(0).integers(0, 4, 80)
    repeated = np.repeat(np.arange(80), times)
    weighted = naive_bayes().fit(table, y, sample_weight=times)
    plain = naive_bayes().fit(rows_of(table, repeated), [y[i] for i in repeated])
    np.testing.assert_allclose(
        weighted.predict_log_proba(table), plain.predict_log_proba(table), rtol=1e-12, atol=1e-12
    )
    assert weighted.log_evidence() == pytest.approx(plain.log_evidence(), rel=1e-12)


def test_new_classes_and_unseen_categories_are_welcome():
    model = naive_bayes().fit({"c": ["a", "b"]}, ["x", "y"])
    unseen = model.predict_proba({"c": ["never", None]})
    np.testing.assert_allclose(unseen, 0.5)
    model.learn({"c": ["a"]}, ["w"])
    assert model.classes_.tolist() == ["w", "x", "y"]
    slot = naive_bayes(unknown="prior").fit({"c": ["a", "a", "b"]}, ["x", "x", "y"])
    expected = np.array([2 / 3 * 1 / (2 + 3), 1 / 3 * 1 / (1 + 3)])
    np.testing.assert_allclose(slot.predict_proba({"c": ["never"]})[0], expected / expected.sum())


@pytest.mark.parametrize(
    "options", [{}, {"missing": "evidence"}, {"unknown": "prior", "estimate": "map", "alpha": 1.5}]
)
def test_leaving_one_out_is_refitting(options):
    table, y = mixed_table(40, seed=3)
    times = np.random.default_rng(0).integers(1, 3, 40) / 2
    model = naive_bayes(**options).fit(table, y, times)
    found = model.leave_one_out(table, y, times)
    for i in range(40):
        others = [j for j in range(40) if j != i]
        refit = naive_bayes(**options).fit(rows_of(table, others), [y[j] for j in others], times[others])
        np.testing.assert_allclose(found[i], refit.predict_log_proba(rows_of(table, [i]))[0], rtol=1e-9, atol=1e-9)


def test_leaving_out_what_was_never_learned_is_refused():
    model = naive_bayes().fit({"c": ["a", "b", "a"]}, ["x", "y", "x"])
    with pytest.raises(DataError, match="class 'w' was never learned"):
        model.leave_one_out({"c": ["a"]}, ["w"])
    with pytest.raises(DataError, match="has no label"):
        model.leave_one_out({"c": ["a"]}, [None])
    with pytest.raises(
        DataError, match="column 'c': the value 'never' was never learned, so its row cannot be left out"
    ):
        model.leave_one_out({"c": ["never"]}, ["x"])


def test_models_of_other_tables_do_not_merge():
    table, y = mixed_table(20)
    model = naive_bayes().fit(table, y)
    other = naive_bayes().fit({**table, "extra": [1] * 20}, y)
    with pytest.raises(MergeError, match="their tables differ in 'extra'"):
        model + other
    gaussian = naive_bayes(columns={"age": "gaussian"}).fit(table, y)
    with pytest.raises(MergeError, match="a column has another family in each"):
        model - gaussian


def test_a_class_prior_may_name_classes_that_are_forgotten():
    """Given, uniform and counted priors are those of the classes that are left."""
    frame = pd.DataFrame({"c": ["a", "b", "a", "b"]})
    y = ["x", "y", "x", "z"]
    for prior in ("ml", "uniform", 1.0, {"x": 0.5, "y": 0.3, "z": 0.2}):
        model = naive_bayes(class_prior=prior).fit(frame, y).forget(frame[3:], y[3:])
        expected = naive_bayes(class_prior=prior).fit(frame[:3], y[:3])
        np.testing.assert_array_equal(model.predict_log_proba(frame), expected.predict_log_proba(frame))
        assert np.exp(expected.predict_log_proba(frame)).sum(axis=1) == pytest.approx(np.ones(4))
