"""One column of any kind, a list or an array or a series, as an Arrow array of one type."""

import datetime
import decimal
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from priori.data.arrays import is_string, string_array
from priori.data.labels import library
from priori.errors import CellTypeError, DataError

RawColumn: TypeAlias = "pa.Array | pa.ChunkedArray | npt.NDArray[Any]"
_KINDS: tuple[tuple[tuple[type, ...], str], ...] = (  # of Python values: the first that fits
    ((bool, np.bool_), "boolean"),
    ((int, float, np.number, decimal.Decimal), "number"),
    ((str,), "text"),
    ((datetime.datetime, np.datetime64), "time"),
    ((datetime.date,), "date"),
    ((datetime.timedelta, np.timedelta64), "duration"),
)


def column_of(values: Any, name: str) -> RawColumn:
    """Anything that can be a column: as Arrow data, or an array of numbers that is to be turned batch by batch."""
    if isinstance(values, pa.Array | pa.ChunkedArray):
        return values
    if library(values) == "pandas":
        return series_column(values, name)
    if hasattr(values, "__arrow_c_stream__"):
        return pa.chunked_array(values)
    if hasattr(values, "__arrow_c_array__"):
        return pa.array(values)
    if isinstance(values, np.ndarray):
        return _raw(values, name)
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise DataError(f"column {name!r} is one {type(values).__name__}, not many values; put it into a list")
    return object_column(list(values), name)


def array_column(values: npt.NDArray[Any], name: str) -> pa.Array:
    """A numpy array of one dimension; NaN stays NaN, so that nothing need be copied."""
    if values.ndim != 1:
        raise DataError(f"column {name!r} has the shape {values.shape}; a column has one dimension")
    if values.dtype.kind == "c":
        raise DataError(f"Complex data not supported: column {name!r} holds complex numbers; give real ones")
    if values.dtype.kind == "O":
        return object_column(values, name)
    if values.dtype.kind == "M" and np.datetime_data(values.dtype)[0] in {"h", "m", "generic"}:
        values = values.astype("datetime64[s]")  # Arrow has no hours and minutes
    if not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    try:
        return pa.array(values)
    except (pa.ArrowException, TypeError) as error:
        raise _refusal(name, values.dtype, error) from error


def _raw(values: npt.NDArray[Any], name: str) -> RawColumn:
    return object_column(values, name) if values.dtype.kind == "O" and values.ndim == 1 else values


def series_column(series: Any, name: str) -> RawColumn:
    """A pandas series; numbers are not copied, and categories turned batch by batch."""
    if isinstance(series.dtype, np.dtype):
        return _raw(series.to_numpy(), name)
    return series.sparse.to_dense() if hasattr(series, "sparse") else series


def extension_array(series: Any, name: str) -> pa.Array:
    """Some rows of a pandas series of a type that only pandas has."""
    try:
        array = pa.Array.from_pandas(series)
    except (pa.ArrowException, TypeError) as error:
        raise _refusal(name, series.dtype, error) from error
    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array


def object_column(values: Sequence[Any] | npt.NDArray[Any], name: str) -> pa.Array:
    """Python values of one kind; None, NaN and pandas' NA and NaT are missing."""
    if any(isinstance(value, str) for value in values[:100]):  # the quick way for what is text alone
        try:
            array = pa.array(values, from_pandas=True)
            if is_string(array.type):
                return array
        except (pa.ArrowException, UnicodeEncodeError):
            pass  # the slow way says what is wrong, or mends it
    return _checked_column(values.tolist() if isinstance(values, np.ndarray) else values, name)


def _checked_column(values: Sequence[Any], name: str) -> pa.Array:
    kinds = _kinds(values, name)
    if kinds == {"text"}:
        return string_array([value if isinstance(value, str) else None for value in values])
    try:
        return pa.array(values, from_pandas=True)
    except (pa.ArrowException, OverflowError) as error:
        if kinds == {"number"}:  # integers beyond 64 bits, or beyond 2^53 beside fractions: the nearest float
            return pa.array([None if is_missing(value) else float(value) for value in values], pa.float64())
        raise _refusal(name, " and ".join(sorted(kinds)), error) from error


def is_missing(value: Any) -> bool:
    """None, NaN, pandas' NA and NaT."""
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return True
    return isinstance(value, float | np.floating | np.datetime64 | decimal.Decimal) and bool(value != value)  # noqa: PLR0124


def _kinds(values: Sequence[Any], name: str) -> set[str]:
    """Which kind the values are, that are there; more than one, or one that is none of a column, is refused."""
    by_kind: dict[str, list[type]] = {}
    for found in set(map(type, values)):
        by_kind.setdefault(_kind(found), []).append(found)
    by_kind.pop("missing", None)
    if len(by_kind) < 2 and "other" not in by_kind:
        return set(by_kind)
    examples: dict[str, Any] = {}
    for value in values:
        if not is_missing(value):
            examples.setdefault(_kind(type(value)), value)
    shown = {kind: f"{_shown(value)} ({type(value).__name__})" for kind, value in examples.items()}
    if "other" in examples:
        raise CellTypeError(
            f"column {name!r} has {shown['other']}, but a cell given as argument must be a string, a number, a date or "
            "a truth value; leave the column out, or convert its values"
        )
    if len(examples) > 1:
        one, other = list(shown.values())[:2]
        raise DataError(
            f"column {name!r} mixes {one} and {other}, and a column has one type; convert all its values to one, "
            "as with astype(str), or make None of what is wrong"
        )
    return set(examples)


def _kind(found: type) -> str:
    if found is type(None) or found.__name__ in {"NAType", "NaTType"}:
        return "missing"
    return next((kind for members, kind in _KINDS if issubclass(found, members)), "other")


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _refusal(name: str, kind: Any, error: Exception) -> DataError:
    return DataError(f"column {name!r} of {kind} cannot be read ({error}); leave the column out, or convert it")
