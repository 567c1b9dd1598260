"""Arrow arrays seen as numpy arrays, and our tables as Arrow's, in place. Only here and for writing is pyarrow needed.

pyarrow's own conversions (`to_numpy`, `pa.array(numpy)`) import pandas when it is installed, which takes 0.3 s.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from priori.store.damage import NotCanonicalError, in_one_line
from priori.store.table_types import (
    NUMBERS,
    TEXTS,
    Column,
    Lists,
    Schema,
    Table,
    Texts,
    Values,
    refuse_depth,
    refuse_twins,
)

_TYPES = {pa.type_for_alias(name): np.dtype(name) for name in NUMBERS}
_NAMES = {pa.type_for_alias(name): name for name in (*NUMBERS, *TEXTS)}


def numbers(array: pa.Array) -> Any:
    """The numbers of an Arrow array without nulls, as a read-only view of its memory."""
    dtype, data = _TYPES[array.type], array.buffers()[1]
    if data is None or len(array) == 0:
        return np.zeros(len(array), dtype)
    view = np.frombuffer(data, dtype, count=len(array), offset=array.offset * dtype.itemsize)
    view.flags.writeable = False
    return view


def from_numpy(values: Any) -> pa.Array:
    """An Arrow array over the memory of a numpy vector, which must not change afterwards."""
    contiguous = np.ascontiguousarray(values)
    kind = pa.type_for_alias(contiguous.dtype.name)
    return pa.Array.from_buffers(kind, len(contiguous), [None, pa.py_buffer(contiguous)])


def from_texts(texts: Sequence[str]) -> pa.Array:
    """Texts as a large_string array."""
    return _array(pa.large_string(), Texts.of(texts))


def columns_of(schema: pa.Schema) -> Schema:
    """Arrow's columns as ours, without metadata; refuses what is not a number, a text, a list or a struct of those."""
    return refuse_twins(tuple(_column(field, 1) for field in schema))


def _column(field: pa.Field, depth: int) -> Column:
    refuse_depth(depth)
    kind = field.type
    if kind in _NAMES:
        return Column(field.name, _NAMES[kind], nullable=field.nullable)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        name = "list" if pa.types.is_list(kind) else "large_list"
        return Column(field.name, name, _column(kind.value_field, depth + 1), nullable=field.nullable)
    if pa.types.is_struct(kind) and kind.num_fields:
        parts = refuse_twins(tuple(_column(kind.field(i), depth + 1) for i in range(kind.num_fields)))
        return Column(field.name, "struct", *parts, nullable=field.nullable)
    raise NotCanonicalError(f"it has a column of type {in_one_line(kind)}, which is not among the plain ones")


def arrow_schema(schema: Schema) -> pa.Schema:
    """Our columns as Arrow's."""
    return pa.schema([_field(column) for column in schema])


def _field(column: Column) -> pa.Field:
    parts = [_field(part) for part in column.parts]
    if column.kind == "struct":
        kind = pa.struct(parts)
    elif parts:
        kind = (pa.list_ if column.kind == "list" else pa.large_list)(parts[0])
    else:
        kind = pa.type_for_alias(column.kind)
    return pa.field(column.name, kind, column.nullable)


def to_arrow(table: Table) -> pa.Table:
    """Our table as Arrow's, over the same memory."""
    schema = arrow_schema(table.schema)
    return pa.Table.from_arrays([_array(field.type, table[field.name]) for field in schema], schema=schema)


def _array(kind: pa.DataType, values: Values) -> pa.Array:
    children = []
    if isinstance(values, Texts):
        buffers = [values.offsets, values.data]
    elif isinstance(values, Lists):
        buffers, children = [values.offsets], [_array(kind.value_type, values.items)]
    elif isinstance(values, Table):
        buffers, children = [], [_array(part.type, values[part.name]) for part in kind]
    elif values.dtype == _TYPES[kind]:
        buffers = [values]
    else:
        raise NotCanonicalError(f"it has numbers of type {values.dtype} in a column of type {kind}")
    places = [None, *(pa.py_buffer(np.ascontiguousarray(buffer)) for buffer in buffers)]
    return pa.Array.from_buffers(kind, len(values), places, children=children)
