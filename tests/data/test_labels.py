"""Labels as codes: the fast way of `encoded` says what `to_texts`, label by label, says."""

import time

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from priori import NaiveBayes
from priori.data.labels import encoded, from_texts, to_texts
from priori.errors import DataError

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=5)
INTS = st.integers(-(2**63), 2**63 - 1)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
CONTAINERS = {
    "list": lambda values: values,
    "tuple": tuple,
    "numpy": np.array,
    "objects": lambda values: np.array([*values, None], object)[:-1],
    "pandas": pd.Series,
    "pandas of objects": lambda values: pd.Series(values, dtype=object),
    "categorical": lambda values: pd.Series([*values, values[0]]).astype("category")[: len(values)],
    "nullable": lambda values: pd.Series(values).convert_dtypes(),
    "polars": pl.Series,
    "arrow": pa.array,
    "chunks": lambda values: pa.chunked_array([values[:1], values[1:]], type=pa.array(values).type),
    "dictionary": lambda values: pa.array([*values, values[0]]).dictionary_encode()[: len(values)],
}


def agrees(labels):
    texts, kind = to_texts(labels)
    found, codes, found_kind = encoded(labels)
    assert found_kind == kind
    assert codes.dtype == np.int32
    assert [None if code < 0 else found[code] for code in codes.tolist()] == texts
    assert sorted(found) == sorted({text for text in texts if text is not None})  # none twice, and none that is absent


@pytest.mark.parametrize("container", CONTAINERS)
@given(st.data())
def test_the_fast_way_is_the_slow_way(container, data):
    values = data.draw(
        st.one_of(*(st.lists(kind, min_size=1, max_size=8) for kind in (TEXTS, INTS, st.booleans(), FLOATS)))
    )
    agrees(CONTAINERS[container](values))


@pytest.mark.parametrize("container", ["list", "objects", "pandas of objects", "nullable", "polars", "arrow", "chunks"])
@given(st.data())
def test_missing_labels(container, data):
    kind = data.draw(st.sampled_from([TEXTS, INTS, st.booleans(), FLOATS]))
    values = data.draw(st.lists(st.none() | kind, min_size=1, max_size=8))
    agrees(CONTAINERS[container](values))


@pytest.mark.parametrize(
    "labels",
    [
        np.array([2**64 - 1, 0], np.uint64),
        np.array([-1, -2], np.int8),
        np.array([0.0, -0.0, np.nan, 1.0]),
        np.array([0.5, np.nan], np.float32),
        np.array([0.5, 1.5], np.float16),
        np.array([0.5, 1.5], np.longdouble),
        np.array([1, 2], ">i4"),
        np.array(["nan", "None", ""]),
        np.array(["é", "e\u0301", "日本"]),
        pd.Series([1, None]),
        pd.Series([1, None], dtype="Int64"),
        pd.Series([True, None], dtype="boolean"),
        pd.Series(["a", None], dtype="string"),
        pd.Series(["a", None, "b"], dtype="category"),
        pd.Series([1, 2], dtype="category").cat.add_categories([3]),
        pd.DataFrame({"y": ["a", "b"]}),
        pl.Series(["a", None, "b"], dtype=pl.Categorical),
        pl.Series([0.5, float("nan"), None]),
        pa.array([0.5, float("nan"), None]),
        pa.array(["b", "a"], pa.large_string()),
        pa.nulls(2),
        ["a", float("nan")],
        [np.str_("a"), "b"],
        [None, None],
        [],
    ],
    ids=str,
)
def test_corners(labels):
    agrees(labels)


INTEGERS = {
    "nullable": pd.Series([3, None, 1], dtype="Int64"),
    "small": pd.Series([3, None, 1], dtype="UInt8"),
    "array": pd.array([3, None, 1], dtype="Int64"),
    "index": pd.Index(pd.array([3, None, 1], dtype="Int64")),
    "arrow": pd.Series([3, None, 1], dtype="int64[pyarrow]"),
    "categories": pd.Series(pd.Categorical([3, None, 1])),
    "categorical": pd.Categorical([3, None, 1]),
    "nullable categories": pd.Series([3, None, 1], dtype="Int64").astype("category"),
    "frame": pd.DataFrame({"y": pd.array([3, None, 1], dtype="Int64")}),
    "polars": pl.Series([3, None, 1]),
    "list": [3, None, 1],
}


@pytest.mark.parametrize("way", INTEGERS)
def test_integers_beside_missing_ones_stay_integers(way):
    """As an array of numpy's, those of pandas are floats."""
    assert to_texts(INTEGERS[way]) == (["3", None, "1"], "int")
    agrees(INTEGERS[way])


def test_integers_that_no_float_holds():
    large = 2**53 + 1
    assert to_texts(pd.Series([large, None], dtype="Int64")) == ([str(large), None], "int")


def test_classes_of_nullable_integers():
    model = NaiveBayes(unlabelled="skip").fit({"x": [0.0, 1.0, 5.0]}, pd.Series([0, None, 1], dtype="Int64"))
    assert model.classes_.dtype.kind == "i"
    assert model.classes_.tolist() == [0, 1]


def test_zero_has_no_sign():
    assert encoded(np.array([0.0, -0.0]))[0] == ("0.0",)
    assert to_texts([-0.0]) == (["0.0"], "float")
    assert from_texts(("0.0",), "float").tolist() == [0.0]


@pytest.mark.parametrize(
    ("labels", "fact"),
    [
        (["a", 1], "mix int and str"),
        ([1, True], "mix bool and int"),
        (np.array([1j]), "Complex data not supported"),
        ([b"a"], "decode"),
        (np.array([[1, 2], [3, 4]]), "2 dimensions"),
        ([("a", "b")], "several"),
        (np.array(["2020-01-01"], "datetime64[D]"), "type date"),
        (["\ud800"], "surrogates"),
        ("spam", "one text"),
    ],
    ids=str,
)
def test_what_no_label_is(labels, fact):
    with pytest.raises(DataError, match=fact):
        encoded(labels)


@pytest.mark.parametrize(("kind", "seconds"), [(np.int64, 0.06), (np.dtype("U5"), 0.12), (object, 0.12), (float, 0.12)])
def test_a_million_labels_are_soon_encoded(kind, seconds):
    labels = np.arange(1_000_000) % 5
    labels = labels.astype(str).astype(object) if kind is object else labels.astype(kind)
    taken = []
    for _ in range(5):
        start = time.perf_counter()
        encoded(labels)
        taken.append(time.perf_counter() - start)
    assert min(taken) < 2 * seconds, taken  # twice: the machine may be busy
