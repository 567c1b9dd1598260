"""What shows on stderr that long work goes on: bars by bytes or by steps, and how a search for classes stands."""

import sys
import threading
import time
from typing import TYPE_CHECKING, Any, Protocol, Self

from priori.cli.messages import note, quiet
from priori.cli.output.terminal import plural, visible, visible_term

if TYPE_CHECKING:
    from priori.model.learning import Progress

_PATIENCE = 1.0  # seconds before anything is drawn
# Of a search for classes:
_BETWEEN = 0.3  # seconds from one drawing to the next
_LARGEST_PART = 0.1  # of the time, that may be spent on drawing
_NOW_AND_THEN = 10.0  # seconds from one line to the next, where nobody is looking
_WORDS = 10  # of each class, at most
_ROOM = 22  # columns of the other cells
_LINES = 6  # of a terminal that the table of classes leaves free


class Bar:
    """A progress bar by bytes, where a person is waiting and the work is long; threads may call it at once."""

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


class Steps:
    """A progress bar by steps, where a person is waiting and the work is long; called with (done, total)."""

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


# --- a search for classes ---------------------------------------------------------------------------------------------


class Shown(Protocol):
    """Work that can say how it stands."""

    names: tuple[str, ...]
    corpus: Any

    def said(self, step: Any) -> str:
        """In one line."""

    def sizes(self, step: Any) -> Any:
        """(K,) documents of each class."""

    def words(self, step: Any) -> Any:
        """(V, K) occurrences of each term in each class."""


class Watching:
    """Called with every step, shows some of them: a table of words that sharpen, or a line now and then."""

    def __init__(self, run: Shown) -> None:
        self.run = run
        self._live: Any = None
        self._terminal = sys.stderr.isatty()
        self._next = time.monotonic() + (_PATIENCE if self._terminal else _NOW_AND_THEN)

    def __call__(self, step: Any) -> None:
        """Show it, if it is time."""
        if quiet() or time.monotonic() < self._next:
            return
        began = time.monotonic()
        if self._terminal:
            self._draw(step)
        else:
            note(self.run.said(step))
        pause = max(_BETWEEN, (time.monotonic() - began) / _LARGEST_PART) if self._terminal else _NOW_AND_THEN
        self._next = time.monotonic() + pause

    def _draw(self, step: Any) -> None:
        if self._live is None:
            from rich.console import Console
            from rich.live import Live

            self._live = Live(console=Console(stderr=True, highlight=False), transient=True, auto_refresh=False)
            self._live.start()
        self._live.update(self._table(step), refresh=True)

    def _table(self, step: Any) -> Any:
        import numpy as np
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        console, run = self._live.console, self.run
        sizes = run.sizes(step)
        shown = np.argsort(-sizes, kind="stable")[: max(1, console.height - _LINES)]
        table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False)
        table.add_column("class", no_wrap=True, max_width=24)
        table.add_column("documents", justify="right", no_wrap=True)
        table.add_column("telling words", no_wrap=True, overflow="ellipsis")
        telling = self._telling(step, max(20, console.width - _ROOM))
        for place in sorted(shown.tolist()):
            words = Text(telling[place])
            table.add_row(Text(visible(run.names[place], 24)), Text(f"{sizes[place]:,.0f}"), words)
        more = len(sizes) - len(shown)
        rest = [Text(f"... and {plural(more, 'smaller class')}")] if more else []
        return Group(Text(run.said(step)), table, *rest)

    def _telling(self, step: Any, width: int) -> list[str]:
        """The words of each class with the highest z-scores, as many as there is room for."""
        import numpy as np

        from priori.columns.words.term_ranking import z_scores

        scores = z_scores(self.run.words(step))
        lines = []
        for column in scores.T:
            line = ""
            best = np.argpartition(-column, min(_WORDS, len(column) - 1))[:_WORDS]
            for term in best[np.argsort(-column[best], kind="stable")].tolist():
                word = visible_term(self.run.corpus.term_text(term), 24)
                if column[term] <= 0 or len(line) + len(word) + 2 > width:
                    break
                line += word + "  "
            lines.append(line.rstrip())
        return lines

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        if self._live is not None:
            self._live.stop()
