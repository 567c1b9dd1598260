"""Which factor EM has for each part of a table, and at which estimate of those that are modes.

Integrated out (bayes), counts are read at their posterior mean, which is the same; a normal column is a t then, which
belongs to no objective, so EM plugs in the mode; a rate the mean, a mode under another prior, which always exists.
"""

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from priori.columns.base import Cells, Codes, ColumnFamily, Rows
from priori.columns.binned import BinnedColumn
from priori.columns.discrete import Categorical
from priori.columns.joint import GaussianColumns, MultinomialColumns
from priori.columns.normal import GaussianColumn
from priori.columns.numbers import NumberFamily
from priori.columns.parts import Part
from priori.columns.text import TextColumn
from priori.errors import DataError, EstimateError
from priori.latent.rows_factors import HiddenCounts, HiddenFactor, of_bins, of_totals, of_values, of_words
from priori.latent.rows_normals import HiddenNormal, HiddenNormals
from priori.latent.rows_numbers import HiddenNumbers
from priori.table_readings import TableReadings

Floats = npt.NDArray[np.float64]


def hidden_factor(part: Part, cells: Cells, readings: TableReadings, pooled: Rows, placed_by: Floats) -> HiddenFactor:
    """A part as EM sees it, of cells, or words where it is texts; `pooled` is all rows as one class, `placed_by` the
    weights of rows in classes, (n, K)."""
    family = part.family
    if isinstance(family, GaussianColumns):
        _refuse_incomplete(part.columns, cells)
    if isinstance(family, BinnedColumn) and family.bins == "auto":
        family = GaussianColumn()  # subtle: an average over trees of bins has no parameters that EM could climb in
    counts = _of_counts(family, cells, readings, pooled)
    return _of_numbers(family, cells, readings, pooled, placed_by) if counts is None else counts


def _of_counts(family: ColumnFamily, cells: Cells, readings: TableReadings, pooled: Rows) -> HiddenCounts | None:
    match family:
        case Categorical():
            return of_values(family, cells, readings, pooled)
        case BinnedColumn():
            return of_bins(family, cells, readings, pooled)
        case TextColumn():
            return of_words(cells, readings, pooled)
        case MultinomialColumns():
            return of_totals(cells, readings)
        case _:
            return None


def _of_numbers(
    family: ColumnFamily, cells: Floats, readings: TableReadings, pooled: Rows, placed_by: Floats
) -> HiddenFactor:
    estimate = readings.estimate
    mode = "map" if estimate == "bayes" else estimate
    match family:
        case GaussianColumns():
            return HiddenNormals(family, cells, mode, placed_by)
        case GaussianColumn():
            return HiddenNormal(family, cells, "map" if family.integrated else mode, pooled)
        case NumberFamily(name="gamma"):
            return HiddenNumbers(family, cells, "map" if estimate == "mean" else mode, pooled)
        case NumberFamily():
            return HiddenNumbers(family, cells, "mean" if estimate == "bayes" else estimate, pooled)
        case _:
            raise DataError(f"{family} has no EM; leave the column out, or read it as another family")


def _refuse_incomplete(columns: tuple[str, ...], cells: Floats) -> None:
    """Refuse jointly normal columns that no row has all of: only rows that are complete are learned from."""
    gone = np.isnan(cells)
    if not gone.any(axis=1).all():
        return
    empty = [repr(columns[at]) for at in np.flatnonzero(gone.all(axis=0))]
    lacking = f"no row has a value of {' or '.join(empty)}" if empty else "each row lacks a value"
    raise EstimateError(
        f"{lacking}, and only complete rows are learned from jointly; leave out what is missing (--columns COL=none)"
    )


def missing_factor(part: Part, cells: Cells, readings: TableReadings, pooled: Rows) -> HiddenCounts:
    """p(missing | y), where that is evidence, under the prior of discrete columns."""
    flags = Codes(part.family.missing(cells).astype(np.int32), ("there", "missing"))
    return of_values(Categorical(flags.values), flags, replace(readings, unknown="ignore"), pooled)
