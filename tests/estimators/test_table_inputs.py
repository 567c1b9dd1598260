"""Every kind of table and of labels gives the same model, and the same predictions."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from mixed_table import KINDS, columns, rows_of

from priori import GaussianDiscriminant, NaiveBayes, load
from priori.errors import DataError

TABLE, LABELS = columns()
NUMBERS = np.random.default_rng(5).normal(size=(40, 3)).round(3)
CLASSES = np.arange(40) % 2


@pytest.fixture(scope="module")
def expected():
    return NaiveBayes().fit(TABLE, LABELS)


@pytest.mark.parametrize("name", KINDS)
def test_frames_of_every_kind(expected, name):
    make = KINDS[name]
    fitted = NaiveBayes().fit(make(TABLE), LABELS)
    assert fitted.model_.schema == expected.model_.schema
    assert fitted.model_.statistics == expected.model_.statistics
    assert fitted.feature_names_in_.tolist() == list(TABLE)
    assert fitted.n_features_in_ == len(TABLE)
    assert np.array_equal(fitted.predict_proba(make(TABLE)), expected.predict_proba(TABLE))
    assert np.array_equal(expected.predict_proba(make(TABLE)), expected.predict_proba(TABLE))


@pytest.mark.parametrize("name", KINDS)
def test_columns_go_by_their_names(expected, name):
    """In another order, and beside others."""
    table = {"extra": [0] * 60, **dict(reversed(TABLE.items()))}
    assert np.array_equal(expected.predict_proba(KINDS[name](table)), expected.predict_proba(TABLE))
    if name != "list of dicts":  # where a key that is not there is a missing cell
        with pytest.raises(DataError, match="X has no column 'job'"):
            expected.predict(KINDS[name]({name: cells for name, cells in TABLE.items() if name != "job"}))


@pytest.mark.parametrize("name", KINDS)
def test_the_label_may_be_a_column_of_the_table(expected, name):
    make = KINDS[name]
    whole = {**TABLE, "class": LABELS}
    fitted = NaiveBayes().fit(make(whole), "class")
    assert fitted.model_.statistics == expected.model_.statistics
    assert fitted.feature_names_in_.tolist() == list(TABLE)
    assert fitted.score(make(whole), "class") == expected.score(TABLE, LABELS)
    assert fitted.evaluate(make(whole), "class").log_loss == expected.evaluate(TABLE, LABELS).log_loss
    assert (
        fitted.learn(make(whole), "class").forget(make(whole), "class").model_.statistics == expected.model_.statistics
    )
    with pytest.raises(DataError, match="y is 'nobody', which is no column of X"):
        NaiveBayes().fit(make(whole), "nobody")


def test_the_label_cannot_be_a_column_without_names():
    with pytest.raises(DataError, match="X has no names"):
        NaiveBayes().fit(NUMBERS, "class")


ARRAYS = {
    "float": lambda: NUMBERS,
    "fortran": lambda: np.asfortranarray(NUMBERS),
    "strided": lambda: np.repeat(NUMBERS, 2, axis=0)[::2],
    "object": lambda: NUMBERS.astype(object),
    "list": NUMBERS.tolist,
    "tuples": lambda: [tuple(row) for row in NUMBERS.tolist()],
    "list of arrays": lambda: list(NUMBERS),
    "pandas without names": lambda: pd.DataFrame(NUMBERS),
}


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("kind", [NaiveBayes, GaussianDiscriminant])
def test_arrays_of_every_kind(kind, name):
    expected = kind().fit(NUMBERS, CLASSES)
    X = ARRAYS[name]()
    fitted = kind().fit(X, CLASSES)
    assert not hasattr(fitted, "feature_names_in_")
    assert np.array_equal(fitted.predict_proba(X), expected.predict_proba(NUMBERS))
    assert np.array_equal(expected.predict_proba(X), expected.predict_proba(NUMBERS))
    assert np.array_equal(fitted.predict_proba(NUMBERS), expected.predict_proba(NUMBERS))


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint64, np.float32])
def test_arrays_of_other_numbers(dtype):
    X = (NUMBERS > 0).astype(dtype)
    fitted = NaiveBayes(columns="categorical").fit(X, CLASSES)
    lists = NaiveBayes(columns="categorical").fit(X.tolist(), CLASSES)
    assert fitted.model_.schema == lists.model_.schema
    assert np.array_equal(fitted.predict_proba(X), lists.predict_proba(X.tolist()))


def test_lists_and_object_arrays_keep_the_type_of_each_column():
    rows = [[1, "a", True], [2.5, "b", None], [None, "a", False], [4, None, True]]
    for X in (rows, np.array(rows, object)):
        fitted = NaiveBayes().fit(X, [0, 1, 0, 1])
        assert [field.type for field in fitted.model_.schema.fields] == ["real", "string", "boolean"]


FRAMES = {
    "pandas": lambda X, columns: pd.DataFrame(X, columns=columns),
    "polars": pl.DataFrame,
    "pyarrow": lambda X, columns: pa.table(list(X.T), columns),
}

# --- names ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_names_are_kept_and_their_absence_is_told_in_scikit_learns_words(frame):
    named = frame(NUMBERS, ["a", "b", "c"])
    fitted = GaussianDiscriminant().fit(named, CLASSES)
    assert fitted.feature_names_in_.tolist() == ["a", "b", "c"]
    assert fitted.feature_names_in_.dtype == object
    with pytest.warns(
        UserWarning, match="X does not have valid feature names, but GaussianDiscriminant was fitted with"
    ):
        by_place = fitted.predict_proba(NUMBERS)
    assert np.array_equal(by_place, fitted.predict_proba(named))
    nameless = GaussianDiscriminant().fit(NUMBERS, CLASSES)
    with pytest.warns(
        UserWarning, match="X has feature names, but GaussianDiscriminant was fitted without feature names"
    ):
        assert np.array_equal(nameless.predict_proba(named), by_place)
    with pytest.raises(ValueError, match="X has 2 features, but GaussianDiscriminant is expecting 3 features as input"):
        nameless.predict(frame(NUMBERS[:, :2], ["a", "b"]))
    fitted.fit(NUMBERS, CLASSES)
    assert not hasattr(fitted, "feature_names_in_")


def test_numbers_are_no_names_and_do_not_mix_with_names():
    fitted = NaiveBayes().fit(pd.DataFrame(NUMBERS, columns=[7, 8, 9]), CLASSES)
    assert not hasattr(fitted, "feature_names_in_")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted.predict(NUMBERS)
    with pytest.raises(TypeError, match="Feature names are only supported if all input features have string names"):
        NaiveBayes().fit(pd.DataFrame(NUMBERS, columns=["a", 8, 9]), CLASSES)


def test_the_factors_have_names():
    fitted = NaiveBayes().fit(TABLE, LABELS)
    dates = ["joined (year)", "joined (month)", "joined (weekday)"]
    assert fitted.get_feature_names_out().tolist() == ["age", "income", "member", "job", *dates, "message"]
    assert not hasattr(fitted, "set_output")  # which is for what transforms; classify answers in the kind it was asked
    assert isinstance(fitted.classify(pl.DataFrame(TABLE)), pl.DataFrame)


# --- labels --------------------------------------------------------------------------------------------------------

CONTAINERS = {
    "list": lambda y: y,
    "tuple": tuple,
    "numpy": np.array,
    "objects": lambda y: np.array(y, object),
    "pandas": lambda y: pd.Series(y, index=range(900, 900 + len(y))),
    "categorical": lambda y: pd.Series(y, dtype="category"),
    "nullable": lambda y: pd.Series(y).convert_dtypes(),
    "polars": pl.Series,
    "arrow": pa.array,
    "chunks": lambda y: pa.chunked_array([y[:7], y[7:]]),
    "dictionary": lambda y: pa.array(y).dictionary_encode(),
}


@pytest.mark.parametrize("name", CONTAINERS)
@pytest.mark.parametrize(
    "y", [LABELS, [label == "a" for label in LABELS], [ord(label) - 99 for label in LABELS]], ids=["str", "bool", "int"]
)
def test_labels_of_every_kind(name, y):
    expected = NaiveBayes().fit(TABLE, y)
    fitted = NaiveBayes().fit(TABLE, CONTAINERS[name](y))
    assert fitted.classes_.tolist() == sorted(set(y))
    assert fitted.model_.statistics == expected.model_.statistics
    assert fitted.predict(TABLE).tolist() == expected.predict(TABLE).tolist()
    assert fitted.leave_one_out(TABLE, CONTAINERS[name](y)).shape == (60, len(set(y)))


@pytest.mark.parametrize("name", ["list", "objects", "pandas", "categorical", "nullable", "polars", "arrow", "chunks"])
def test_rows_without_a_label_are_skipped(name):
    known = [row for row in range(60) if row % 3]
    partly = [label if row % 3 else None for row, label in enumerate(LABELS)]
    fitted = NaiveBayes(unlabelled="skip").fit(TABLE, CONTAINERS[name](partly))
    rows = rows_of(TABLE)
    expected = NaiveBayes().fit([rows[row] for row in known], [LABELS[row] for row in known])
    assert fitted.model_.statistics == expected.model_.statistics
    floats = NaiveBayes(unlabelled="skip").fit(NUMBERS, np.where(np.arange(40) < 30, CLASSES, np.nan))
    assert floats.model_.statistics.n.tolist() == [15, 15]


def test_rows_that_lack_keys_have_missing_cells():
    fitted = NaiveBayes().fit(TABLE, LABELS)
    name = next(iter(TABLE))
    whole = dict.fromkeys(TABLE) | {name: TABLE[name][0]}
    np.testing.assert_array_equal(
        fitted.predict_proba([{name: TABLE[name][0]}, {"other": 1}]),
        fitted.predict_proba([whole, dict.fromkeys(TABLE)]),
    )
    with pytest.raises(DataError, match="X has no columns"):
        fitted.predict_proba([{"other": 1}])


def test_explaining_one_row():
    fitted = NaiveBayes().fit(TABLE, LABELS)
    row = rows_of(TABLE)[0]
    said = fitted.explain(row)
    assert said == fitted.explain([row]) == fitted.explain({name: [cell] for name, cell in row.items()})
    joint = fitted.predict_log_proba([row])[0]
    order = np.argsort(-joint)
    assert said.log_odds == pytest.approx(joint[order[0]] - joint[order[1]], rel=1e-9)
    head, columns, *lines, total = str(said).splitlines()
    assert head == f"{said.label} ({said.probability:.2%}) against {said.against}" and columns.split() == ["log-odds"]
    assert [float(line.split()[-1]) for line in lines] == [round(each.log_odds, 4) for each in said.contributions]
    assert total.split() == ["sum", f"{said.log_odds:+.4f}"] and len({len(line) for line in [*lines, total]}) == 1
    with pytest.raises(DataError, match="one row can be explained at a time, and there are 60"):
        fitted.explain(TABLE)


def test_classify_answers_in_kind():
    fitted = NaiveBayes().fit(TABLE, LABELS)
    frame = pd.DataFrame(TABLE, index=range(100, 160))
    found = fitted.classify(frame)
    assert found.index.equals(frame.index)
    assert list(found.columns) == ["label", "probability", "p(a)", "p(b)", "p(c)"]
    assert found["probability"].tolist() == fitted.predict_proba(frame).max(axis=1).tolist()
    assert isinstance(fitted.classify(TABLE), pa.Table)


def test_what_was_left_out_is_asked_for_no_more():
    table = {"age": [25, 61, 34, 70], "key": ["a", "b", "c", "d"], "empty": [None] * 4}
    model = NaiveBayes(columns={"key": None}).fit(table, ["no", "yes", "no", "yes"])
    assert model.model_.schema.names == ("age",)
    asked = model.predict_proba({"age": [66]})
    np.testing.assert_array_equal(model.predict_proba({"age": [66], "key": ["e"], "empty": ["full"]}), asked)
    model.set_params(alpha=2.0)
    assert model.predict({"age": [66]}).tolist() == ["yes"]


def test_the_name_of_the_labels_is_remembered(tmp_path):
    table = {"age": [25, 61, 34, 70], "old": ["no", "yes", "no", "yes"]}
    model = NaiveBayes().fit(table, "old")
    model.save(tmp_path / "old.priori")
    assert load(tmp_path / "old.priori").model_.readings.target == "old"
    assert model.set_params(alpha=2.0).predict({"age": [66]}).tolist() == ["yes"]
    assert model.model_.readings.target == "old"
