"""JSON with one spelling per value: sorted keys, no spaces, UTF-8, finite numbers, integers of 64 bits."""

import json
import math
from typing import TypeAlias

from priori.errors import DataError
from priori.store.damage import damaged, in_one_line

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

MAX_DEPTH = 64
_INT64 = range(-(2**63), 2**63)


def encode(value: Json) -> bytes:
    """The only spelling of a value; raises DataError for what would not come back as it went in."""
    _refuse_unstorable(value, MAX_DEPTH)
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise DataError(
            f"a text with a lone surrogate cannot be stored ({in_one_line(error)}): decode it again"
        ) from error


def decode(data: bytes, what: str) -> Json:
    """The value of canonical bytes; anything spelled otherwise (spaces, NaN, doubled keys, ...) counts as damage."""
    try:
        value: Json = json.loads(data.decode("utf-8"))
        canonical = encode(value) == data
    except RecursionError as error:
        raise damaged(f"{what} is nested too deeply") from error
    except ValueError as error:  # also DataError, UnicodeDecodeError, JSONDecodeError and integers of 5,000 digits
        raise damaged(f"{what} is not valid ({in_one_line(error)})") from error
    if not canonical:
        raise damaged(f"{what} is not in canonical form")
    return value


def _refuse_unstorable(value: Json, depth: int) -> None:
    """Refuse what json.dumps would write although json.loads would not give it back."""
    if depth == 0:
        raise DataError(f"JSON nested deeper than {MAX_DEPTH} levels cannot be stored: flatten it")
    # subtle: exact types, since a subclass (numpy's float64, an enum) would come back as something else
    kind = type(value)
    if isinstance(value, dict) and kind is dict:
        for key, item in value.items():
            if type(key) is not str:
                raise DataError(f"the key {key!r} of a JSON object is no text, so it cannot be stored: use str(key)")
            _refuse_unstorable(item, depth - 1)
    elif isinstance(value, list) and kind is list:
        for item in value:
            _refuse_unstorable(item, depth - 1)
    elif isinstance(value, int) and kind is int:
        if value not in _INT64:
            raise DataError("an integer beyond 64 bits cannot be stored: write it as text")
    elif isinstance(value, float) and kind is float:
        if not math.isfinite(value):
            raise DataError(f"the number {value} has no JSON form, so it cannot be stored: write null or a text")
    elif value is not None and kind not in (str, bool):
        raise DataError(f"a {kind.__name__} has no JSON form, so it cannot be stored: convert it to a plain value")
