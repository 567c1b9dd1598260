"""Documents in memory as batches: lists, Arrow data, frames and series of any library, arrays, and sparse matrices."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from priori.data.arrays import (
    as_documents,
    as_field,
    as_strings,
    as_weights,
    document_array,
    first_null,
    is_bytes,
    plain,
)
from priori.data.batch import Batch
from priori.data.labels import library
from priori.data.options import ReadOptions, select
from priori.errors import DataError

LARGEST_BATCH = 1 << 16  # rows


def read_objects(
    texts: Any,
    labels: Any = None,
    weights: Any = None,
    fields: Mapping[str, Any] | None = None,
    options: ReadOptions | None = None,
) -> Iterator[Batch]:
    """Yield documents held in memory in batches, without copying where Arrow allows it.

    `texts` is a sequence of str, of token lists or of counts; an Arrow array; a series; or a table or frame (anything
    with __arrow_c_stream__), whose columns are then named by the options. Labels become text; None means unlabelled.
    """
    options = options or ReadOptions()
    reader = _table_reader(texts)
    if reader is not None:
        batches = _read_table(reader, options if labels is None else replace(options, label=None))
    else:
        batches = _read_column(texts, options)
    others = _Companions(labels, weights, fields or {})
    rows = 0
    for batch in batches:
        yield others.beside(batch, rows)
        rows += len(batch)
    others.refuse_longer_than(rows)


class _Companions:
    """Labels, weights and fields given apart from the texts; cut as the texts are."""

    def __init__(self, labels: Any, weights: Any, fields: Mapping[str, Any]) -> None:
        self._labels = None if labels is None else as_strings(_scalars(labels, "labels"), "labels")
        self._weights = None if weights is None else as_weights(_scalars(weights, "weights"), "weights")
        self._fields = {name: as_field(_scalars(values, name), name) for name, values in fields.items()}

    def _all(self) -> dict[str, pa.Array]:
        named = {"labels": self._labels, "weights": self._weights, **self._fields}
        return {name: array for name, array in named.items() if array is not None}

    def beside(self, batch: Batch, start: int) -> Batch:
        for name, array in self._all().items():
            if len(array) < start + len(batch):
                raise DataError(f"There are {len(array)} {name} but more texts. Give one for every text.")
        label = batch.label if self._labels is None else self._labels.slice(start, len(batch))
        weight = batch.weight if self._weights is None else self._weights.slice(start, len(batch))
        fields = {name: array.slice(start, len(batch)) for name, array in self._fields.items()}
        return replace(batch, label=label, weight=weight, fields={**batch.fields, **fields})

    def refuse_longer_than(self, rows: int) -> None:
        for name, array in self._all().items():
            if len(array) != rows:
                raise DataError(f"There are {len(array)} {name} for {rows} texts. Give one for every text.")


def _table_reader(data: Any) -> pa.RecordBatchReader | None:
    """A reader of record batches, if the object is a table."""
    if isinstance(data, pa.ChunkedArray | pa.Array):
        return None
    if isinstance(data, pa.RecordBatch):
        return pa.RecordBatchReader.from_batches(data.schema, [data])
    if library(data) == "pandas":  # also versions without the Arrow interface
        return pa.Table.from_pandas(data, preserve_index=False).to_reader() if data.ndim == 2 else None
    try:
        return pa.RecordBatchReader.from_stream(data) if hasattr(data, "__arrow_c_stream__") else None
    except pa.ArrowInvalid:  # a stream of something else than structs: one column
        return None


def _read_table(reader: pa.RecordBatchReader, options: ReadOptions) -> Iterator[Batch]:
    selection = select("The table", options, reader.schema.names, None)
    row = done = 0
    for whole in reader:
        chosen = whole.select(selection.columns)
        for chunk in _slices(chosen, options.batch_bytes):
            done += chunk.nbytes
            columns = {name: _filterable(chunk.column(name), options) for name in selection.columns}
            batch = selection.batch(columns, row, done)
            _refuse_bytes(batch.text, row)
            row += chunk.num_rows
            if len(batch):
                yield batch


def _filterable(array: pa.Array, options: ReadOptions) -> pa.Array:
    """Arrow cannot filter string views, so they are copied where rows are to be left out."""
    filtered = options.where or options.but_where
    return array.cast(pa.large_string()) if filtered and array.type == pa.string_view() else array


def _read_column(texts: Any, options: ReadOptions) -> Iterator[Batch]:
    row = done = 0
    for array in _chunks(texts, options.batch_bytes):
        documents = as_documents(array, "The text")
        _refuse_bytes(documents, row)
        missing = first_null(documents)
        if missing is not None:
            raise DataError(f"Document {row + missing} is None. Every document needs a text: drop it or make it ''.")
        done += documents.nbytes
        row += len(documents)
        if len(documents):
            yield Batch(documents, None, None, {}, {}, done, None)


def _chunks(texts: Any, batch_bytes: int) -> Iterator[pa.Array]:
    """The documents as arrays of about this many bytes."""
    if isinstance(texts, str | bytes | Mapping):
        raise DataError(f"One {type(texts).__name__} was given where many texts are expected. Put it into a list.")
    column = _arrow_column(texts)
    if column is not None:
        chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
        for chunk in chunks:
            yield from _slices(chunk, batch_bytes)
        return
    values = _values(texts)
    start = 0
    while start < len(values):
        stop = _stop(values, start, batch_bytes)
        yield document_array(values[start:stop], start)
        start = stop


def _stop(values: Sequence[Any], start: int, batch_bytes: int) -> int:
    """Where the batch that begins at `start` ends; characters and tokens count as bytes here."""
    size = 0
    for position in range(start, min(len(values), start + LARGEST_BATCH)):
        value = values[position]
        size += len(value) if hasattr(value, "__len__") else 1
        if size >= batch_bytes:
            return position + 1
    return min(len(values), start + LARGEST_BATCH)


def _slices(data: Any, batch_bytes: int) -> Iterator[Any]:
    rows = len(data) if isinstance(data, pa.Array) else data.num_rows
    step = max(1, min(LARGEST_BATCH, batch_bytes * rows // max(1, data.nbytes)))
    for start in range(0, rows, step):
        yield data.slice(start, step)


def _arrow_column(data: Any) -> pa.Array | pa.ChunkedArray | None:
    """The object as Arrow data, if it is or offers one column of it."""
    if isinstance(data, pa.Array | pa.ChunkedArray):
        return data
    if library(data) == "pandas":  # also object columns, and versions without the Arrow interface
        try:
            return pa.array(data, from_pandas=True)
        except (pa.ArrowInvalid, pa.ArrowTypeError):
            return None  # objects of several kinds: the list path says which one is wrong
    if hasattr(data, "__arrow_c_stream__"):
        return pa.chunked_array(data)
    if hasattr(data, "__arrow_c_array__"):
        return pa.array(data)
    return None


def _values(data: Any) -> Sequence[Any]:
    """The object as a sequence of Python values."""
    if isinstance(data, np.ndarray) or library(data) == "pandas":
        if data.ndim != 1:
            raise DataError(
                f"The texts are an array of {data.ndim} dimensions (shape {data.shape}). "
                "Give one dimension, one text per document; Reshape your data, as with ravel()."
            )
        values: list[Any] = data.tolist()
        return values
    if isinstance(data, list | tuple):
        return data
    if hasattr(data, "tocsr"):
        raise DataError("The texts are a sparse matrix, which has no names for its columns. Give raw texts or counts.")
    if isinstance(data, Iterable):
        return list(data)
    raise DataError(f"The texts are a {type(data).__name__}. Give a list of str, an Arrow array, a series or a frame.")


def _scalars(data: Any, what: str) -> pa.Array:
    """Labels, weights or fields as one Arrow array."""
    column = _arrow_column(data)
    if column is None:
        values = _values(data)
        try:
            column = pa.array(values, from_pandas=True)
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            raise DataError(f"The {what} are of several kinds ({error}). Make them all the same.") from error
    return plain(column)


def _refuse_bytes(array: pa.Array, row: int) -> None:
    if is_bytes(array.type) and len(array):
        raise DataError(f"Document {row} is bytes, not text. Decode the documents first, as with .decode('utf-8').")


# --- sparse matrices of counts ----------------------------------------------------------------------------------------


def is_sparse(value: object) -> bool:
    """Whether a value is one of scipy's sparse matrices, found without importing scipy."""
    return type(value).__module__.startswith("scipy.sparse") and hasattr(value, "tocsr")


def matrix_batch(
    matrix: Any,
    names: Sequence[str] | None,
    labels: list[str | None] | None,
    weights: npt.NDArray[np.float64] | None,
) -> Batch:
    """Rows are documents, columns terms: counts are whole numbers from 0."""
    if names is None:
        raise DataError("a matrix of counts needs the names of its columns; give TextClassifier(feature_names=...)")
    csr = matrix.tocsr()
    texts = [str(name) for name in names]
    if csr.shape[1] != len(texts):
        raise DataError(
            f"the matrix has {csr.shape[1]} columns, but there are {len(texts)} feature names; give one each"
        )
    if labels is not None and len(labels) != csr.shape[0]:
        raise DataError(
            f"there are {len(labels)} labels for {csr.shape[0]} documents; give one label for each document"
        )
    if weights is not None and weights.shape != (csr.shape[0],):
        raise DataError(
            f"there are {weights.size} weights for {csr.shape[0]} documents; give one weight for each document"
        )
    counts = np.asarray(csr.data)
    if not bool(np.all(np.isfinite(counts) & (counts >= 0) & (counts == np.rint(counts)))):
        raise DataError(
            "the matrix holds something else than whole counts from 0; give counts, not weights such as TF-IDF"
        )
    keys = pa.DictionaryArray.from_arrays(pa.array(csr.indices.astype(np.int32)), pa.array(texts, pa.string()))
    text = pa.MapArray.from_arrays(
        pa.array(csr.indptr.astype(np.int32)), keys, pa.array(counts.astype(np.int64), pa.int64())
    )
    label = None if labels is None else pa.array(labels, pa.string())
    weight = None if weights is None else pa.array(weights, pa.float64())
    return Batch(text, label, weight, {}, {}, 0, None)
