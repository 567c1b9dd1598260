"""Numbers, vectors and terms as text that people read."""

from collections.abc import Iterable, Sequence

SHOWN = 6  # numbers of a vector
_MARKS = {"\x02": "<s>", "\x03": "</s>"}  # of documents as runs of characters


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


def grid(rows: Sequence[Sequence[str]]) -> str:
    """Rows of cells, each column as wide as its widest.

    >>> print(grid([("name", "p"), ("poisson", "0.75")]))
    name     p
    poisson  0.75
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(line.rstrip() for line in lines)


def legible(term: str) -> str:
    """A term whose first and last spaces are drawn, for among characters they are what it is.

    >>> legible(" er "), legible("free entry")
    ('␣er␣', 'free entry')
    """
    bare = term.strip(" ")
    start = len(term) - len(term.lstrip(" "))
    drawn = "␣" * start + bare + "␣" * (len(term) - start - len(bare))
    for mark, name in _MARKS.items():
        drawn = drawn.replace(mark, name)
    return drawn
