"""Which terms are read: so many of the highest rank, or as many as left-out documents want. A reading, never stored
with the counts."""

from dataclasses import dataclass
from typing import Literal, Self, TypeAlias, get_args

from priori.errors import DataError

Ranking: TypeAlias = Literal["mi", "mi-words", "chi2", "log-odds", "count"]
RANKINGS: tuple[Ranking, ...] = get_args(Ranking)
_MOST = 2**31 - 1  # terms have ids of 31 bits


@dataclass(frozen=True)
class TermSelection:
    """The `most` terms that are ranked highest; None: their number is left to the documents.

    >>> TermSelection.of("mi:5000")
    TermSelection(by='mi', most=5000)
    """

    by: Ranking
    most: int | None

    @classmethod
    def of(cls, said: object) -> Self:
        """RANKING:NUMBER or RANKING:auto."""
        by, colon, most = said.partition(":") if isinstance(said, str) else ("", "", "")
        number = int(most) if most.isascii() and most.isdigit() and len(most) <= 10 else 0
        if not colon or by not in RANKINGS or not (most == "auto" or 1 <= number <= _MOST):
            raise DataError(
                f"select={said!r} says not which terms are read; give RANKING:NUMBER or RANKING:auto, such as "
                f"'mi:5000', with a ranking of {', '.join(RANKINGS)}"
            )
        return cls(by, None if most == "auto" else number)

    def __str__(self) -> str:
        return f"{self.by}:{'auto' if self.most is None else self.most}"
