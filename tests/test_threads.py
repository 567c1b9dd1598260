import threading
import time
from collections.abc import Iterator

import pytest

from priori.data import read_ahead


def readers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "priori-read-ahead"]


def wait_for_no_readers() -> None:
    deadline = time.monotonic() + 5
    while readers() and time.monotonic() < deadline:
        time.sleep(0.005)
    assert readers() == []


@pytest.mark.parametrize("depth", [1, 2, 5])
def test_it_yields_the_same_in_the_same_order(depth):
    assert list(read_ahead(iter(range(100)), depth)) == list(range(100))
    wait_for_no_readers()


def test_it_runs_ahead_but_not_further_than_its_depth():
    produced: list[int] = []

    def numbers() -> Iterator[int]:
        for i in range(100):
            produced.append(i)
            yield i

    ahead = read_ahead(numbers(), depth=2)
    assert next(ahead) == 0
    time.sleep(0.1)
    assert 2 <= len(produced) <= 4  # taken, two waiting, one in hand
    ahead.close()
    wait_for_no_readers()


def test_exceptions_arrive_where_they_can_be_caught():
    def failing() -> Iterator[int]:
        yield 1
        raise KeyError("here")

    ahead = read_ahead(failing())
    assert next(ahead) == 1
    with pytest.raises(KeyError, match="here"):
        next(ahead)
    wait_for_no_readers()


def test_closing_ends_the_thread_and_closes_the_iterator():
    closed = threading.Event()

    def endless() -> Iterator[int]:
        try:
            while True:
                yield 1
        finally:
            closed.set()

    ahead = read_ahead(endless())
    next(ahead)
    ahead.close()
    assert closed.wait(5)
    wait_for_no_readers()


def test_depth_must_be_positive():
    with pytest.raises(ValueError, match="at least 1"):
        read_ahead(iter([]), 0)
