"""One column of a classifier: p(x | y) p(y) of each class, and the posterior between them.

For two Gaussians of one variance the posterior is a sigmoid: discriminant analysis is a logistic regression (lecture
002). Where the heights of two classes are equal, their posteriors are, and the decision changes.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from priori.columns.bin_tree import middle_of
from priori.columns.bins import BinnedReading
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
from priori.plots.style import (
    CLASS_COLOURS,
    INK,
    LINE,
    QUIET,
    SMALL,
    counted,
    legend_below,
    linear,
    name_axes,
    number,
    plain,
    shown,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = npt.NDArray[np.float64]
_PLACES = 601
_CELLS = 40  # of a histogram
_MOST = 4  # thresholds that are written out


def densities(axes: "Axes", model: Any, column: str | None = None, X: Any = None, y: Any = None) -> None:
    """Draw p(x | y) p(y) of a table model's classes over one column, their posteriors, and where decisions change.

    The other columns are missing cells, which contribute nothing. Rows, if given, are drawn as histograms behind.
    """
    column = _one(model, column)
    model = alone(model, (column,))
    classes = [str(label) for label in model.classes_]
    if len(classes) > len(CLASS_COLOURS):
        raise DataError(f"{len(classes)} classes have no colours of their own; draw at most {len(CLASS_COLOURS)}")
    (values,) = drawn_from(model, (column,)) if X is None else numbers_of(X, (column,))
    whole = is_whole(model, column)
    x = reach_of(values, whole, _PLACES)
    joint = np.exp(model.log_joint(asked(model, {column: x})))
    posterior = np.asarray(model.predict_proba(asked(model, {column: x})))
    binned = _binned(model, column)
    cells = _cells(values, whole)
    thresholds = _thresholds(model, column, x, posterior, whole)
    plain(axes, shown(f"{column}: classes and posterior", 44), _note(thresholds, values, X, whole))
    for k, (name, colour) in enumerate(zip(classes, CLASS_COLOURS, strict=False)):
        if X is not None and not binned:
            axes.stairs(_histogram(values, y, name, cells), cells, fill=True, color=colour, alpha=0.22, zorder=0)
        if binned:
            height = _of_buckets(model, binned, k, cells)
            axes.stairs(height, cells, fill=True, color=colour, alpha=0.18)
            axes.stairs(height, cells, color=colour, linewidth=1.6, label=_density(name))
        else:
            marks: dict[str, Any] = {"marker": "o", "markersize": 3.5} if whole else {}
            axes.plot(x, joint[:, k], color=colour, linewidth=1.8, label=_density(name), zorder=3, **marks)
            if X is None:
                axes.fill_between(x, 0, joint[:, k], color=colour, alpha=0.15, linewidth=0, zorder=1)
    axes.set_ylim(0, axes.get_ylim()[1] * 1.02)
    right = linear(axes, float(x[0]) - whole / 2, float(x[-1]) + whole / 2, integers=whole)
    name_axes(axes, f"{shown(column)}{right}", "probability, p(x | y) p(y)" if whole else "density, p(x | y) p(y)")
    _posteriors(axes, x, posterior, classes)
    for place in thresholds[:_MOST]:
        axes.axvline(place, color=INK, linewidth=1.1, linestyle=(0, (2, 2)), zorder=2)


def _one(model: Any, column: str | None) -> str:
    schema = schema_of(model)
    if schema is None:
        raise DataError(f"{type(model).__name__} has no densities; give a NaiveBayes or a GaussianDiscriminant")
    if column is None and len(schema.fields) > 1:
        raise DataError(f"the model has {len(schema.fields)} columns; name the one to draw: {', '.join(schema.names)}")
    chosen = schema.names[0] if column is None else column
    refuse_other_types(model, [chosen])
    return chosen


def _density(name: str) -> str:
    return f"p(x | {shown(name, 18)}) p({shown(name, 18)})"


def _posteriors(axes: "Axes", x: Floats, posterior: Floats, classes: list[str]) -> None:
    """On an axis of their own at the right; of two classes one is enough."""
    twin = axes.twinx()
    for side, spine in twin.spines.items():
        spine.set_visible(side == "right")
        spine.set_color(LINE)
    for k in [1] if len(classes) == 2 else range(len(classes)):
        colour = INK if len(classes) == 2 else CLASS_COLOURS[k]
        twin.plot(
            x, posterior[:, k], color=colour, linewidth=1.5, linestyle=(0, (5, 2)), zorder=5,
            label=f"posterior p({shown(classes[k], 18)} | x), right axis",
        )  # fmt: skip
    twin.set_ylim(0, 1.02)
    twin.set_yticks([0, 0.5, 1], ["0", "½", "1"])
    twin.tick_params(color=LINE, labelcolor=INK, labelsize=SMALL, length=3, width=0.8)
    twin.set_ylabel("posterior, p(y | x)", fontsize=SMALL, color=QUIET, parse_math=False)
    for line in twin.lines:  # one legend for both axes
        axes.plot([], [], color=line.get_color(), linestyle=(0, (5, 2)), linewidth=1.5, label=line.get_label())
    legend_below(axes)


def _thresholds(model: Any, column: str, x: Floats, posterior: Floats, whole: bool) -> list[float]:
    """Where the most probable class changes, by bisection; between two whole numbers, their middle."""
    best = posterior.argmax(axis=1)
    found = []
    for at in np.flatnonzero(best[1:] != best[:-1]).tolist():
        low, high = float(x[at]), float(x[at + 1])
        for _ in range(0 if whole else 60):
            middle = low + (high - low) / 2
            there = np.asarray(model.predict_proba(asked(model, {column: np.array([middle])})))
            low, high = (middle, high) if there.argmax() == best[at] else (low, middle)
        found.append(low + (high - low) / 2)
    return found


def _note(thresholds: list[float], values: Floats, X: Any, whole: bool) -> str:
    spread = float(np.nanstd(values)) or 1.0
    if not thresholds:
        changes = "one class is the most probable everywhere"
    else:
        shown_ones = ", ".join(number(place, spread / 10) for place in thresholds[:_MOST])
        more = f" and {len(thresholds) - _MOST} more" if len(thresholds) > _MOST else ""
        changes = f"the decision changes at {shown_ones}{more}"
    rows = "the range is that of rows drawn from the model" if X is None else counted(len(values), "row")
    return f"{changes}\n{rows}"


def _cells(values: Floats, whole: bool) -> Floats:
    """The edges of a histogram."""
    there = values[~np.isnan(values)]
    low, high = float(there.min()), float(there.max())
    if whole and high - low <= 3 * _CELLS:
        return np.arange(np.floor(low), np.ceil(high) + 2) - 0.5
    return np.linspace(low, high if high > low else low + 1, _CELLS + 1)


def _histogram(values: Floats, y: Any, name: str, cells: Floats) -> Floats:
    """The rows of a class, as a share of all rows, so that it lies beneath p(x | y) p(y)."""
    if y is None or len(y) != len(values):
        raise DataError(f"there are {len(values):,} rows and {0 if y is None else len(y):,} labels; give one for each")
    there = ~np.isnan(values)
    mine = np.array([label is not None and str(label) == name for label in y]) & there
    height: Floats = np.histogram(values[mine], cells)[0] / (there.sum() * np.diff(cells))
    return height


def _binned(model: Any, column: str) -> BinnedReading | None:
    """The reading of a column in bins, which has probabilities of narrow bins and no smooth density."""
    inside = model.model_
    for factor in inside.factors:
        wanted = factor.part.columns == (column,) and factor.part.calendar is None
        if wanted and isinstance(factor.reading, BinnedReading):
            return factor.reading
    return None


def _of_buckets(model: Any, reading: BinnedReading, k: int, cells: Floats) -> Floats:
    """p(x in the cell | y) p(y) by width: the probabilities of all buckets that were seen in it."""
    middles = middle_of(reading.stats.keys.astype(np.int64))
    label = model.model_.labels.index(str(model.classes_[k]))
    seen = reading.totals / reading.totals.sum()
    chances = seen * np.exp(reading.log_ratio(middles)[:, label] + model.model_.log_prior[label])
    height: Floats = np.histogram(middles, cells, weights=chances)[0] / np.diff(cells)
    return height
