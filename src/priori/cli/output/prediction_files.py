"""Predictions as a table on disk: Parquet, delimited text or JSON lines."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import PurePath
from typing import IO, Any, Protocol

import click
import numpy as np

from priori.cli.output.predictions import Columns, Predictions, json_lines
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


def _flat(labels: Sequence[str], columns: Columns) -> list[str]:
    """The names of our columns: one for each class, or label and probability of the K most probable."""
    names = ["label", "probability"]
    names += ["decision"] * columns.decision + ["expected_loss"] * columns.loss
    if columns.top is None:
        return [*names, *(f"p({label})" for label in labels)]
    ranks = range(_first_rank(columns), min(columns.top, len(labels)) + 1)
    return [*names, *(name for k in ranks for name in (f"label_{k}", f"probability_{k}"))]


def _first_rank(columns: Columns) -> int:
    """The label is the most probable one, unless it was decided otherwise: then that has a column of its own."""
    return 1 if columns.decision else 2


def _flat_values(part: Predictions, labels: Sequence[str], columns: Columns) -> list[Any]:
    """Our columns, in the order of `_flat`: lists of text, arrays of numbers, or what may have holes as Arrow's."""
    import pyarrow as pa

    posterior = part.posterior
    best, shares = part.chosen()
    names = [labels[k] if k >= 0 else None for k in best.tolist()]
    values: list[Any] = [names, np.array(shares, np.float64)]
    if columns.decision:
        actions = [] if part.decided is None else part.decided.actions.tolist()
        values = [pa.array(names, pa.large_string()), pa.array(shares, pa.float64()), [str(name) for name in actions]]
    if columns.loss:
        values.append(np.zeros(0) if part.decided is None else part.decided.expected_loss)
    if columns.top is None:
        return [*values, *posterior.T]
    order = np.argsort(-posterior, axis=1, kind="stable")[:, : columns.top]
    ranked = np.take_along_axis(posterior, order, axis=1)
    for k in range(_first_rank(columns) - 1, order.shape[1]):
        values += [[labels[c] for c in order[:, k].tolist()], ranked[:, k]]
    return values


class _DelimitedTable:
    def __init__(self, file: IO[bytes], labels: Sequence[str], columns: Columns, delimiter: str) -> None:
        import csv
        import io

        self._file, self._labels, self._columns = file, labels, columns
        self._buffer = io.StringIO()
        self._rows = csv.writer(self._buffer, delimiter=delimiter, lineterminator="\n")
        self._rows.writerow([*columns.names, *_flat(labels, columns)])

    def write(self, part: Predictions) -> None:
        kept = [part.keep[name].to_pylist() for name in self._columns.keep]
        ours = _flat_values(part, self._labels, self._columns)
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

        from priori.store import arrow_views

        kept = [part.keep.get(name, pa.nulls(0, pa.string())) for name in self._columns.keep]
        ours = [
            arrow_views.from_texts(values)
            if isinstance(values, list)
            else arrow_views.from_numpy(values)
            if isinstance(values, np.ndarray)
            else values
            for values in _flat_values(part, self._labels, self._columns)
        ]
        names = [*self._columns.names, *_flat(self._labels, self._columns)]
        table = pa.Table.from_arrays([*kept, *ours], names)
        if self._writer is None:
            self._writer = pq.ParquetWriter(self._file, table.schema, compression="zstd")
        elif table.schema != self._writer.schema:
            table = table.cast(self._writer.schema)
        self._writer.write_table(table)
