"""Results as a frame of the kind the user came with."""

from typing import Any


def frame_like(like: object, columns: dict[str, Any], *, same_rows: bool = True) -> Any:
    """pandas (with its index, if the rows are the same) for pandas, Polars for Polars, a pyarrow Table for all else."""
    library = type(like).__module__.partition(".")[0]
    if library == "pandas":
        import pandas as pd

        return pd.DataFrame(columns, index=getattr(like, "index", None) if same_rows else None)
    if library == "polars":
        import polars as pl

        return pl.DataFrame(columns)
    import pyarrow as pa

    return pa.table({name: pa.array(values.tolist()) for name, values in columns.items()})
