"""How far a document's words are believed: naive Bayes takes words that say the same for news, so long texts shout.

A tempered E-step has responsibilities proportional to p(x, c)^t, t = t(n) falling with the length n. It ascends
sum_i w_i / t_i log sum_c p(x_i, c)^t_i: with t = 1 the log-likelihood. docs/maths/em.md.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from priori.fitted.calibration import LENGTH, Calibration

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Temper:
    """t = 1 + n / (n + 1) (b ((n + 1) / 50)^g - 1), as calibration has it: a model predicts as it learned."""

    scale: float = 1.0  # b
    power: float = 0.0  # g

    @classmethod
    def root(cls) -> Self:
        """About one over the square root of the length: n words are believed as the root of n independent ones are."""
        return cls(LENGTH**-0.5, -0.5)

    @property
    def plain(self) -> bool:
        """Whether t is 1."""
        return self.scale == 1.0 and self.power == 0.0

    @property
    def clipped(self) -> bool:
        """Whether some length would have a t above 1, which an E-step cuts off and a calibration does not."""
        return bool((self.calibration().factors(np.arange(0.0, 1000.0)) > 1.0).any())

    def factors(self, length: Any) -> Floats:
        """t of documents of so many features, at most 1: no word counts for more than itself."""
        return np.minimum(self.calibration().factors(np.asarray(length, np.float64)), 1.0)

    def calibration(self) -> Calibration:
        """The reading that gives p(y | x) as the E-step has it."""
        return Calibration(self.scale, self.power, 0.0, {})
