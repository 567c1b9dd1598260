"""Data of two columns: a cloud of points under the ellipses of a model, or a line through them with its band."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from priori.errors import DataError
from priori.plots.style import BLUE, GREEN, INK, LINE, legend_below, name_axes, plain, shown
from priori.plots.ticks import counted, linear
from priori.statistics.observations import as_numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = npt.NDArray[np.float64]
_POINTS = 5_000  # that are drawn; of more, evenly chosen ones
_TURN = np.linspace(0, 2 * math.pi, 361)


class Line(Protocol):
    """p(t | x) of one input: `LinearModel`, or a regression's predictive."""

    def predict(self, X: Any) -> Floats:
        """The centre for each row."""

    def freeze(self, X: Any) -> Any:
        """The distributions of the targets, one for each row, as scipy has them."""


def cloud(
    axes: "Axes", rows: Floats, models: Sequence[tuple[str, Any]], note: str = "", names: Sequence[str] = ()
) -> None:
    """Draw rows of two numbers as points, and around them where models expect half of them, and 95 %.

    A model is a multivariate normal (`mean`, `covariance`), or t (`mean`, `scale`, `degrees`).
    """
    plain(axes, "Data and predictions", note)
    _points(axes, rows[:, 0], rows[:, 1])
    reach = [rows]
    for (name, model), colour, dashes in zip(models, (GREEN, BLUE), ((0, (4, 2)), "-"), strict=False):
        for mass in (0.5, 0.95):
            x, y = ellipse(model, mass)
            label = name if mass == 0.95 else f"_{name}"
            axes.plot(x, y, color=colour, linestyle=dashes, linewidth=1.8, label=label, zorder=4)
            reach.append(np.column_stack([x, y]))
    _frame(axes, np.concatenate(reach), names or ("first column", "second column"))


def ellipse(model: Any, mass: float) -> tuple[Floats, Floats]:
    """The points around the densest region of so much probability."""
    from scipy.stats import chi2, f

    degrees = getattr(model, "degrees", math.inf)
    spread = model.covariance if math.isinf(degrees) else model.scale
    square = chi2(2).ppf(mass) if math.isinf(degrees) else 2 * f(2, degrees).ppf(mass)
    circle = math.sqrt(square) * np.array([np.cos(_TURN), np.sin(_TURN)])
    x, y = np.asarray(model.mean)[:, None] + np.linalg.cholesky(spread) @ circle
    return x, y


def regression(
    axes: "Axes",
    X: Any,
    t: Any,
    *,
    model: Line,
    predictive: Line,
    mass: float = 0.95,
    names: tuple[str, str] = ("x", "t"),
) -> None:
    """Draw pairs of one input and its target, the line through them, and the band where new targets are expected."""
    x, y = np.ravel(as_numbers(X)).astype(np.float64), np.ravel(as_numbers(t)).astype(np.float64)
    if len(x) != len(y) or not len(x):
        raise DataError(f"there are {len(x)} inputs for {len(y)} targets; give one input for each target, at least one")
    there = ~(np.isnan(x) | np.isnan(y))
    x, y = x[there], y[there]
    seen = f"{counted(len(x), 'pair')}; a new target lies in the band with probability {mass:.4g}"
    plain(axes, "Line and predictive band", f"{shown(str(model), 60)}\n{seen}")
    width = float(np.ptp(x)) or 1.0
    grid = np.linspace(x.min() - 0.15 * width, x.max() + 0.15 * width, 201)
    low, high = predictive.freeze(grid[:, None]).interval(mass)
    _points(axes, x, y)
    axes.fill_between(grid, low, high, color=BLUE, alpha=0.16, linewidth=0, label=f"{100 * mass:.4g} % band", zorder=1)
    lines = (("predictive", predictive, BLUE, "-"), ("maximum likelihood", model, GREEN, (0, (4, 2))))
    for name, of, colour, dashes in lines:
        axes.plot(grid, of.predict(grid[:, None]), color=colour, linestyle=dashes, linewidth=1.8, label=name, zorder=4)
    reach = np.column_stack([np.r_[grid, grid, x], np.r_[low, high, y]])
    _frame(axes, reach, names)
    legend_below(axes)


def _points(axes: "Axes", x: Floats, y: Floats) -> None:
    """The data; where they are many, so light that their density shows."""
    chosen = slice(None, None, math.ceil(len(x) / _POINTS))
    alpha = min(0.9, max(0.15, 60 / len(x) ** 0.75))
    axes.plot(
        x[chosen], y[chosen], "o", markersize=4.0, markerfacecolor=INK if len(x) <= 30 else LINE, markeredgecolor=INK,
        markeredgewidth=0.6, alpha=alpha, label="data", zorder=3,
    )  # fmt: skip


def _frame(axes: "Axes", points: Floats, names: Sequence[str]) -> None:
    """Axes that hold all points, with a margin."""
    (left, low), (right, high) = points.min(axis=0), points.max(axis=0)
    wide, tall = 0.04 * (right - left) or 0.5, 0.04 * (high - low) or 0.5
    across = linear(axes, float(left - wide), float(right + wide))
    up = linear(axes, float(low - tall), float(high + tall), side="y")
    name_axes(axes, f"{shown(names[0])}{across}", f"{shown(names[1])}{up}")
