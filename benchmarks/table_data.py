"""A mixed table of any number of rows: 15 reals, 15 categories of 10 values, 3 classes."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
import pyarrow as pa

COLUMNS = 15  # of each kind
VALUES = np.array([f"value {code}" for code in range(10)])
CLASSES = 3


def labels(rows: int) -> np.ndarray:
    """Three classes of unequal size."""
    return np.random.default_rng(0).choice(CLASSES, rows, p=[0.5, 0.3, 0.2])


def reals(y: np.ndarray) -> Iterator[np.ndarray]:
    """Normal columns whose mean depends on the class; every third is the exponential of one, so skewed."""
    for place in range(COLUMNS):
        rng = np.random.default_rng([1, place])
        values = rng.normal(size=len(y))
        values += rng.normal(0, 0.5, CLASSES)[y]
        yield np.exp(values, out=values) if place % 3 == 2 else values


def codes(y: np.ndarray) -> Iterator[np.ndarray]:
    """Codes from 0 to 9, one in four of them that of the class or near it."""
    for place in range(COLUMNS):
        rng = np.random.default_rng([2, place])
        values = rng.integers(0, len(VALUES), len(y), dtype=np.int8)
        near = np.flatnonzero(rng.random(len(y)) < 0.25)
        values[near] = (values[near] // 3 + 3 * y[near]) % len(VALUES)
        yield values


def frame(y: np.ndarray) -> pd.DataFrame:
    """For pandas: reals, and categories as codes with their names; made column by column without a second copy."""
    columns: dict[str, object] = {f"real {place}": values for place, values in enumerate(reals(y))}
    kind = pd.CategoricalDtype(VALUES)
    columns |= {
        f"category {place}": pd.Series(pd.Categorical.from_codes(values, dtype=kind), copy=False)
        for place, values in enumerate(codes(y))
    }
    return pd.DataFrame(columns, copy=False)


def arrow(y: np.ndarray) -> pa.Table:
    """For Arrow: reals, and categories as plain strings."""
    columns = {f"real {place}": pa.array(values) for place, values in enumerate(reals(y))}
    names = pa.array(VALUES)
    columns |= {f"category {place}": names.take(pa.array(values)) for place, values in enumerate(codes(y))}
    return pa.table(columns)


def arrays(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For scikit-learn: the reals, and the codes as the integers that CategoricalNB counts, each in a matrix."""
    numbers, counted = np.empty((len(y), COLUMNS)), np.empty((len(y), COLUMNS), np.int64)
    for place, values in enumerate(reals(y)):
        numbers[:, place] = values
    for place, values in enumerate(codes(y)):
        counted[:, place] = values
    return numbers, counted
