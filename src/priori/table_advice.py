"""What a look at the statistics of a table finds strange: columns of which nearly every row has a value of its own."""

from collections.abc import Callable
from dataclasses import dataclass

from priori.columns.discrete import Categorical
from priori.statistics.tallies import Tallies
from priori.table_classifier import TableModel

_LEAST_VALUES = 50  # below that, as many values as rows are no wonder


@dataclass(frozen=True)
class NearlyUnique:
    """A column of categories that is a text or a key rather: new rows have values of which nothing was learned."""

    column: str
    values: int
    rows: float  # in which it is there

    def said(self, option: Callable[[str], str]) -> str:
        """In a sentence; option("text") is how a user makes the column text, option("none") how it is left out."""
        return (
            f"column {self.column!r} has {self.values:,} different values in {self.rows:,.0f} rows: if it is text, "
            f"say {option('text')}; if it is a key, {option('none')}"
        )

    def as_parameter(self, family: str) -> str:
        """How to say which family the column has, in Python."""
        return f"columns={{{self.column!r}: {None if family == 'none' else family!r}}}"


def nearly_unique(model: TableModel) -> tuple[NearlyUnique, ...]:
    """The columns of categories that have more than 50 different values, and these in more than half of their rows."""
    found = []
    for part, stats in zip(model.parts, model.statistics.parts, strict=True):
        if isinstance(part.family, Categorical) and isinstance(stats, Tallies):
            values, rows = len(stats.keys), float(stats.n.sum())
            if values > _LEAST_VALUES and values > rows / 2:
                found.append(NearlyUnique(part.name, values, rows))
    return tuple(found)
