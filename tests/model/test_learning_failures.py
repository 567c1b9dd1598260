"""A failure in one thread ends the others too."""

import itertools

import pyarrow as pa
import pytest

from priori.data import Batch
from priori.errors import DataError
from priori.model.learning import count
from priori.text import Analyzer


def test_a_bad_batch_stops_all_threads():
    """The other thread read on: from a pipe that never ends, the error never showed."""
    good = Batch(pa.array(["a b"] * 100), pa.array(["x"] * 100), None, {}, {}, 0, None)
    bad = Batch(pa.array(["a"]), pa.array([b"\xff"], pa.binary()), None, {}, {}, 0, None)
    with pytest.raises(DataError, match="not valid UTF-8"):
        count(itertools.chain([good, bad], itertools.repeat(good)), Analyzer(), jobs=2)


def test_progress_is_told_by_one_thread_at_a_time():
    inside, overlaps = [], []

    def progress(_):
        overlaps.append(bool(inside))
        inside.append(1)
        inside.pop()

    good = Batch(pa.array(["a b"] * 100), pa.array(["x"] * 100), None, {}, {}, 0, None)
    count(iter([good] * 200), Analyzer(), jobs=4, progress=progress)
    assert len(overlaps) == 200
    assert not any(overlaps)
