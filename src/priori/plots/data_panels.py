"""The data, and over them what was fitted and what is predicted: of one column, and of two.

Two columns are a cloud of points under the ellipses of a model, or a line through them with its band.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from priori.errors import DataError
from priori.plots.style import (
    BLUE,
    BODY,
    GREEN,
    INK,
    LINE,
    TINY,
    counted,
    legend_below,
    linear,
    name_axes,
    plain,
    room,
    shown,
)
from priori.statistics.observations import as_numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from priori.families.base import Distribution

Floats = npt.NDArray[np.float64]
Models = Sequence[tuple[str, "Distribution"]]  # at most two, with the names they have in the picture: fitted, predicted
_STYLES: tuple[dict[str, Any], ...] = (
    {"color": GREEN, "linestyle": (0, (4, 2)), "linewidth": 1.8, "zorder": 5},  # dashes show on a line, not below it
    {"color": BLUE, "linestyle": "-", "linewidth": 1.8, "zorder": 4},
)
_DOTS: tuple[dict[str, Any], ...] = (
    {"marker": "D", "markersize": 5.0, "markerfacecolor": GREEN, "markeredgecolor": GREEN},
    {"marker": "o", "markersize": 7.5, "markerfacecolor": "none", "markeredgecolor": BLUE, "markeredgewidth": 1.4},
)
_HEADING = "Data and predictions"
_BARS = 50  # of a histogram; more whole numbers than these share bars
_FEW = 60  # numbers that are shown one by one
_ROWS = 24  # categories shown
_POINTS = 5_000  # that are drawn; of more, evenly chosen ones
_TURN = np.linspace(0, 2 * math.pi, 361)

# --- one column -------------------------------------------------------------------------------------------------------


def categories(
    axes: "Axes", names: Sequence[Any], counts: Floats, models: Sequence[tuple[str, Floats]], note: str = ""
) -> None:
    """Draw the share of each category as a bar, and the probabilities that models give it as dots."""
    plain(axes, _HEADING, note)
    chosen = np.sort(np.argsort(-counts, kind="stable")[:_ROWS])
    total = counts.sum()
    y = np.arange(len(chosen))
    shares = counts[chosen] / total if total else np.zeros(len(chosen))
    axes.barh(y, shares, height=0.7, color=LINE, alpha=0.55, label="data")
    for (name, of), dots in zip(models, _DOTS, strict=False):
        size = dots["markersize"] * min(1.0, 14 / len(chosen))
        axes.plot(of[chosen], y, linestyle="none", label=name, zorder=4, clip_on=False, **{**dots, "markersize": size})
    height = min(BODY, max(TINY, 0.6 * room(axes)[1] / len(chosen)))
    axes.set_yticks(y, [shown(str(names[j]), 18) for j in chosen], fontsize=height, parse_math=False)
    axes.set_ylim(max(len(chosen), 3) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0, pad=8)  # a dot at 0 reaches out a little
    axes.grid(False, axis="y")
    largest = max([*shares, *(float(of[chosen].max()) for _, of in models)])
    remark = linear(axes, 0, 1.06 * largest)
    few = f" · the {len(chosen)} most frequent of {len(names):,} values" if len(chosen) < len(names) else ""
    name_axes(axes, f"probability{remark}{few}")


def whole_numbers(
    axes: "Axes", values: Floats, weights: Floats, models: Models, note: str = "", *, name: str = "value"
) -> None:
    """Draw the share of each number as a bar, and the probabilities of models over it."""
    plain(axes, _HEADING, note)
    low, high = _whole(values, models)
    step = max(1, math.ceil((high - low + 1) / _BARS))
    edges = np.arange(low, high + step + 1, step) - 0.5
    shares = np.histogram(values, edges, weights=weights)[0] / (weights.sum() * step)
    places = edges[:-1] + step / 2
    axes.bar(places, shares, width=(0.8 if step == 1 else 1.0) * step, color=LINE, alpha=0.55, label="data")
    x = np.arange(low, high + 1)
    tallest = float(shares.max())
    for (label, model), style, dots in zip(models, _STYLES, _DOTS, strict=False):
        y = np.exp(model.log_prob(x))
        drawn = {"color": style["color"], "linestyle": "none", "zorder": 4, **dots} if step == 1 else style
        axes.plot(x, y, label=label, clip_on=False, **drawn)
        tallest = max(tallest, min(float(y.max()), 3 * tallest))
    across = linear(axes, low - 0.6, high + 0.6, integers=True)
    name_axes(axes, f"{shown(name)}{across}", f"probability{linear(axes, 0, 1.1 * tallest, side='y')}")


def numbers(
    axes: "Axes", values: Floats, weights: Floats, models: Models, note: str = "", *, name: str = "value"
) -> None:
    """Draw a histogram of the data as a density, few data one by one too, and the densities of models over it."""
    plain(axes, _HEADING, note)
    low, high = _reach(values, models)
    margin = 0.02 * (high - low) or 0.5  # half to each side of a single value without a model
    start, end = frozen[0].support() if (frozen := _frozen(models)) else (-math.inf, math.inf)
    low, high = max(low - margin, min(start, low)), min(high + margin, max(end, high))
    tallest = _histogram(axes, values, weights)
    bars = tallest > 0
    x = np.linspace(low, high, 801)
    x[0] += 0.01 * (x[1] - x[0])  # inside, where a density that begins here is not 0
    for (label, model), style in zip(models, _STYLES, strict=False):
        y = np.exp(model.log_prob(x))
        axes.plot(x, np.where(np.isfinite(y), y, np.nan), label=label, **style)
        inside = np.exp(model.log_prob(np.quantile(x[y > 0], np.linspace(0.02, 0.98, 97))))
        tallest = max(tallest, min(float(inside.max()), 3 * tallest) if tallest else float(inside.max()))
    if len(values) <= _FEW:
        axes.plot(
            values, np.full(len(values), 0.018), "|", markersize=9, color=INK, transform=axes.get_xaxis_transform(),
            label="_each" if bars else "data", zorder=5, clip_on=False,
        )  # fmt: skip
    across = linear(axes, low, high)
    name_axes(axes, f"{shown(name)}{across}", f"density{linear(axes, 0, 1.1 * tallest, side='y')}")


def _histogram(axes: "Axes", values: Floats, weights: Floats) -> float:
    """Bars of the data, if they differ; the height of the tallest."""
    if len(values) < 5 or values.min() == values.max():
        return 0.0
    bars = len(np.histogram_bin_edges(values, "auto")) - 1
    heights, edges = np.histogram(values, min(bars, _BARS), weights=weights, density=True)
    axes.stairs(heights, edges, fill=True, color=LINE, alpha=0.45, label="data")
    return float(heights.max())


def _whole(values: Floats, models: Models) -> tuple[int, int]:
    """From which number to which: as `_reach`, and all that are possible if they are few."""
    low, high = (round(edge) for edge in _reach(values, models))
    for of in _frozen(models):
        start, end = of.support()
        if end - start < 10:
            low, high = min(low, int(start)), max(high, int(end))
    return low, max(high, low + 1)


def _reach(values: Floats, models: Models) -> tuple[float, float]:
    """From where to where: all data, and the middle of every model with as much around it as does not squeeze them."""
    low, high = least, most = float(values.min()), float(values.max())
    frozen = _frozen(models)
    width = max([most - least, *([min(float(of.isf(0.05) - of.ppf(0.05)) for of in frozen)] if frozen else [])])
    for of in frozen:
        middle = float(of.ppf(0.5))
        low = min(low, max(float(of.ppf(0.005)), min(least, middle) - 0.6 * width))
        high = max(high, min(float(of.isf(0.005)), max(most, middle) + 0.6 * width))
    return low, high


def _frozen(models: Models) -> list[Any]:
    """The models as scipy has them, as far as it knows their quantiles."""
    return [of for _, model in models if hasattr(of := model.freeze(), "ppf")]


# --- two columns ------------------------------------------------------------------------------------------------------


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
    plain(axes, _HEADING, note)
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
