"""The rows of a table as points, to find where EM is to begin: how far they are from a row, which middle is nearest."""

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, hstack

from priori.columns.base import Cells, Codes, Int32s
from priori.columns.em import indicators
from priori.latent.rows import HiddenRows
from priori.statistics.by_class import in_rows

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]

_MOST_VALUES = 64  # of a discrete column that tell rows apart: the most frequent ones


class Points(NamedTuple):
    """Some places in the plane."""

    numbers: Floats  # (K, d)
    values: Floats  # (K, v)

    @property
    def squares(self) -> Floats:
        """(K,): the squared distance of each from 0."""
        return np.asarray((self.numbers**2).sum(axis=1) + (self.values**2).sum(axis=1))


@dataclass(frozen=True, eq=False)
class Plane:
    """Numbers have variance 1 about 0, discrete cells are indicators, and what is missing is at 0.

    So each column has about the same say. Texts have none.
    """

    numbers: Floats  # (n, d)
    values: csr_array  # (n, v), of ones
    weight: Floats  # (n,)

    @classmethod
    def of(cls, rows: HiddenRows) -> Self:
        """All columns side by side."""
        weight = in_rows(rows.weight)
        numbers = [_numbers(cells, weight) for cells in rows.cells if isinstance(cells, np.ndarray)]
        values = [_values(cells) for cells in rows.cells if isinstance(cells, Codes)]
        none, nothing = np.zeros((len(rows), 0)), csr_array((len(rows), 0))
        return cls(np.concatenate([none, *numbers], axis=1), hstack([nothing, *values], format="csr"), weight)

    @property
    def dimensions(self) -> int:
        """How many there are."""
        return int(self.numbers.shape[1] + self.values.shape[1])

    def at(self, places: Places) -> Points:
        """Some of the rows."""
        return Points(self.numbers[places], self.values[places].toarray())

    def distances(self, place: int) -> Floats:
        """(n,): the squared distance of each row from this one; exactly 0 where a row is the same."""
        row = self.at(np.array([place]))
        # subtle: of indicators all terms are small whole numbers, so that nothing is rounded; of numbers they would be
        unlike = np.diff(self.values.indptr) + row.values.sum() - 2 * (self.values @ row.values[0])
        return np.asarray(((self.numbers - row.numbers) ** 2).sum(axis=1) + unlike)

    def nearest(self, points: Points) -> Int32s:
        """(n,): which of the points each row is next to: |x - c|² is |x|², which all have, and |c|² - 2 x·c."""
        alike = self.numbers @ points.numbers.T + self.values @ points.values.T
        return np.asarray((points.squares - 2 * alike).argmin(axis=1), np.int32)

    def middles(self, groups: Int32s, classes: int) -> Points:
        """The weighted mean of the rows of each group, none of which is empty."""
        sums, sizes = self._sums(groups, classes)
        return Points(sums.numbers / sizes[:, None], sums.values / sizes[:, None])

    def tightness(self, groups: Int32s, classes: int) -> float:
        """How near rows are to the middles of their groups: Σ n |m|², all of their spread that is not about these."""
        sums, sizes = self._sums(groups, classes)
        return float((sums.squares / sizes).sum())

    def _sums(self, groups: Int32s, classes: int) -> tuple[Points, Floats]:
        """The weighted sum of the rows of each group, and the weight, (K,)."""
        members = csr_array((self.weight, (groups, np.arange(len(groups)))), (classes, len(groups)))
        sizes = np.asarray(members.sum(axis=1))
        return Points(members @ self.numbers, (members @ self.values).toarray()), sizes


def _values(cells: Codes) -> csr_array:
    """Which of the most frequent values each row has."""
    sizes = np.bincount(cells.codes[cells.codes >= 0], minlength=len(cells.values))
    frequent = np.argsort(-sizes, kind="stable")[:_MOST_VALUES]
    rank = np.full(len(cells.values) + 1, -1)  # the last one is what is missing
    rank[frequent] = np.arange(len(frequent))
    return indicators(rank[cells.codes], len(frequent))


def _numbers(cells: Cells, weight: Floats) -> Floats:
    columns = cells.reshape(len(cells), -1)
    there = np.where(np.isnan(columns), 0.0, weight[:, None])
    filled = np.where(np.isnan(columns), 0.0, columns)
    n = np.maximum(there.sum(axis=0), np.finfo(np.float64).tiny)
    away = np.where(there > 0, filled - (there * filled).sum(axis=0) / n, 0.0)
    deviation = np.sqrt((there * away**2).sum(axis=0) / n)
    return away / np.where(deviation > 0, deviation, 1.0)
