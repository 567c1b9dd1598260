"""Where EM over the rows of a table begins: from labels, spread out over the rows, or at random."""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from priori.columns.base import Int32s
from priori.errors import DataError
from priori.latent.rows_em import HiddenModel, RowStep
from priori.latent.rows_plane import Places, Plane
from priori.latent.rows_table import HiddenRows
from priori.table_readings import TableReadings

Floats = npt.NDArray[np.float64]
Start = Literal["spread", "random"]

_MOST_MOVES = 20  # of the middles of a spread-out start


class Starts(NamedTuple):
    """Responsibilities to begin from, (n, K), each made when it is asked for."""

    each: Iterable[Floats]
    tightest: Floats  # the one of least spread within its classes


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


def several_starts(rows: HiddenRows, start: Start, restarts: int, rng: np.random.Generator) -> Starts:
    """As many as that, spread out over the rows or at random; texts are no points, so of texts alone at random."""
    if start == "spread" and (plane := Plane.of(rows)).dimensions:
        groups = [spread_start(plane, rows.classes, rng) for _ in range(restarts)]
        tightest = max(groups, key=lambda each: plane.tightness(each, rows.classes))
        belonging = partial(_belonging, classes=rows.classes)
        return Starts(map(belonging, groups), belonging(tightest))
    first = random_start(rows, rng)  # none is tight, and so one does for all
    return Starts(chain([first], (random_start(rows, rng) for _ in range(restarts - 1))), first)


def random_start(rows: HiddenRows, rng: np.random.Generator) -> Floats:
    """Every row belongs to all classes, at random: uniform over their shares."""
    return rng.dirichlet(np.ones(rows.classes), len(rows))


def spread_start(plane: Plane, classes: int, rng: np.random.Generator) -> Int32s:
    """Rows as far apart as chance has it (k-means++, Arthur & Vassilvitskii 2007), moved to the middle of those next to
    them; then each row belongs to the nearest, (n,)."""
    chosen = _far_apart(plane, classes, rng)
    nearest = plane.nearest(plane.at(chosen))
    nearest[chosen] = np.arange(classes)  # also where rounding has two of them at one place: no class is empty
    for _ in range(_MOST_MOVES):
        moved = plane.nearest(plane.middles(nearest, classes))
        if (moved == nearest).all() or not np.bincount(moved, minlength=classes).all():
            break  # nothing moves, or a class has lost all its rows: those of before will do
        nearest = moved
    return nearest


def _far_apart(plane: Plane, classes: int, rng: np.random.Generator) -> Places:
    """The first row by its weight, each further one by weight times its squared distance from those chosen."""
    chosen = [int(rng.choice(len(plane.weight), p=plane.weight / plane.weight.sum()))]
    away = plane.distances(chosen[0])
    while len(chosen) < classes:
        chance = plane.weight * away
        if not chance.any():
            raise DataError(
                f"the table has {len(chosen):,} different row{'s' if len(chosen) > 1 else ''} for {classes:,} classes; "
                "give more rows, or ask for fewer classes: --classes K (n_classes=K)"
            )
        chosen.append(int(rng.choice(len(chance), p=chance / chance.sum())))
        away = np.minimum(away, plane.distances(chosen[-1]))
    return np.array(chosen)


def _belonging(groups: Int32s, *, classes: int) -> Floats:
    """(n, K): 1 for the group of each row."""
    return np.eye(classes)[groups]
