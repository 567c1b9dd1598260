"""What is printed on stdout: one JSON document, lines or tables; and how names and numbers are written there."""

import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import click

_GAP = 2  # spaces from a column of a table to the next


def is_terminal() -> bool:
    """Whether a person is looking at stdout."""
    return sys.stdout.isatty()


def print_json(document: Any) -> None:
    """One JSON document in UTF-8, on stdout."""
    print_line(json.dumps(document, ensure_ascii=False, allow_nan=False))


def print_line(text: str = "") -> None:
    """One line on stdout, in UTF-8 whatever the locale."""
    stream = sys.stdout.buffer
    stream.write(text.encode("utf-8", "replace") + b"\n")
    stream.flush()


def print_wrapped(text: str) -> None:
    """A line on stdout; on a terminal, broken between words where that is too narrow."""
    for line in wrapped(text) if is_terminal() else [text]:
        print_line(line)


def wrapped(text: str) -> list[str]:
    """Lines of at most the terminal's width, but for words that are longer."""
    import shutil
    import textwrap

    width = shutil.get_terminal_size().columns
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False) or [""]


def heading(text: str) -> None:
    """A line that begins a part."""
    print_line(click.style(text, bold=True) if is_terminal() and not _no_colour() else text)


def _no_colour() -> bool:
    import os

    return bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"


# --- names and numbers ------------------------------------------------------------------------------------------------


def visible(text: str, limit: int = 0) -> str:
    """A word or label with its control characters made visible, cut to a bearable length."""
    shown = "".join(c if c.isprintable() else "␤" if c == "\n" else "⇥" if c == "\t" else "�" for c in text)
    return shown if not limit or len(shown) <= limit else shown[: limit - 1] + "…"


def visible_term(term: str, limit: int = 0) -> str:
    """The same of a feature, whose spaces at its ends are drawn."""
    from priori.formatting import legible

    return visible(legible(term), limit)


def cut(text: str, limit: int) -> str:
    """A name as `visible` has it: whole in a file, and on a terminal without its middle where it is long.

    >>> cut("probabilities[a]", 40)
    'probabilities[a]'
    """
    shown = visible(text)
    if not is_terminal() or len(shown) <= limit:
        return shown
    tail = limit // 2 - 1
    return f"{shown[: limit - tail - 1]}…{shown[-tail:]}"


def size_of(count: float) -> str:
    """Bytes as a person says them.

    >>> size_of(168_000)
    '168 kB'
    """
    for unit in ("B", "kB", "MB"):
        if count < 999.5:
            return f"{count:.0f} {unit}" if unit == "B" or count >= 99.5 else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"


def said_count(count: float) -> str:
    """A number of rows or documents, whole or of weights; of a fraction six digits.

    >>> said_count(2400.0), said_count(458.5999975), said_count(1234567.5)
    ('2,400', '458.6', '1,234,568')
    """
    whole = float(count).is_integer() or abs(count) >= 1e5
    return f"{count:,.0f}" if whole else f"{count:,.6g}"


def listed(names: Sequence[str], most: int = 5) -> str:
    """`ham, spam`; of many the first, and dots."""
    return ", ".join(visible(name, 24) for name in names[:most]) + (", ..." if len(names) > most else "")


def plural(count: float, noun: str) -> str:
    """`1 document`, `2 documents`, `3 classes`."""
    many = f"{noun}es" if noun.endswith("s") else f"{noun}s"
    return f"{said_count(count)} {noun if count == 1 else many}"


# --- tables -----------------------------------------------------------------------------------------------------------


@dataclass
class Table:
    """Rows of text; columns whose name begins with ">" stand at the right."""

    columns: Sequence[str]
    rows: list[Sequence[str]] = field(default_factory=list)
    title: str = ""
    strong: frozenset[int] = frozenset()  # rows to stand out

    def print(self) -> None:
        """Drawn with rich on a terminal, aligned with spaces elsewhere."""
        if is_terminal():
            self._draw()
        else:
            self._align()

    def fits(self) -> bool:
        """Whether the terminal is wide enough for it; a file always is."""
        from shutil import get_terminal_size

        names = [name.removeprefix(">") for name in self.columns]
        widths = (max(_width(line[i]) for line in (names, *self.rows)) + _GAP for i in range(len(names)))
        return not is_terminal() or sum(widths) <= get_terminal_size().columns

    def _draw(self) -> None:
        from rich import box
        from rich.console import Console
        from rich.table import Table as RichTable
        from rich.text import Text

        if self.title:  # not rich's, which wraps a title that is wider than its table
            heading(self.title)
        table = RichTable(
            box=box.SIMPLE_HEAD, show_header=any(self.columns), padding=(0, _GAP - 1, 0, 0), pad_edge=False
        )
        for name in self.columns:
            right = name.startswith(">")
            table.add_column(
                name.removeprefix(">"), justify="right" if right else "left", overflow="ellipsis", no_wrap=right
            )
        for number, row in enumerate(self.rows):
            table.add_row(*(Text(cell) for cell in row), style="bold" if number in self.strong else None)
        Console(highlight=False).print(table)

    def _align(self) -> None:
        names = [name.removeprefix(">") for name in self.columns]
        lines = [names, *self.rows] if any(names) else list(self.rows)
        widths = [max((_width(line[i]) for line in lines), default=0) for i in range(len(names))]
        if self.title:
            print_line(self.title)
        for line in lines:
            cells = (
                _padded(cell, width, name.startswith(">"))
                for cell, width, name in zip(line, widths, self.columns, strict=True)
            )
            print_line("  ".join(cells).rstrip())
        print_line()


def facts(pairs: Iterable[tuple[str, str]], title: str = "") -> Table:
    """A table of names and values."""
    return Table(["", ""], [*pairs], title)


def _width(text: str) -> int:
    if text.isascii():
        return len(text)
    import unicodedata

    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _padded(text: str, width: int, right: bool) -> str:
    space = " " * (width - _width(text))
    return space + text if right else text + space
