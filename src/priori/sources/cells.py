"""What a cell of a table holds: a number, a text, or nothing."""

import math
from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

MISSING = ("", "na", "n/a", "nan", "null", "none", "?")  # in any case; what a cell holds that holds no value
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


def without_missing(strings: "pa.Array") -> "pa.Array":
    """Without space around them, and null for what says missing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    trimmed = pc.utf8_trim_whitespace(strings)
    missing = pc.is_in(trimmed, pa.array(_spellings(MISSING), trimmed.type))
    return pc.if_else(missing, pa.scalar(None, trimmed.type), trimmed) if pc.any(missing).as_py() else trimmed


def say(words: tuple[str, ...], strings: "pa.Array") -> "pa.Array":
    """Which strings are one of the words, in any case; null where there is no string."""
    import pyarrow as pa
    import pyarrow.compute as pc

    found = pc.is_in(strings, pa.array(_spellings(words), strings.type))
    return pc.if_else(strings.is_valid(), found, pa.scalar(None, pa.bool_()))


@cache
def _spellings(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words in every mixture of cases: to look them up is faster than to lower a million cells."""
    return tuple({"".join(letters) for word in words for letters in product(*zip(word, word.upper(), strict=True))})
