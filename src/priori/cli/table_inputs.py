"""Tables as a command reads them: typed columns with their labels, and how far the reading has come."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from priori.cli.verbosity import listen

if TYPE_CHECKING:
    from priori.columns.statistics import Labelled
    from priori.engines import Progress
    from priori.sources import ReadOptions
    from priori.tables import LabelledBatch, Schema, TableBatch


def table_for(schema: "Schema", sources: Sequence[str], options: "ReadOptions") -> "Iterator[LabelledBatch]":
    """The rows of sources whose columns must be those of a schema, read while the last ones are worked on."""
    from priori.sources import read_ahead
    from priori.tables import read_table

    listen()
    return read_ahead(read_table(list(sources), options, schema)[1])


def watched(batches: "Iterable[LabelledBatch]", progress: "Callable[[Progress], None]") -> "Iterator[LabelledBatch]":
    """The same batches; each is reported when the next one is asked for."""
    from priori.engines import Progress

    rows = 0
    for batch in batches:
        yield batch
        rows += len(batch)
        progress(Progress(rows, batch.bytes_read, batch.bytes_total))


def labelled(batches: "Iterable[LabelledBatch]", some: bool = False) -> "Iterator[Labelled]":
    """As the statistics take them. some: a source without labels is one whose rows have none."""
    from priori.columns.statistics import Labelled

    return map(Labelled.of, map(_with_labels, batches) if some else batches)


def _with_labels(batch: "LabelledBatch") -> "LabelledBatch":
    import pyarrow as pa

    return batch if batch.labels is not None else replace(batch, labels=pa.nulls(len(batch), pa.large_string()))


def table_row(batches: "Iterable[LabelledBatch]", row: int, source: str) -> "TableBatch":
    """The batch of one row: the row-th of all."""
    from priori.errors import DataError

    before = 0
    for batch in batches:
        if row < before + len(batch):
            return batch.table.row(row - before)
        before += len(batch)
    raise DataError(f"{source} has {before:,} rows, so there is no row {row}; --row counts from 0")
