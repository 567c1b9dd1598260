"""What every family of columns is: additive statistics by class, and readings of them that score new cells."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from priori.columns.logistic import Logistic
from priori.errors import DataError, EstimateError
from priori.statistics.by_class import ByClass, in_rows
from priori.table_readings import TableReadings

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Int32s = npt.NDArray[np.int32]
Cells = Any  # what a family counts and scores: numbers with NaN for missing, Codes, texts


class Codes(NamedTuple):
    """Cells of a discrete column: codes into the values, -1 where one is missing."""

    codes: Int32s
    values: tuple[str, ...]


@dataclass(frozen=True)
class Rows:
    """Which class each row of a batch belongs to, and what it weighs."""

    labels: tuple[str, ...]
    group: Int32s  # (n,): places in labels; below 0: the row has no label and does not count
    weight: npt.NDArray[np.int64] | None = None  # in units; None: 1 each

    @property
    def classes(self) -> int:
        """K."""
        return len(self.labels)

    def in_rows(self) -> Floats:
        """What each row weighs, as so many rows."""
        return np.ones(len(self.group)) if self.weight is None else in_rows(self.weight)

    def taken(self, places: npt.NDArray[np.intp]) -> "Rows":
        """Those at these places."""
        return Rows(self.labels, self.group[places], None if self.weight is None else self.weight[places])


class ColumnFamily(ABC):
    """A family that a column (or several, jointly) may have; its fields are settings of the reading."""

    name: ClassVar[str]  # as in columns={"age": "gaussian"}
    cells_are: ClassVar[str]  # numbers, codes, texts or rows of numbers
    joint: ClassVar[bool] = False  # whether it takes several columns

    @abstractmethod
    def zero(self, labels: tuple[str, ...], dimensions: int) -> ByClass:
        """The statistics of no rows."""

    @abstractmethod
    def count(self, cells: Cells, rows: Rows) -> ByClass:
        """The statistics of a batch."""

    @abstractmethod
    def read(self, stats: ByClass, readings: TableReadings) -> "ColumnReading":
        """What the statistics say; an EstimateError where they say nothing."""

    def missing(self, cells: Cells) -> Bools:
        """Which rows have no such cell."""
        gone: Bools = np.isnan(cells) if self.cells_are == "numbers" else cells.codes < 0
        return gone

    def statistics_kind(self) -> str:
        """Families of one kind read each other's statistics, so one may be changed for the other without retraining."""
        return self.name

    def settings(self) -> dict[str, Any]:
        """The fields as plain values."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    @classmethod
    def from_settings(cls, values: Mapping[str, Any]) -> Self:
        """The inverse of `settings`."""
        return cls(**values)

    def __str__(self) -> str:
        return self.name


class ColumnReading(ABC):
    """p(x | y) of one column, class by class."""

    @abstractmethod
    def log_prob(self, cells: Cells) -> Floats:
        """log p(x | y), (n, K): 0 where the cell is missing, for its probabilities sum to 1; -inf where p is 0."""

    def log_scores(self, cells: Cells) -> Floats:
        """The same but for what all classes have in common, which no posterior needs."""
        return self.log_prob(cells)

    @abstractmethod
    def sample(self, group: Int32s, rng: np.random.Generator) -> npt.NDArray[Any]:
        """A cell for each row, drawn from its class."""

    @abstractmethod
    def without(self, cells: Cells, rows: Rows) -> Floats:
        """log p(x | y), (n, K), of each row as if it had never been learned."""

    def almost_without(self, cells: Cells, rows: Rows) -> Floats:
        """The same, where what was read off all rows (edges of bins, a vocabulary, a prior) may stay as it is, if that
        is much faster: for fitting the temper, which needs no more."""
        return self.without(cells, rows)

    @property
    @abstractmethod
    def free_parameters(self) -> int:
        """How many numbers were free to choose."""

    @abstractmethod
    def log_evidence(self) -> float:
        """log p(column | classes), the parameters integrated out; an EstimateError where no prior is proper."""

    @abstractmethod
    def log_likelihood(self) -> float:
        """log p(column | classes) at the parameters of this reading."""

    def linear(self) -> Logistic:
        """log p(x | y) as a linear function of x, but for what is the same for all classes."""
        raise EstimateError(
            f"{self} is not linear in x, so no logistic regression equals it; read it as poisson, exponential, "
            "bernoulli, or as gaussian of shared covariance (GaussianDiscriminant)"
        )


def never_learned(row: int) -> DataError:
    """A row cannot be left out of what does not hold it."""
    return DataError(f"row {row + 1} was never learned with this label (and weight); give learned rows")


def refuse_empty_class(n: Floats, estimate: str) -> None:
    """Refuse an estimate of nothing."""
    if not (n > 0).all():
        raise EstimateError(
            f"a class has no value in this column, so estimate={estimate!r} does not exist there; use estimate='bayes'"
        )
