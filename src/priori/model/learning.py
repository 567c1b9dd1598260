"""The sum on this machine's threads. Reading runs ahead of counting; Ctrl-C is answered at once."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from priori.columns.words.counter import Accumulator, Summary
from priori.data.batch import Batch
from priori.text.analyzer import Analyzer, Tokenizer
from priori.threads import read_ahead, run_all, threads


@dataclass(frozen=True)
class Progress:
    """How far a pass over the data has come."""

    documents: int
    bytes_read: int
    bytes_total: int | None


def count(
    batches: Iterator[Batch],
    analyzer: Analyzer,
    *,
    tokenizer: Tokenizer | None = None,
    keep_sample: bool = True,
    weighted: bool = False,
    jobs: int | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Summary:
    """Summarize a stream of batches on `jobs` threads. The result is the same for any number of them."""
    workers = threads(jobs) if tokenizer is None else 1  # a Python function holds the interpreter anyway
    source = _Shared(read_ahead(batches), progress)
    start = partial(Accumulator, analyzer, tokenizer, keep_sample, weighted)
    try:
        summaries = run_all([partial(_drain, start, source)] * workers)
    finally:
        source.close()
    total = summaries[0]
    for summary in summaries[1:]:
        total = total + summary
    return total


class _Shared:
    """An iterator that several threads draw from."""

    def __init__(self, batches: Iterator[Batch], progress: Callable[[Progress], None] | None) -> None:
        self._batches = batches
        self._progress = progress
        self._lock = threading.Lock()
        self._telling = threading.Lock()
        self._documents = 0
        self._stopped = False

    def __iter__(self) -> Iterator[Batch]:
        while True:
            with self._lock:
                if self._stopped:
                    return
                try:
                    batch = next(self._batches, None)
                except BaseException:
                    self._stopped = True
                    raise
                if batch is None:
                    self._stopped = True
                    return
                self._documents += len(batch)
                documents = self._documents
            yield batch
            if self._progress is not None:
                with self._telling:  # one thread at a time, whichever counted the batch
                    self._progress(Progress(documents, batch.bytes_read, batch.bytes_total))

    def stop(self) -> None:
        """Give out no more batches."""
        self._stopped = True

    def close(self) -> None:
        """Stop, and let go of what is being read."""
        self.stop()
        close = getattr(self._batches, "close", None)
        if close is not None and self._lock.acquire(timeout=1):
            try:
                close()
            finally:
                self._lock.release()


def _drain(start: Callable[[], Accumulator], source: _Shared) -> Summary:
    try:
        accumulator = start()  # here, so that its tables are also let go of by this thread, while the others work
        for batch in source:
            accumulator.add(batch)
    except BaseException:
        source.stop()  # or the others would read the rest first, perhaps from a pipe that never ends
        raise
    return accumulator.finish()
