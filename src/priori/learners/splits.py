"""Held-out rows, and nested subsets of the others: the same for every learner."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from priori.errors import DataError

Places = npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Split:
    """Rows in the order in which they are learned, the first of each class before all others, and those held out."""

    train: Places
    test: Places

    def moved(self, rows: int) -> "Split":
        """The same of rows that begin further on."""
        return Split(self.train + rows, self.test + rows)


def split(group: npt.NDArray[np.int32], held_out: int, rng: np.random.Generator) -> Split:
    """A random split. One row of every class is learned first: each subset of K rows and more has all K classes."""
    order = rng.permutation(len(group))
    _, first = np.unique(group[order], return_index=True)
    order = np.concatenate([order[np.sort(first)], np.delete(order, first)])
    learned = len(group) - held_out
    return Split(order[:learned], order[learned:])


def held_out_rows(rows: int, classes: int, test: float) -> int:
    """How many rows are held out: a share of them, or a number from 1."""
    held_out = round(test * rows) if test < 1 else int(test)
    if not (test > 0 and 1 <= held_out <= rows - classes):
        raise DataError(
            f"test={test:g} of {rows:,} rows leaves {max(rows - held_out, 0):,} to learn {classes} classes from and "
            f"{max(held_out, 0):,} to test on; give a share between 0 and 1, or fewer rows"
        )
    return held_out


def geometric_sizes(classes: int, learned: int) -> tuple[int, ...]:
    """Two rows for each class, doubled until all rows are learned.

    >>> geometric_sizes(2, 100)
    (4, 8, 16, 32, 64, 100)
    """
    least = min(2 * classes, learned)
    doublings = math.floor(math.log2(learned / least))
    sizes = [least << power for power in range(doublings + 1)]
    if sizes[-1] * math.sqrt(2) < learned:
        return (*sizes, learned)
    return (*sizes[:-1], learned)  # subtle: a last step of a few rows would say nothing


def checked_sizes(sizes: object, classes: int, learned: int) -> tuple[int, ...]:
    """Sizes as they were asked for, in order and once."""
    try:
        found = sorted({int(size) for size in sizes})  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        raise DataError(f"sizes={sizes!r} are no numbers of rows; give some, such as [10, 100, 1000]") from None
    if not found or not classes <= found[0] <= found[-1] <= learned:
        raise DataError(
            f"the sizes {', '.join(map(str, found)) or 'are none; they'} must lie between {classes} (one row for each "
            f"class) and {learned:,} (the rows not held out)"
        )
    return tuple(found)
