"""Threads: how many, tasks run on them while Ctrl-C is heard, and an iterator that runs ahead."""

import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from priori.errors import DataError

T = TypeVar("T")
_WAIT = 0.05  # seconds between looks at the keyboard


def threads(jobs: int | None = None) -> int:
    """How many threads to use: as asked, as PRIORI_NUM_THREADS says, or one for each processor we may run on."""
    if jobs is None:
        wish = os.environ.get("PRIORI_NUM_THREADS", "")
        if wish and not wish.isdigit():
            raise DataError(f"PRIORI_NUM_THREADS={wish!r} is no number of threads; give a whole number from 1")
        jobs = (
            int(wish) if wish else len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        )
    if not jobs or jobs < 1:
        raise DataError(f"jobs={jobs} is no number of threads; give a whole number from 1")
    return jobs


def run_all(tasks: list[Callable[[], T]]) -> list[T]:
    """Run tasks on daemon threads while this one stays awake for Ctrl-C; the first failure is raised here."""
    results: list[T | None] = [None] * len(tasks)
    failures: list[BaseException] = []

    def work(index: int) -> None:
        try:
            results[index] = tasks[index]()
        except BaseException as error:  # noqa: BLE001 - carried to the calling thread and raised there
            failures.append(error)

    pool = [threading.Thread(target=work, args=(i,), name=f"priori-{i}", daemon=True) for i in range(len(tasks))]
    for thread in pool:
        thread.start()
    for thread in pool:
        while thread.is_alive():
            thread.join(_WAIT)
    if failures:
        raise failures[0]
    return [result for result in results if result is not None]


@dataclass(frozen=True)
class _End:
    """The iterator is used up, or failed."""

    error: BaseException | None


class _Producer(Generic[T]):
    """Fills a bounded queue from an iterator until it ends or is told to stop."""

    def __init__(self, items: Iterator[T], depth: int) -> None:
        from queue import Queue  # here, as below: what is classified in one piece needs none

        self.queue: Queue[T | _End] = Queue(maxsize=depth)
        self._items = items
        self._stopped = threading.Event()
        # A daemon: a read of a silent stdin cannot be interrupted, and must not keep a finished program alive.
        self._thread = threading.Thread(target=self._run, name="priori-read-ahead", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Ask the thread to end, and wake it if it waits for room."""
        from queue import Empty

        self._stopped.set()
        while self._thread.is_alive():
            try:
                self.queue.get_nowait()
            except Empty:
                break

    def _run(self) -> None:
        error = None
        try:
            for item in self._items:
                if self._stopped.is_set():
                    break
                self.queue.put(item)
                if self._stopped.is_set():
                    break
        except BaseException as raised:  # noqa: BLE001 - carried over to the consumer, and raised there
            error = raised
        finally:
            close = getattr(self._items, "close", None)
            if close is not None:
                close()
        if not self._stopped.is_set():
            self.queue.put(_End(error))


def read_ahead(batches: Iterator[T], depth: int = 2) -> Iterator[T]:
    """Yield what the iterator yields, which is run up to `depth` items ahead in a background thread.

    Its exceptions are raised here; closing the generator ends the thread after the item it is working on.
    """
    if depth < 1:
        raise ValueError(f"depth is {depth}, but reading ahead needs room for at least 1 item")
    return _consume(batches, depth)


def _consume(batches: Iterator[T], depth: int) -> Iterator[T]:
    producer = _Producer(batches, depth)  # here, so that a generator never started leaves no thread behind
    try:
        while True:
            item = producer.queue.get()
            if not isinstance(item, _End):
                yield item
            elif item.error is not None:
                raise item.error
            else:
                return
    finally:
        producer.stop()
