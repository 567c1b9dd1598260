"""Tables: drawn on a terminal, aligned elsewhere."""

import shutil
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from priori.cli.show import heading, is_terminal, print_line

_BETWEEN = 2  # spaces from a column to the next


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
        names = [name.removeprefix(">") for name in self.columns]
        widths = (max(_width(line[i]) for line in (names, *self.rows)) + _BETWEEN for i in range(len(names)))
        return not is_terminal() or sum(widths) <= shutil.get_terminal_size().columns

    def _draw(self) -> None:
        from rich import box
        from rich.console import Console
        from rich.table import Table as RichTable
        from rich.text import Text

        if self.title:  # not rich's, which wraps a title that is wider than its table
            heading(self.title)
        table = RichTable(
            box=box.SIMPLE_HEAD, show_header=any(self.columns), padding=(0, _BETWEEN - 1, 0, 0), pad_edge=False
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
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _padded(text: str, width: int, right: bool) -> str:
    space = " " * (width - _width(text))
    return space + text if right else text + space
