"""Rows as if they had never been learned: exact leave-one-out, by rows or by groups of them, and the tempers that are
fitted by it.

A row by itself goes in closed form (`ColumnReading.without`); a group's statistics are taken away, and what is left is
read once. k-fold is leaving a group out: each fold is one.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from priori.columns.base import Cells, Rows, join, mix, never_learned, take
from priori.columns.missing import Factor
from priori.data.folds import Places, group_numbers, members
from priori.data.folds import folds as dealt
from priori.errors import DataError, EstimateError, NegativeCountError
from priori.model.fitting import powers
from priori.model.fitting.powers import Tempers, left_out_rows
from priori.model.posterior import normalized, powered
from priori.model.sample import RowSample
from priori.model.table_classifier import TableModel
from priori.model.totals import Labelled, TableStatistics
from priori.statistics.by_class import UNIT_BITS, in_rows

Floats = npt.NDArray[np.float64]

FEW = 200  # rows, of which one still moves an edge of a bin by much


@dataclass(frozen=True)
class _Learned:
    """Learned rows, in any number of batches, as one."""

    rows: Rows
    cells: list[Cells]  # of each part
    first_row: int

    @classmethod
    def of(cls, model: TableModel, lots: Sequence[Labelled], skip: bool = False) -> Self:
        model.statistics.refuse_hidden()
        if not lots:
            raise DataError("there are no rows to leave out; give some that were learned")
        group = np.concatenate([_classes(model, lot, skip) for lot in lots])
        weights = [lot.rows().weight for lot in lots]
        weight = None if weights[0] is None else np.concatenate([each for each in weights if each is not None])
        cells = [join([part.cells(lot.batch) for lot in lots]) for part in model.parts]
        return cls(Rows(model.labels, group, weight), cells, lots[0].batch.first_row)

    def __len__(self) -> int:
        return len(self.rows.group)

    def taken(self, places: Places) -> tuple[list[Cells], Rows]:
        """The cells and the classes at these places."""
        return [take(column, places) for column in self.cells], self.rows.taken(places)

    def grouped(self, groups: Any) -> Places:
        """The group of each row; "rows" groups those whose cells are all equal, whatever their labels are."""
        if not isinstance(groups, str):
            return group_numbers(groups, len(self))
        if groups != "rows":
            raise DataError(f"groups={groups!r} names no group for each row; give a list with one for each, or 'rows'")
        hashes = np.zeros(len(self), np.uint64)
        mix(hashes, self.taken(np.arange(len(self)))[0])
        return group_numbers(hashes, len(self))


def leave_one_out(
    model: TableModel, data: Labelled | Sequence[Labelled], groups: Any = None, skip_unlabelled: bool = False
) -> Floats:
    """log p(y | x) of each learned row as if it (or all of its group) had never been learned, (n, K), as refits say.

    A class of which nothing is left without them has probability 0: a refit would not know it. Fitted tempers stay as
    they are. Rows without a label are refused, or skipped: for them, all classes are alike.
    """
    lots = [data] if isinstance(data, Labelled) else list(data)
    if groups is None and lots:  # rows that stand alone need not be held all at once
        return np.concatenate([_left_out(model, _Learned.of(model, [lot], skip_unlabelled)) for lot in lots])
    learned = _Learned.of(model, lots, skip_unlabelled)
    return _left_out(model, learned, learned.grouped(groups))


def k_fold(
    model: TableModel, data: Labelled | Sequence[Labelled], folds: int = 10, seed: int = 0, groups: Any = None
) -> Floats:
    """The same of rows left out by folds, which are dealt by the seed: labels spread evenly, groups kept together."""
    learned = _Learned.of(model, [data] if isinstance(data, Labelled) else list(data))
    together = None if groups is None else learned.grouped(groups)
    return _left_out(model, learned, dealt(len(learned), folds, seed, together, learned.rows.group))


def _left_out(model: TableModel, learned: _Learned, group: Places | None = None) -> Floats:
    rows = learned.rows
    there = rows.group >= 0  # the others have no label, and were not learned
    numbers = np.arange(len(learned)) if group is None else group
    units = (1 << UNIT_BITS) if rows.weight is None else rows.weight
    # subtle: where a class would be empty its columns have nothing to be read from, in closed form neither
    last = model.statistics.weight[rows.group] <= units
    alone = (np.bincount(numbers[there], minlength=numbers.max(initial=0) + 1)[numbers] == 1) & there & ~last
    result = _alone(model, learned, alone) if alone.any() else np.zeros((len(learned), len(model.labels)))
    result[~there] = -np.log(len(model.labels))
    others = np.flatnonzero(there & ~alone)
    for places in members(numbers[others]):
        result[others[places]] = _together(model, learned, others[places])
    return result


def _alone(model: TableModel, learned: _Learned, alone: npt.NDArray[np.bool_]) -> Floats:
    """Each of these rows by itself, in closed form; 0 for the others."""
    # subtle: the others go with them, as rows of no class, so that complaints have the right number of a row
    rows = replace(learned.rows, group=np.where(alone, learned.rows.group, -1).astype(np.int32))
    row_powers = model.powers(learned.cells)
    total = _log_prior_without(model, rows)
    for at, factor in enumerate(model.factors):
        total += powered(row_powers[:, at], factor.without(learned.cells[at], rows))
    total[~alone] = 0.0
    return normalized(total, learned.first_row)


def _together(model: TableModel, learned: _Learned, places: Places) -> Floats:
    """The rows at these places, none of which was learned: what is left is read anew."""
    row = learned.first_row + int(places[0])
    cells, rows = learned.taken(places)
    left = model.statistics - TableStatistics.of(model.parts, cells, rows)
    try:
        left.refuse_negative(model.parts)
    except NegativeCountError as error:
        if len(places) == 1:
            raise never_learned(row) from error
        raise DataError(
            f"some of the {len(places):,} rows that are left out with row {row + 1} were never learned with this label "
            f"(and weight), for {error}"
        ) from error
    if not left.labels:
        raise EstimateError(
            f"row {row + 1} is left out together with all that was learned, so nothing is left to predict it by; give "
            "smaller groups"
        )
    rest = replace(model, statistics=left, kept=None, stored=Tempers(tuple(model.tempers.tolist())))
    scores = np.full((len(places), len(model.labels)), -np.inf)
    try:
        known = [model.labels.index(label) for label in left.labels]
        scores[:, known] = rest.log_posterior_of(cells, row)
    except EstimateError as error:
        together = "" if len(places) == 1 else f" and the {len(places) - 1:,} left out with it"
        raise EstimateError(f"without row {row + 1}{together}: {error}") from error
    return scores


def _classes(model: TableModel, data: Labelled, skip: bool) -> npt.NDArray[np.int32]:
    """The place of each row's class among those of the model; -1 for rows without a label, if they are skipped."""
    places = [model.labels.index(label) if label in model.labels else -1 for label in data.labels]
    if -1 in places:
        raise DataError(
            f"class {data.labels[places.index(-1)]!r} was never learned, so none of its rows can be left out; give "
            "rows that were learned"
        )
    group = np.array([*places, -1], np.int32)[data.group]
    if not skip and (group < 0).any():
        raise DataError("a row has no label, so it was not learned and cannot be left out; give labelled rows only")
    return group


def kept_left_out(model: TableModel, kept: RowSample) -> tuple[Floats, Places]:
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
    cells, rows = [take(column, some) for column in kept.cells], everyone.taken(some)
    row_powers, total = model.powers(cells), _log_prior_without(model, rows)
    for at, factor in enumerate(model.factors):
        total += powered(row_powers[:, at], factor.without(cells[at], rows, almost=len(some) > FEW))
    return normalized(total), some


def fitted_tempers(model: TableModel, kept: RowSample, held_out: bool = False) -> Floats:
    """The power of each factor under which the kept rows, left out, have the most probable labels.

    A row of weight 2 is that row twice: one of them is left out, and its loss counts twice. Rows that are `held_out`
    were never learned, and nothing is taken away for them.
    """
    size, some = len(model.parts), left_out_rows(kept, model.statistics, held_out)
    if not len(some):
        return np.full(size, powers.rule(size))
    group = kept.rows(model.labels).group[some]
    out = np.full_like(group, -1) if held_out else group  # of no class: it was in none
    rows = Rows(model.labels, out, np.minimum(kept.weight[some], 1 << UNIT_BITS))
    scores = np.zeros((len(some), len(model.labels), size))
    there = np.zeros((len(some), size), bool)
    for at, factor in enumerate(model.factors):
        cells = take(kept.cells[at], some)
        scores[:, :, at] = factor.log_scores(cells) if held_out else _without(factor, cells, rows)
        there[:, at] = ~factor.part.family.missing(cells)
    left_out = powers.LeftOut(_log_prior_without(model, rows), scores, there, group, in_rows(kept.weight[some]))
    return powers.fitted(left_out)


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
        if k >= 0:  # else the row has no class, and was in none
            n[int(k)] -= weight
        scores[at] = model.log_class_prior(n)
    return scores[which.ravel()]
