"""Reading runs ahead of counting: an iterator run by a thread of its own."""

import queue
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class _End:
    """The iterator is used up, or failed."""

    error: BaseException | None


class _Producer(Generic[T]):
    """Fills a bounded queue from an iterator until it ends or is told to stop."""

    def __init__(self, items: Iterator[T], depth: int) -> None:
        self.queue: queue.Queue[T | _End] = queue.Queue(maxsize=depth)
        self._items = items
        self._stopped = threading.Event()
        # A daemon: a read of a silent stdin cannot be interrupted, and must not keep a finished program alive.
        self._thread = threading.Thread(target=self._run, name="priori-read-ahead", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Ask the thread to end, and wake it if it waits for room."""
        self._stopped.set()
        while self._thread.is_alive():
            try:
                self.queue.get_nowait()
            except queue.Empty:
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
