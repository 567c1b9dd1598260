"""Counts of values, out of any container."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from priori.errors import DataError, MergeError, NegativeCountError
from priori.statistics import Categories, Moments

VALUES = ["red", None, "blue", "red"]
CONTAINERS = [
    list,
    pd.Series,
    lambda x: pd.Series(x, dtype="string"),
    pd.Categorical,
    pl.Series,
    pa.array,
    lambda x: pa.chunked_array([x[:1], x[1:]]),
    lambda x: np.array(x, object),
]


@pytest.mark.parametrize("container", CONTAINERS)
def test_any_sequence_with_missing_values(container):
    found = Categories.of(container(VALUES), [1, 5, 2, 1])
    assert (found.values, found.counts.tolist()) == (("blue", "red"), [2.0, 2.0])


def test_numbers_and_booleans_are_values_too():
    assert Categories.of(np.array([2.0, np.nan, 1.0])).values == (1.0, 2.0)
    assert Categories.of([True, False, True]).counts.tolist() == [1.0, 2.0]
    assert Categories.of([], values=("a", "b")).counts.tolist() == [0.0, 0.0]


def test_values_that_only_one_side_has_add_as_zeros():
    both = Categories.of(["a", "c"]) + Categories.of(["b", "c"])
    assert (both.values, both.counts.tolist()) == (("a", "b", "c"), [1.0, 1.0, 2.0])
    given = Categories.of(["c"], values=("c", "a")) + Categories.of(["a"])
    assert (given.values, given.counts.tolist()) == (("c", "a"), [1.0, 1.0])


def test_bad_values():
    with pytest.raises(DataError, match="no common order"):
        Categories.of(["a", 1])
    with pytest.raises(DataError, match="'d' is none of the given values"):
        Categories.of(["d"], values=("a", "b"))
    with pytest.raises(MergeError, match="one kind"):
        Categories.of(["a"]) + Moments.zero()
    with pytest.raises(NegativeCountError, match="'a' has count -1"):
        (-Categories.of(["a"])).refuse_negative()
    with pytest.raises(DataError, match="no average"):
        Categories.of([None]).average()
