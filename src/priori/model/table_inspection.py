"""What a model of a table holds: its classes, what was counted in each column, and which columns are nearly unique."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from priori.columns.bin_tree import edges_of, middle_of
from priori.columns.bins import BinnedColumn
from priori.columns.categories import Categorical
from priori.columns.specification import Part
from priori.columns.words.column import TextCounts
from priori.data.calendar import said_part
from priori.errors import DataError, EstimateError
from priori.model.fitting.powers import Tempers
from priori.model.table_classifier import TableModel
from priori.statistics.by_class import UNIT, ByClass, Tallies
from priori.statistics.class_moments import ClassMoments

KINDS = {"naive_bayes": "naive Bayes", "gaussian_discriminant": "Gaussian discriminant"}  # of a model, as it is said
WHOLE_BELOW = 2048  # up to there each whole number has a bucket of its own
_OF_LOGARITHMS = "lognormal"  # the one family that sums up something else than the numbers themselves
_LEAST_VALUES = 50  # below that, as many values as rows are no wonder


@dataclass(frozen=True)
class RowsOfClass:
    """One class: its rows, and its prior probability."""

    label: str
    rows: float
    prior: float | None  # None where the reading has none


@dataclass(frozen=True)
class ColumnSummary:
    """One factor of p(x | y). What its family does not count is None.

    by_class: the mean of numbers (lognormal: the geometric one), the most frequent of values; None where there is none.
    """

    column: str
    family: str
    missing: float  # share of the rows
    values: int | None  # different ones: categories, or terms of texts
    low: float | None
    high: float | None
    by_class: tuple[float | str | None, ...]
    whole: bool = False  # whether low and high are whole numbers, which are exact below 2048
    power: float | None = None  # how far the column is believed: that of p(x | y); None where the reading has none

    def is_exact(self, end: float) -> bool:
        """Whether low or high is a number of the rows, and not one near to it: buckets below 2048 hold one each."""
        return self.whole and abs(end) < WHOLE_BELOW


@dataclass(frozen=True)
class TableInspection:
    """A model of a table at a glance."""

    kind: str
    rows: float
    sample: int | None  # rows kept; None: the model keeps none
    classes: tuple[RowsOfClass, ...]
    columns: tuple[ColumnSummary, ...]
    why_not: str | None  # why there is no prior, or no powers
    fitted: Tempers | None = None  # how the powers came about; None: the reading gives one, or has none

    def to_json(self) -> dict[str, Any]:
        """Plain values; what is said of classes by their labels."""
        labels = [each.label for each in self.classes]
        columns = {
            each.column: {**asdict(each), "by_class": dict(zip(labels, each.by_class, strict=True))}
            for each in self.columns
        }
        for column in columns.values():
            del column["column"]
        found = {
            "kind": self.kind,
            "rows": _plain(self.rows),
            "sample": self.sample,
            "classes": [asdict(each) | {"rows": _plain(each.rows)} for each in self.classes],
        }
        found["columns"] = columns
        return found if self.why_not is None else found | {"reading_note": self.why_not}


def inspect_table(model: TableModel) -> TableInspection:
    """Look at a model of a table."""
    prior, powers, fitted, why_not = None, None, None, None
    try:
        prior = np.exp(model.log_prior)
        powers, fitted = model.tempers.tolist(), model.fitted
    except (DataError, EstimateError) as error:  # a reading that does not exist; the statistics can be looked at
        why_not = str(error)
    n = model.statistics.n.tolist()
    classes = tuple(
        RowsOfClass(label, n[k], None if prior is None else float(prior[k])) for k, label in enumerate(model.labels)
    )
    found: list[ColumnSummary] = []
    for at, (part, stats) in enumerate(zip(model.parts, model.statistics.parts, strict=True)):
        power = None if powers is None else powers[at]
        whole = part.calendar is not None or model.schema[part.columns[0]].type in ("integer", "boolean")
        found += [replace(each, power=power) for each in _summaries(part, stats, sum(n), whole)]
    sample = None if model.kept is None else len(model.kept)
    return TableInspection(model.kind, sum(n), sample, classes, tuple(found), why_not, fitted)


def _plain(rows: float) -> float:
    """Rows as a whole number, unless weights make a fraction of them."""
    return int(rows) if float(rows).is_integer() else rows


def _summaries(part: Part, stats: ByClass, rows: float, whole: bool) -> list[ColumnSummary]:
    missing = float(stats.missing.sum() * UNIT / rows) if rows else 0.0
    if isinstance(stats, ClassMoments):
        names = part.columns if part.family.joint else (part.name,)
        means = [_means(stats, j, part.family.name) for j in range(len(names))]
        return [
            ColumnSummary(name, part.family.name, missing, None, None, None, mean)
            for name, mean in zip(names, means, strict=True)
        ]
    if isinstance(stats, TextCounts):
        nothing = (None,) * stats.classes
        return [ColumnSummary(part.name, part.family.name, missing, stats.counts.terms, None, None, nothing)]
    if not isinstance(stats, Tallies):
        raise DataError(f"column {part.name!r} has statistics that cannot be looked at; leave it out")
    if isinstance(part.family, BinnedColumn):
        return [_of_buckets(part, stats, missing, whole)]
    commonest = tuple(
        said_part(part.calendar, str(stats.keys[counts.argmax()])) if counts.any() else None
        for counts in np.ascontiguousarray(stats.counts.T)
    )
    return [ColumnSummary(part.name, part.family.name, missing, len(stats.keys), None, None, commonest)]


def _means(stats: ClassMoments, j: int, family: str) -> tuple[float | None, ...]:
    n = stats.n
    means = [stats.total(k, j) / n[k] if n[k] else None for k in range(stats.classes)]
    return tuple(float(np.exp(mean)) if mean is not None and family == _OF_LOGARITHMS else mean for mean in means)


def _of_buckets(part: Part, stats: Tallies, missing: float, whole: bool) -> ColumnSummary:
    """Buckets are at most 0.1 % wide: so near are these to the numbers of the rows; whole ones below 2048 are exact."""
    if not len(stats.keys):
        return ColumnSummary(part.name, part.family.name, missing, None, None, None, (None,) * stats.classes)
    numbers = _representative(stats.keys.astype(np.int64), whole)
    counts = stats.counts * UNIT
    means = tuple(
        float(numbers @ counts[:, k] / counts[:, k].sum()) if counts[:, k].any() else None for k in range(stats.classes)
    )
    ends = float(numbers.min()), float(numbers.max())
    return ColumnSummary(part.name, part.family.name, missing, None, *ends, means, whole)


def _representative(buckets: npt.NDArray[np.int64], whole: bool) -> npt.NDArray[np.float64]:
    """A number of each bucket: the whole one that it begins with, if it does; else its middle."""
    near, _ = edges_of(buckets)
    middle = middle_of(buckets)
    return np.where((near == np.rint(near)) & (np.abs(near) < WHOLE_BELOW), near, np.rint(middle) if whole else middle)


@dataclass(frozen=True)
class NearlyUnique:
    """A column of categories that is a text or a key rather: new rows have values of which nothing was learned."""

    column: str
    values: int
    rows: float  # in which it is there

    def said(self, option: Callable[[str], str]) -> str:
        """In a sentence; option("text") is how a user makes the column text, option("none") how it is left out."""
        return (
            f"column {self.column!r} has {self.values:,} different values in {self.rows:,.0f} rows: if it is text, "
            f"say {option('text')}; if it is a key, {option('none')}"
        )

    def as_parameter(self, family: str) -> str:
        """How to say which family the column has, in Python."""
        return f"columns={{{self.column!r}: {None if family == 'none' else family!r}}}"


def nearly_unique(model: TableModel) -> tuple[NearlyUnique, ...]:
    """The columns of categories that have more than 50 different values, and these in more than half of their rows."""
    found = []
    for part, stats in zip(model.parts, model.statistics.parts, strict=True):
        if isinstance(part.family, Categorical) and isinstance(stats, Tallies):
            values, rows = len(stats.keys), float(stats.n.sum())
            if values > _LEAST_VALUES and values > rows / 2:
                found.append(NearlyUnique(part.name, values, rows))
    return tuple(found)
