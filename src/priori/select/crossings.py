"""Where one learning curve overtakes another for good (Ng & Jordan 2002: the discriminative one, as rows grow)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

Measure: TypeAlias = Literal["accuracy", "log_loss"]
_NAMES: dict[Measure, str] = {"accuracy": "accuracy", "log_loss": "log loss"}


@dataclass(frozen=True)
class Crossing:
    """From which number of labelled rows on the discriminative learner is the better one."""

    generative: str
    discriminative: str
    measure: Measure
    size: float | None  # None where it is not ahead at the end, and where it is ahead from the start
    ahead: Literal["generative", "discriminative"]  # at the largest size
    certain: bool  # whether the lead at the largest size is more than chance
    sizes: tuple[int, int]  # the smallest and the largest that were tried

    def __str__(self) -> str:
        low, high = self.sizes
        doubt = "" if self.certain else f" (at {high:,} rows the difference may be chance)"
        by = f"in {_NAMES[self.measure]}"
        if self.size is not None:
            return f"{self.discriminative} overtakes {self.generative} {by} at about {about(self.size)} rows{doubt}"
        if self.ahead == "discriminative":
            return f"{self.discriminative} is ahead of {self.generative} {by} from {low:,} to {high:,} rows{doubt}"
        never = f"no crossing from {low:,} to {high:,} rows{doubt}"
        return f"{self.discriminative} does not overtake {self.generative} {by}: {never}"

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "generative": self.generative,
            "discriminative": self.discriminative,
            "measure": self.measure,
            "size": self.size,
            "ahead": self.ahead,
            "certain": self.certain,
        }


def about(size: float) -> str:
    """A number of rows to two digits: so far are interpolated sizes to be believed.

    >>> about(1843.2)
    '1,800'
    """
    return f"{float(f'{size:.2g}'):,.0f}"


def crossing_size(sizes: Sequence[int], lead: Sequence[float]) -> float | None:
    """Where a lead becomes positive for good, interpolated on log n; None where it never does, or always was.

    lead: by how much the second curve is better at each size. Where it jumps to or from infinity, the size at which it
    is first positive.

    >>> f"{crossing_size([10, 100, 1000], [-1.0, -1.0, 1.0]):.1f}"
    '316.2'
    """
    behind = [place for place, value in enumerate(lead) if not value > 0]
    if not behind or behind[-1] == len(sizes) - 1:
        return None
    last = behind[-1]
    below, above = lead[last], lead[last + 1]
    if not (math.isfinite(below) and math.isfinite(above)):
        return float(sizes[last + 1])
    start, end = math.log(sizes[last]), math.log(sizes[last + 1])
    return math.exp(start + (end - start) * below / (below - above))
