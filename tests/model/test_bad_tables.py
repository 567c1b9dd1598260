"""Tables as they come: a clear error, or the right answer."""

import datetime

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from model.estimators import discriminant, naive_bayes
from priori.columns.bins import BinnedColumn
from priori.columns.specification import parts_of
from priori.data import Field, Schema
from priori.errors import DataError, EstimateError, PrioriError

NUMBERS = ["binned", BinnedColumn(3), "gaussian", "student", "lognormal", "poisson", "exponential", "gamma"]
Y = ["x", "x", "y", "y"]
GOOD = {"c": ["a", "a", "b", "b"]}
SHARES = {"x": 0.8, "y": 0.2}  # of "a" under Laplace's rule: (2 + 1) / (2 + 2), and (0 + 1) / (2 + 2)


def posterior(table, family="binned", name="bad", **options):
    """p(y | c = "a" and the first cell of the bad column); 0.75 / 0.25 if that says nothing."""
    whole = {**GOOD, name: table}
    model = naive_bayes(columns={name: family}, **options).fit(whole, Y)
    first = {"c": ["a"], name: list(table)[:1]}
    return model.predict_proba(pa.table({"c": first["c"], name: pa.array(first[name], pa.array(list(table)).type)}))[0]


@pytest.mark.parametrize("family", NUMBERS, ids=str)
@pytest.mark.parametrize("estimate", ["bayes", "map", "mean"])
def test_a_constant_column_says_nothing(family, estimate):
    found = posterior([3.0] * 4, family, estimate=estimate, alpha=1.0 if estimate != "map" else 2.0)
    np.testing.assert_allclose(found, [0.75, 0.25], rtol=1e-9)


@pytest.mark.parametrize("family", ["gaussian", "lognormal", "gamma"])
def test_a_constant_column_has_no_maximum(family):
    with pytest.raises(EstimateError, match="column 'bad'") as error:
        posterior([3.0] * 4, family, estimate="ml")
    assert "use" in str(error.value)


@pytest.mark.parametrize("family", [*NUMBERS, "categorical", "bernoulli", "text"], ids=str)
def test_a_column_without_any_cell_says_nothing(family):
    cells = pa.array([None] * 4, pa.string() if family in ("categorical", "bernoulli", "text") else pa.float64())
    table = pa.table({"c": GOOD["c"], "bad": cells})
    model = naive_bayes(columns={"bad": family}).fit(table, Y)
    np.testing.assert_allclose(model.predict_proba(table)[0], [0.75, 0.25])
    filled = table.set_column(1, "bad", pa.array(["w"] * 4 if pa.types.is_string(cells.type) else [1.0] * 4))
    if family != "bernoulli":
        np.testing.assert_allclose(model.predict_proba(filled)[0], [0.75, 0.25])


def test_a_column_of_no_type_is_left_out():
    model = naive_bayes().fit({**GOOD, "bad": [None] * 4}, Y)
    assert model.get_feature_names_out().tolist() == ["c"]
    np.testing.assert_allclose(model.predict_proba({"c": ["a"], "bad": [None]})[0], [0.75, 0.25])
    with pytest.raises(DataError, match="no column is left to learn from"):
        naive_bayes().fit({"bad": [None] * 4}, Y)


@pytest.mark.parametrize("family", [*NUMBERS, "categorical"], ids=str)
def test_a_column_that_one_class_has_not(family):
    """Under a prior it has what the prior says; the maximum of nothing does not exist, and the message says where."""
    cells = pa.array([1.0, 2.0, None, None])
    table = pa.table({"c": GOOD["c"], "bad": cells})
    proba = naive_bayes(columns={"bad": family}).fit(table, Y).predict_proba(table)
    assert np.isfinite(proba).all()
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    np.testing.assert_allclose(proba[3], proba[2])
    if family == "student":
        return  # integrated out whatever the estimate
    ml = naive_bayes(columns={"bad": family}, estimate="ml")
    if family == "binned":
        ml.fit(table, Y).predict_proba(table)  # averaged over trees whatever the estimate
    else:
        with pytest.raises(EstimateError, match="column 'bad'"):
            ml.fit(table, Y).predict_proba(table)


@pytest.mark.parametrize("infinite", [np.inf, -np.inf])
@pytest.mark.parametrize("family", [*NUMBERS, "categorical"], ids=str)
def test_infinite_numbers_are_refused_and_named(family, infinite):
    with pytest.raises(DataError, match="'bad'") as error:
        naive_bayes(columns={"bad": family}).fit({"bad": [1.0, infinite, 2.0, 3.0]}, Y)
    assert "in row 2, which is no finite number" in str(error.value)
    model = naive_bayes(columns={"bad": family}).fit({"bad": [1.0, 4.0, 2.0, 3.0]}, Y)
    with pytest.raises(DataError, match="no finite number"):
        model.predict({"bad": [infinite]})


@pytest.mark.parametrize(
    "mixed", [[1, "two", 3.0, None], [True, "yes", None, 2], [1.5, datetime.date(2000, 1, 1), 2, 3]]
)
def test_mixed_types_in_one_column_are_refused(mixed):
    with pytest.raises(DataError, match="'bad'") as error:
        naive_bayes().fit(pd.DataFrame({"bad": mixed}), Y)
    assert "\n" not in str(error.value)


def test_truth_values_with_holes():
    frame = pd.DataFrame({"b": [True, None, False, False]}, dtype=object)
    model = naive_bayes().fit(frame, Y)
    expected = np.array([(1 + 1) / (1 + 2), (0 + 1) / (2 + 2)])
    np.testing.assert_allclose(model.predict_proba(frame)[0], expected / expected.sum())
    np.testing.assert_allclose(model.predict_proba(frame)[1], [0.5, 0.5])


def test_ten_thousand_categories():
    values = [f"v{i}" for i in range(10_000)]
    y = [("x", "y")[i % 2] for i in range(10_000)]
    with pytest.warns(UserWarning, match="column 'c' has 10,000 different values in 10,000 rows: if it is text, say"):
        model = naive_bayes().fit({"c": values}, y)
    np.testing.assert_allclose(
        model.predict_proba({"c": ["v0", "v1", "new"]}), [[2 / 3, 1 / 3], [1 / 3, 2 / 3], [0.5, 0.5]]
    )
    np.testing.assert_allclose(np.exp(model.leave_one_out({"c": values[:4]}, y[:4]))[0], [4999 / 9999, 5000 / 9999])


def test_labels_that_are_missing():
    model = naive_bayes().fit({"c": ["a", "a", "b", "b", "a"]}, [*Y, None])
    assert model.classes_.tolist() == ["x", "y"]
    np.testing.assert_allclose(model.predict_proba({"c": ["a"]})[0], [0.75, 0.25])
    for nothing in ([None] * 4, [np.nan] * 4):
        with pytest.raises(DataError, match="every label of y is missing, so nothing can be learned"):
            naive_bayes().fit(GOOD, nothing)
    with pytest.raises(DataError, match="y is None"):
        naive_bayes().fit(GOOD, None)
    with pytest.raises(DataError, match="X has 4 rows and y has 3 labels"):
        naive_bayes().fit(GOOD, Y[:3])
    with pytest.raises(DataError, match="labels mix int and str"):
        naive_bayes().fit(GOOD, ["x", 1, "y", "y"])


@pytest.mark.parametrize(
    "table", [{"n": [1.5]}, {"c": ["a"]}, {"b": [True]}, {"text": ["a b"]}, {"d": [datetime.date(2000, 1, 1)]}]
)
def test_one_row_is_one_class(table):
    model = naive_bayes().fit(table, ["x"])
    assert model.predict(table).tolist() == ["x"]
    assert model.predict_proba(table).tolist() == [[1.0]]


def test_one_class_and_a_gaussian_discriminant():
    rng = np.random.default_rng(0)
    model = discriminant().fit(rng.normal(size=(10, 2)), ["x"] * 10)
    assert model.predict_proba(rng.normal(size=(3, 2))).tolist() == [[1.0]] * 3


@pytest.mark.parametrize(
    "empty", [pd.DataFrame({"c": pd.Series([], dtype=str)}), pa.table({"c": pa.array([], pa.string())})]
)
def test_no_rows(empty):
    with pytest.raises(PrioriError, match="y has no labels, so nothing can be learned; give a table with rows"):
        naive_bayes().fit(empty, [])
    model = naive_bayes().fit(GOOD, Y)
    assert model.predict_proba(empty).shape == (0, 2)


def test_no_columns_and_two_of_one_name():
    with pytest.raises(DataError, match="0 feature"):
        naive_bayes().fit(pd.DataFrame(index=range(4)), Y)
    twice = pd.DataFrame([[1, 2]] * 4, columns=["n", "n"])
    with pytest.raises(DataError, match="there are 2 columns called 'n'; rename all but one"):
        naive_bayes().fit(twice, Y)


@pytest.mark.parametrize("size", [1e308, 1.7976931348623157e308, 1e-308, 1e-310])
def test_huge_and_tiny_numbers_are_told_apart_by_bins(size):
    """The family of the automatic choice takes any number."""
    x = [-size, -size, size, size] * 10
    y = ["x", "x", "y", "y"] * 10
    for family in ("binned", BinnedColumn(2)):
        model = naive_bayes(columns=family).fit({"n": x}, y)
        assert model.predict({"n": [-size, size]}).tolist() == ["x", "y"]
        table, labels = model.sample(20, 0)
        assert np.isfinite(table["n"].to_numpy()).all()
        assert (model.predict(table) == labels).mean() > 0.8
        assert np.isfinite(model.leave_one_out({"n": x}, y)).all()
        assert np.isfinite(model.predict_log_proba({"n": [0.0, 1.0, -1e308, 5e-324, None]})).all()


def test_huge_numbers_have_no_variance_that_a_float_holds():
    with pytest.raises(PrioriError, match="scale the data down"):
        posterior([1e308, -1e308, 1e307, 2e307], "gaussian")
    with pytest.raises(PrioriError, match="scale the data down"):
        discriminant().fit([[1e308], [-1e308], [1e307], [2e307]], Y).predict([[1.0]])


def test_dates_of_any_century_and_none():
    days = [datetime.date(1066, 10, 14), None, datetime.date(9999, 12, 31), datetime.date(1, 1, 1)]
    model = naive_bayes().fit({"d": days}, Y)
    assert model.get_feature_names_out().tolist() == ["d (year)", "d (month)", "d (weekday)"]
    proba = model.predict_proba({"d": days})
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    np.testing.assert_allclose(proba[1], 0.5)
    october = naive_bayes(columns={"d": "categorical"}).fit({"d": days}, Y)
    assert october.predict({"d": [datetime.date(1066, 10, 14)]}).tolist() == ["x"]
    times = pd.DataFrame({"t": pd.to_datetime(["2020-01-01 10:00", None, "2021-06-01 22:00", "2021-06-02 23:00"])})
    assert naive_bayes().fit(times, Y).get_feature_names_out().tolist()[-1] == "t (hour)"


def test_the_last_word_of_a_name_makes_a_text_of_strings():
    texts = (
        "text",
        "Review",
        "review_text",
        "user-comment",
        "customer notes",
        "itemDescription",
        "HTMLBody",
        "answer_2",
    )
    others = (
        "title",
        "email",
        "mail",
        "post",
        "context",
        "review_id",
        "textLength",
        "body-style",
        "überetext",
        "_",
        "7",
    )
    schema = Schema(tuple(Field(name, "string") for name in (*texts, *others)))
    assert [part.family.name for part in parts_of(schema, "auto")] == ["text"] * len(texts) + ["categorical"] * len(
        others
    )


def test_parts_of_dates_and_columns_called_alike():
    """A column may be called as a part of a date is; both are counted, scored and drawn."""
    table = {"d": [datetime.date(2000, m, 1) for m in (1, 1, 7, 7)], "d (month)": ["a", "b", "a", "b"]}
    for order in (table, dict(reversed(table.items()))):
        model = naive_bayes().fit(order, Y)
        assert model.predict(order).tolist() == Y
        drawn, _ = model.sample(10, 0)
        assert set(drawn["d (month)"].to_pylist()) <= {"a", "b"}
        assert "d" in drawn.column_names


def test_strings_of_any_characters():
    values = ["a\0b", "a\0c", "\U0001f600", ""]
    model = naive_bayes().fit({"c": values, "text": values}, Y)
    assert model.predict({"c": values, "text": values}).tolist() == Y
    assert model.model_.statistics.parts[0].keys.tolist() == sorted(values)


def test_categories_that_look_like_numbers_stay_texts():
    model = naive_bayes().fit({"c": ["10", "9", "9.0", "09"]}, Y)
    assert model.model_.statistics.parts[0].keys.tolist() == sorted(["10", "9", "9.0", "09"])
    assert model.predict({"c": ["9", "9.0"]}).tolist() == ["x", "y"]
    with pytest.raises(DataError, match="'c' is of type integer where string is expected"):
        model.predict({"c": [9]})


def test_weights_that_no_count_can_hold_are_refused():
    y = ["x"] * 5000 + ["y"]
    with pytest.raises(DataError, match="the weights add up to more than 2\\^42"):
        naive_bayes().fit({"c": ["a"] * 5001}, y, np.full(5001, 2.0**31))
    for bad in (-1.0, np.nan, np.inf, 2.0**32):
        with pytest.raises(PrioriError, match="weight"):
            naive_bayes().fit(GOOD, Y, [1.0, 1.0, 1.0, bad])
