"""What every family of columns is: additive statistics by class, and readings of them that score new cells.

Cells of any kind can be taken, joined, hashed and compared.
"""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from priori import _core
from priori.columns.logistic import Logistic
from priori.columns.readings import TableReadings
from priori.errors import DataError, EstimateError
from priori.statistics.by_class import ByClass, in_rows

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Int32s = npt.NDArray[np.int32]
Hashes = npt.NDArray[np.uint64]
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


# --- cells of any kind ------------------------------------------------------------------------------------------------


def take(cells: Cells, places: npt.NDArray[np.intp]) -> Cells:
    """The cells at these places, in a copy of their own; equal cells are the same bytes, however they came."""
    if isinstance(cells, Codes):
        return _used(Codes(cells.codes[places], cells.values))
    if isinstance(cells, pa.Array):
        return cells.take(pa.array(places)).cast(pa.large_string())
    numbers = cells[places] + 0.0  # -0 and 0 are one number
    numbers[np.isnan(numbers)] = np.nan  # and one NaN is as good as another
    return numbers


def join(lots: Sequence[Cells]) -> Cells:
    """One lot after the other."""
    first = lots[0]
    if isinstance(first, Codes):
        values = tuple(sorted({value for lot in lots for value in lot.values}))
        place = {value: at for at, value in enumerate(values)}
        codes = [np.array([*(place[value] for value in lot.values), -1], np.int32)[lot.codes] for lot in lots]
        return Codes(np.concatenate(codes), values)
    if isinstance(first, pa.Array):
        return pa.concat_arrays(lots)
    return np.concatenate(lots)


def mix(hashes: Hashes, columns: Iterable[Cells]) -> None:
    """Mix a hash of each cell into that of its row; it depends on what the cells hold, and on nothing else."""
    parts: list[Any] = []
    for cells in columns:
        if isinstance(cells, Codes):
            parts.append((cells.codes, text_hashes(cells.values)))
        elif isinstance(cells, pa.Array):
            coded = cells.dictionary_encode()
            codes = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int32)
            parts.append((codes, text_hashes(coded.dictionary.to_pylist())))
        else:
            parts += [np.ascontiguousarray(each, np.float64) for each in (cells.T if cells.ndim == 2 else [cells])]
    _core.mix_cells(hashes, parts)


def text_hashes(texts: Iterable[str], kind: bytes = b"cell") -> Hashes:
    """64 bits of each text's BLAKE2."""
    digests = b"".join(hashlib.blake2b(text.encode(), digest_size=8, person=kind).digest() for text in texts)
    return np.frombuffer(digests, "<u8").astype(np.uint64)


def label_hashes(labels: Iterable[str]) -> Hashes:
    """The same of labels, but of another kind: a row's hash begins so, and a cell of the same text must not undo it."""
    return text_hashes(labels, b"label")


def _used(cells: Codes) -> Codes:
    """Without values that do not occur, and the others in order: equal cells, equal codes."""
    used = sorted({int(code) for code in np.unique(cells.codes) if code >= 0}, key=lambda code: cells.values[code])
    place = np.full(len(cells.values) + 1, -1, np.int32)
    place[used] = np.arange(len(used), dtype=np.int32)
    return Codes(place[cells.codes], tuple(cells.values[code] for code in used))


def cells_equal(a: Any, b: Any) -> bool:
    """Whether two lots hold the same."""
    if isinstance(a, Codes):
        return a.values == b.values and np.array_equal(a.codes, b.codes)
    return a.equals(b) if isinstance(a, pa.Array) else np.array_equal(a, b, equal_nan=True)
