"""How a language model gives probability to what it has not seen: a small value, `"dirichlet:500"` as text."""

import math
from dataclasses import dataclass
from typing import Literal, Self, TypeAlias, get_args

from priori.errors import DataError

Method: TypeAlias = Literal["kneser-ney", "absolute", "dirichlet", "jelinek-mercer", "ml"]
METHODS: tuple[Method, ...] = get_args(Method)

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
