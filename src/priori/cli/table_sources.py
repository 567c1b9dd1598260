"""Tables as a command reads them: columns of one distribution, batches of rows with labels, or a table as a whole."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from priori.cli.messages import listen, note
from priori.cli.output.terminal import plural
from priori.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa

    from priori.data.batch import TableBatch
    from priori.data.numeric_columns import Column
    from priori.data.options import ReadOptions
    from priori.data.schema import Schema
    from priori.data.tables import LabelledBatch
    from priori.model.learning import Progress
    from priori.model.totals import Labelled


@dataclass(frozen=True)
class Data:
    """The wanted columns of all sources, batch by batch."""

    batches: "Sequence[dict[str, Column]]"
    columns: tuple[str, ...]
    others: dict[str, str]  # what further columns are for, and their names

    def numbers(self, name: str) -> Any:
        """One column as numbers, NaN where they are missing."""
        import numpy as np

        return np.concatenate([batch[name].numbers() for batch in self.batches])

    def rows(self) -> Any:
        """All columns as rows of numbers, (n, columns); a row that is missing in part is missing as a whole."""
        import numpy as np

        rows = np.column_stack([self.numbers(name) for name in self.columns])
        missing = np.isnan(rows)
        partly = missing.any(axis=1)
        if (partly & ~missing.all(axis=1)).any():
            note(
                f"{plural(int(partly.sum()), 'row')} with an empty cell {'is' if partly.sum() == 1 else 'are'} left out"
            )
        rows[partly] = np.nan
        return rows

    def labels(self, name: str) -> list[str | None]:
        """One column as text, None where it is missing."""
        return [text for batch in self.batches for text in batch[name].labels()]

    def values(self) -> Any:
        """The first column: as text if it has no number at all, else as numbers."""
        is_text = all(batch[self.columns[0]].is_text() for batch in self.batches)
        return self.labels(self.columns[0]) if is_text else self.numbers(self.columns[0])

    def weights(self) -> Any:
        """The column of weights; None, if it was not asked for."""
        import numpy as np

        if "weight" not in self.others:
            return None
        name = self.others["weight"]
        weights = self.numbers(name)
        bad = np.flatnonzero(~(weights >= 0))
        if len(bad):
            what = "is empty" if np.isnan(weights[bad[0]]) else f"is {weights[bad[0]]:g}"
            raise DataError(f"{self.place(int(bad[0]), name)}: the weight {what}; give each row a number from 0")
        if not weights.any():
            raise DataError(f"{self.place(None, name)}: all weights are 0, so nothing is observed; give some above 0")
        return weights

    def place(self, row: int | None, *names: str) -> str:
        """Where a row is, of all sources; without one, where the columns are."""
        named = f"column {names[0]!r}" if len(names) == 1 else f"columns {_listed(names)}"
        first = self.batches[0][names[0]]
        if row is None:
            sources = dict.fromkeys(batch[names[0]].source for batch in self.batches)
            return f"{', '.join(sources)}: {named}{first.condition}"
        for batch in self.batches:
            column = batch[names[0]]
            if row < len(column.cells):
                return f"{column.source}: {named}, row {column.first_row + row + 1}{column.condition}"
            row -= len(column.cells)
        raise IndexError(row)

    def located(self, error: DataError, statistics: Callable[[Any], Any] | None = None, values: Any = ()) -> DataError:
        """The same complaint, and where the data are: the first row that has no statistics, if these are told."""
        row = None if statistics is None else _first_refused(statistics, values)
        target = [self.others["target"]] if "target" in self.others else []
        return DataError(f"{self.place(row, *self.columns, *target)}: {error}")


def _first_refused(statistics: Callable[[Any], Any], values: Any) -> int | None:
    """The first row that is refused, by halves; None, if no row is at fault."""

    def refused(size: int) -> bool:
        try:
            statistics(values[:size])
        except DataError:
            return True
        return False

    low, high = 0, len(values)
    if not refused(high):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if refused(middle) else (middle, high)
    return low


def read_data(sources: Sequence[str], columns: Sequence[str], options: "ReadOptions", **others: str | None) -> Data:
    """Read the named columns (none named: the only one that there is), and others beside them, such as the weights."""
    from priori.data.files import read_columns

    listen()
    beside = {what: name for what, name in others.items() if name is not None}
    conditions = tuple((name, "--where COLUMN=VALUE") for name, _ in options.where)
    asked = (*conditions, *((name, f"--{what} COLUMN") for what, name in beside.items()))
    wanted = tuple(dict.fromkeys((*columns, *beside.values()))) if columns else ()
    batches = read_columns(sources, wanted, replace(options, asked=asked))
    first = next(batches)  # an error says so, if there is none
    if not columns:
        for what, name in beside.items():
            if name not in first:
                raise DataError(
                    f"{sources[0]} has no column {name!r}; its columns are {_listed(first)}. Name one of them: "
                    f"--{what} COLUMN."
                )
        columns = _only(first, {*beside.values(), *(name for name, _ in options.where)}, sources)
    return Data([first, *batches], tuple(columns), beside)


def _only(first: "dict[str, Column]", others: set[str], sources: Sequence[str]) -> tuple[str, ...]:
    names = [name for name in first if name not in others]
    if len(names) != 1:
        raise DataError(f"{sources[0]} has the columns {_listed(names)}; choose with --column COLUMN")
    return (names[0],)


def _listed(names: Any) -> str:
    shown = [repr(name) for name in names]
    return ", ".join(shown[:20]) + (", ..." if len(shown) > 20 else "")


# --- batches of rows with labels --------------------------------------------------------------------------------------


def table_for(schema: "Schema", sources: Sequence[str], options: "ReadOptions") -> "Iterator[LabelledBatch]":
    """The rows of sources whose columns must be those of a schema, read while the last ones are worked on."""
    from priori.data.tables import read_table
    from priori.threads import read_ahead

    listen()
    return read_ahead(read_table(list(sources), options, schema)[1])


def watched(batches: "Iterable[LabelledBatch]", progress: "Callable[[Progress], None]") -> "Iterator[LabelledBatch]":
    """The same batches; each is reported when the next one is asked for."""
    from priori.model.learning import Progress

    rows = 0
    for batch in batches:
        yield batch
        rows += len(batch)
        progress(Progress(rows, batch.bytes_read, batch.bytes_total))


def labelled_rows(batches: "Iterable[LabelledBatch]", some: bool = False) -> "Iterator[Labelled]":
    """As the statistics take them. some: a source without labels is one whose rows have none."""
    from priori.model.totals import Labelled

    return map(Labelled.of, map(_with_labels, batches) if some else batches)


def _with_labels(batch: "LabelledBatch") -> "LabelledBatch":
    import pyarrow as pa

    return batch if batch.labels is not None else replace(batch, labels=pa.nulls(len(batch), pa.large_string()))


def table_row(batches: "Iterable[LabelledBatch]", row: int, source: str) -> "TableBatch":
    """The batch of one row: the row-th of all."""
    before = 0
    for batch in batches:
        if row < before + len(batch):
            return batch.table.row(row - before)
        before += len(batch)
    raise DataError(f"{source} has {before:,} rows, so there is no row {row}; --row counts from 0")


# --- a whole table ----------------------------------------------------------------------------------------------------


def labelled_table(
    sources: Sequence[str], options: "ReadOptions", schema: "Schema | None" = None
) -> "tuple[pa.Table, list[str | None]]":
    """The columns of tables in files, and the label of each row: all in memory, to look at rows more than once."""
    import pyarrow as pa

    from priori.data.tables import read_table

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
