"""Decision boundaries over two columns: the most probable class at every place, and how sure the model is of it."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from priori.errors import DataError
from priori.plots.marginal import (
    alone,
    asked,
    drawn_from,
    is_whole,
    numbers_of,
    reach_of,
    refuse_other_types,
    schema_of,
)
from priori.plots.style import CLASS_COLOURS, INK, PAPER, SMALL, counted, legend_below, linear, name_axes, plain, shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = npt.NDArray[np.float64]
_PLACES = 241  # along each side
_POINTS = 3_000  # rows that are drawn; of more, evenly chosen ones
_LEVELS = (0.75, 0.9, 0.99)


def decision_boundary(
    axes: "Axes", model: Any, X: Any = None, y: Any = None, columns: tuple[str, str] | None = None
) -> None:
    """Shade p(most probable class | two columns), draw where classes are equally probable, and the rows by class.

    Of a table model with more columns, the others are missing cells: they are integrated out. Any estimator with
    predict_proba will do that takes a matrix of the two columns.
    """
    across, up = _two(model, columns)
    model = alone(model, (across, up))
    classes = [str(label) for label in model.classes_]
    if len(classes) > len(CLASS_COLOURS):
        raise DataError(f"{len(classes)} classes have no colours of their own; draw at most {len(CLASS_COLOURS)}")
    rows = drawn_from(model, (across, up)) if X is None else numbers_of(X, (across, up))
    xs, ys = (reach_of(values, is_whole(model, name), _PLACES) for values, name in zip(rows, (across, up), strict=True))
    posterior = _posterior(model, {across: xs, up: ys})
    schema = schema_of(model)
    others = 0 if schema is None else len(schema.fields) - 2
    summed = f"; {counted(others, 'other column')} integrated out" if others else ""
    plain(axes, "Decision boundary", f"lines: probability of the most probable class{summed}\n{_told(X, rows)}")
    axes.grid(False)
    _shade(axes, xs, ys, posterior)
    _lines(axes, xs, ys, posterior)
    if X is not None:
        _rows(axes, rows, y, classes)
    else:
        for name, colour in zip(classes, CLASS_COLOURS, strict=False):
            axes.plot([], [], "s", color=colour, alpha=0.6, label=shown(name))
    right = linear(axes, *_ends(xs), integers=is_whole(model, across))
    top = linear(axes, *_ends(ys), side="y", integers=is_whole(model, up))
    name_axes(axes, f"{shown(across)}{right}", f"{shown(up)}{top}")
    legend_below(axes)


def _two(model: Any, columns: tuple[str, str] | None) -> tuple[str, str]:
    schema = schema_of(model)
    if columns is None:
        names = getattr(model, "feature_names_in_", ("x0", "x1")) if schema is None else schema.names
        columns = tuple(str(name) for name in names)  # type: ignore[assignment]
    if columns is None or len(columns) != 2 or columns[0] == columns[1]:
        raise DataError(f"a boundary is drawn over two columns, and there are {len(columns or ())}; name two of them")
    refuse_other_types(model, columns)
    return columns[0], columns[1]


def _posterior(model: Any, sides: dict[str, Floats]) -> Floats:
    """p(y | x) at every place, (up, across, K)."""
    (across, xs), (up, ys) = sides.items()
    x, y = np.meshgrid(xs, ys)
    found = np.asarray(model.predict_proba(asked(model, {across: x.ravel(), up: y.ravel()})))
    return found.reshape(len(ys), len(xs), -1)


def _shade(axes: "Axes", xs: Floats, ys: Floats, posterior: Floats) -> None:
    """The colour of the most probable class, paler where it is less probable; white where all are alike."""
    from matplotlib.colors import to_rgb

    classes = posterior.shape[2]
    colours = np.array([to_rgb(colour) for colour in CLASS_COLOURS[:classes]])
    paper = np.array(to_rgb(PAPER))
    best = posterior.argmax(axis=2)
    sure = (posterior.max(axis=2) - 1 / classes) / (1 - 1 / classes)
    strength = (0.1 + 0.42 * sure)[..., None]
    wide, tall = xs[1] - xs[0], ys[1] - ys[0]
    extent = (xs[0] - wide / 2, xs[-1] + wide / 2, ys[0] - tall / 2, ys[-1] + tall / 2)
    axes.imshow(
        strength * colours[best] + (1 - strength) * paper, extent=extent, origin="lower", aspect="auto",
        interpolation="nearest", zorder=0,
    )  # fmt: skip


def _lines(axes: "Axes", xs: Floats, ys: Floats, posterior: Floats) -> None:
    """Where the most probable class changes, and where it has so much probability."""
    from matplotlib.patheffects import withStroke

    best = posterior.max(axis=2)
    levels = [level for level in _LEVELS if best.min() < level < best.max()]
    if levels:
        # subtle: many short lines, as those of bins, would be hidden by their numbers; few are labelled
        lines = axes.contour(xs, ys, best, levels=levels, colors=INK, linewidths=0.6, alpha=0.55, zorder=2)
        if sum(len(np.asarray(path.vertices)) for path in lines.get_paths()) < 40 * _PLACES:
            written = axes.clabel(lines, fontsize=SMALL - 1, fmt=lambda level: f"{level:g}", zorder=6)
            for text in written:
                text.set(color=INK, path_effects=[withStroke(linewidth=2, foreground=PAPER)])
    for k in range(posterior.shape[2] if posterior.shape[2] > 2 else 1):
        others = np.delete(posterior, k, axis=2).max(axis=2)
        lead = posterior[..., k] - others
        if lead.min() < 0 < lead.max():
            axes.contour(xs, ys, lead, levels=[0.0], colors=INK, linewidths=1.8, zorder=3)


def _rows(axes: "Axes", rows: list[Floats], y: Any, classes: list[str]) -> None:
    if y is None or len(y) != len(rows[0]):
        raise DataError(f"there are {len(rows[0]):,} rows and {0 if y is None else len(y):,} labels; give one for each")
    labels = np.array(["" if label is None else str(label) for label in y])
    step = math.ceil(len(labels) / _POINTS)
    alpha = min(0.95, max(0.6, 12 / math.sqrt(len(labels))))
    for name, colour, marker in zip(classes, CLASS_COLOURS, "osD^vP", strict=False):
        chosen = (labels == name)[::step]
        axes.plot(
            rows[0][::step][chosen], rows[1][::step][chosen], marker, markersize=4.2, markerfacecolor=colour,
            markeredgecolor=PAPER, markeredgewidth=0.5, alpha=alpha, label=shown(name), zorder=4,
        )  # fmt: skip


def _told(X: Any, rows: list[Floats]) -> str:
    return (
        "no rows are given: the range is that of rows drawn from the model"
        if X is None
        else (counted(int((~np.isnan(rows[0]) & ~np.isnan(rows[1])).sum()), "row"))
    )


def _ends(places: Floats) -> tuple[float, float]:
    half = float(places[1] - places[0]) / 2
    return float(places[0]) - half, float(places[-1]) + half
