"""What a cell of a table holds: a number, or none."""

import math
from collections.abc import Sequence

ONE_A_LINE = "give one number in each line, or say what separates columns: --delimiter CHAR"


def number_of_cell(text: str | bytes) -> float:
    """A number as tables have it; a ValueError for what is none, such as 1_000, which only Python reads as one."""
    if (b"_" if isinstance(text, bytes) else "_") in text:  # type: ignore[operator]
        raise ValueError(text)
    return float(text)


def are_numbers(cells: Sequence[str | bytes]) -> bool:
    """Whether all are finite numbers.

    >>> are_numbers(["1", "-2.5e3"]), are_numbers(["1", "x"]), are_numbers(["1_000"])
    (True, False, False)
    """
    try:
        return all(math.isfinite(number_of_cell(cell)) for cell in cells)
    except ValueError:
        return False
