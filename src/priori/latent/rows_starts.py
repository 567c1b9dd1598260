"""Where EM over the rows of a table begins: from labels, spread out over the rows, or at random."""

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from priori.columns.base import Cells, Codes
from priori.errors import DataError
from priori.latent.rows_em import HiddenModel, RowStep
from priori.latent.rows_table import HiddenRows
from priori.statistics.by_class import in_rows
from priori.table_readings import TableReadings

Floats = npt.NDArray[np.float64]

_MOST_VALUES = 64  # of a discrete column that tell rows apart at the start: the most frequent ones
_MOST_MOVES = 20  # of the centres of a spread-out start


def labelled_start(rows: HiddenRows, readings: TableReadings, unlabelled_weight: float = 1.0) -> Floats:
    """What the labelled rows alone say of the others, (n, K).

    They are read under the weak priors whatever the estimate: of a class with one row no maximum exists.
    """
    weak = replace(readings, estimate="bayes", alpha=readings.alpha or 1.0)
    return labelled_step(rows, weak, unlabelled_weight).responsibilities


def labelled_step(rows: HiddenRows, readings: TableReadings, unlabelled_weight: float = 1.0) -> RowStep:
    """Parameters of the labelled rows alone, under priors that all rows place where no class matters for that."""
    alone = rows.clamped(np.zeros((len(rows), rows.classes)))
    return HiddenModel(rows, readings, unlabelled_weight, alone).step(alone, 0)


def random_start(rows: HiddenRows, rng: np.random.Generator) -> Floats:
    """Every row belongs to all classes, at random: uniform over their shares."""
    return rng.dirichlet(np.ones(rows.classes), len(rows))


def spread_start(rows: HiddenRows, rng: np.random.Generator) -> Floats:
    """Rows as far apart as chance has it (k-means++, Arthur & Vassilvitskii 2007), moved to the middle of those next to
    them; then each row belongs to the nearest."""
    points, weight = plane(rows), in_rows(rows.weight)
    nearest = _nearest(points, _seeds(points, weight, rows.classes, rng))
    for _ in range(_MOST_MOVES):
        members = np.zeros((len(points), rows.classes))
        members[np.arange(len(points)), nearest] = weight
        sizes = members.sum(axis=0)
        if not sizes.all():
            break  # a class has lost all its rows: those of before will do
        moved = _nearest(points, members.T @ points / sizes[:, None])
        if (moved == nearest).all() or len(np.unique(moved)) < rows.classes:
            break
        nearest = moved
    return np.eye(rows.classes)[nearest]


def tightness(rows: HiddenRows, responsibilities: Floats) -> float:
    """How near rows are to the middle of their class: minus the mean of their squared distances from it."""
    points, weight = plane(rows), in_rows(rows.weight)
    members = weight[:, None] * responsibilities
    centers = members.T @ points / members.sum(axis=0)[:, None]
    return -float(np.average(((points - responsibilities @ centers) ** 2).sum(axis=1), weights=weight))


def plane(rows: HiddenRows) -> Floats:
    """Rows as points, (n, d): numbers of variance 1 about 0, discrete cells as indicators; what is missing is at 0.

    So each column has about the same say. Texts have none.
    """
    weight = in_rows(rows.weight)
    parts = [_points(cells, weight) for cells in rows.cells]
    return np.concatenate(parts, axis=1)


def _points(cells: Cells, weight: Floats) -> Floats:
    if isinstance(cells, Codes):
        sizes = np.bincount(cells.codes[cells.codes >= 0], minlength=len(cells.values))
        frequent = np.argsort(-sizes, kind="stable")[:_MOST_VALUES]
        return np.asarray(cells.codes[:, None] == frequent, np.float64)
    if not isinstance(cells, np.ndarray):
        return np.zeros((len(cells), 0))
    columns = cells.reshape(len(cells), -1)
    there = np.where(np.isnan(columns), 0.0, weight[:, None])
    filled = np.where(np.isnan(columns), 0.0, columns)
    n = np.maximum(there.sum(axis=0), np.finfo(np.float64).tiny)
    away = np.where(there > 0, filled - (there * filled).sum(axis=0) / n, 0.0)
    deviation = np.sqrt((there * away**2).sum(axis=0) / n)
    return away / np.where(deviation > 0, deviation, 1.0)


def _seeds(points: Floats, weight: Floats, classes: int, rng: np.random.Generator) -> Floats:
    """The first row by its weight, each further one by weight times its squared distance from those chosen."""
    chosen = [int(rng.choice(len(points), p=weight / weight.sum()))]
    away = ((points - points[chosen[0]]) ** 2).sum(axis=1)
    while len(chosen) < classes:
        chance = weight * away
        if not chance.any():
            raise DataError(
                f"the table has {len(chosen)} different rows for {classes} classes; give more rows, or fewer classes"
            )
        chosen.append(int(rng.choice(len(points), p=chance / chance.sum())))
        away = np.minimum(away, ((points - points[chosen[-1]]) ** 2).sum(axis=1))
    return points[chosen]


def _nearest(points: Floats, centers: Floats) -> npt.NDArray[np.intp]:
    away = np.stack([((points - center) ** 2).sum(axis=1) for center in centers], axis=1)
    return np.asarray(away.argmin(axis=1))
