"""Predictions as a table on disk: Parquet, delimited text or JSON lines."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import PurePath
from typing import IO, Any, Protocol

import click
import numpy as np
import numpy.typing as npt

from priori.cli.predictions import Columns, Predictions, json_lines
from priori.errors import DataError

_FORMATS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}
_CODECS = {".gz": "gzip", ".zst": "zstd"}


class Table(Protocol):
    """Something that takes predictions, part by part."""

    def write(self, part: Predictions) -> None:
        """Append rows."""


def table_format(path: str) -> tuple[str, str | None]:
    """The format and compression of an output, by its name; other names are refused."""
    name = PurePath(path)
    codec = _CODECS.get(name.suffix.lower())
    kind = _FORMATS.get((PurePath(name.stem) if codec else name).suffix.lower())
    if kind is None or (kind == "parquet" and codec):
        raise click.BadParameter(
            f"{path!r} is no kind of table; let it end in .parquet, .csv, .tsv or .jsonl (.gz, .zst)"
        )
    return kind, codec


@contextmanager
def open_table(path: str, labels: Sequence[str], columns: Columns) -> Iterator[Table]:
    """A table to write that takes its place when it is whole."""
    with open_output(path) as (file, kind), ExitStack() as stack:
        if kind == "jsonl":
            yield _JsonTable(file, labels, columns)
        elif kind == "parquet":
            yield stack.enter_context(_ParquetTable(file, labels, columns))
        else:
            table = _DelimitedTable(file, labels, columns, "," if kind == "csv" else "\t")
            yield table
            table.flush()  # the header, where there was nothing else


@contextmanager
def open_output(path: str) -> Iterator[tuple[IO[bytes], str]]:
    """A file to write, compressed as its name says, and its format; it takes its place when it is whole."""
    import pyarrow as pa

    from priori.store import atomic_output

    kind, codec = table_format(path)
    try:
        with atomic_output(path) as disk, ExitStack() as stack:
            file = disk
            if codec:
                file = stack.enter_context(pa.CompressedOutputStream(pa.PythonFile(_LeftOpen(disk), "w"), codec))
            yield file, kind
    except pa.ArrowException as error:
        raise DataError(f"{path} cannot be written: {error}") from error


class _LeftOpen:
    """A file that compression may write to and not close: it is flushed to the disk afterwards."""

    closed = False

    def __init__(self, file: IO[bytes]) -> None:
        self.write, self.flush = file.write, file.flush

    def close(self) -> None:
        self.closed = True


class _JsonTable:
    def __init__(self, file: IO[bytes], labels: Sequence[str], columns: Columns) -> None:
        self._file, self._labels, self._columns = file, labels, columns

    def write(self, part: Predictions) -> None:
        self._file.write(json_lines(part, self._labels, self._columns))


def _flat(labels: Sequence[str], top: int | None) -> list[str]:
    """The names of our columns: one for each class, or label and probability of the K most probable."""
    if top is None:
        return ["label", "probability", *(f"p({label})" for label in labels)]
    more = range(2, min(top, len(labels)) + 1)
    return ["label", "probability", *(name for k in more for name in (f"label_{k}", f"probability_{k}"))]


def _flat_values(posterior: npt.NDArray[np.float64], labels: Sequence[str], top: int | None) -> list[Any]:
    """Our columns, in the order of `_flat`."""
    if top is None:
        best = posterior.argmax(axis=1)
        names = [labels[k] for k in best.tolist()]
        return [names, posterior[np.arange(len(posterior)), best], *posterior.T]
    order = np.argsort(-posterior, axis=1, kind="stable")[:, :top]
    shares = np.take_along_axis(posterior, order, axis=1)
    columns: list[Any] = []
    for k in range(order.shape[1]):
        columns += [[labels[c] for c in order[:, k].tolist()], shares[:, k]]
    return columns


class _DelimitedTable:
    def __init__(self, file: IO[bytes], labels: Sequence[str], columns: Columns, delimiter: str) -> None:
        import csv
        import io

        self._file, self._labels, self._columns = file, labels, columns
        self._buffer = io.StringIO()
        self._rows = csv.writer(self._buffer, delimiter=delimiter, lineterminator="\n")
        self._rows.writerow([*columns.names, *_flat(labels, columns.top)])

    def write(self, part: Predictions) -> None:
        kept = [part.keep[name].to_pylist() for name in self._columns.keep]
        ours = _flat_values(part.posterior, self._labels, self._columns.top)
        listed = (values if isinstance(values, list) else values.tolist() for values in ours)
        self._rows.writerows(zip(*kept, *listed, strict=True))
        self.flush()

    def flush(self) -> None:
        self._file.write(self._buffer.getvalue().encode("utf-8", "replace"))
        self._buffer.seek(0)
        self._buffer.truncate()


class _ParquetTable:
    def __init__(self, file: IO[bytes], labels: Sequence[str], columns: Columns) -> None:
        self._file, self._labels, self._columns = file, labels, columns
        self._writer: Any = None

    def __enter__(self) -> "_ParquetTable":
        return self

    def __exit__(self, *problem: object) -> None:
        if self._writer is None and problem[0] is None:
            self.write(Predictions(np.zeros((0, len(self._labels))), {}))
        if self._writer is not None:
            self._writer.close()

    def write(self, part: Predictions) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        from priori.store import views

        kept = [part.keep.get(name, pa.nulls(0, pa.string())) for name in self._columns.keep]
        ours = [
            views.from_texts(values) if isinstance(values, list) else views.from_numpy(np.ascontiguousarray(values))
            for values in _flat_values(part.posterior, self._labels, self._columns.top)
        ]
        names = [*self._columns.names, *_flat(self._labels, self._columns.top)]
        table = pa.Table.from_arrays([*kept, *ours], names)
        if self._writer is None:
            self._writer = pq.ParquetWriter(self._file, table.schema, compression="zstd")
        elif table.schema != self._writer.schema:
            table = table.cast(self._writer.schema)
        self._writer.write_table(table)
