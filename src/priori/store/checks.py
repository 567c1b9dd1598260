"""Checks of loaded arrays, beyond what the reader knows of: each raises a ModelFileError with the section and the fact.

`read` has seen to it that arrays are well formed; these see to it that they mean something. None of them copies.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from priori import _core
from priori.errors import ModelFileError
from priori.store.arrow_reader import unexpected
from priori.store.container import Section
from priori.store.damage import damaged
from priori.store.table_types import Schema, Table, Texts

if TYPE_CHECKING:
    import numpy.typing as npt

Integers: TypeAlias = "npt.NDArray[np.integer[Any]]"
Numbers: TypeAlias = "npt.NDArray[np.number[Any]]"


def expect_table(sections: Mapping[str, Section], section: str, schema: Schema) -> Table:
    """The table of that name, with exactly these columns and types."""
    if section not in sections:
        raise damaged(f"section {section!r} is missing")
    table = sections[section]
    if not isinstance(table, Table):
        raise damaged(f"section {section!r} holds JSON where a table is expected")
    if table.schema != schema:
        raise fault(section, unexpected(table.schema, schema))
    return table


def expect_object(sections: Mapping[str, Section], section: str) -> dict[str, Any]:
    """The JSON object of that name."""
    if section not in sections:
        raise damaged(f"section {section!r} is missing")
    value = sections[section]
    if not isinstance(value, dict):
        raise damaged(f"section {section!r} is not a JSON object")
    return value


def same_length(section: str, what: str, length: int, expected: int) -> None:
    """There are as many of them as the rest of the file says."""
    if length != expected:
        raise fault(section, f"{what} has {length} entries where {expected} are expected")


def non_negative(section: str, what: str, values: Numbers) -> None:
    """No value lies below zero (and none is NaN)."""
    if len(values) and not values.min() >= 0:
        raise fault(section, f"{what} has the value {values.min()}, which is below zero")


def positive(section: str, what: str, values: Numbers) -> None:
    """Every value lies above zero: entries that are zero are not stored."""
    if len(values) and not values.min() > 0:
        raise fault(section, f"{what} has the value {values.min()}, which is not above zero")


def ids_below(section: str, what: str, ids: Integers, bound: int) -> None:
    """Every id lies in 0 .. bound - 1."""
    if len(ids) and not (ids.min() >= 0 and ids.max() < bound):
        raise fault(section, f"{what} has ids from {ids.min()} to {ids.max()} where there are {bound}")


def offsets_within(section: str, what: str, bounds: Integers, size: int) -> None:
    """Offsets begin at 0, never fall, and end at the size of what they point into."""
    if not len(bounds) or bounds[0] != 0 or bounds[-1] != size or bool((bounds[1:] < bounds[:-1]).any()):
        raise fault(section, f"the offsets of {what} do not divide {size} items")


def strictly_increasing(section: str, what: str, values: Numbers) -> None:
    """Each value is larger than the one before."""
    if not bool((values[1:] > values[:-1]).all()):
        raise fault(section, f"{what} is not in strictly increasing order")


def strictly_increasing_inside(section: str, what: str, values: Numbers, bounds: Integers) -> None:
    """Within each list, each value is larger than the one before; the bounds are known to be offsets_within."""
    rises = values[1:] > values[:-1]
    starts = bounds[1:-1]  # where a list begins, whatever ended just before it does not count
    rises[starts[(starts > 0) & (starts < len(values))] - 1] = True
    if not bool(rises.all()):
        raise fault(section, f"{what} is not in strictly increasing order inside its lists")


def strictly_sorted_texts(section: str, what: str, texts: Texts) -> None:
    """Texts are unique and sorted by their bytes, as a binary search needs them."""
    if not _core.is_strictly_sorted(texts.offsets.astype(np.int64, copy=False), texts.data):
        raise fault(section, f"{what} is not strictly sorted by bytes")


def integer(section: str, what: str, value: object, least: int, most: int) -> int:
    """A whole number within bounds."""
    if type(value) is not int or not least <= value <= most:
        raise fault(section, f"{what} is {value!r}, not a whole number from {least} to {most}")
    return value


def fault(section: str, fact: str) -> ModelFileError:
    """What to raise when a section means nothing."""
    return damaged(f"section {section!r} cannot be used: {fact}")
