"""Numbers as the command line says them: 0.25 or 1/4."""

import math
from collections.abc import Callable
from fractions import Fraction

import click


def number_of(text: str) -> float:
    """A finite number, which may be a fraction; a ValueError for what is none.

    >>> number_of("1/4")
    0.25
    """
    try:
        number = float(Fraction(text.strip()) if "/" in text else text)
    except (ZeroDivisionError, OverflowError) as error:
        raise ValueError(text) from error
    if not math.isfinite(number) or "_" in text:  # Python has 1_000 for 1000
        raise ValueError(text)
    return number


def between(low: float, high: float = math.inf) -> Callable[[click.Context, click.Parameter, str | None], float | None]:
    """The callback of an option that is a number above `low` and below `high`."""

    def parsed(ctx: click.Context, parameter: click.Parameter, value: str | None) -> float | None:
        if value is None:
            return None
        try:
            number = number_of(value)
        except ValueError:
            number = math.nan
        if not low < number < high:
            below = f" and below {high:g}" if high < math.inf else ""
            raise click.BadParameter(f"{value!r} cannot be; give a number above {low:g}{below}")
        return number

    return parsed
