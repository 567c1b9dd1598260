"""One look for every picture: colours, sizes, quiet axes, readable ticks, and text that cannot break a layout.

Numbers are written out, with few digits, and without what all of them share.
"""

import math
import unicodedata
from typing import TYPE_CHECKING, Literal

from priori.errors import PrioriError

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# From Okabe & Ito's palette, whose colours readers with any kind of colour vision tell apart.
BLUE, ORANGE, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
CLASS_COLOURS = (BLUE, ORANGE, GREEN, PURPLE, "#56B4E9", "#B58900")  # its yellows are too light for bars on white
INK, QUIET, LINE, GRID, PAPER = "#22262A", "#5F6871", "#AEB5BC", "#E8EBEE", "#FFFFFF"
TITLE, BODY, SMALL, TINY = 11.0, 9.0, 8.0, 5.0  # points; nothing is written smaller than TINY
MATHEMATICS = ["DejaVu Sans", "STIXGeneral"]  # fonts that come with matplotlib; the second has 𝒩

_STANDS_FOR = {"\n": "⏎", "\t": "⇥", "\r": "⏎"}
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_OFFSET = 1e4  # how many times as large as their range numbers are, that are shown by their differences
_PLAIN = (-4, 6)  # powers of ten between which numbers are written out

# --- figures and axes -------------------------------------------------------------------------------------------------


def new_figure(width: float, height: float) -> "Figure":
    """An empty white figure in inches, that lays itself out; no pyplot, no display, no global state."""
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        raise PrioriError("pictures need matplotlib; pip install 'priori[plots]'") from error
    figure = Figure(figsize=(width, height), layout="constrained", facecolor=PAPER)
    figure.get_layout_engine().set(w_pad=0.1, h_pad=0.1, wspace=0.04, hspace=0.06)  # type: ignore[union-attr, call-arg]
    return figure


def two_measures(draw: "Callable[[Axes, Literal['accuracy', 'log_loss']], None]", of: str, height: float) -> "Figure":
    """Accuracy and log loss beside each other; of: what was measured on, to stand above."""
    figure = new_figure(11.5, height)
    if of:
        figure.suptitle(shown(of, 80), fontweight="bold", parse_math=False)
    left, right = figure.subplots(1, 2)
    draw(left, "accuracy")
    draw(right, "log_loss")
    return figure


def plain(axes: "Axes", title: str, note: str = "") -> None:
    """Quiet axes with a title at the left, and under the title a note in grey, of one line or more."""
    axes.set_facecolor(PAPER)
    for side, spine in axes.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(LINE)
        spine.set_linewidth(0.8)
    axes.set_axisbelow(True)
    axes.grid(True, color=GRID, linewidth=0.8, linestyle="-")
    axes.tick_params(which="both", color=LINE, labelcolor=INK, labelsize=SMALL, length=3, width=0.8)
    pad = 8 + 12 * len(note.splitlines())
    axes.set_title(title, loc="left", fontsize=TITLE, fontweight="bold", color=INK, pad=pad, parse_math=False)
    if note:
        write_note(axes, note)


def write_note(axes: "Axes", note: str) -> None:
    """The grey line between title and picture."""
    axes.annotate(
        note,
        xy=(0, 1),
        xycoords="axes fraction",
        xytext=(0, 6),
        textcoords="offset points",
        fontsize=SMALL,
        color=QUIET,
        fontfamily=MATHEMATICS,
        parse_math=False,
    )


def name_axes(axes: "Axes", x: str = "", y: str = "") -> None:
    """What the axes show."""
    axes.set_xlabel(x, fontsize=SMALL, color=QUIET, parse_math=False)
    axes.set_ylabel(y, fontsize=SMALL, color=QUIET, parse_math=False)


def legend_below(axes: "Axes") -> None:
    """The names of what is drawn, below the axes, where nothing is."""
    from matplotlib.transforms import ScaledTranslation

    below = axes.transAxes + ScaledTranslation(0, -34 / 72, axes.figure.dpi_scale_trans)
    # subtle: matplotlib names bars last, and here they are the data
    named = sorted(zip(*axes.get_legend_handles_labels(), strict=True), key=lambda pair: pair[1] != "data")
    axes.legend(
        [handle for handle, _ in named], [name for _, name in named], loc="upper left", bbox_to_anchor=(-0.02, 0),
        bbox_transform=below, ncols=2, fontsize=SMALL, frameon=False, labelcolor=INK, borderaxespad=0,
        columnspacing=1.6, handlelength=2.4,
    )  # fmt: skip


def room(axes: "Axes") -> tuple[float, float]:
    """Width and height of axes in points, before their labels are laid out."""
    extent = axes.get_window_extent()
    return float(extent.width / axes.figure.dpi * 72), float(extent.height / axes.figure.dpi * 72)


# --- ticks ------------------------------------------------------------------------------------------------------------


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
    set_ticks([offset + place * unit for place in inside], _tick_texts(inside))
    shift = (f" − {written(offset, 0)}" if offset > 0 else f" + {written(-offset, 0)}") if offset else ""
    return shift + (f", in units of {_ten_to(power)}" if power else "")


def _tick_texts(places: list[float]) -> list[str]:
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


# --- text and numbers -------------------------------------------------------------------------------------------------


def shown(text: str, limit: int = 24) -> str:
    """A label or a word as a picture can show it: control characters made visible, the middle left out if too long.

    The limit is a width in letters of middling width.
    """
    # subtle: what lies far beyond the limit is not looked at, so that a message of a megabyte costs no more than a line
    text = text if len(text) <= 10 * limit else f"{text[: 4 * limit]}{text[-4 * limit :]}"
    visible = "".join(_STANDS_FOR.get(c, "�" if unicodedata.category(c) in ("Cc", "Cs") else c) for c in text)
    if not visible.strip():
        return f"“{visible[:limit]}”"
    if sum(map(_width, visible)) <= limit:
        return visible
    return f"{_start(visible, limit * 2 / 3 - 1).rstrip()}…{_start(visible[::-1], limit / 3)[::-1].lstrip()}"


def _start(text: str, width: float) -> str:
    """As many characters from the start as fit a width, in letters."""
    for end, character in enumerate(text):
        width -= _width(character)
        if width < 0:
            return text[:end]
    return text


def _width(character: str) -> float:
    """About how wide a character is, in letters."""
    if unicodedata.east_asian_width(character) in ("W", "F"):
        return 2.0
    if unicodedata.combining(character):
        return 0.0
    if character in "mwMW@%—⏎⇥":
        return 1.5
    if character in "ijlI.,:;'|! ":
        return 0.5
    return 1.15 if character.isupper() else 1.0


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


def signed(value: float) -> str:
    """A number with its sign, a true minus and two decimals."""
    return f"{value:+.2f}".replace("-", "−").replace("inf", "∞")


def _ten_to(power: int) -> str:
    return f"10{str(power).translate(_SUPERSCRIPT)}"
