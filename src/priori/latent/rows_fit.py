"""Hidden classes of a table, found: EM from several starts until its objective rests, the best of them kept."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
import numpy.typing as npt

from priori.arguments import whole_number
from priori.columns.sample import RowSample
from priori.columns.statistics import TableStatistics
from priori.errors import DataError, EstimateError
from priori.families.checks import number
from priori.latent.rows_em import HiddenModel, RowStep, em_rows
from priori.latent.rows_starts import Start, labelled_start, several_starts
from priori.latent.rows_table import HiddenRows
from priori.table_classifier import TableModel
from priori.table_readings import TableReadings
from priori.tables.schema import Schema

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Search:
    """How long EM goes on, and from how many starts where no label says where to begin."""

    restarts: int = 10
    most_iterations: int = 500
    tolerance: float = 1e-6  # a step that gains no more than this a row is the last
    start: Start = "spread"

    def __post_init__(self) -> None:
        object.__setattr__(self, "restarts", whole_number(self.restarts, "restarts", 1))
        object.__setattr__(self, "most_iterations", whole_number(self.most_iterations, "most_iterations", 1))
        object.__setattr__(self, "tolerance", number(self.tolerance, "tolerance", 0))
        if self.start not in ("spread", "random"):
            raise DataError(f"start={self.start!r} is unknown; choose spread or random")


@dataclass(frozen=True, eq=False)
class RowsFound:
    """What EM came to."""

    step: RowStep  # the last one of the best start
    converged: bool
    objectives: tuple[float, ...]  # of each start; -inf where it ended in a class of no spread

    def by_size(self) -> "RowsFound":
        """The largest class as the one named "1", the next one "2", and so on."""
        ranks = np.argsort(-self.step.sizes, kind="stable")
        names = np.array([int(label) - 1 for label in self.step.rows.labels])
        return replace(self, step=self.step.in_order(ranks[names]))

    def model(self, schema: Schema, readings: TableReadings, *, kind: str) -> TableModel:
        """An ordinary model of fractional statistics, which keeps no rows: left out, what they taught would stay."""
        rows = self.step.rows
        model = TableModel(schema, rows.parts, self.step.statistics(), readings, kind)
        if readings.temper != "auto" or not rows.known.any():
            return model
        # subtle: the powers of the labelled rows alone, for in statistics of EM no row can be left out
        cells, known = rows.labelled()
        alone = replace(model, statistics=TableStatistics.of(rows.parts, cells, known), kept=RowSample.of(cells, known))
        return replace(model, stored=alone.without_sample().stored)


def fit_rows(
    rows: HiddenRows, readings: TableReadings, search: Search, rng: np.random.Generator, unlabelled_weight: float = 1.0
) -> RowsFound:
    """The best of several starts; where rows have labels there is one start, from them."""
    if rows.known.any():
        first = labelled_start(rows, readings, unlabelled_weight)
        return _rested(em_rows(rows, readings, first, unlabelled_weight=unlabelled_weight), search)
    refuse_few(len(rows), rows.classes)
    return _best(rows, readings, search, rng)


def _best(rows: HiddenRows, readings: TableReadings, search: Search, rng: np.random.Generator) -> RowsFound:
    starts = several_starts(rows, search.start, search.restarts, rng)
    # subtle: one prior for all, or their objectives would not compare; the tightest classes place it, for the spread of
    # all rows is much wider than that of any class
    model = HiddenModel(rows, readings, 1.0, starts.tightest)
    best: RowsFound | None = None
    objectives, fault = [], None
    for start in starts.each:
        try:
            found = _rested(model.em(start), search)
        except EstimateError as error:  # a class has shrunk to a point: its likelihood grows without bound
            objectives.append(-np.inf)
            fault = error
            continue
        objectives += found.objectives
        if best is None or found.step.objective > best.step.objective:
            best = found
    if best is None:
        raise EstimateError(f"each of {search.restarts} starts of EM failed, the last: {fault}") from fault
    return replace(best, objectives=tuple(objectives))


def _rested(steps: Iterator[RowStep], search: Search) -> RowsFound:
    last = next(steps)
    enough = search.tolerance * float(last.rows.counted(last.unlabelled_weight).sum())
    for step in islice(steps, search.most_iterations - 1):
        gain, last = step.objective - last.objective, step
        if gain <= enough:
            return RowsFound(last, True, (last.objective,))
    return RowsFound(last, False, (last.objective,))


def refuse_few(rows: int, classes: int) -> None:
    """Refuse fewer rows than classes."""
    if rows < classes:
        raise DataError(
            f"the table has {rows:,} row{'s' if rows != 1 else ''} for {classes:,} classes; give more rows, or ask for "
            "fewer classes: --classes K (n_classes=K)"
        )
