"""What a long search for classes shows on stderr: a table of words that sharpen, or a line now and then."""

import sys
import time
from typing import Any, Protocol, Self

import numpy as np

from priori.cli.show import plural, visible, visible_term
from priori.cli.verbosity import note, quiet

_PATIENCE = 1.0  # seconds before anything is drawn
_BETWEEN = 0.3  # seconds from one drawing to the next
_LARGEST_PART = 0.1  # of the time, that may be spent on drawing
_NOW_AND_THEN = 10.0  # seconds from one line to the next, where nobody is looking
_WORDS = 10  # of each class, at most
_ROOM = 22  # columns of the other cells
_LINES = 6  # of a terminal that the table of classes leaves free


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
    """Told of every step; shows some of them."""

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
        from priori.select.terms import z_scores

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
