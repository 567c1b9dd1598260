"""Kept rows of small random tables, for the tests of samples."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import strategies as st

from priori.columns.base import Codes, Rows
from priori.model import file  # noqa: F401 (before LIMIT is another)
from priori.model import sample as module
from priori.model.sample import RowSample
from priori.statistics.by_class import UNIT_BITS

ONE = 1 << UNIT_BITS
LABELS = ("a", "b")
VALUES = ("", "x", "y", "é", "\0")
TEXTS = ("", "the cat", "été", "x")
numbers = st.none() | st.sampled_from([0.0, -0.0, 1.0, 2.0, 1e300, -5e-324])
rows = st.tuples(
    st.sampled_from([-1, 0, 1]),
    st.sampled_from([0, ONE // 2, ONE, 2 * ONE]),
    numbers,
    st.none() | st.sampled_from(VALUES),
    st.none() | st.sampled_from(TEXTS),
    st.tuples(numbers, numbers),
)
tables = st.lists(rows, max_size=25)


@pytest.fixture(autouse=True)
def small_limit(monkeypatch):
    monkeypatch.setattr(module, "LIMIT", 6)


def floats(cells):
    return np.array([np.nan if cell is None else cell for cell in cells], np.float64)


def codes_of(cells, shift):
    """Codes of the cells; the values stand in another order for every shift, and some do not occur."""
    values = tuple(np.roll(np.array(VALUES, dtype=object), shift).tolist())
    return Codes(np.array([-1 if cell is None else values.index(cell) for cell in cells], np.int32), values)


def sample_of(table, shift=0, bits=0):
    group, weight, number, value, text, joint = list(zip(*table, strict=True)) or [()] * 6
    columns = [
        floats(number),
        codes_of(value, shift),
        pa.array(text, [pa.string(), pa.large_string()][shift % 2]),
        np.array([floats(pair) for pair in joint]).reshape(-1, 2),
    ]
    labels = LABELS if shift % 2 == 0 else LABELS[::-1]
    places = [place if place < 0 or shift % 2 == 0 else 1 - place for place in group]
    return RowSample.of(columns, Rows(labels, np.array(places, np.int32), np.array(weight, np.int64)), bits)


def content(sample):
    """The rows as plain values, with their weights."""
    number, value, text, joint = sample.cells
    return {
        (label, str(x), code if code < 0 else value.values[code], word, str(pair)): weight
        for label, x, code, word, pair, weight in zip(
            sample.labels,
            number.tolist(),
            value.codes.tolist(),
            text.to_pylist(),
            joint.tolist(),
            sample.weight.tolist(),
            strict=True,
        )
    }


def plain(row):
    """What a row holds, -0 as 0: the oracle's key."""
    group, _, x, value, text, pair = row
    x, *pair = (float("nan") if cell is None else cell + 0.0 for cell in (x, *pair))
    return LABELS[group], str(x), -1 if value is None else value, text, str(pair)
