"""Arrow arrays seen as numpy arrays and back, in place.

pyarrow's own conversions (`to_numpy`, `pa.array(numpy)`) import pandas when it is installed, which takes 0.3 s.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Integers: TypeAlias = npt.NDArray[np.integer[Any]]
Numbers: TypeAlias = npt.NDArray[np.number[Any]]

_TYPES = {
    pa.type_for_alias(name): np.dtype(name)
    for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64")
}
_ARROW_TYPES = {dtype: arrow for arrow, dtype in _TYPES.items()}


def column(table: pa.Table, name: str) -> pa.Array:
    """A column of a table that `read` gave: always one chunk."""
    return table.column(name).chunk(0)


def numbers(array: pa.Array) -> Any:
    """The numbers of an Arrow array without nulls, as a read-only view of its memory."""
    return _view(array.buffers()[1], _TYPES[array.type], array.offset, len(array))


def offsets(array: pa.Array) -> Any:
    """The n+1 offsets of a text or list array, as a read-only view of its memory."""
    large = any(
        is_large(array.type) for is_large in (pa.types.is_large_string, pa.types.is_large_list, _is_large_binary)
    )
    return _view(array.buffers()[1], np.dtype("int64" if large else "int32"), array.offset, len(array) + 1)


def text_bytes(array: pa.Array) -> npt.NDArray[np.uint8]:
    """All bytes that the offsets of a text array point into, as a read-only view of its memory."""
    data = array.buffers()[2]
    return np.frombuffer(data, np.uint8) if data else np.zeros(0, np.uint8)


def from_numpy(values: Numbers) -> pa.Array:
    """An Arrow array over the memory of a numpy vector, which must not change afterwards."""
    contiguous = np.ascontiguousarray(values)
    return pa.Array.from_buffers(_ARROW_TYPES[contiguous.dtype], len(contiguous), [None, pa.py_buffer(contiguous)])


def _is_large_binary(kind: pa.DataType) -> bool:
    return bool(pa.types.is_large_binary(kind))


def _view(buffer: pa.Buffer | None, dtype: np.dtype[Any], start: int, length: int) -> npt.NDArray[Any]:
    if buffer is None or length == 0:
        return np.zeros(length, dtype)
    view = np.frombuffer(buffer, dtype, count=length, offset=start * dtype.itemsize)
    view.flags.writeable = False
    return view


def from_texts(texts: Sequence[str]) -> pa.Array:
    """Texts as a large_string array."""
    data = [text.encode() for text in texts]
    ends = np.concatenate([[0], np.cumsum([len(each) for each in data], dtype=np.int64)]).astype(np.int64)
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(b"".join(data))]
    return pa.Array.from_buffers(pa.large_string(), len(data), buffers)
