"""How numbers are said when a distribution is printed as mathematics."""

from collections.abc import Iterable

SHOWN = 6  # numbers of a vector


def said(value: float) -> str:
    """A number in at most five digits.

    >>> said(0.55), said(1234567.0), said(-0.0)
    ('0.55', '1.2346e+06', '0')
    """
    return f"{value + 0.0:.5g}"


def listed(values: Iterable[float]) -> str:
    """A vector, cut where it is long.

    >>> listed([0.25, 0.75])
    '(0.25, 0.75)'
    """
    numbers = [said(value) for value in values]
    return f"({', '.join(numbers[:SHOWN])}{', …' if len(numbers) > SHOWN else ''})"
