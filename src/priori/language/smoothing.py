"""How a language model gives probability to what it has not seen: a small value, `"dirichlet:500"` as text.

Its numbers are given, or read off the counts. Kneser-Ney (Chen & Goodman 1998, equation 26): Y = n1 / (n1 + 2 n2),
D1 = 1 - 2Y n2/n1, D2 = 2 - 3Y n3/n2, D3+ = 3 - 4Y n4/n3, from how many n-grams of an order count 1 to 4. Absolute
discounting: D = n1 / (n1 + 2 n2). docs/maths/language.md.
"""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Self, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from priori.errors import DataError, EstimateError

if TYPE_CHECKING:  # a method has a name before there are n-grams
    from priori.language.ngrams import Nodes, Tallied

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Method: TypeAlias = Literal["kneser-ney", "absolute", "dirichlet", "jelinek-mercer", "ml"]
METHODS: tuple[Method, ...] = get_args(Method)

FALLBACK = (0.5, 1.0, 1.5)  # discounts where the counts of counts say nothing
_MEANS = {
    "absolute": "a discount above 0 and at most 1, such as absolute:0.7",
    "dirichlet": "an imagined count from 0, such as dirichlet:500",
    "jelinek-mercer": "the weight of shorter histories, from 0 to 1, such as jelinek-mercer:0.4",
}


@dataclass(frozen=True)
class Smoothing:
    """A method, and its one number; None leaves that to the counts.

    >>> Smoothing.of("dirichlet:500")
    Smoothing(method='dirichlet', parameter=500.0)
    >>> str(Smoothing())
    'kneser-ney'
    """

    method: Method = "kneser-ney"  # modified, interpolated (Chen & Goodman 1998)
    parameter: float | None = None

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise DataError(f"smoothing={self.method!r} is unknown; choose {', '.join(METHODS)}")
        value = self.parameter
        if value is None:
            return
        if self.method not in _MEANS:
            raise DataError(f"smoothing {self.method!r} takes no number; leave {value:g} out")
        highest = math.inf if self.method == "dirichlet" else 1.0
        above = value > 0 if self.method == "absolute" else value >= 0
        if not (above and value <= highest and math.isfinite(value)):
            raise DataError(f"smoothing {self}: {value!r} is out of range; give {_MEANS[self.method]}")

    @classmethod
    def of(cls, value: "str | Smoothing") -> Self:
        """A method, or method:number."""
        if isinstance(value, cls):
            return value
        if not isinstance(value, str):
            raise DataError(f"smoothing={value!r} is no text; choose {', '.join(METHODS)}, or method:number")
        method, colon, number = value.partition(":")
        parameter = None
        if colon:
            try:
                parameter = float(number)
            except ValueError:
                known = method in _MEANS
                raise DataError(
                    f"smoothing={value!r}: {number!r} is no number"
                    + (f"; give {_MEANS[method]}" if known else f"; choose {', '.join(METHODS)}")
                ) from None
        return cls(method, parameter)  # type: ignore[arg-type]

    def __str__(self) -> str:
        return self.method if self.parameter is None else f"{self.method}:{repr(self.parameter).removesuffix('.0')}"


@dataclass(frozen=True, eq=False)
class Resolved:
    """A method and its numbers: discounts of counts 1, 2 and more by group and order, or a number by order."""

    method: Method
    by_order: Floats | None = None  # (N,) by the order of what is predicted: mu, or the weight of shorter histories
    alpha: float = 0.0  # the imagined count of each token after no history, of Dirichlet
    discount: float | None = None  # of absolute discounting, where it was given


def resolve(smoothing: Smoothing, nodes: "Nodes", tallied: "Tallied", alpha: float, size: int) -> Resolved:
    """The numbers of a method; `alpha` is the imagined count of each token, `size` how many tokens there are."""
    method, given = smoothing.method, smoothing.parameter
    if method in ("kneser-ney", "absolute") and bool((nodes.count % 1 != 0).any()):
        raise EstimateError(
            "discounts are taken off n-grams seen once, twice, ..., and these counts are no whole numbers; give "
            "documents whole weights, or smooth with dirichlet"
        )
    if method in ("kneser-ney", "absolute"):
        return Resolved(method, discount=given)
    if method == "ml":
        return Resolved(method, np.zeros(nodes.longest))
    resolved = Resolved(method, np.full(nodes.longest, given or 0.0), alpha)
    if given is not None:
        return resolved
    from priori.language.probabilities import least_surprising

    return least_surprising(resolved, nodes, tallied, size)


def discounts(resolved: Resolved, counts_of_counts: Floats) -> tuple[Floats, Flags]:
    """Discounts of counts 1, 2 and more, (..., 3), and where they had to fall back, (...)."""
    shape = counts_of_counts.shape[:-1]
    if resolved.discount is not None:
        return np.full((*shape, 3), resolved.discount), np.zeros(shape, bool)
    n1, n2, n3, n4 = np.moveaxis(counts_of_counts, -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        y = n1 / (n1 + 2 * n2)
        if resolved.method == "absolute":
            found = np.stack([y, y, y], axis=-1)
            bad = ~((y > 0) & (y < 1))
        else:
            found = np.stack([1 - 2 * y * n2 / n1, 2 - 3 * y * n3 / n2, 3 - 4 * y * n4 / n3], axis=-1)
            bad = ~((found > 0) & (found <= (1, 2, 3))).all(axis=-1)  # a discount of 0 leaves nothing
    return np.where(bad[..., None], FALLBACK if resolved.method == "kneser-ney" else 0.5, found), bad
