"""Tables in memory as batches (frames of any library, Arrow data, dictionaries, lists of rows, arrays), and back.

Whatever offers Arrow's C stream (Polars, DuckDB, pyarrow, narwhals) comes through it, a batch at a time and without a
copy; so no layer between the frame libraries is needed. pandas alone is read by its columns: its object columns have no
type until their values are looked at, and Arrow would turn the NaN of its numbers into nulls, which takes a copy.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from priori.data.batch import TableBatch
from priori.data.conversion import Place, fitted
from priori.data.labels import library
from priori.data.schema import Schema, listed, refuse_duplicates, refuse_missing
from priori.data.series import RawColumn, array_column, column_of, extension_array, object_column
from priori.errors import DataError

BATCH_ROWS = 1 << 17
_LISTS = (list, tuple)


def table_batches(
    X: Any,
    schema: Schema | None = None,
    names: Sequence[str] | None = None,
    estimator: str = "the model",
) -> Iterator[TableBatch]:
    """Yield a table in batches of at most 131,072 rows, at least one; columns are copied only where they must be.

    With a schema, the columns are checked against it and others are left out. An array has no names: its columns are
    the schema's in order, or `names`, or x0, x1, ...
    """
    X = _unwrapped(X)
    _refuse_other_shapes(X)
    if not _has_names(X):
        yield from _column_batches(_unnamed_columns(X, schema, names, estimator), schema)
    elif library(X) == "pandas" or isinstance(X, Mapping):
        wanted = _wanted([str(name) for name in X], schema, len(X))
        columns = {str(name): X[name] for name in X}
        yield from _column_batches({name: column_of(columns[name], name) for name in wanted}, schema)
    elif isinstance(X, _LISTS):
        rows = [{str(name): value for name, value in row.items()} for row in X]
        names = list(dict.fromkeys(name for row in rows for name in row))
        if schema is not None and any(name in schema.names for name in names):
            # a key that no row has is a missing cell of every row, as one that some rows lack is of those
            names += [name for name in schema.names if name not in names]
        wanted = _wanted(names, schema, len(X))
        yield from _column_batches(
            {name: object_column([row.get(name) for row in rows], name) for name in wanted}, schema
        )
    else:
        yield from _stream_batches(_reader(X), schema)


def _unwrapped(X: Any) -> Any:
    """The frame inside a narwhals frame, a lazy one collected."""
    if library(X) == "narwhals" and hasattr(X, "to_native"):
        X = X.to_native()
    if library(X) == "polars" and type(X).__name__ == "LazyFrame":
        return X.collect()
    return np.asarray(X) if not _has_names(X) and hasattr(X, "__array__") and not hasattr(X, "tocsr") else X


def _has_names(X: Any) -> bool:
    is_frame = library(X) == "pandas" or isinstance(X, Mapping) or hasattr(X, "__arrow_c_stream__")
    return (
        is_frame or hasattr(X, "__arrow_c_array__") or (isinstance(X, _LISTS) and isinstance((*X[:1], 0)[0], Mapping))
    )


def _refuse_other_shapes(X: Any) -> None:
    if hasattr(X, "tocsr"):
        raise DataError(
            "X is a sparse matrix, which has no missing values and no types; give dense data, as with X.toarray(), or "
            "texts to a TextClassifier"
        )
    dimensions = getattr(X, "ndim", None)
    if (dimensions is not None and dimensions != 2) or isinstance(X, pa.Array | pa.ChunkedArray) or _is_flat(X):
        said = "one dimension" if dimensions in {None, 1} else f"{dimensions} dimensions"
        raise DataError(
            f"X has {said}, where a table has rows and columns. Reshape your data: X.reshape(-1, 1) is one column, "
            "X.reshape(1, -1) one row"
        )
    if isinstance(X, np.ndarray) and X.shape[1] == 0:
        raise _no_columns(len(X))
    if isinstance(X, _LISTS) and not X:
        raise DataError("X is an empty list, which has no columns; give at least one row")
    if not (_has_names(X) or isinstance(X, np.ndarray | list | tuple)):
        raise DataError(f"X is a {type(X).__name__}, not a table; give a frame, an array, or a list of rows")


def _is_flat(X: Any) -> bool:
    """Whether a list holds values and not rows."""
    return isinstance(X, _LISTS) and any(isinstance(x, str | bytes) or not hasattr(x, "__len__") for x in X)


def _no_columns(rows: int) -> DataError:
    return DataError(
        f"X has 0 feature(s) (shape=({rows}, 0)) while a minimum of 1 is required. Give a table with columns."
    )


def _chosen_names(width: int, names: Sequence[str] | None) -> tuple[str, ...]:
    if names is None:
        return tuple(f"x{place}" for place in range(width))  # as scikit-learn calls them
    if len(names) != width:
        raise DataError(f"there are {len(names)} names for {width} columns; give one for each")
    return tuple(str(name) for name in names)


def _unnamed_columns(
    X: Any, schema: Schema | None, names: Sequence[str] | None, estimator: str
) -> dict[str, RawColumn]:
    """The columns of an array or of a list of rows, by the schema's names, those given, or x0, x1, ..."""
    width = X.shape[1] if isinstance(X, np.ndarray) else len(X[0])
    if schema is not None and width != len(schema.fields):
        raise DataError(
            f"X has {width} features, but {estimator} is expecting {len(schema.fields)} features as input; give the "
            f"columns {listed(schema.names)}"
        )
    chosen = _chosen_names(width, schema.names if schema is not None else names)
    if isinstance(X, np.ndarray):
        return {name: column_of(X[:, place], name) for place, name in enumerate(chosen)}
    sizes = {len(row) for row in X}
    if len(sizes) > 1:
        raise DataError(f"the rows of X have from {min(sizes)} to {max(sizes)} values; give as many in every row")
    if not width:
        raise _no_columns(len(X))
    return {name: object_column(column, name) for name, column in zip(chosen, zip(*X, strict=True), strict=True)}


def _wanted(names: Sequence[str], schema: Schema | None, rows: int) -> list[str]:
    """The columns to read: all, or those of the schema, which must all be there."""
    if not names:
        raise _no_columns(rows)
    refuse_duplicates(names)
    if schema is None:
        return list(names)
    refuse_missing(schema.names, names, "X")
    return list(schema.names)


@dataclass(frozen=True)
class _Check:
    """Batches of a table whose columns fit what is expected."""

    found: Schema
    expected: Schema | None

    def __post_init__(self) -> None:
        if self.expected is not None:
            self.expected.check(self.found, "X")

    @property
    def schema(self) -> Schema:
        return self.found if self.expected is None else self.expected

    def batch(self, columns: Mapping[str, pa.Array], rows: int, first_row: int) -> TableBatch:
        if self.expected is not None:
            columns = fitted(self.expected, columns, Place(first_row=first_row))
        return TableBatch(self.schema, {name: columns[name] for name in self.schema.names}, rows, first_row)


def _column_batches(columns: Mapping[str, RawColumn], schema: Schema | None) -> Iterator[TableBatch]:
    """Batches of columns, each cut by itself."""
    sizes = {name: len(column) for name, column in columns.items()}
    short, long = min(sizes, key=sizes.__getitem__), max(sizes, key=sizes.__getitem__)
    if sizes[short] != sizes[long]:
        raise DataError(
            f"column {short!r} has {sizes[short]} values and column {long!r} {sizes[long]}; give as many to all"
        )
    kinds = [(name, _cut(column, name, 0, 0).type) for name, column in columns.items()]
    check = _Check(Schema.of(pa.schema(kinds)), schema)
    for start in range(0, max(1, sizes[long]), BATCH_ROWS):
        size = min(BATCH_ROWS, sizes[long] - start)
        yield check.batch({name: _cut(column, name, start, size) for name, column in columns.items()}, size, start)


def _cut(column: RawColumn, name: str, start: int, size: int) -> pa.Array:
    """Some rows of a column as one Arrow array; a copy only of numbers that are not stored one after the other."""
    if isinstance(column, np.ndarray):
        return array_column(column[start : start + size], name)
    if library(column) == "pandas":
        return extension_array(column.iloc[start : start + size], name)
    part = column.slice(start, size)
    if not isinstance(part, pa.ChunkedArray):
        return part
    return part.chunk(0) if part.num_chunks == 1 else part.combine_chunks()


def _reader(X: Any) -> pa.RecordBatchReader:
    """Any Arrow table as a stream of record batches."""
    if isinstance(X, pa.RecordBatchReader):
        return X
    try:
        if hasattr(X, "__arrow_c_stream__"):
            return pa.RecordBatchReader.from_stream(X)
        batch = pa.record_batch(X)
    except (pa.ArrowInvalid, TypeError) as error:
        raise DataError(
            f"X is a {type(X).__name__}, which is one column, not a table. Reshape your data: give a frame"
        ) from error
    return pa.RecordBatchReader.from_batches(batch.schema, [batch])


def _stream_batches(reader: pa.RecordBatchReader, schema: Schema | None) -> Iterator[TableBatch]:
    """Batches of a stream, none longer than BATCH_ROWS."""
    wanted = _wanted(reader.schema.names, schema, 0)
    kinds = [(name, reader.schema.field(name).type) for name in wanted]
    check = _Check(Schema.of(pa.schema(kinds)), schema)
    row = 0
    for whole in reader:
        for start in range(0, whole.num_rows, BATCH_ROWS):
            part = whole.slice(start, BATCH_ROWS)
            yield check.batch({name: part.column(name) for name in wanted}, part.num_rows, row)
            row += part.num_rows
    if not row:
        yield check.batch({name: pa.array([], kind) for name, kind in kinds}, 0, 0)


# --- results as a frame of the user's kind ----------------------------------------------------------------------------


def frame_like(like: object, columns: dict[str, Any]) -> Any:
    """pandas for pandas, Polars for Polars, a pyarrow Table for anything else."""
    if library(like) == "pandas":
        import pandas as pd

        return pd.DataFrame(columns, index=getattr(like, "index", None))
    if library(like) == "polars":
        import polars as pl

        return pl.DataFrame(columns)
    return pa.table({name: pa.array(values.tolist()) for name, values in columns.items()})


def frame_of(table: Any, like: object) -> Any:
    """A pyarrow Table as a frame of the kind of `like`: pandas, Polars, or as it is."""
    if library(like) == "pandas":
        return table.to_pandas()
    if library(like) == "polars":
        import polars as pl

        return pl.from_arrow(table)
    return table
