"""A whole table as output: JSON lines, delimited text or Parquet."""

import io
import json
import sys
from typing import TYPE_CHECKING

from priori.cli.outputs import open_output

if TYPE_CHECKING:
    import pyarrow as pa


def print_rows(table: "pa.Table") -> None:
    """JSON lines on stdout."""
    sys.stdout.buffer.write(_json_lines(table))
    sys.stdout.buffer.flush()


def write_rows(table: "pa.Table", path: str) -> None:
    """To a file that takes its place when it is whole."""
    with open_output(path) as (file, kind):
        if kind == "parquet":
            import pyarrow.parquet as pq

            pq.write_table(table, file, compression="zstd")
        else:
            file.write(_json_lines(table) if kind == "jsonl" else _delimited(table, "," if kind == "csv" else "\t"))


def _json_lines(table: "pa.Table") -> bytes:
    lines = (json.dumps(row, ensure_ascii=False, allow_nan=False, default=str) + "\n" for row in table.to_pylist())
    return "".join(lines).encode("utf-8", "replace")


def _delimited(table: "pa.Table", delimiter: str) -> bytes:
    import csv

    text = io.StringIO()
    rows = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    rows.writerow(table.column_names)
    rows.writerows(zip(*(column.to_pylist() for column in table.columns), strict=True))
    return text.getvalue().encode("utf-8", "replace")
