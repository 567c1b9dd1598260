"""Rows as if they had never been learned: exact leave-one-out, and the tempers that are fitted by it."""

from collections.abc import Sequence
from contextlib import suppress

import numpy as np
import numpy.typing as npt

from priori.columns import temper
from priori.columns.base import Cells, Rows
from priori.columns.cells import take
from priori.columns.factor import Factor
from priori.columns.sample import RowSample
from priori.columns.statistics import Labelled
from priori.errors import DataError, EstimateError
from priori.statistics.by_class import UNIT_BITS, in_rows
from priori.table_classifier import TableModel, normalized, powered

Floats = npt.NDArray[np.float64]

FEW = 200  # rows, of which one still moves an edge of a bin by much


def leave_one_out(model: TableModel, data: Labelled) -> Floats:
    """log p(y | x) of each learned row as if it had never been learned, (n, K): as n refits would give it.

    Rows whose class has no other are refused: without them it does not exist. Fitted tempers stay as they are.
    """
    places = [model.labels.index(label) if label in model.labels else -1 for label in data.labels]
    if -1 in places:
        raise DataError(
            f"class {data.labels[places.index(-1)]!r} was never learned, so none of its rows can be left out; give "
            "rows that were learned"
        )
    group = np.array([*places, -1], np.int32)[data.group]
    if (group < 0).any():
        raise DataError("a row has no label, so it was not learned and cannot be left out; give labelled rows only")
    rows = Rows(model.labels, group, data.weight)
    cells = [part.cells(data.batch) for part in model.parts]
    powers = model.powers(cells)
    return normalized(_log_joint_without(model, cells, powers, rows), data.batch.first_row)


def kept_left_out(model: TableModel, kept: RowSample) -> tuple[Floats, npt.NDArray[np.intp]]:
    """log p(y | x) of the kept rows as if they had never been learned, (n, K), and which of them: those that can be.

    A row of weight 2 is that row twice: one of them is left out. Rows whose class has no other are not scored. Of more
    than FEW rows what was read off all of them (edges of bins, a vocabulary) stays, as for the tempers: to leave that
    out, too, takes a thousand times as long, and moves probabilities by little.
    """
    group = kept.rows(model.labels).group
    everyone = Rows(model.labels, group, np.minimum(kept.weight, 1 << UNIT_BITS))
    some = np.flatnonzero(model.statistics.n[group] > everyone.in_rows())
    if not len(some):
        return np.zeros((0, len(model.labels))), some
    cells = [take(column, some) for column in kept.cells]
    joint = _log_joint_without(model, cells, model.powers(cells), everyone.taken(some), almost=len(some) > FEW)
    return normalized(joint), some


def _log_joint_without(
    model: TableModel, cells: Sequence[Cells], powers: Floats, rows: Rows, *, almost: bool = False
) -> Floats:
    total = _log_prior_without(model, rows)
    for at, factor in enumerate(model.factors):
        total += powered(powers[:, at], factor.without(cells[at], rows, almost=almost))
    return total


def fitted_tempers(model: TableModel, kept: RowSample) -> Floats:
    """The power of each factor under which the kept rows, left out, have the most probable labels.

    A row of weight 2 is that row twice: one of them is left out, and its loss counts twice.
    """
    size, group = len(model.parts), kept.rows(model.labels).group
    everyone = Rows(model.labels, group, np.minimum(kept.weight, 1 << UNIT_BITS))
    # without the others their class would have no rows
    some = np.flatnonzero(model.statistics.n[everyone.group] > everyone.in_rows())
    some = some[: max(1, temper.ROOM // (len(model.labels) * size))]
    if not len(some):
        return np.full(size, temper.rule(size))
    rows = everyone.taken(some)
    scores = np.zeros((len(some), len(model.labels), size))
    there = np.zeros((len(some), size), bool)
    for at, factor in enumerate(model.factors):
        cells = take(kept.cells[at], some)
        scores[:, :, at] = _without(factor, cells, rows)
        there[:, at] = ~factor.part.family.missing(cells)
    left_out = temper.LeftOut(_log_prior_without(model, rows), scores, there, rows.group, in_rows(kept.weight[some]))
    return temper.fitted(left_out)


def _without(factor: Factor, cells: Cells, rows: Rows) -> Floats:
    """log p of the cells of each row without it, (n, K); NaN for a class of which some row cannot be left out.

    Under ml a normal of two numbers has no variance without one of them.
    """
    try:
        return factor.without(cells, rows, almost=True)
    except EstimateError:
        factor.log_scores(cells)  # what cannot be read at all is told
    scores = np.full((len(rows.group), rows.classes), np.nan)
    for k in np.unique(rows.group):
        places = np.flatnonzero(rows.group == k)
        with suppress(EstimateError):
            scores[places] = factor.without(take(cells, places), rows.taken(places), almost=True)
    return scores


def _log_prior_without(model: TableModel, rows: Rows) -> Floats:
    """log p(y) without each row, (n, K): once for each class and weight."""
    pairs, which = np.unique(np.column_stack([rows.group, rows.in_rows()]), axis=0, return_inverse=True)
    scores = np.zeros((len(pairs), len(model.labels)))
    for at, (k, weight) in enumerate(pairs.tolist()):
        n = model.statistics.n.copy()
        n[int(k)] -= weight
        if n[int(k)] <= 0:
            raise EstimateError(
                f"class {model.labels[int(k)]!r} has a single row, so without it there is no such class; learn more of "
                "its rows, or leave it out"
            )
        scores[at] = model.log_class_prior(n)
    return scores[which.ravel()]
