"""A whole table with its labels in memory, for commands that look at its rows more than once."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from priori.cli.verbosity import listen, note
from priori.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa

    from priori.sources import ReadOptions
    from priori.tables import Schema


def labelled_table(
    sources: Sequence[str], options: "ReadOptions", schema: "Schema | None" = None
) -> "tuple[pa.Table, list[str | None]]":
    """The columns of tables in files, and the label of each row."""
    import pyarrow as pa

    from priori.cli.show import plural
    from priori.tables import read_table

    listen()
    found, batches = read_table(list(sources), options, schema)
    pieces: list[Any] = []
    labels: list[str | None] = []
    for batch in batches:
        pieces.append(batch.table.columns)
        labels += [None] * len(batch) if batch.labels is None else batch.labels.to_pylist()
    missing = labels.count(None)
    if missing == len(labels):
        raise DataError(f"none of the {missing:,} rows has a label; name their column with --label")
    if missing:
        note(f"{plural(missing, 'row')} without a label left out")
    return pa.table({name: pa.chunked_array([piece[name] for piece in pieces]) for name in found.names}), labels
