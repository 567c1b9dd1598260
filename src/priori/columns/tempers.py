"""The powers of a table's columns, and how they came about: fitted on rows that were left out, or by the rule."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from priori.columns import temper
from priori.columns.sample import RowSample
from priori.columns.statistics import TableStatistics
from priori.errors import ModelFileError
from priori.statistics.by_class import UNIT_BITS


@dataclass(frozen=True)
class Tempers:
    """A power for each part. By the rule, they are never stale: it asks for the number of parts only."""

    powers: tuple[float, ...]
    rows: int = 0  # that were left out; 0: by the rule
    stale: bool = False  # fitted on other statistics than those that are read now, or for another reading

    @classmethod
    def of(cls, powers: npt.NDArray[np.float64], rows: int) -> Self:
        """Fitted on so many rows; on none, where that gave the rule."""
        found = tuple(powers.tolist())
        return cls(found, 0 if set(found) == {temper.rule(len(found))} else rows)

    @classmethod
    def by_rule(cls, parts: int) -> Self:
        """Where no rows say more."""
        return cls((temper.rule(parts),) * parts)

    @property
    def fitted(self) -> bool:
        """Whether rows have said something."""
        return self.rows > 0

    def outdated(self) -> "Tempers | None":
        """As a model has them whose rows or reading have changed; None: nothing was fitted."""
        return replace(self, stale=True) if self.fitted else None

    def facts(self, names: tuple[str, ...]) -> dict[str, Any]:
        """Plain values for people and programs, by the names of the parts."""
        return {
            "tempers": dict(zip(names, self.powers, strict=True)),
            "by": "rows" if self.fitted else "rule",
            "rows": self.rows,
            "stale": self.stale,
        }

    def __str__(self) -> str:
        if not self.fitted:
            return f"by rule, {self.powers[0]:.3g} each: no rows say more"
        rows = "1 row that was" if self.rows == 1 else f"{self.rows:,} different rows that were"
        return f"fitted on {rows} left out" + ("; stale: the model has changed since" if self.stale else "")

    def to_json(self) -> dict[str, Any]:
        """What a file holds beside the powers."""
        return {"rows": self.rows, "stale": self.stale}

    def told(self, values: object) -> Self:
        """With what `to_json` gave, checked."""
        if not isinstance(values, Mapping) or set(values) != {"rows", "stale"}:
            raise _meaningless(values)
        rows, stale = values["rows"], values["stale"]
        if type(rows) is not int or not 0 <= rows < 1 << 62 or type(stale) is not bool or (stale and not rows):
            raise _meaningless(values)
        return replace(self, rows=rows, stale=stale)


def left_out_rows(kept: RowSample, statistics: TableStatistics, held_out: bool = False) -> npt.NDArray[np.intp]:
    """The places of the rows that powers are fitted on: without the others their class would have no rows."""
    group = kept.rows(statistics.labels).group
    alone = statistics.weight[group] <= np.minimum(kept.weight, 1 << UNIT_BITS)
    places = np.arange(len(kept)) if held_out else np.flatnonzero(~alone)
    return places[: max(1, temper.ROOM // (max(1, len(statistics.labels)) * len(kept.cells)))]


def _meaningless(values: object) -> ModelFileError:
    return ModelFileError(f"how the tempers were fitted, {values!r}, means nothing; refit them with priori calibrate")
