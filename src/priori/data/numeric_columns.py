"""A column of a table as numbers, texts or labels, with the place of each cell for messages."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import types

from priori.data.arrays import as_strings, is_bytes, is_string
from priori.data.parsing import MISSING, ONE_A_LINE, are_numbers, number_of_cell, say, without_missing
from priori.errors import DataError

_TRUTH = {"true": "1", "false": "0"}


@dataclass(frozen=True)
class Column:
    """The cells of one column in one batch, and where they come from."""

    source: str
    name: str
    first_row: int  # the place of the first cell in its source, from 0
    condition: str  # what the rows of the source were chosen by, if they were
    cells: pa.Array

    def numbers(self) -> npt.NDArray[np.float64]:
        """The cells as numbers, NaN where they are missing; a cell that is no number is refused."""
        cells = self.cells
        if is_string(cells.type) or is_bytes(cells.type):
            cells = _unified(as_strings(cells, self._what))
        elif not (types.is_integer(cells.type) or types.is_floating(cells.type) or types.is_boolean(cells.type)
                  or types.is_decimal(cells.type) or types.is_null(cells.type)):  # fmt: skip
            raise DataError(f"{self._what} is of type {cells.type}, not numbers; name a column of numbers")
        try:
            cells = cells if types.is_float64(cells.type) else cells.cast(pa.float64(), safe=False)
            values = cells.to_numpy(zero_copy_only=False)
        except pa.ArrowInvalid:  # one by one it is slower, but +5 is a number, and what is none is found
            values = np.array([self._number(at, text) for at, text in enumerate(cells.to_pylist())])
        infinite = np.isinf(values)
        if infinite.any():
            raise self._complaint(int(infinite.argmax()))
        return np.asarray(values, np.float64)

    def _number(self, at: int, text: str | None) -> float:
        try:
            return np.nan if text is None else number_of_cell(text)
        except ValueError:
            raise self._complaint(at) from None

    def texts(self) -> list[str | None]:
        """The cells as text, as it is written; None where they are empty."""
        return [text or None for text in as_strings(self.cells, self._what).to_pylist()]

    def labels(self) -> list[str | None]:
        """The cells as text; None where they say that something is missing."""
        return [None if text is None or text.strip().lower() in MISSING else text for text in self.texts()]

    def is_text(self) -> bool:
        """Whether it holds text and no number at all."""
        if not (is_string(self.cells.type) or is_bytes(self.cells.type)):
            return False
        return not any(_is_number(text) for text in _unified(as_strings(self.cells, self._what)).to_pylist())

    @property
    def _what(self) -> str:
        return f"{self.source}: column {self.name!r}"

    def _complaint(self, at: int) -> DataError:
        cell = self.cells[at].as_py()
        several = isinstance(cell, str) and are_numbers(cell.split())
        remedy = ONE_A_LINE if several else "correct it, or leave it empty if it is missing"
        return DataError(
            f"{self._what} has {cell!r} in row {self.first_row + at + 1}{self.condition}, which is no finite number; "
            f"{remedy}"
        )


def _unified(strings: pa.Array) -> pa.Array:
    """Without space around numbers, null for what says missing, 1 and 0 for true and false."""
    import pyarrow.compute as pc

    trimmed = without_missing(strings)
    for word, digit in _TRUTH.items():
        trimmed = pc.if_else(say((word,), trimmed), pa.scalar(digit, trimmed.type), trimmed)
    return trimmed


def _is_number(text: str | None) -> bool:
    return text is not None and are_numbers([text])
