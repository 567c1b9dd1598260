"""A progress bar for work in steps, on stderr, when a person is waiting there and the work is long."""

import sys
import time
from typing import Any, Self

from priori.cli.verbosity import quiet

_PATIENCE = 1.0  # seconds before anything is drawn


class Steps:
    """A callback that is told how many of how many steps are done."""

    def __init__(self, doing: str) -> None:
        self.doing = doing
        self._started = time.perf_counter()
        self._wanted = sys.stderr.isatty() and not quiet()
        self._drawn: Any = None

    def __call__(self, done: int, total: int) -> None:
        """Show how far the work has come."""
        if not self._wanted or time.perf_counter() - self._started < _PATIENCE:
            return
        if self._drawn is None:
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

            columns = (TextColumn("{task.description}"), BarColumn(bar_width=18), MofNCompleteColumn())
            self._drawn = Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True)
            self._drawn.start()
            self._drawn.add_task(self.doing, total=total)
        self._drawn.update(self._drawn.task_ids[0], completed=done, total=total)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        if self._drawn is not None:
            self._drawn.stop()
