"""Results as a frame of the kind the user came with."""

from typing import Any


def frame_like(like: object, columns: dict[str, Any]) -> Any:
    """pandas for pandas, Polars for Polars, a pyarrow Table for anything else."""
    library = type(like).__module__.partition(".")[0]
    if library == "pandas":
        import pandas as pd

        return pd.DataFrame(columns, index=getattr(like, "index", None))
    if library == "polars":
        import polars as pl

        return pl.DataFrame(columns)
    import pyarrow as pa

    return pa.table({name: pa.array(values.tolist()) for name, values in columns.items()})


def frame_of(table: Any, like: object) -> Any:
    """A pyarrow Table as a frame of the kind of `like`: pandas, Polars, or as it is."""
    library = type(like).__module__.partition(".")[0]
    if library == "pandas":
        return table.to_pandas()
    if library == "polars":
        import polars as pl

        return pl.from_arrow(table)
    return table
