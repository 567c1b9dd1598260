"""Numbers and ticks that can be read: written out, with few digits, and without what all of them share."""

import math
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_OFFSET = 1e4  # how many times as large as their range numbers are, that are shown by their differences
_PLAIN = (-4, 6)  # powers of ten between which numbers are written out


def logarithmic(axes: "Axes", low: float, high: float) -> None:
    """A logarithmic x axis whose ticks are powers of ten, written out."""
    first, last = math.ceil(math.log10(low)), math.floor(math.log10(high))
    powers = [10.0**power for power in range(first, last + 1, max(1, math.ceil((last - first) / 8)))]
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    axes.set_xticks(powers, [f"{power:,.0f}" for power in powers])
    axes.set_xticks([], minor=True)


def linear(axes: "Axes", low: float, high: float, *, side: Literal["x", "y"] = "x", integers: bool = False) -> str:
    """An axis from low to high; what its name must say of the ticks: their common offset, or their unit.

    Numbers like 100,000,000.25 are shown as 0.25 beyond 100,000,000.
    """
    from matplotlib.ticker import MaxNLocator

    offset = _offset(low, high)
    power = _power(low - offset, high - offset)
    unit = 10.0**power
    places = MaxNLocator(5, steps=[1, 2, 2.5, 5, 10], integer=integers).tick_values(
        (low - offset) / unit, (high - offset) / unit
    )
    inside = [place for place in places if low <= offset + place * unit <= high and not (integers and place % 1)]
    set_limits, set_ticks = (axes.set_xlim, axes.set_xticks) if side == "x" else (axes.set_ylim, axes.set_yticks)
    set_limits(low, high)
    set_ticks([offset + place * unit for place in inside], _written(inside))
    shift = (f" − {written(offset, 0)}" if offset > 0 else f" + {written(-offset, 0)}") if offset else ""
    return shift + (f", in units of {_ten_to(power)}" if power else "")


def written(value: float, decimals: int) -> str:
    """A number with so many decimals, thousands set apart, and a true minus."""
    return f"{round(value, decimals) + 0.0:,.{max(decimals, 0)}f}".replace("-", "−")


def counted(n: float, what: str) -> str:
    """How many of what: `1 value`, `2,500 values`."""
    return f"1 {what}" if n == 1 else f"{n:,.10g} {what}s"


def number(value: float, spread: float) -> str:
    """A number with the three digits that tell it from others this far away.

    >>> number(0.549019, 0.19), number(100_000_000.4567, 1.2), number(1.2345678e-7, 3e-8)
    ('0.549', '100,000,000.46', '1.235·10⁻⁷')
    """
    decimals = 2 - math.floor(math.log10(spread)) if spread > 0 else 4
    power = math.floor(math.log10(abs(value))) if value else 0
    if (decimals > 5 and -300 < power < -2) or (decimals <= 0 and power >= 9):
        return f"{written(value / 10.0**power, min(max(decimals + power, 0), 9))}·{_ten_to(power)}"
    return written(value, min(decimals, 15))


def _ten_to(power: int) -> str:
    return f"10{str(power).translate(_SUPERSCRIPT)}"


def _written(places: list[float]) -> list[str]:
    """Ticks with as many decimals as the one that needs most."""
    decimals = max((len(f"{abs(place):.6f}".rstrip("0").partition(".")[2]) for place in places), default=0)
    return [written(place, decimals) for place in places]


def _offset(low: float, high: float) -> float:
    """A round number that all share, where they are so large that only their differences can be read."""
    middle = low + (high - low) / 2
    if abs(middle) < _OFFSET * (high - low):
        return 0.0
    unit = 10.0 ** math.ceil(math.log10(high - low))
    return round(middle / unit) * unit


def _power(low: float, high: float) -> int:
    """The power of ten that makes numbers short; 0 for numbers that are so already."""
    largest = max(abs(low), abs(high))
    power = math.floor(math.log10(largest)) if largest else 0
    return 0 if _PLAIN[0] < power < _PLAIN[1] else power
