"""The sum on threads: how many, what it reports, and how it fails."""

import threading

import numpy as np
import pytest

from corpora import sample_rows
from priori.columns.words.counter import Accumulator
from priori.data import read_objects
from priori.errors import DataError
from priori.model.learning import Progress, count
from priori.text import Analyzer
from priori.threads import threads

ROWS = [(f"word{i % 13} word{i % 7}", "xyz"[i % 3]) for i in range(500)]


def batches(size=50):
    for start in range(0, len(ROWS), size):
        texts, labels = zip(*ROWS[start : start + size], strict=True)
        yield from read_objects(list(texts), list(labels))


def summary_of(batch):
    accumulator = Accumulator(Analyzer(), None, keep_sample=True, weighted=False)
    accumulator.add(batch)
    return accumulator.finish()


def test_mapping_and_combining_is_counting():
    parts = [summary_of(batch) for batch in batches()]
    left = parts[0]
    for part in parts[1:]:
        left = left + part
    right = parts[-1]
    for part in reversed(parts[:-1]):
        right = part + right
    whole = count(batches(), Analyzer(), jobs=3)
    assert left.counts == right.counts == whole.counts
    assert left.rows == whole.rows == 500
    assert sample_rows(left.sample) == sample_rows(whole.sample)
    assert sample_rows(left.sample) == sample_rows(right.sample)


@pytest.mark.parametrize(("wish", "found"), [("3", 3), ("1", 1)])
def test_the_environment_says_how_many_threads(monkeypatch, wish, found):
    monkeypatch.setenv("PRIORI_NUM_THREADS", wish)
    assert threads() == found
    assert threads(2) == 2  # asked for is asked for


@pytest.mark.parametrize("wish", ["0", "-1", "many", "1.5"])
def test_no_number_of_threads(monkeypatch, wish):
    monkeypatch.setenv("PRIORI_NUM_THREADS", wish)
    with pytest.raises(DataError, match="whole number from 1"):
        threads()


@pytest.mark.parametrize("jobs", [1, 3])
def test_progress_is_told(jobs):
    told = []
    count(batches(), Analyzer(), jobs=jobs, progress=told.append)
    assert all(isinstance(step, Progress) for step in told)
    assert sorted(step.documents for step in told) == list(range(50, 501, 50))


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_source_that_fails_is_heard_and_leaves_no_threads(jobs):
    def failing():
        yield from list(batches())[:3]
        raise OSError("the disk is gone")

    before = threading.active_count()
    with pytest.raises(OSError, match="the disk is gone"):
        count(failing(), Analyzer(), jobs=jobs)
    for thread in threading.enumerate():
        if thread.name.startswith("priori"):
            thread.join(5)
    assert threading.active_count() <= before


def test_rows_without_labels_are_counted_and_skipped():
    summary = count(read_objects(["a", "b", "c"], ["x", None, "y"]), Analyzer())
    assert (summary.rows, summary.unlabelled) == (3, 1)
    assert summary.counts.class_documents.tolist() == [1, 1]
    assert np.array_equal(summary.counts.term_bytes, np.frombuffer(b"ac", np.uint8))
    with pytest.raises(DataError, match="no labels"):
        count(read_objects(["a"]), Analyzer())
