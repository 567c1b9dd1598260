"""The checks say yes exactly when plain Python does."""

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from contents import SCHEMAS, small_model
from hypothesis import example, given, settings
from hypothesis import strategies as st

from priori.errors import ModelFileError
from priori.store import arrow_views, checks
from priori.store.table_types import Column, Table, Texts


def passes(check, *arguments):
    try:
        check("terms", "term", *arguments)
    except ModelFileError as error:
        assert str(error).startswith("section 'terms' cannot be used: ")
        assert "\n" not in str(error)
        return False
    return True


small = st.integers(-3, 9)
vectors = st.lists(small, max_size=6).map(lambda items: np.array(items, np.int64))
similar = st.text(alphabet="a\x00b", max_size=45) | st.text(max_size=4) | st.integers(0, 50).map("a".__mul__)


@settings(max_examples=400)
@given(st.lists(similar.filter(lambda t: t.isprintable() or "\x00" in t), max_size=12), st.booleans(), st.booleans())
@example(["", "\x00"], False, False)
@example(["a" * 8, "a" * 8 + "\x00"], False, False)
@example(["a" * 8, "a" * 9, "a" * 16, "a" * 17, "a" * 48, "a" * 49], False, False)
@example(["a" * 48, "a" * 48], False, False)
def test_sorted_texts(texts, arrange, large):
    texts = sorted(set(texts), key=str.encode) if arrange else texts
    column = Texts.of(texts)
    if not large:
        column.offsets = column.offsets.astype(np.int32)
    encoded = [text.encode() for text in texts]
    rising = all(a < b for a, b in pairwise(encoded))
    assert passes(checks.strictly_sorted_texts, column) == rising
    assert list(column) == texts


def test_sorted_texts_across_blocks():
    texts = [f"{i:06d}" for i in range(70_000)]
    for at in (65_534, 65_535, 65_536, 65_537):
        assert passes(checks.strictly_sorted_texts, Texts.of(texts))
        assert not passes(checks.strictly_sorted_texts, Texts.of([*texts[:at], texts[at - 1], *texts[at + 1 :]]))


@given(vectors)
def test_signs_and_order(values):
    items = values.tolist()
    assert passes(checks.non_negative, values) == all(x >= 0 for x in items)
    assert passes(checks.positive, values) == all(x > 0 for x in items)
    assert passes(checks.strictly_increasing, values) == (items == sorted(set(items)))


def test_nan_is_not_non_negative():
    assert not passes(checks.non_negative, np.array([1.0, np.nan]))


@given(vectors, st.integers(0, 9))
def test_ids_and_offsets(values, bound):
    items = values.tolist()
    assert passes(checks.ids_below, values, bound) == all(0 <= x < bound for x in items)
    right = bool(items) and items[0] == 0 and items == sorted(items) and items[-1] == bound
    assert passes(checks.offsets_within, values, bound) == right


@given(st.lists(st.lists(small, max_size=3), max_size=5))
def test_order_inside_lists(lists):
    values = np.array([value for inner in lists for value in inner], np.int64)
    bounds = np.cumsum([0, *map(len, lists)], dtype=np.int64)
    right = all(inner == sorted(set(inner)) for inner in lists)
    assert passes(checks.strictly_increasing_inside, values, bounds) == right


def test_unsigned_and_empty():
    assert not passes(checks.strictly_increasing, np.array([2**64 - 1, 0], np.uint64))
    empty = np.zeros(0, np.int64)
    assert all(passes(check, empty) for check in (checks.non_negative, checks.positive, checks.strictly_increasing))
    assert passes(checks.strictly_increasing_inside, empty, np.zeros(3, np.int64))
    assert passes(checks.strictly_sorted_texts, Texts.of([]))
    assert passes(checks.same_length, 3, 3)
    assert not passes(checks.same_length, 3, 4)


def test_expected_sections():
    contents = {**small_model(), "terms": Table(SCHEMAS["terms"], {})}
    assert checks.expect_table(contents, "terms", SCHEMAS["terms"]) is contents["terms"]
    assert checks.expect_object(contents, "readings") is contents["readings"]
    for name, schema, fact in (
        ("terms", SCHEMAS["classes"], "has the columns"),
        ("none", SCHEMAS["classes"], "is missing"),
        ("readings", SCHEMAS["classes"], "JSON where a table"),
    ):
        with pytest.raises(ModelFileError, match=fact):
            checks.expect_table(contents, name, schema)
    for name, fact in (("terms", "not a JSON object"), ("none", "is missing")):
        with pytest.raises(ModelFileError, match=fact):
            checks.expect_object(contents, name)


@given(st.lists(st.integers(0, 100), max_size=5), st.sampled_from(["int8", "uint16", "int32", "uint64", "float32"]))
def test_views_share_memory(items, name):
    array = pa.array([7, *items], pa.type_for_alias(name)).slice(1)
    view = arrow_views.numbers(array)
    assert view.tolist() == items
    assert view.dtype == name
    assert not view.flags.writeable or not items
    back = Table((Column("x", name),), {"x": view}).to_arrow()["x"]
    assert back.to_pylist() == array.to_pylist()
    assert back.type == array.type
    if items:
        assert back.chunk(0).buffers()[1].address == array.buffers()[1].address + array.type.bit_width // 8
