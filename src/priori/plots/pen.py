"""Nodes, plates and arrows of graphical models, in the units of a picture of a given size."""

from typing import TYPE_CHECKING

from priori.plots.style import BODY, INK, LINE, PAPER, QUIET, SMALL

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Point = tuple[float, float]
RADIUS = 0.36  # of a node
_OBSERVED = "#CFE4F2"


class Pen:
    """Draws on axes; letters and lines grow and shrink with the axes, so that nothing ever overlaps."""

    def __init__(self, axes: "Axes", size: Point) -> None:
        axes.set(xlim=(0, size[0]), ylim=(0, size[1]), aspect="equal")
        axes.set_axis_off()
        axes.figure.canvas.figure.draw_without_rendering()  # lays the axes out, so that their size is known
        extent, dpi = axes.get_window_extent(), axes.figure.dpi
        self._axes = axes
        self._scale = min(extent.width / dpi / size[0], extent.height / dpi / size[1])  # inches of one unit

    def write(
        self, x: float, y: float, text: str, *, size: float, colour: str = INK, weight: str = "normal",
        ha: str = "left", va: str = "baseline",
    ) -> None:  # fmt: skip
        """Write text of a size in points, where a unit is an inch."""
        self._axes.text(
            x, y, text, fontsize=size * self._scale, color=colour, fontweight=weight, ha=ha, va=va, zorder=4,
            linespacing=1.3, parse_math=False,
        )  # fmt: skip

    def line(self, start: Point, end: Point, colour: str) -> None:
        """A thin line."""
        xs, ys = zip(start, end, strict=True)
        self._axes.plot(xs, ys, color=colour, linewidth=0.8 * self._scale)

    def plate(self, low: Point, high: Point, caption: str, *, left: bool = False) -> None:
        """A rounded box: what is inside is repeated as often as the caption in its lower corner says."""
        from matplotlib.patches import FancyBboxPatch

        width, height = high[0] - low[0], high[1] - low[1]
        box = FancyBboxPatch(low, width, height, "round,pad=0,rounding_size=0.12")
        box.set(facecolor="none", edgecolor=LINE, linewidth=1.3 * self._scale)
        self._axes.add_patch(box)
        x, side = (low[0] + 0.1, "left") if left else (high[0] - 0.1, "right")
        self.write(x, low[1] + 0.08, caption, size=SMALL, colour=QUIET, ha=side, va="bottom")

    def node(self, centre: Point, letter: str, index: str, caption: str, *, observed: bool = False) -> None:
        """A random variable: shaded where it is seen in the data."""
        x, y = centre
        self._disc(centre, RADIUS, _OBSERVED if observed else PAPER)
        self.write(x - 0.045 * len(index), y - 0.09, letter, size=17, ha="center")
        self.write(x + 0.12 - 0.045 * len(index) + 0.03 * (letter == "w"), y - 0.15, index, size=BODY)
        self.write(x, y - RADIUS - 0.08, caption, size=SMALL, colour=QUIET, ha="center", va="top")

    def given(self, place: Point, text: str) -> None:
        """A number that is chosen and not random: a dot."""
        self._disc(place, 0.07, INK)
        self.write(place[0], place[1] + 0.16, text, size=BODY, ha="center", va="bottom")

    def arrow(self, start: Point, end: Point, *, rim: float) -> None:
        """From the rim of one thing to the rim of a node beside, above or below it."""
        from matplotlib.patches import FancyArrowPatch

        right, up = ((b > a) - (b < a) for a, b in zip(start, end, strict=True))
        gap = RADIUS + 0.03
        first, last = (start[0] + right * rim, start[1] + up * rim), (end[0] - right * gap, end[1] - up * gap)
        arrow = FancyArrowPatch(first, last, arrowstyle="-|>", mutation_scale=13 * self._scale, shrinkA=0, shrinkB=0)
        arrow.set(color=INK, linewidth=1.3 * self._scale)
        self._axes.add_patch(arrow)

    def loop(self, centre: Point) -> None:
        """An arrow from a node to itself, above it: to the next one of the same kind."""
        from matplotlib.patches import FancyArrowPatch

        x, y, reach = centre[0], centre[1] + 0.3, 0.24
        arrow = FancyArrowPatch((x - reach, y), (x + reach, y), arrowstyle="-|>", mutation_scale=13 * self._scale)
        arrow.set(color=INK, linewidth=1.3 * self._scale, connectionstyle="arc3,rad=-1.5")
        self._axes.add_patch(arrow)

    def _disc(self, centre: Point, radius: float, colour: str) -> None:
        from matplotlib.patches import Circle

        self._axes.add_patch(
            Circle(centre, radius, facecolor=colour, edgecolor=INK, linewidth=1.3 * self._scale, zorder=3)
        )
