"""What is said of a model of a table: columns that look wrong, what each class has, what it is worth."""

from datetime import date

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from priori.columns.readings import TableReadings
from priori.columns.specification import parts_of
from priori.data import LabelledBatch, table_batches
from priori.errors import DataError
from priori.model.evaluation import evaluate_table
from priori.model.table_classifier import TableModel
from priori.model.table_inspection import inspect_table, nearly_unique
from priori.model.totals import Labelled


def model_of(columns, labels, families="auto"):
    (batch,) = table_batches(columns)
    data = Labelled.of(LabelledBatch(batch, pa.array(labels, pa.string()), None, 0, None))
    return TableModel.train([data], batch.schema, parts_of(batch.schema, families), TableReadings())


@pytest.mark.parametrize(
    ("values", "rows", "found"), [(60, 60, True), (60, 119, True), (60, 120, False), (50, 50, False)]
)
def test_a_column_is_nearly_unique_above_fifty_values_in_more_than_half_of_its_rows(values, rows, found):
    keys = [f"k{i % values}" for i in range(rows)]
    model = model_of({"key": keys, "n": list(range(rows))}, ["a", "b"] * (rows // 2) + ["a"] * (rows % 2))
    (advice,) = nearly_unique(model) if found else (None,)
    if advice is None:
        assert nearly_unique(model) == ()
    else:
        assert (advice.column, advice.values, advice.rows) == ("key", values, rows)
        said = advice.said(lambda family: f"columns={{'key': {family!r}}}")
        assert said.startswith(f"column 'key' has {values} different values in {rows} rows") and "'none'" in said


def test_missing_cells_are_not_rows_of_a_column():
    model = model_of({"key": [f"k{i}" for i in range(51)] + [None] * 200}, ["a"] * 251)
    assert [each.rows for each in nearly_unique(model)] == [51]


@given(
    numbers=st.lists(st.floats(-1e6, 1e6).map(lambda x: float(np.float32(x))), min_size=2, max_size=30),
    family=st.sampled_from(["gaussian", "binned", "gaussian_joint"]),
)
def test_the_mean_of_each_class_is_that_of_its_rows(numbers, family):
    labels = ["ab"[i % 2] for i in range(len(numbers))]
    (column,) = inspect_table(model_of({"x": numbers}, labels, family)).columns
    sides = [np.array(numbers[k::2]) for k in (0, 1)]
    # a bucket is at most 1/1024 wide, so its middle is half as far; sums are rounded once
    tolerance = 2.0**-11 if family == "binned" else 2.0**-50
    for mean, side in zip(column.by_class, sides, strict=True):
        assert mean == pytest.approx(side.mean(), rel=1e-12, abs=np.abs(side).max() * tolerance + 1e-300)


def test_each_family_is_looked_at_in_its_own_way():
    table = {
        "x": [1.0, 4.0, None, 8.0],
        "c": ["u", "v", "v", None],
        "text": ["a b", "b", "c", "d"],
        "e": [2.0, 8.0, 3.0, 3.0],
    }
    found = inspect_table(model_of(table, ["p", "p", "q", "q"], {"e": "lognormal", "x": "gaussian"}))
    by_name = {each.column: each for each in found.columns}
    assert by_name["x"].by_class == (2.5, 8.0) and by_name["x"].missing == 0.25
    assert by_name["c"].by_class == ("u", "v") and by_name["c"].values == 2
    assert by_name["text"].values == 4 and by_name["text"].by_class == (None, None)
    assert by_name["e"].by_class == pytest.approx((4.0, 3.0), rel=1e-14)  # the geometric mean
    assert [each.rows for each in found.classes] == [2, 2]


def test_rows_without_a_label_are_skipped_and_tables_without_labels_refused():
    model = model_of({"x": [1.0, 2.0, 8.0, 9.0]}, ["a", "a", "b", "b"])
    (batch,) = table_batches({"x": [1.5, 8.5, 3.0]})
    found = evaluate_table(model, [LabelledBatch(batch, pa.array(["a", "b", None]), None, 0, None)])
    assert (found.n, found.unlabelled, found.accuracy) == (2, 1, 1.0)
    unlabelled = LabelledBatch(batch, None, None, 0, None)
    with pytest.raises(DataError, match="no labels to compare with"):
        evaluate_table(model, [unlabelled])
    with pytest.raises(DataError, match="no labels to learn from"):
        Labelled.of(unlabelled)


def test_an_empty_batch_finds_out_whether_rows_could_be_scored():
    table = {
        "x": [1.0, 2.0],
        "c": ["u", "v"],
        "text": ["a", "b"],
        "day": [date(2020, 1, 1)] * 2,
        "b": [True, False],
    }
    model = model_of(table, ["p", "q"])
    empty = type(next(table_batches(table))).empty(model.schema)
    assert model.log_posterior(empty).shape == (0, 2)
