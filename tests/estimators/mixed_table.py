"""A table with a column of each type and holes in it, as every kind of table that holds it."""

import datetime

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa


def columns(rows=60, seed=3):
    """Columns as Python lists, and labels that depend on them."""
    rng = np.random.default_rng(seed)
    label = rng.integers(0, 3, rows)
    table = {
        "age": [None if rng.random() < 0.2 else int(20 + 10 * k + rng.integers(0, 9)) for k in label],
        "income": [None if rng.random() < 0.2 else float(rng.normal(k, 1.0)) for k in label],
        "member": [None if rng.random() < 0.2 else bool(rng.random() < 0.2 + 0.3 * k) for k in label],
        "job": [
            None if rng.random() < 0.2 else ["clerk", "nurse", "pilot"][(k + rng.integers(0, 2)) % 3] for k in label
        ],
        "joined": [datetime.date(2020 + int(k), 1 + int(rng.integers(0, 12)), 5) for k in label],
        "message": [["free entry now", "see you", "lunch at noon"][k] for k in label],
    }
    return table, [["a", "b", "c"][k] for k in label]


def rows_of(table):
    """One dictionary for each row."""
    return [dict(zip(table, cells, strict=True)) for cells in zip(*table.values(), strict=True)]


KINDS = {
    "dict": lambda table: table,
    "list of dicts": rows_of,
    "pandas": lambda table: pd.DataFrame({name: pd.Series(cells, dtype=object) for name, cells in table.items()}),
    "pandas nullable": lambda table: pd.DataFrame(table).convert_dtypes().assign(joined=table["joined"]),
    "polars": pl.DataFrame,
    "polars lazy": pl.LazyFrame,
    "pyarrow": pa.table,
    "record batch reader": lambda table: pa.table(table).to_reader(7),
    "duckdb": lambda table: duckdb.from_arrow(pa.table(table)),
}
