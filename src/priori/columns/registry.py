"""The register of families: by name, by their settings in a file, and as EM sees their cells.

Each part of a table has a factor in EM, at an estimate that is a mode. Integrated out (bayes), counts are read at their
posterior mean, which is the same; a normal column is a t then, which belongs to no objective, so EM plugs in the mode;
a rate the mean, a mode under another prior, which always exists.
"""

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from priori.columns.base import Cells, ColumnFamily, Rows
from priori.columns.bins import BinnedColumn, of_bins
from priori.columns.categories import BernoulliColumn, Categorical, of_values
from priori.columns.em import HiddenCounts, HiddenFactor, of_totals, of_words
from priori.columns.joint.column import GaussianColumns
from priori.columns.joint.multinomial import MultinomialColumns
from priori.columns.normal import GaussianColumn, LognormalColumn, StudentColumn
from priori.columns.numbers import HiddenNumbers, NumberFamily
from priori.columns.rates import ExponentialColumn, GammaColumn, PoissonColumn
from priori.columns.readings import TableReadings
from priori.columns.words.column import TextColumn
from priori.errors import DataError, EstimateError
from priori.families.base import Family
from priori.families.registry import family_named

if TYPE_CHECKING:
    from priori.columns.specification import Part

Floats = npt.NDArray[np.float64]
Choice: TypeAlias = str | ColumnFamily | None

FAMILIES: dict[str, type[ColumnFamily]] = {
    family.name: family
    for family in (
        BernoulliColumn, Categorical, BinnedColumn, GaussianColumn, StudentColumn, LognormalColumn, PoissonColumn,
        ExponentialColumn, GammaColumn, TextColumn, GaussianColumns, MultinomialColumns,
    )
}  # fmt: skip


def family_of(choice: Choice) -> ColumnFamily | None:
    """A family by its name, or as it is."""
    if choice is None or isinstance(choice, ColumnFamily):
        return choice
    if not isinstance(choice, str) or choice not in FAMILIES:
        raise DataError(f"there is no family {choice!r} for columns; the families are {', '.join(FAMILIES)}, and auto")
    return FAMILIES[choice]()


def plain_settings(family: ColumnFamily) -> dict[str, Any]:
    """The settings of a family as JSON has them; a prior of `priori.families` by its name and numbers."""
    return {name: _plain(value) for name, value in family.settings().items()}


def settings_of(name: str, values: Mapping[str, Any]) -> ColumnFamily:
    """A family with the settings that `plain_settings` gave."""
    return FAMILIES[name].from_settings({key: _restored(value) for key, value in values.items()})


def _plain(value: Any) -> Any:
    if isinstance(value, Family):
        return {"prior": value.name, **{f.name: getattr(value, f.name) for f in fields(value) if f.name != "data"}}  # type: ignore[arg-type]
    return list(value) if isinstance(value, tuple) else value


def _restored(value: Any) -> Any:
    if isinstance(value, Mapping) and isinstance(value.get("prior"), str):
        return family_named(value["prior"])(**{name: number for name, number in value.items() if name != "prior"})
    return tuple(value) if isinstance(value, list) else value


def hidden_factor(part: "Part", cells: Cells, readings: TableReadings, pooled: Rows, placed_by: Floats) -> HiddenFactor:
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
    from priori.columns.normal_em import HiddenNormal, HiddenNormals

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
