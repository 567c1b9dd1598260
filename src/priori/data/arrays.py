"""Texts, labels and weights as Arrow arrays, from Arrow arrays of any kind or from Python lists."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import types

from priori.errors import DataError

TOKENS = pa.list_(pa.string())
COUNTS = pa.map_(pa.string(), pa.int64())
_TOKEN_LISTS = (list, tuple, np.ndarray)  # what may hold the tokens of one document


def is_string(kind: pa.DataType) -> bool:
    """Say whether values of this type are text."""
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def is_bytes(kind: pa.DataType) -> bool:
    """Say whether values of this type are raw bytes."""
    return bool(types.is_binary(kind) or types.is_large_binary(kind) or types.is_binary_view(kind))


def plain(array: pa.Array) -> pa.Array:
    """The array without dictionary or chunks."""
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
        if isinstance(array, pa.ChunkedArray):  # more than one chunk is left where one would overflow
            array = pa.concat_arrays([chunk.cast(_large(chunk.type)) for chunk in array.chunks])
    if not types.is_dictionary(array.type):
        return array
    if is_string(array.type.value_type):  # string views, as Polars sends them, cannot be decoded as they are
        array = pa.DictionaryArray.from_arrays(array.indices, array.dictionary.cast(pa.large_string()))
    return array.dictionary_decode()


def _large(kind: pa.DataType) -> pa.DataType:
    return pa.large_string() if is_string(kind) else pa.large_binary() if is_bytes(kind) else kind


def as_documents(array: pa.Array, what: str) -> pa.Array:
    """Text, token lists or counts in the types that a batch may have; raw bytes pass as text."""
    array = plain(array)
    kind = array.type
    if is_string(kind) or is_bytes(kind) or kind in {TOKENS, COUNTS}:
        return array
    if types.is_null(kind):
        return pa.nulls(len(array), pa.string())
    if types.is_list(kind) or types.is_large_list(kind):
        if is_string(kind.value_type) or types.is_null(kind.value_type) or _is_text_dictionary(kind.value_type):
            return array.cast(TOKENS)
    elif types.is_map(kind) and is_string(kind.key_type) and types.is_integer(kind.item_type):
        return array.cast(COUNTS)
    raise DataError(f"{what} is of type {kind}, not text. Documents are strings, lists of tokens or counts by token.")


def _is_text_dictionary(kind: pa.DataType) -> bool:
    return bool(types.is_dictionary(kind)) and is_string(kind.value_type)


def as_strings(array: pa.Array, what: str) -> pa.Array:
    """Any column as text, as it would be written: 1 is "1", true is "true", and null stays null."""
    array = plain(array)
    kind = array.type
    if types.is_string(kind) or types.is_large_string(kind):
        return array
    if is_bytes(kind):
        # A cast would import pyarrow.compute, which takes longer than reading a small file.
        return _checked_strings(array if types.is_large_binary(kind) else array.cast(pa.large_binary()), what)
    if types.is_nested(kind):
        raise DataError(f"{what} is of type {kind}, which has no single text. Name a column with one value per row.")
    return array.cast(pa.string())


def _checked_strings(array: pa.Array, what: str) -> pa.Array:
    validity, offsets, data = array.buffers()
    strings = pa.LargeStringArray.from_buffers(
        len(array), offsets, data, validity, offset=array.offset, null_count=array.null_count
    )
    try:
        strings.validate(full=True)
    except pa.ArrowInvalid as error:
        raise DataError(
            f"{what} is not UTF-8 text. Give the encoding of the file, such as --encoding cp1252."
        ) from error
    return strings


def empty_as_null(array: pa.LargeStringArray) -> pa.LargeStringArray:
    """The same strings, those without a character being null; for freshly built arrays without nulls and offset."""
    _, offsets, data = array.buffers()
    present = np.diff(np.frombuffer(offsets, dtype=np.int64)[: len(array) + 1]) > 0
    if present.all():
        return array
    validity = pa.py_buffer(np.packbits(present, bitorder="little"))
    return pa.LargeStringArray.from_buffers(len(array), offsets, data, validity)


def as_field(array: pa.Array, what: str) -> pa.Array:
    """Further text of a document: a missing one is empty."""
    array = plain(array)
    strings = array if is_bytes(array.type) else as_strings(array, what)
    return strings.fill_null("" if is_string(strings.type) else b"") if strings.null_count else strings


def as_weights(array: pa.Array, what: str) -> pa.Array:
    """Document weights as float64, refused if one is missing, negative or not finite."""
    array = plain(array)
    if is_bytes(array.type):
        array = as_strings(array, what)
    try:
        weights = array.cast(pa.float64())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise DataError(f"{what} is not a number: {error}. A document weight is a number, such as 1 or 0.5.") from error
    values = weights.to_numpy(zero_copy_only=False)
    bad = np.flatnonzero(~(np.isfinite(values) & (values >= 0)))
    if len(bad):
        raise DataError(
            f"{what} has the value {weights[int(bad[0])]} in row {bad[0]}. "
            "A document weight must be a finite number that is not negative."
        )
    return weights


def string_array(values: Sequence[str | None]) -> pa.Array:
    """Python strings as an Arrow array; half a surrogate pair, which has no UTF-8, becomes U+FFFD."""
    try:
        return pa.array(values, type=pa.large_string())
    except UnicodeEncodeError:
        return pa.array([None if value is None else whole_text(value) for value in values], type=pa.large_string())


def whole_text(value: str) -> str:
    """The string with lone surrogates replaced by U+FFFD."""
    return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def token_array(values: Sequence[Sequence[str]]) -> pa.Array:
    """Lists of tokens as an Arrow array."""
    return pa.array(values, type=TOKENS)


def count_array(values: Sequence[dict[str, Any]]) -> pa.Array:
    """Counts by token as an Arrow array."""
    return pa.array([list(counts.items()) for counts in values], type=COUNTS)


def first_null(array: pa.Array) -> int | None:
    """Where the first null is, if there is one."""
    if array.null_count == 0:
        return None
    return int(np.flatnonzero(array.is_null().to_numpy(zero_copy_only=False))[0])


# --- Python lists of documents ----------------------------------------------------------------------------------------


def document_array(values: Sequence[Any], start: int) -> pa.Array:
    """Turn documents into an array; `start` is the position of the first one, for messages."""
    if all(isinstance(value, str) for value in values):
        return string_array(values)
    if isinstance(values[0], _TOKEN_LISTS):
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
    if not isinstance(value, _TOKEN_LISTS):
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
