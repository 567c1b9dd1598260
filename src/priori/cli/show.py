"""What is printed: one JSON document, or tables that are drawn on a terminal and aligned elsewhere."""

import json
import shutil
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import click


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


def visible(text: str, limit: int = 0) -> str:
    """A word or label with its control characters made visible, cut to a bearable length."""
    shown = "".join(c if c.isprintable() else "␤" if c == "\n" else "⇥" if c == "\t" else "�" for c in text)
    return shown if not limit or len(shown) <= limit else shown[: limit - 1] + "…"


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
        widths = (max(_width(line[i]) for line in (self.columns, *self.rows)) + 3 for i in range(len(self.columns)))
        return not is_terminal() or sum(widths) < shutil.get_terminal_size().columns

    def _draw(self) -> None:
        from rich import box
        from rich.console import Console
        from rich.table import Table as RichTable
        from rich.text import Text

        table = RichTable(
            title=Text(self.title) if self.title else None,
            title_justify="left",
            box=box.SIMPLE_HEAD,
            title_style="bold",
            show_header=any(self.columns),
        )
        for name in self.columns:
            right = name.startswith(">")
            table.add_column(name.lstrip(">"), justify="right" if right else "left", overflow="ellipsis", no_wrap=right)
        for number, row in enumerate(self.rows):
            table.add_row(*(Text(cell) for cell in row), style="bold" if number in self.strong else None)
        Console(highlight=False).print(table)

    def _align(self) -> None:
        names = [name.lstrip(">") for name in self.columns]
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


def heading(text: str) -> None:
    """A line that begins a part."""
    print_line(click.style(text, bold=True) if is_terminal() and not _no_colour() else text)


def _no_colour() -> bool:
    import os

    return bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"


def _width(text: str) -> int:
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _padded(text: str, width: int, right: bool) -> str:
    space = " " * (width - _width(text))
    return space + text if right else text + space


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


def plural(count: float, noun: str) -> str:
    """`1 document`, `2 documents`, `3 classes`."""
    many = f"{noun}es" if noun.endswith("s") else f"{noun}s"
    return f"{count:,.10g} {noun if count == 1 else many}"
