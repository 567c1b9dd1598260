"""CSV, TSV and plain lines: blocks of raw bytes, split by the core into the wanted columns."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from priori._core import Split, SplitProblem, split_first_row, split_rows
from priori.data.batch import Batch
from priori.data.options import ReadOptions, Selection, select
from priori.data.parsing import ONE_A_LINE, are_numbers
from priori.data.streams import ByteStream, refuse_binary
from priori.errors import DataError

LONGEST_ROW = 1 << 30  # bytes; beyond this a quote was surely never closed
_NAMED_DELIMITERS = {"\\t": "\t", "tab": "\t"}


@dataclass(frozen=True)
class Dialect:
    """How fields are told apart, as the core wants it: byte values, -1 for no quote."""

    delimiter: int
    quote: int

    @classmethod
    def of(cls, format: str, options: ReadOptions) -> "Dialect":
        """Take what the user said, or what the format implies: raw TSV is full of stray quotes, so it has none."""
        delimiter = options.delimiter if options.delimiter is not None else "\t" if format == "tsv" else ","
        delimiter = _NAMED_DELIMITERS.get(delimiter, delimiter)
        quote = options.quote if options.quote is not None else '"' if format == "csv" else ""
        if len(delimiter) != 1 or not delimiter.isascii() or delimiter in "\r\n":
            raise DataError(
                f"The delimiter {delimiter!r} is not one ASCII character. Give one, such as --delimiter ';'."
            )
        if len(quote) > 1 or not quote.isascii() or quote == delimiter:
            raise DataError(f"The quote {quote!r} is not one ASCII character. Give one, or '' for no quoting.")
        return cls(ord(delimiter), ord(quote) if quote else -1)


LINES = Dialect(delimiter=ord("\n"), quote=-1)  # every line one field


class RowBlocks:
    """A reused buffer with the bytes of a stream that are not split yet."""

    def __init__(self, stream: ByteStream, dialect: Dialect, block_bytes: int) -> None:
        self.stream = stream
        self._dialect = dialect
        self._buffer = np.empty(max(1, block_bytes), dtype=np.uint8)
        self._filled = 0
        self._ended = False
        self.lines = 0  # physical lines already behind us

    def first_row(self) -> list[bytes]:
        """Return the fields of the first row that is not blank, without consuming it."""
        while True:
            self._fill()
            split = split_first_row(
                self._buffer[: self._filled], self._ended, self._dialect.delimiter, self._dialect.quote
            )
            if split.rows or self._ended:
                break
            self._grow()
        self._refuse(split, width=0)
        return [value.as_py() for value in _column(*split.take_columns()[0])] if split.rows else []

    def skip_row(self) -> None:
        """Drop the first row, which first_row() has seen."""
        split = split_first_row(self._buffer[: self._filled], self._ended, self._dialect.delimiter, self._dialect.quote)
        self._drop(split)

    def rows(self, width: int, wanted: Sequence[int]) -> Iterator[list[pa.Array]]:
        """Yield the wanted columns, about a block at a time."""
        while True:
            self._fill()
            block = self._buffer[: self._filled]
            split = split_rows(block, self._ended, self._dialect.delimiter, self._dialect.quote, width, wanted)
            rows = split.rows
            columns = [_column(offsets, data) for offsets, data in split.take_columns()]
            if rows:
                yield columns
            self._refuse(split, width)
            if self._ended:
                return
            self._drop(split)
            if not rows and self._filled == len(self._buffer):
                self._grow()

    def _fill(self) -> None:
        room = self._buffer.data[self._filled :]
        if len(room) and not self._ended:
            size = self.stream.fill(room)
            self._filled += size
            self._ended = size < len(room)

    def _drop(self, split: Split) -> None:
        self.lines += split.lines
        rest = self._filled - split.consumed
        self._buffer[:rest] = self._buffer[split.consumed : self._filled].copy()
        self._filled = rest

    def _grow(self) -> None:
        if len(self._buffer) >= LONGEST_ROW:
            raise DataError(
                f"{self.stream.name}, line {self.lines + 1}: the row is longer than {LONGEST_ROW:,} bytes. "
                "Probably a quote is never closed; --quote '' turns quoting off."
            )
        grown = np.empty(2 * len(self._buffer), dtype=np.uint8)
        grown[: self._filled] = self._buffer[: self._filled]
        self._buffer = grown

    def _refuse(self, split: Split, width: int) -> None:
        line = self.lines + split.lines + 1
        if split.problem == SplitProblem.unterminated:
            raise DataError(
                f"{self.stream.name}, line {line}: a quote opens here and is never closed. "
                "Close it, or turn quoting off with --quote ''."
            )
        if split.problem == SplitProblem.ragged:
            raise DataError(
                f"{self.stream.name}, line {line}: {split.found} fields where {width} are expected. "
                "If the fields are separated or quoted otherwise, say so with --delimiter and --quote."
            )


def _column(offsets: npt.NDArray[np.int64], data: npt.NDArray[np.uint8]) -> pa.LargeBinaryArray:
    """Wrap offsets and bytes as an Arrow array, without a copy."""
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(data)]
    return pa.LargeBinaryArray.from_buffers(pa.large_binary(), len(offsets) - 1, buffers)


def read_delimited(stream: ByteStream, format: str, options: ReadOptions, label: str | None) -> Iterator[Batch]:
    """Yield the documents of a CSV or TSV stream (UTF-8, decompressed)."""
    blocks = RowBlocks(stream, Dialect.of(format, options), options.batch_bytes)
    refuse_binary(stream.name, stream.peek())
    first = blocks.first_row()
    if not first:
        raise DataError(f"{stream.name} is empty. Give a file with {'a header and ' * options.header}rows.")
    if options.text is None:
        _refuse_spaces(first, stream.name)
    header = options.header and not _is_data(first, options)
    names = _names(first, stream.name) if header else [str(i) for i in range(len(first))]
    if header:
        blocks.skip_row()
    hint = "" if len(names) > 1 else " A single column may mean another --delimiter, or plain lines: --format txt."
    selection = replace(select(stream.name, options, names, label, hint), empty_label_is_null=True, untyped=True)
    yield from _batches(blocks, selection, names)


def _batches(blocks: RowBlocks, selection: Selection, names: Sequence[str]) -> Iterator[Batch]:
    wanted = [names.index(column) for column in selection.columns]
    row = 0
    for arrays in blocks.rows(len(names), wanted):
        columns = dict(zip(selection.columns, arrays, strict=True))
        batch = selection.batch(columns, row, blocks.stream.raw_position)
        row += len(arrays[0])
        if len(batch):
            yield batch


def _is_data(first: Sequence[bytes], options: ReadOptions) -> bool:
    """Whether a table has no header: its first row is all numbers, and they are not the names of all wanted columns."""
    wanted = [name.encode() for name in (*options.keep, *(name for name, _ in options.where))]
    if options.text is not None or (wanted and all(name in first for name in wanted)):
        return False
    return are_numbers(first)


def _refuse_spaces(first: Sequence[bytes], name: str) -> None:
    """Refuse numbers in one line, with spaces between them, which would pass for the name of a column."""
    cells = first[0].split()
    if len(first) == 1 < len(cells) and are_numbers(cells):
        raise DataError(
            f"{name} has {len(cells)} numbers in its first line, where spaces separate nothing; {ONE_A_LINE}"
        )


def _names(fields: Sequence[bytes], source: str) -> list[str]:
    try:
        return [field.decode() for field in fields]
    except UnicodeDecodeError as error:
        raise DataError(
            f"{source}: the header is not UTF-8 text. Give the encoding, such as --encoding cp1252."
        ) from error
