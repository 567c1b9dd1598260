"""Cells turned into codes of their values, or into the type that a schema expects; nothing is lost.

A value has one text, however it is stored: 3, 3.0 and decimal 3.00 are "3", true is "true", dates are ISO 8601. The
same column is a date in a CSV whose types were read, and a string or a time in a frame: with the schema known, ISO
strings become dates and times, times at midnight dates, and the numbers 0 and 1 false and true. The first cell that
does not fit is refused.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import types

from priori.data.arrays import is_string
from priori.data.calendar import local_times, past_midnight, times_as_text
from priori.data.parsing import WrittenColumn
from priori.data.schema import TEXTS, Field, Schema, misfit, type_of
from priori.errors import DataError

Codes = npt.NDArray[np.int32]
Integers = npt.NDArray[np.integer]
SMALL_RANGE = 1 << 12  # integers that span no more than this, or than there are rows, are counted and not hashed


def codes_of(array: pa.Array) -> tuple[Codes, tuple[str, ...]]:
    """(codes, values): cell i holds values[codes[i]]; -1, if it is missing. Every value occurs."""
    if types.is_dictionary(array.type):
        return _of_dictionary(array)
    if types.is_null(array.type):
        return np.full(len(array), -1, np.int32), ()
    if types.is_boolean(array.type):
        codes, found = _integers(array.cast(pa.int8()))
        return codes, tuple("true" if value else "false" for value in found)
    if types.is_integer(array.type):
        codes, found = _integers(array)
        return codes, tuple(str(value) for value in found.tolist())
    return _encoded(array)


def _of_dictionary(array: pa.DictionaryArray) -> tuple[Codes, tuple[str, ...]]:
    """By its own codes; only the values that are used are looked at, as a dictionary may be larger than its batch."""
    size = len(array.dictionary)
    indices = array.indices.fill_null(size) if array.indices.null_count else array.indices
    places = indices.to_numpy(zero_copy_only=False)
    occurs = np.bincount(places, minlength=size + 1)[:size] > 0
    values = array.dictionary
    codes, texts = codes_of(values if occurs.all() else _plain_strings(values).take(pa.array(np.flatnonzero(occurs))))
    code_of = np.full(size + 1, -1, np.int32)
    code_of[:-1][occurs] = codes
    return code_of[places], texts


def _plain_strings(array: pa.Array) -> pa.Array:
    """String views, which Arrow can neither take nor hash into plain ones, as large strings."""
    return array.cast(pa.large_string()) if types.is_string_view(array.type) else array


def _encoded(array: pa.Array) -> tuple[Codes, tuple[str, ...]]:
    """By the hash of each value; NaN is missing."""
    kind = array.type
    array = _plain_strings(array)
    if types.is_timestamp(kind):
        array = local_times(array)
    elif types.is_date64(kind):
        array = array.cast(pa.date32())
    elif types.is_decimal(kind):
        array = array.cast(pa.float64(), safe=False)
    encoded = array.dictionary_encode()
    codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    found = encoded.dictionary
    if is_string(array.type):
        return codes, tuple(found.to_pylist())
    texts: list[str | None]
    if types.is_floating(kind) or types.is_decimal(kind):
        texts = [number_text(value) for value in found.to_numpy(zero_copy_only=False)]
    elif types.is_timestamp(kind):
        texts = list(times_as_text(found))
    else:  # dates; durations and times of day
        texts = found.cast(pa.string()).to_pylist() if types.is_date(kind) else seconds_texts(found)
    return _merged(codes, texts)


def number_text(value: np.floating) -> str | None:
    """The shortest text of a float, a whole one without a point; none for NaN."""
    if np.isnan(value):
        return None
    whole = np.isfinite(value) and abs(value) < 2**64 and value == np.trunc(value)
    return str(int(value)) if whole else str(value)


def seconds_texts(array: pa.Array) -> list[str | None]:
    """Durations and times of day, as the texts of their seconds."""
    return [number_text(value) for value in seconds(array)]


def seconds(array: pa.Array) -> npt.NDArray[np.float64]:
    """Durations and times of day as seconds, NaN where they are missing."""
    per_second = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[array.type.unit]
    width = pa.int32() if array.type.bit_width == 32 else pa.int64()
    counts = array.view(width).cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    return np.asarray(counts / per_second, np.float64)


def _integers(array: pa.Array) -> tuple[Codes, Integers]:
    """(codes, distinct integers); those in a small range by a table of the range, which is faster than hashing."""
    numbers = array.fill_null(0).to_numpy(zero_copy_only=False) if array.null_count else array.to_numpy()
    present = np.asarray(array.is_valid().to_numpy(zero_copy_only=False)) if array.null_count else None
    known = numbers if present is None else numbers[present]
    if not len(known):
        return np.full(len(array), -1, np.int32), numbers[:0]
    low, high = int(known.min()), int(known.max())
    if high - low >= max(SMALL_RANGE, len(array)):
        encoded = array.dictionary_encode()
        return encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False), encoded.dictionary.to_numpy()
    wide = numbers.dtype if numbers.dtype.itemsize == 8 else np.dtype(np.int64)
    places = (numbers.astype(wide, copy=False) - wide.type(low)).astype(np.intp, copy=False)
    if present is not None:
        places = np.where(present, places, high - low + 1)
    occurs = np.bincount(places, minlength=high - low + 2) > 0
    occurs[-1] = False
    code_of = np.where(occurs, np.cumsum(occurs) - 1, -1).astype(np.int32)
    return code_of[places], np.flatnonzero(occurs).astype(wide) + wide.type(low)


def _merged(codes: Codes, texts: Sequence[str | None]) -> tuple[Codes, tuple[str, ...]]:
    """One code for each text, where two values (0.0 and -0.0) have the same; none for a missing one."""
    places: dict[str, int] = {}
    code_of = [-1 if text is None else places.setdefault(text, len(places)) for text in texts]
    if code_of == list(range(len(texts))):
        return codes, tuple(places)
    return np.array([*code_of, -1], np.int32)[codes], tuple(places)  # subtle: code -1 finds the last entry, -1


# --- the type that a schema expects -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Place:
    """Where the rows of a batch come from, for complaints."""

    source: str = "X"
    first_row: int = 0  # from 0; complaints count from 1
    condition: str = ""


def fitted(schema: Schema, columns: Mapping[str, pa.Array], place: Place) -> dict[str, pa.Array]:
    """The columns of the schema, each of a type that its field accepts; `Schema.check` has passed their types."""
    return {field.name: _fitted(field, columns[field.name], place) for field in schema.fields}


def _fitted(field: Field, cells: pa.Array, place: Place) -> pa.Array:
    found = type_of(field.name, cells.type)
    if field.accepts(found):
        return cells
    if found in TEXTS:
        plain = cells.dictionary_decode() if types.is_dictionary(cells.type) else cells
        written = WrittenColumn(
            place.source, field.name, place.first_row, place.condition, plain.cast(pa.large_string()), may_choose=False
        )
        return written.as_type(field.type)
    if found == "time" and field.type == "date":
        local = local_times(cells)
        _refuse_first(
            past_midnight(local),
            lambda at: times_as_text(local.slice(at, 1))[0],
            "a date without a time of day",
            field,
            place,
        )
        return local.cast(pa.date32())
    if field.type == "boolean" and (types.is_integer(cells.type) or types.is_floating(cells.type)):
        numbers = np.asarray(cells.to_numpy(zero_copy_only=False), np.float64)
        missing = np.isnan(numbers)
        _refuse_first(~missing & (numbers != 0) & (numbers != 1), lambda at: f"{numbers[at]:g}", "0 or 1", field, place)
        return pa.array(numbers == 1, mask=missing)
    raise misfit(field, found, place.source)


def _refuse_first(
    wrong: npt.NDArray[np.bool_], said: Callable[[int], str | None], expected: str, field: Field, place: Place
) -> None:
    if wrong.any():
        at = int(wrong.argmax())
        raise DataError(
            f"{place.source}: column {field.name!r} has {said(at)} in row {place.first_row + at + 1}{place.condition}, "
            f"which is not {expected}; correct the cell, or leave it empty if it is missing"
        )
