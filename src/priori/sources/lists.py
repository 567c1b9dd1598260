"""Python lists of documents as Arrow arrays: strings, token lists or counts."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from priori.errors import DataError
from priori.sources.arrays import count_array, string_array, token_array, whole_text

_TOKENS = (list, tuple, np.ndarray)


def document_array(values: Sequence[Any], start: int) -> pa.Array:
    """Turn documents into an array; `start` is the position of the first one, for messages."""
    if all(isinstance(value, str) for value in values):
        return string_array(values)
    if isinstance(values[0], _TOKENS):
        return token_array([_tokens(value, start + i) for i, value in enumerate(values)])
    if isinstance(values[0], Mapping):
        return count_array([_counts(value, start + i) for i, value in enumerate(values)])
    position, value = next((start + i, value) for i, value in enumerate(values) if not isinstance(value, str))
    raise DataError(_complaint(position, value))


def _complaint(position: int, value: Any) -> str:
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return f"Document {position} is None or missing. Every document needs a text: drop it or make it ''."
    if isinstance(value, bytes | bytearray):
        return f"Document {position} is bytes, not text. Decode the documents first, as with .decode('utf-8')."
    kind = type(value).__name__
    return f"Document {position} is of type {kind}, not text. Documents are all strings, all token lists or all counts."


def _tokens(value: Any, position: int) -> list[str]:
    if not isinstance(value, _TOKENS):
        raise DataError(_complaint(position, value))
    for token in value:
        if not isinstance(token, str):
            raise DataError(f"Document {position} has a token of type {type(token).__name__}. Tokens are strings.")
    return [token if token.isascii() else whole_text(token) for token in value]


def _counts(value: Any, position: int) -> dict[str, int]:
    if not isinstance(value, Mapping):
        raise DataError(_complaint(position, value))
    for token, count in value.items():
        if not isinstance(token, str) or not isinstance(count, int | np.integer) or not 0 <= count < 2**63:
            raise DataError(f"Document {position} has {token!r}: {count!r}. Counts are whole numbers by token.")
    return {whole_text(token): int(count) for token, count in value.items()}
