"""A progress bar on stderr, when a person is waiting there and the work is long."""

import sys
import threading
import time
from typing import TYPE_CHECKING, Any, Self

from priori.cli.verbosity import quiet

if TYPE_CHECKING:
    from priori.engines import Progress

_PATIENCE = 1.0  # seconds before anything is drawn


class Bar:
    """A callback for the library's progress; threads may call it at once."""

    def __init__(self, doing: str, hidden: bool = False, noun: str = "document") -> None:
        self.doing, self.noun = doing, noun
        self.last: Progress | None = None
        self.started = time.perf_counter()
        self._wanted = sys.stderr.isatty() and not quiet() and not hidden
        self._drawn: Any = None
        self._task: Any = None
        self._lock = threading.Lock()

    @property
    def seconds(self) -> float:
        """Since the beginning."""
        return time.perf_counter() - self.started

    def __call__(self, progress: "Progress") -> None:
        """Take note of how far the work has come, and show it."""
        with self._lock:
            if self.last is None or progress.documents > self.last.documents:
                self.last = progress
            if not self._wanted or self.seconds < _PATIENCE:
                return
            if self._drawn is None:
                self._draw()
            self._drawn.update(
                self._task,
                completed=self.last.bytes_read,
                total=self.last.bytes_total,
                documents=f"{self.last.documents:,}",
            )

    def _draw(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn
        from rich.progress import TransferSpeedColumn as Speed

        self._drawn = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=18),  # not to the edge: there the terminal's ^C would break the line
            DownloadColumn(),
            Speed(),
            TextColumn(f"{{task.fields[documents]}} {'rows' if self.noun == 'row' else 'docs'}"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
            refresh_per_second=5,
        )
        self._drawn.start()
        self._task = self._drawn.add_task(self.doing, total=None, documents="0")
        # The clock of the bar begins now; the rate is that of all the work.
        self._drawn.tasks[0].start_time = self._drawn.get_time() - self.seconds

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        with self._lock:
            self._wanted = False
            if self._drawn is not None:
                self._drawn.stop()
