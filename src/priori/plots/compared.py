"""Models compared on the same data: how probable each is, and the numbers that say so."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from priori.estimation import Absent
from priori.plots.style import BLUE, BODY, INK, QUIET, SMALL, TINY, name_axes, plain, room, shown
from priori.plots.ticks import counted, number
from priori.select.compare import Comparison, Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLUMNS = ("probability", "log evidence", "AIC", "BIC")
_WIDTH = 62.0  # points, of a column of numbers
_MOST = 24  # models shown


def comparison(axes: "Axes", compared: Comparison) -> None:
    """Draw a bar for each model, as long as its posterior probability, best first, with its numbers beside it."""
    rows = compared.rows[:_MOST]
    more = f" · {len(compared.rows) - len(rows):,} more" if len(rows) < len(compared.rows) else ""
    best = compared.best
    title = (
        "No model has evidence" if isinstance(best.probability, Absent) else f"Most probable: {shown(best.name, 30)}"
    )
    models = f"{counted(len(compared.rows), 'model')} of {counted(best.estimate.n, 'observation')}{more}"
    plain(axes, title, f"{models}\n ")
    size = min(BODY, max(TINY, 0.6 * room(axes)[1] / len(rows)))
    for y, row in enumerate(rows):
        axes.barh(y, row.probability if not isinstance(row.probability, Absent) else 0.0, height=0.7, color=BLUE)
        _write(axes, _numbers(row), xy=(1, y), xycoords=("axes fraction", "data"), fontsize=size, va="center")
    above: dict[str, Any] = {"xy": (1, 1), "xycoords": "axes fraction", "fontsize": SMALL, "color": QUIET}
    _write(axes, _COLUMNS, lift=6.0, **above)
    axes.set_yticks(range(len(rows)), [shown(row.name, 24) for row in rows], fontsize=size, parse_math=False)
    axes.set(xlim=(0, 1), ylim=(max(len(rows), 4) - 0.4, -0.6))
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "25 %", "50 %", "75 %", "100 %"])
    axes.tick_params(axis="y", length=0)
    axes.grid(False, axis="y")
    name_axes(axes, "probability of the model, given the data")


def _numbers(row: Row) -> list[str]:
    """What stands in the columns; a dash for what does not exist."""
    of, given = row.estimate, row.probability
    share = "–" if isinstance(given, Absent) else f"{given:.1%}" if given >= 0.0005 or given == 0 else "< 0.1%"
    return [share, *("–" if isinstance(v, Absent) else number(v, 1.0) for v in (of.log_evidence, of.aic, of.bic))]


def _write(axes: "Axes", texts: Sequence[str], *, lift: float = 0.0, **style: Any) -> None:
    """Write texts in columns at the right of the axes, aligned at their right ends."""
    for column, text in enumerate(texts, start=1):
        axes.annotate(
            text, xytext=(_WIDTH * column, lift), textcoords="offset points", ha="right", annotation_clip=False,
            parse_math=False, **{"color": INK, **style},
        )  # fmt: skip
