"""A model of a table: p(y) times a family for each column. The same algebra as that of text, and as exact."""

import os
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.special import betaln, logsumexp

from priori.columns.base import ColumnReading, Rows
from priori.columns.logistic import Logistic
from priori.columns.parts import Part
from priori.columns.statistics import Labelled, TableStatistics
from priori.errors import DataError, EstimateError, MergeError
from priori.events.class_prior import log_class_prior
from priori.families.special import log_rising
from priori.statistics.by_class import UNIT
from priori.table_readings import TableReadings
from priori.tables.batch import TableBatch
from priori.tables.schema import Schema
from priori.threads import threads

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TableModel:
    """An immutable classifier of rows: learning, forgetting and merging return another one."""

    schema: Schema
    parts: tuple[Part, ...]
    statistics: TableStatistics
    readings: TableReadings
    kind: str = "naive_bayes"  # which estimator it belongs to
    provenance: Mapping[str, Any] | None = None

    @classmethod
    def train(
        cls, data: Iterable[Labelled], schema: Schema, parts: tuple[Part, ...], readings: TableReadings,
        *, kind: str = "naive_bayes", jobs: int | None = None,
    ) -> Self:  # fmt: skip
        """One pass over labelled batches."""
        model = cls(schema, parts, TableStatistics.zero(parts), readings, kind).learn(data, jobs)
        if not model.labels:
            rows = model.statistics.rows
            raise DataError(
                "the table has no rows, so nothing was learned; check the file and --where"
                if rows == 0
                else f"none of the {rows:,} rows has a label, so nothing was learned; name the column with --label"
            )
        return model

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}  # not what is derived

    @property
    def labels(self) -> tuple[str, ...]:
        """The classes, in order."""
        return self.statistics.labels

    # --- the algebra -------------------------------------------------------------------------------------------------

    def __add__(self, other: Self) -> Self:
        """Merge: the statistics add, exactly. The readings are the left one's."""
        self._refuse_other(other, "merged")
        return replace(self, statistics=self.statistics + other.statistics, provenance=None)

    def __sub__(self, other: Self) -> Self:
        """Forget all that the other has learned, exactly."""
        self._refuse_other(other, "subtracted")
        return self._less(other.statistics)

    def learn(self, data: Iterable[Labelled], jobs: int | None = None) -> Self:
        """With more rows."""
        return replace(self, statistics=self.statistics + self._count(data, jobs), provenance=None)

    def forget(self, data: Iterable[Labelled], jobs: int | None = None) -> Self:
        """Without these rows, as if they had never been learned."""
        return self._less(self._count(data, jobs))

    def _less(self, taken: TableStatistics) -> Self:
        left = self.statistics - taken
        left.refuse_negative(self.parts)
        return replace(self, statistics=left, provenance=None)

    def _count(self, data: Iterable[Labelled], jobs: int | None) -> TableStatistics:
        total = TableStatistics.zero(self.parts)
        workers = threads(jobs)
        with ThreadPoolExecutor(workers) if workers > 1 else nullcontext() as pool:
            for batch in data:
                total = total + TableStatistics.of(batch, self.parts, pool)
        return total

    def read_as(self, readings: TableReadings, parts: tuple[Part, ...] | None = None) -> Self:
        """The same statistics read another way; other families only where they read the same statistics."""
        parts = self.parts if parts is None else parts
        for mine, theirs in zip(self.parts, parts, strict=True):
            if mine.family.statistics_kind() != theirs.family.statistics_kind():
                raise DataError(
                    f"column {mine.name!r} was counted as {mine.family}, which cannot be read as {theirs.family}; fit "
                    "it again"
                )
        return replace(self, readings=readings, parts=parts)

    def _refuse_other(self, other: Self, verb: str) -> None:
        mine, theirs = self.schema.to_json(), other.schema.to_json()
        if mine != theirs:
            names = sorted({f["name"] for f in mine if f not in theirs} | {f["name"] for f in theirs if f not in mine})
            raise MergeError(
                f"the models cannot be {verb}: their tables differ in {', '.join(map(repr, names)) or 'the order'}; "
                "train both on the same columns"
            )
        kinds = [[(p.columns, p.calendar, p.family.statistics_kind()) for p in m.parts] for m in (self, other)]
        if kinds[0] != kinds[1]:
            raise MergeError(f"the models cannot be {verb}: a column has another family in each; train both alike")

    # --- reading -----------------------------------------------------------------------------------------------------

    @cached_property
    def columns(self) -> tuple[ColumnReading, ...]:
        """What the statistics of each factor say."""
        return tuple(p.family.read(stats, self.readings) for p, stats in self._parts())

    @cached_property
    def log_prior(self) -> Floats:
        """log p(y), (K,)."""
        return self._log_prior(self.statistics.n)

    def _log_prior(self, n: Floats) -> Floats:
        estimate = "ml" if self.readings.estimate == "unbiased" else self.readings.estimate
        return log_class_prior(self.labels, n, self.readings.class_prior, estimate)

    def factors(self, batch: TableBatch) -> Floats:
        """log p of each factor, (factors, n, K): they add up, with log p(y), to log p(x, y)."""
        scores = np.zeros((len(self.parts), len(batch), len(self.labels)))
        for at, (part, reading) in enumerate(zip(self.parts, self.columns, strict=True)):
            scores[at] = self._factor(at, part, reading, batch)
        return scores

    def _factor(self, at: int, part: Part, reading: ColumnReading, batch: TableBatch) -> Floats:
        cells = part.cells(batch)
        scores = self._told(part, reading.log_prob, cells)
        if self.readings.missing == "evidence":
            there = self._log_missing(at, self.statistics.n)
            scores = scores + np.where(part.family.missing(cells)[:, None], there[0], there[1])
        return scores

    @staticmethod
    def _told(part: Part, call: Any, *arguments: Any) -> Floats:
        try:
            scores: Floats = call(*arguments)
        except (DataError, EstimateError) as error:
            text = str(error)
            raise (error if repr(part.name) in text else type(error)(f"column {part.name!r}: {text}")) from error
        return scores

    def _log_missing(self, at: int, n: Floats) -> tuple[Floats, Floats]:
        """log p(missing | y) and log p(there | y), under the discrete columns' prior."""
        stats = self.statistics.parts[at]
        return self._log_shares(stats.missing * UNIT, stats.n)

    def _log_shares(self, gone: Floats, there: Floats) -> tuple[Floats, Floats]:
        pseudo = {"ml": 0.0, "unbiased": 0.0, "map": self.readings.alpha - 1}.get(
            self.readings.estimate, self.readings.alpha
        )
        if pseudo < 0:
            raise EstimateError("with alpha < 1 the share of missing cells has no mode; use alpha >= 1")
        with np.errstate(divide="ignore", invalid="ignore"):
            total = gone + there + 2 * pseudo
            return np.log(gone + pseudo) - np.log(total), np.log(there + pseudo) - np.log(total)

    def log_joint(self, batch: TableBatch) -> Floats:
        """log p(x, y), (n, K)."""
        total = np.tile(self.log_prior, (len(batch), 1))
        for at, (part, reading) in enumerate(zip(self.parts, self.columns, strict=True)):
            total += self._factor(at, part, reading, batch)
        return total

    def log_posterior(self, batch: TableBatch) -> Floats:
        """log p(y | x), (n, K)."""
        return normalized(self.log_joint(batch), batch)

    def posterior(self, batch: TableBatch) -> Floats:
        """p(y | x), (n, K)."""
        return np.exp(self.log_posterior(batch))

    def leave_one_out(self, data: Labelled) -> Floats:
        """log p(y | x) of each learned row as if it had never been learned, (n, K): n refits for little more than one.

        Rows whose class has no other are refused: without them it does not exist.
        """
        labels = [self.labels.index(label) if label in self.labels else -1 for label in data.labels]
        if -1 in labels:
            raise DataError(f"class {data.labels[labels.index(-1)]!r} was never learned, so none of its rows can be left")
        group = np.array([*labels, -1], np.int32)[data.group]
        if (group < 0).any():
            raise DataError("a row has no label, so it was not learned and cannot be left out; leave such rows out")
        rows = Rows(self.labels, group, data.weight)
        weight = np.ones(len(group)) if data.weight is None else data.weight * UNIT
        total = self._prior_without(group, weight)
        for at, (part, reading) in enumerate(zip(self.parts, self.columns, strict=True)):
            cells = part.cells(data.batch)
            total += self._told(part, reading.without, cells, rows)
            if self.readings.missing == "evidence":
                total += self._missing_without(at, part.family.missing(cells), group, weight)
        return normalized(total, data.batch)

    def _prior_without(self, group: npt.NDArray[np.int32], weight: Floats) -> Floats:
        pairs, which = np.unique(np.column_stack([group, weight]), axis=0, return_inverse=True)
        scores = np.zeros((len(pairs), len(self.labels)))
        for at, (k, w) in enumerate(pairs.tolist()):
            n = self.statistics.n.copy()
            n[int(k)] -= w
            if n[int(k)] <= 0:
                raise EstimateError(
                    f"class {self.labels[int(k)]!r} has a single row, so without it there is no such class; learn more "
                    "of its rows, or leave it out"
                )
            scores[at] = self._log_prior(n)
        return scores[which.ravel()]

    def _missing_without(self, at: int, gone: npt.NDArray[np.bool_], group: Any, weight: Floats) -> Floats:
        stats = self.statistics.parts[at]
        own = np.arange(len(self.labels)) == group[:, None]
        lost = stats.missing * UNIT - np.where(own & gone[:, None], weight[:, None], 0.0)
        there = stats.n - np.where(own & ~gone[:, None], weight[:, None], 0.0)
        shares = self._log_shares(lost, there)
        return np.where(gone[:, None], shares[0], shares[1])

    def log_evidence(self) -> float:
        """log p(table, labels), all parameters integrated out: under the columns' priors and alpha for the classes.

        The class prior must be a number (a Dirichlet's alpha); under ml it is read as 1.
        """
        alpha = self.readings.class_prior if isinstance(self.readings.class_prior, float) else 1.0
        n = self.statistics.n
        total = float(log_rising(alpha, n).sum() - log_rising(alpha * len(n), np.array(n.sum())))
        for at, (part, reading) in enumerate(zip(self.parts, self.columns, strict=True)):
            total += float(self._told(part, reading.log_evidence))
            if self.readings.missing == "evidence":
                stats, a = self.statistics.parts[at], self.readings.alpha
                total += float((betaln(stats.missing * UNIT + a, stats.n + a) - betaln(a, a)).sum())
        return total

    def sample(self, size: int, rng: np.random.Generator) -> tuple[npt.NDArray[np.intp], dict[str, npt.NDArray[Any]]]:
        """Draw rows from p(y) p(x | y): the place of each row's class, and the cells by factor and column."""
        group = rng.choice(len(self.labels), size, p=np.exp(self.log_prior))
        cells: dict[str, npt.NDArray[Any]] = {}
        for part, reading in zip(self.parts, self.columns, strict=True):
            drawn = reading.sample(group.astype(np.int32), rng)
            if drawn.ndim == 2:
                cells |= {column: drawn[:, j] for j, column in enumerate(part.columns)}
            else:
                name = part.name
                while name in cells or (part.calendar is not None and name in self.schema.names):
                    name += "'"  # subtle: a column may be called as a part of a date is
                cells[name] = drawn
        return group, cells

    def to_logistic(self) -> Logistic:
        """The logistic regression that gives the same posterior; an EstimateError where none does."""
        pairs = zip(self.parts, self.columns, strict=True)
        columns: list[Any] = [self._told(part, reading.linear) for part, reading in pairs]
        return Logistic(
            np.concatenate([column.weights for column in columns], axis=1),
            self.log_prior + np.sum([column.at_origin for column in columns], axis=0),
            np.concatenate([column.origin for column in columns]),
        )

    @property
    def free_parameters(self) -> int:
        """|theta| of AIC and BIC: of the classes, and of each column."""
        return len(self.labels) - 1 + sum(reading.free_parameters for reading in self.columns)

    def log_likelihood(self) -> float:
        """log p(table, labels) at the parameters of this reading."""
        of_classes = float(self.statistics.n @ self.log_prior)
        return of_classes + sum(
            float(self._told(part, reading.log_likelihood))
            for part, reading in zip(self.parts, self.columns, strict=True)
        )

    def _parts(self) -> list[tuple[Part, Any]]:
        return list(zip(self.parts, self.statistics.parts, strict=True))

    # --- files -------------------------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file, atomically."""
        from priori.table_file import save_table_model

        save_table_model(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "TableModel":
        """Read a model file; a ModelFileError if it is damaged, foreign or newer."""
        from priori.table_file import load_table_model

        return load_table_model(path)


def normalized(joint: Floats, batch: TableBatch) -> Floats:
    """log p(y | x) from log p(x, y)."""
    total = logsumexp(joint, axis=1, keepdims=True)
    if not np.isfinite(total).all():
        row = int(np.flatnonzero(~np.isfinite(total[:, 0]))[0])
        raise EstimateError(
            f"row {batch.first_row + row + 1} is impossible in every class, so its posterior is 0/0; use "
            "estimate='bayes' (alpha > 0)"
        )
    posterior: Floats = joint - total
    return posterior


