"""Ticks that can be read: written out, with few digits, and without what all of them share."""

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_OFFSET = 1e4  # how many times as large as their range numbers are, that are shown by their differences
_PLAIN = (-3, 6)  # powers of ten between which numbers are written out


def logarithmic(axes: "Axes", low: float, high: float) -> None:
    """A logarithmic x axis whose ticks are powers of ten, written out."""
    first, last = math.ceil(math.log10(low)), math.floor(math.log10(high))
    powers = [10.0**power for power in range(first, last + 1, max(1, math.ceil((last - first) / 8)))]
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    axes.set_xticks(powers, [f"{power:,.0f}" for power in powers])
    axes.set_xticks([], minor=True)


def linear(axes: "Axes", low: float, high: float, most: int = 5, integers: bool = False) -> str:
    """An x axis from low to high; what its name must say of the ticks: their common offset, or their unit.

    Numbers like 100,000,000.25 are shown as 0.25 beyond 100,000,000.
    """
    from matplotlib.ticker import MaxNLocator

    offset = _offset(low, high)
    power = _power(low - offset, high - offset)
    places = MaxNLocator(most, steps=[1, 2, 2.5, 5, 10], integer=integers).tick_values(
        (low - offset) / 10.0**power, (high - offset) / 10.0**power
    )
    inside = [place for place in places if low <= offset + place * 10.0**power <= high]
    axes.set_xlim(low, high)
    axes.set_xticks([offset + place * 10.0**power for place in inside], _written(inside))
    if offset:
        return f" − {written(offset, 0)}" if offset > 0 else f" + {written(-offset, 0)}"
    return f", in units of 10{str(power).translate(_SUPERSCRIPT)}" if power else ""


def written(value: float, decimals: int) -> str:
    """A number with so many decimals, thousands set apart, and a true minus."""
    return f"{round(value, decimals) + 0.0:,.{max(decimals, 0)}f}".replace("-", "−")


def digits(spread: float, figures: int = 3) -> int:
    """How many decimals tell numbers apart that lie this far from each other."""
    return figures - 1 - math.floor(math.log10(spread)) if spread > 0 else 0


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
