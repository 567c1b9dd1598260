"""Dates and times as parts of the calendar: year, month, weekday and hour, by the clock of their own time zone."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import types

from priori.errors import DataError

Codes = npt.NDArray[np.int32]
EPOCH_WEEKDAY = 3  # 1 January 1970 was a Thursday, three days after a Monday
_PER_DAY = {"D": 1, "s": 86_400, "ms": 86_400 * 10**3, "us": 86_400 * 10**6, "ns": 86_400 * 10**9}


_NAMES = {
    "month": ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
    "weekday": ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"),
}


@dataclass(frozen=True, eq=False)
class DateParts:
    """The parts of every date of a column; missing ones are NaN as a year and -1 as a code."""

    year: npt.NDArray[np.float64]
    month: Codes  # 1 to 12
    weekday: Codes  # 1, Monday, to 7, Sunday
    hour: Codes | None  # 0 to 23; None for dates without a time of day


def date_parts(array: pa.Array, has_time: bool) -> DateParts:
    """The parts of dates (any Arrow date) or of times (any timestamp, or all missing)."""
    if types.is_null(array.type):
        array = array.cast(pa.timestamp("s"))
    if types.is_timestamp(array.type):
        array = local_times(array)
    times = array.to_numpy(zero_copy_only=False)  # datetime64, NaT where missing
    missing = np.isnat(times)
    ticks = np.where(missing, 0, times.view(np.int64))
    per_day = _PER_DAY[np.datetime_data(times.dtype)[0]]
    days = ticks // per_day
    months = _months(days)
    return DateParts(
        year=np.where(missing, np.nan, months // 12 + 1970.0),
        month=_codes(months % 12 + 1, missing),
        weekday=_codes((days + EPOCH_WEEKDAY) % 7 + 1, missing),
        hour=_codes((ticks - days * per_day) // (per_day // 24), missing) if has_time else None,
    )


def said_part(part: str | None, value: str) -> str:
    """A part of the calendar as a person says it; what has no name stays as it is.

    >>> said_part("weekday", "6"), said_part("hour", "6")
    ('Sat', '6')
    """
    names = _NAMES.get(part or "")
    return value if names is None else names[int(value) - 1]


def _months(days: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Months since January 1970 of days since its first; by a table, where it is shorter than the column."""
    low, high = (int(days.min()), int(days.max())) if len(days) else (0, 0)
    if high - low < len(days):
        return _months_of(np.arange(low, high + 1))[days - low]
    return _months_of(days)


def _months_of(days: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return days.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)


def local_times(array: pa.Array) -> pa.Array:
    """Timestamps as the clock of their zone shows them, without the zone."""
    if array.type.tz is None:
        return array
    import pyarrow.compute as pc

    try:
        return pc.local_timestamp(array)
    except pa.ArrowInvalid as error:
        raise DataError(
            f"the time zone {array.type.tz!r} is not known here ({error}); convert the times to UTC"
        ) from error


def past_midnight(array: pa.Array) -> npt.NDArray[np.bool_]:
    """Which timestamps (without a zone) have a time of day; not those that are missing."""
    times = array.to_numpy(zero_copy_only=False)
    ticks = times.view(np.int64) % _PER_DAY[np.datetime_data(times.dtype)[0]]
    found: npt.NDArray[np.bool_] = (ticks != 0) & ~np.isnat(times)
    return found


def times_as_text(array: pa.Array) -> list[str | None]:
    """ISO 8601 to the second, and fractions of it only where there are some: one text whatever the unit."""
    texts = np.datetime_as_string(array.to_numpy(zero_copy_only=False))
    return [None if text == "NaT" else _without_zeros(text) for text in texts.tolist()]


def _without_zeros(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def _codes(parts: npt.NDArray[np.int64], missing: npt.NDArray[np.bool_]) -> Codes:
    return np.where(missing, -1, parts).astype(np.int32)
