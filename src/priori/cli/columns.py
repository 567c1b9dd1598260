"""Columns as a command reads them: the data of one distribution, and their weights."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from priori.cli.verbosity import listen
from priori.errors import DataError

if TYPE_CHECKING:
    from priori.sources import Column, ReadOptions


@dataclass(frozen=True)
class Data:
    """The wanted columns of all sources, batch by batch."""

    batches: "Sequence[dict[str, Column]]"
    columns: tuple[str, ...]
    others: dict[str, str]  # what further columns are for, and their names

    def numbers(self, name: str) -> Any:
        """One column as numbers, NaN where they are missing."""
        import numpy as np

        return np.concatenate([batch[name].numbers() for batch in self.batches])

    def rows(self) -> Any:
        """All columns as rows of numbers, (n, columns)."""
        import numpy as np

        return np.column_stack([self.numbers(name) for name in self.columns])

    def texts(self, name: str) -> list[str | None]:
        """One column as text, None where it is missing."""
        return [text for batch in self.batches for text in batch[name].texts()]

    def values(self) -> Any:
        """The first column: as text if it has no number at all, else as numbers."""
        is_text = all(batch[self.columns[0]].is_text() for batch in self.batches)
        return self.texts(self.columns[0]) if is_text else self.numbers(self.columns[0])

    def other(self, what: str) -> Any:
        """A further column as numbers; None, if it was not asked for."""
        return self.numbers(self.others[what]) if what in self.others else None


def read_data(sources: Sequence[str], columns: Sequence[str], options: "ReadOptions", **others: str | None) -> Data:
    """Read the named columns (none named: the only one that there is), and others beside them, such as the weights."""
    from priori.sources import read_columns

    listen()
    beside = {what: name for what, name in others.items() if name is not None}
    batches = read_columns(sources, tuple(dict.fromkeys((*columns, *beside.values()))) if columns else (), options)
    first = next(batches)  # an error says so, if there is none
    if not columns:
        lacking = next((name for name in beside.values() if name not in first), None)
        if lacking is not None:
            raise DataError(f"{sources[0]} has no column {lacking!r}; its columns are {_listed(first)}")
        columns = _only(first, {*beside.values(), *(name for name, _ in options.where)}, sources)
    return Data([first, *batches], tuple(columns), beside)


def _only(first: "dict[str, Column]", others: set[str], sources: Sequence[str]) -> tuple[str, ...]:
    names = [name for name in first if name not in others]
    if len(names) != 1:
        raise DataError(f"{sources[0]} has the columns {_listed(names)}; choose with --column COLUMN")
    return (names[0],)


def _listed(names: Any) -> str:
    shown = [repr(name) for name in names]
    return ", ".join(shown[:20]) + (", ..." if len(shown) > 20 else "")
