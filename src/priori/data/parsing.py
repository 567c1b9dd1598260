"""Cells as they are written in files without types, CSV and TSV: which type a column has, and its cells as that type.

A cell holds a number, a text, or nothing. The rule, applied to the first batch of rows alone: boolean if every cell
that is not missing is true or false (in any case), integer if all are whole numbers, real if all are numbers, date if
all are ISO yyyy-mm-dd, time if all are ISO timestamps, else string; null if all are missing.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
import pyarrow as pa

from priori.data.schema import FieldType
from priori.errors import DataError

MISSING = ("", "na", "n/a", "nan", "null", "none", "?")  # in any case; what a cell holds that holds no value
TRUTH = ("true", "false")
ONE_A_LINE = "give one number in each line, or say what separates columns: --delimiter CHAR"
_ZONE = r"(Z|[+-][0-9]{2}(:?[0-9]{2})?)$"
_NUMBER = r"^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$"
_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_TIME = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}"
_BEYOND_MICROSECONDS = r"([.][0-9]{6})[0-9]*$"
_SHORTEST_TIME = len("2020-01-01T03")
_EXPECTED: dict[FieldType, str] = {
    "boolean": "true or false",
    "integer": "a number",
    "real": "a number",
    "date": "a date as 2020-12-31",
    "time": "a time as 2020-12-31T23:59",
    "null": "an empty cell, as its column was empty where its type was read",
}


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


def without_missing(strings: pa.Array) -> pa.Array:
    """Without space around them, and null for what says missing."""
    import pyarrow.compute as pc

    trimmed = pc.utf8_trim_whitespace(strings)
    missing = pc.is_in(trimmed, pa.array(_spellings(MISSING), trimmed.type))
    return pc.if_else(missing, pa.scalar(None, trimmed.type), trimmed) if pc.any(missing).as_py() else trimmed


def say(words: tuple[str, ...], strings: pa.Array) -> pa.Array:
    """Which strings are one of the words, in any case; null where there is no string."""
    import pyarrow.compute as pc

    found = pc.is_in(strings, pa.array(_spellings(words), strings.type))
    return pc.if_else(strings.is_valid(), found, pa.scalar(None, pa.bool_()))


@cache
def _spellings(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words in every mixture of cases: to look them up is faster than to lower a million cells."""
    return tuple({"".join(letters) for word in words for letters in product(*zip(word, word.upper(), strict=True))})


# --- the type of a column, and its cells as a type --------------------------------------------------------------------


def type_of_cells(cells: pa.Array) -> FieldType:
    """The type by the rule above."""
    strings = without_missing(cells)
    if strings.null_count == len(strings):
        return "null"
    known = strings.drop_null()
    found: FieldType
    for found in ("boolean", "integer", "real", "date", "time"):
        # A few first, because a cast that fails takes twenty times as long as one that does not.
        if _as_type(known.slice(0, 100), found) is not None and _as_type(known, found) is not None:
            return found
    return "string"


@dataclass(frozen=True)
class OddOne:
    """A cell that makes strings of a column whose others are something else."""

    place: int
    others: str  # what these are


def odd_one_out(cells: pa.Array) -> OddOne | None:
    """The first cell that is no number (date, time, truth value), where nine of ten are; None where too few are."""
    import pyarrow.compute as pc

    known = without_missing(cells)
    there = len(known) - known.null_count
    looks: tuple[tuple[FieldType, str, pa.Array], ...] = (
        ("real", "numbers", pc.match_substring_regex(known, _NUMBER)),
        ("date", "dates", pc.match_substring_regex(known, _DATE)),
        ("time", "times", pc.match_substring_regex(known, _TIME)),
        ("boolean", "true and false", say(TRUTH, known)),
    )
    for kind, others, alike in looks:
        count = pc.sum(alike).as_py() or 0
        if there and count == there and _as_type(known, kind) is None:  # such as 30 February
            return OddOne(_first_misfit(known, kind), others)
        if 0.9 * there <= count < there:
            return OddOne(int(pc.index(alike, pa.scalar(False)).as_py()), others)
    return None


@dataclass(frozen=True)
class WrittenColumn:
    """The cells of one column in one batch, and where they come from."""

    source: str
    name: str
    first_row: int
    condition: str
    cells: pa.Array  # large_string
    may_choose: bool = True  # whether types and families are still to be chosen, as in training

    def as_type(self, expected: FieldType) -> pa.Array:
        """The cells as that type; the first that does not fit is refused with its place."""
        strings = without_missing(self.cells)
        if expected in {"string", "category"}:
            return strings
        array = _as_type(strings, expected)
        if array is None and expected == "integer":  # a number is a number: 2.5 may follow 2
            array = _as_type(strings, "real")
        if array is None:
            raise self._misfit(strings, "real" if expected == "integer" else expected)
        return array

    def _misfit(self, strings: pa.Array, expected: FieldType) -> DataError:
        at = _first_misfit(strings, expected)
        remedy = "correct the cell, or leave it empty if it is missing"
        if self.may_choose:
            remedy = (
                "correct the cell, leave it empty if it is missing, or name the column's family: "
                f"--columns {self.name}=categorical"
            )
        return DataError(
            f"{self.source}: column {self.name!r} has {strings[at].as_py()!r} in row {self.first_row + at + 1}"
            f"{self.condition}, which is not {_EXPECTED[expected]}; {remedy}"
        )


def _first_misfit(strings: pa.Array, expected: FieldType) -> int:
    """The place of the first string that is not of that type; there is one."""
    low, high = 0, len(strings)  # by halves: the cells before low fit, those before high do not all
    while high - low > 1:
        middle = (low + high) // 2
        fits = _as_type(strings.slice(low, middle - low), expected) is not None
        low, high = (middle, high) if fits else (low, middle)
    return low


def _as_type(strings: pa.Array, expected: FieldType) -> pa.Array | None:
    """The strings as that type; None, if one does not fit."""
    import pyarrow.compute as pc

    if expected == "null":
        return pa.nulls(len(strings)) if strings.null_count == len(strings) else None
    if expected == "boolean":
        return say(("true",), strings) if pc.all(say(TRUTH, strings)).as_py() is not False else None
    try:
        if expected == "time":
            return _times(strings)
        if expected == "date":
            return strings.cast(pa.date32())
        numbers = strings.cast(pa.float64())  # subtle: of integers, too, because Arrow reads 0x10 as one
        return numbers if expected == "real" else pc.utf8_ltrim(strings, "+").cast(pa.int64())
    except pa.ArrowInvalid:
        return None


def _times(strings: pa.Array) -> pa.Array | None:
    """By the clock of the zone that is stated, if one is: the hour is as it is written."""
    import pyarrow.compute as pc

    local = pc.replace_substring_regex(pc.replace_substring_regex(strings, _ZONE, ""), _BEYOND_MICROSECONDS, r"\1")
    if np.any(pc.binary_length(local).fill_null(_SHORTEST_TIME).to_numpy(zero_copy_only=False) < _SHORTEST_TIME):
        return None  # a date without a time of day
    return local.cast(pa.timestamp("us"))
