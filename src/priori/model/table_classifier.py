"""A model of a table: p(y) times a family for each column. The same algebra as that of text, and as exact."""

import os
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from priori.columns.base import Cells, Codes
from priori.columns.class_prior import log_class_prior
from priori.columns.logistic import Logistic
from priori.columns.missing import Factor
from priori.columns.readings import Estimate, TableReadings
from priori.columns.registry import plain_settings
from priori.columns.specification import Part
from priori.data.batch import TableBatch
from priori.data.schema import Schema
from priori.errors import DataError, EstimateError, MergeError
from priori.families.numerics.special import log_rising
from priori.model.fitting.powers import Tempers, in_rows_of, left_out_rows
from priori.model.posterior import normalized, powered
from priori.model.sample import RowSample
from priori.model.totals import Labelled, RunningTotal, TableStatistics
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
    kept: RowSample | None = None  # some of the rows; None where none are kept
    stored: Tempers | None = None  # what was fitted before, for these statistics or others; see `fitted`

    @classmethod
    def train(
        cls, data: Iterable[Labelled], schema: Schema, parts: tuple[Part, ...], readings: TableReadings,
        *, kind: str = "naive_bayes", keep_sample: bool = False, jobs: int | None = None,
    ) -> Self:  # fmt: skip
        """One pass over labelled batches."""
        model = cls(schema, parts, TableStatistics.zero(parts), readings, kind)
        # the powers are fitted while the rows are here, also where none may stay
        statistics, sample = model._count(data, jobs, keep_sample or readings.temper == "auto")
        model = replace(model, statistics=statistics, kept=sample)
        if not model.labels:
            rows = model.statistics.rows
            raise DataError(
                "the table has no rows, so nothing was learned; give some, or look at the file and --where"
                if rows == 0
                else f"none of the {rows:,} rows has a label, so nothing was learned; give some a label, or "
                "name the column with --label"
            )
        return model if keep_sample else model.without_sample()

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
        return self._more(other.statistics, other.kept)

    def __sub__(self, other: Self) -> Self:
        """Forget all that the other has learned, exactly."""
        self._refuse_other(other, "subtracted")
        return self._less(other.statistics, other.kept)

    def learn(self, data: Iterable[Labelled], jobs: int | None = None) -> Self:
        """With more rows."""
        return self._more(*self._count(data, jobs, self.kept is not None))

    def forget(self, data: Iterable[Labelled], jobs: int | None = None) -> Self:
        """Without these rows, as if they had never been learned."""
        return self._less(*self._count(data, jobs, self.kept is not None))

    def _more(self, added: TableStatistics, rows: RowSample | None) -> Self:
        sample = None if self.kept is None or rows is None else self.kept + rows
        return self._changed(self.statistics + added, sample)

    def _less(self, taken: TableStatistics, rows: RowSample | None) -> Self:
        left = self.statistics - taken
        left.refuse_negative(self.parts)
        # subtle: rows that were never learned may be forgotten where the sums allow it, and a class with them
        sample = None if self.kept is None or rows is None else (self.kept - rows).of_labels(left.labels)
        return self._changed(left, sample)

    def _changed(self, statistics: TableStatistics, sample: RowSample | None) -> Self:
        """Other statistics: powers are fitted again where rows are kept, and are stale where none are."""
        stored = self._settled() if sample is None else None
        stored = None if stored is None else stored.outdated()
        return replace(self, statistics=statistics, kept=sample, provenance=None, stored=stored)

    def without_sample(self) -> Self:
        """Without the kept rows; the powers are fitted on them first."""
        return replace(self, kept=None, stored=self._settled())

    def _settled(self) -> Tempers | None:
        """The fitted powers that stay when the rows go; None: there are none, and the rule serves."""
        try:
            found = self.fitted or self.stored
        except (DataError, EstimateError):  # a reading that does not exist has no powers; others of the statistics may
            return None
        return found if found is not None and found.fitted else None

    def _count(
        self, data: Iterable[Labelled], jobs: int | None, keep_sample: bool
    ) -> tuple[TableStatistics, RowSample | None]:
        total = RunningTotal(TableStatistics.zero(self.parts))
        sample = None if self.kept is None else self.kept.none()
        with ThreadPoolExecutor(threads(jobs)) as pool:
            for batch in data:
                rows = batch.rows()
                cells = list(pool.map(partial(_cells, batch.batch), self.parts))
                bits = 0 if sample is None else sample.bits
                keeping = pool.submit(RowSample.of, cells, rows, bits) if keep_sample else None
                total.add(TableStatistics.of(self.parts, cells, rows, pool))
                if keeping is not None:
                    sample = keeping.result() if sample is None else sample + keeping.result()
        return total.result(), sample

    def read_as(self, readings: TableReadings, parts: tuple[Part, ...] | None = None) -> Self:
        """The same statistics read another way; other families only where they read the same statistics."""
        parts = self.parts if parts is None else parts
        if [(p.columns, p.calendar) for p in self.parts] != [(p.columns, p.calendar) for p in parts]:
            raise DataError("other columns are chosen than those that were counted; fit it again")
        for mine, theirs in zip(self.parts, parts, strict=True):
            if mine.family.statistics_kind() != theirs.family.statistics_kind():
                raise DataError(
                    f"column {mine.name!r} was counted as {mine.family}, which cannot be read as {theirs.family}; fit "
                    "it again"
                )
        stored = self.__dict__.get("fitted") or self.stored
        if stored is not None and not self._reads_like(readings, parts):
            stored = None if self.kept is not None else stored.outdated()
        return replace(self, readings=readings, parts=parts, stored=stored)

    def _reads_like(self, readings: TableReadings, parts: tuple[Part, ...]) -> bool:
        """Whether another reading is this one but for tempers and names."""
        mine = self.readings
        same = replace(readings, temper=mine.temper, target=mine.target, label_type=mine.label_type) == mine
        settings = [[(part.family.name, plain_settings(part.family)) for part in each] for each in (self.parts, parts)]
        return same and settings[0] == settings[1]

    def recalibrated(
        self, data: Iterable[Labelled] | None = None, held_out: bool = False, jobs: int | None = None
    ) -> "TableModel":
        """With powers fitted again: on kept rows, or on learned ones, each left out; or on `held_out` ones."""
        from priori.model.fitting.refit import table_recalibrated, table_recalibrated_on

        if data is None:
            return table_recalibrated(self)
        return table_recalibrated_on(self, data, held_out, jobs)

    def fitted_on(self, rows: RowSample, held_out: bool = False) -> Self:
        """With the powers fitted on these rows."""
        return replace(self, stored=self._fit(rows, held_out))

    def _refuse_other(self, other: Self, verb: str) -> None:
        mine, theirs = self.schema.to_json(), other.schema.to_json()
        if mine != theirs:
            names = sorted({f["name"] for f in mine if f not in theirs} | {f["name"] for f in theirs if f not in mine})
            raise MergeError(
                f"the models cannot be {verb}: their tables differ in {', '.join(map(repr, names)) or 'the order'}; "
                "train one like the other (priori train --like MODEL), for a CSV's types are read off its first rows"
            )
        types = [model.readings.label_type for model in (self, other)]
        if types[0] != types[1] and self.labels and other.labels:
            raise MergeError(
                f"the models cannot be {verb}: the labels of one are {types[0]}, of the other {types[1]}; convert them "
                "and train again"
            )
        kinds = [[(p.columns, p.calendar, p.family.statistics_kind()) for p in m.parts] for m in (self, other)]
        if kinds[0] != kinds[1]:
            raise MergeError(
                f"the models cannot be {verb}: a column has another family in each; train one like the other "
                "(priori train --like MODEL)"
            )

    # --- reading -----------------------------------------------------------------------------------------------------

    @cached_property
    def factors(self) -> tuple[Factor, ...]:
        """What the statistics of each part say."""
        pairs = zip(self.parts, self.statistics.parts, strict=True)
        return tuple(Factor(part, stats, self.readings) for part, stats in pairs)

    @cached_property
    def log_prior(self) -> Floats:
        """log p(y), (K,)."""
        return self.log_class_prior(self.statistics.n)

    def log_class_prior(self, n: Floats) -> Floats:
        """log p(y) of classes of these weights."""
        estimate: Estimate = "map" if self.readings.estimate == "map" else "bayes"
        return log_class_prior(self.labels, n, self.readings.class_prior, estimate)

    @cached_property
    def fitted(self) -> Tempers | None:
        """The powers that the reading leaves to rows: fitted on those that are kept, or before; None: it gives one."""
        if self.readings.temper != "auto":
            return None
        if self.stored is not None and (self.kept is None or not self.stored.stale):
            return self.stored
        if self.kept is None or len(self.labels) < 2:
            return Tempers.by_rule(len(self.parts))
        return self._fit(self.kept)

    def _fit(self, rows: RowSample, held_out: bool = False) -> Tempers:
        from priori.model.table_left_out import fitted_tempers

        return Tempers.of(fitted_tempers(self, rows, held_out), len(left_out_rows(rows, self.statistics, held_out)))

    @cached_property
    def tempers(self) -> Floats:
        """The power of each factor: as given, or fitted, or by the rule where no rows say more."""
        return np.full(len(self.parts), self.readings.temper) if self.fitted is None else np.array(self.fitted.powers)

    def powers(self, cells: Sequence[Cells]) -> Floats:
        """The power of each factor in each row, (n, factors): fitted ones depend on which cells are there."""
        if self.readings.temper != "auto":
            return np.broadcast_to(self.tempers, (_rows_of(cells[0]), len(self.parts)))
        there = [~part.family.missing(column) for part, column in zip(self.parts, cells, strict=True)]
        return in_rows_of(self.tempers, np.column_stack(there))

    def log_scores(self, batch: TableBatch) -> Floats:
        """log p of each factor to its power, (factors, n, K): with log p(y) they make the posterior."""
        cells = [part.cells(batch) for part in self.parts]
        powers = self.powers(cells)
        return np.stack(
            [powered(powers[:, at], factor.log_scores(cells[at])) for at, factor in enumerate(self.factors)]
        )

    def log_joint(self, batch: TableBatch) -> Floats:
        """log p(x, y), (n, K), of the generative model: no temper changes it."""
        total = np.tile(self.log_prior, (len(batch), 1))
        for factor in self.factors:
            total += factor.log_prob(factor.part.cells(batch))
        return total

    def log_posterior(self, batch: TableBatch) -> Floats:
        """log p(y | x), (n, K): proportional to p(y) times each factor to its power."""
        return self.log_posterior_of([part.cells(batch) for part in self.parts], batch.first_row)

    def log_posterior_of(self, cells: Sequence[Cells], first_row: int = 0) -> Floats:
        """The same of the cells of each part."""
        powers = self.powers(cells)
        total = np.tile(self.log_prior, (len(powers), 1))
        for at, factor in enumerate(self.factors):
            if powers[:, at].any():
                total += powered(powers[:, at], factor.log_scores(cells[at]))
        return normalized(total, first_row)

    def posterior(self, batch: TableBatch) -> Floats:
        """p(y | x), (n, K)."""
        return np.exp(self.log_posterior(batch))

    def leave_one_out(self, data: Labelled | Sequence[Labelled], groups: Any = None) -> Floats:
        """log p(y | x) of each learned row as if it, or all of its group, had never been learned, (n, K)."""
        from priori.model.table_left_out import leave_one_out

        return leave_one_out(self, data, groups)

    def k_fold(self, data: Labelled | Sequence[Labelled], folds: int = 10, seed: int = 0, groups: Any = None) -> Floats:
        """The same of rows left out by folds; none of the `groups` is parted."""
        from priori.model.table_left_out import k_fold

        return k_fold(self, data, folds, seed, groups)

    def log_evidence(self) -> float:
        """log p(table, labels), all parameters integrated out: under the columns' priors and alpha for the classes.

        The class prior must be a number (a Dirichlet's alpha); under ml it is read as 1.
        """
        alpha = self.readings.class_prior if isinstance(self.readings.class_prior, float) else 1.0
        n = self.statistics.n
        of_classes = float(log_rising(alpha, n).sum() - log_rising(alpha * len(n), np.array(n.sum())))
        return of_classes + sum(factor.log_evidence() for factor in self.factors)

    def log_likelihood(self) -> float:
        """log p(table, labels) at the parameters of this reading."""
        of_classes = float(self.statistics.n @ self.log_prior)
        return of_classes + sum(factor.log_likelihood() for factor in self.factors)

    @property
    def free_parameters(self) -> int:
        """|theta| of AIC and BIC: of the classes, and of each column."""
        return len(self.labels) - 1 + sum(factor.free_parameters for factor in self.factors)

    def sample(
        self, size: int, rng: np.random.Generator, label: str | None = None
    ) -> tuple[npt.NDArray[np.intp], list[npt.NDArray[Any]]]:
        """Draw rows from p(y) p(x | y), or of one class: the place of each row's class, and each factor's cells."""
        if label is not None and label not in self.labels:
            raise DataError(f"there is no class {label!r}; the model's are {', '.join(self.labels)}")
        if label is None:
            group = rng.choice(len(self.labels), size, p=np.exp(self.log_prior))
        else:
            group = np.full(size, self.labels.index(label), np.intp)
        return group, [factor.sample(group.astype(np.int32), rng) for factor in self.factors]

    def to_logistic(self) -> Logistic:
        """The logistic regression that gives the same posterior; an EstimateError where none does."""
        columns = [factor.linear() for factor in self.factors]
        powers = self.tempers
        return Logistic(
            np.concatenate([t * column.weights for t, column in zip(powers, columns, strict=True)], axis=1),
            self.log_prior + np.sum([t * c.at_origin for t, c in zip(powers, columns, strict=True)], axis=0),
            np.concatenate([column.origin for column in columns]),
        )

    # --- files -------------------------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file, atomically."""
        from priori.model.table_file import save_table_model

        save_table_model(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "TableModel":
        """Read a model file; a ModelFileError if it is damaged, foreign or newer."""
        from priori.model.table_file import load_table_model

        return load_table_model(path)


def _rows_of(cells: Cells) -> int:
    return len(cells.codes) if isinstance(cells, Codes) else len(cells)


def _cells(batch: TableBatch, part: Part) -> Cells:
    return part.cells(batch)
