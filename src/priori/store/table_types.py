"""What a table of a model file is: columns of plain types, and their values as read-only views.

Nothing here needs pyarrow, so that a model is read without waiting for it.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np

from priori.store.damage import NotCanonicalError

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa

Values: TypeAlias = "npt.NDArray[Any] | Texts | Lists | Table"

NUMBERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64")
TEXTS = ("string", "large_string", "binary", "large_binary")
LISTS = ("list", "large_list")
_MAX_DEPTH = 64  # as in Arrow


class Column:
    """Name and type of a column: a number, a text, a list (one part: its items) or a struct of parts."""

    __slots__ = ("kind", "name", "nullable", "parts")

    def __init__(self, name: str, kind: str, *parts: "Column", nullable: bool = True) -> None:
        self.name = name
        self.kind = kind
        self.parts = parts
        self.nullable = nullable

    def _key(self) -> tuple[object, ...]:
        return (self.name, self.kind, self.parts, self.nullable)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Column) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __str__(self) -> str:
        inside = f"<{', '.join(map(str, self.parts))}>" if self.parts else ""
        return f"{self.name}: {self.kind}{inside}{'' if self.nullable else ' not null'}"

    __repr__ = __str__


Schema: TypeAlias = tuple[Column, ...]


def refuse_twins(parts: Schema) -> Schema:
    """The parts of a table or a struct: at least one, and no two of the same name."""
    if not parts or len({part.name for part in parts}) != len(parts):
        raise NotCanonicalError("its columns are missing or share a name")
    return parts


def refuse_depth(depth: int) -> None:
    """Refuse columns inside columns beyond what Arrow writes."""
    if depth > _MAX_DEPTH:
        raise NotCanonicalError("its columns are nested too deeply")


class Texts:
    """n texts as n+1 offsets into their bytes."""

    __slots__ = ("data", "offsets")

    def __init__(self, offsets: "npt.NDArray[Any]", data: "npt.NDArray[np.uint8]") -> None:
        self.offsets = offsets
        self.data = data

    @classmethod
    def of(cls, texts: Iterable[str]) -> Self:
        """Texts as a column of type large_string holds them."""
        encoded = [text.encode("utf-8") for text in texts]
        offsets = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
        return cls(offsets, np.frombuffer(b"".join(encoded), np.uint8))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __iter__(self) -> Iterator[str]:
        data = self.data.tobytes()
        return (data[start:end].decode("utf-8") for start, end in pairwise(self.offsets.tolist()))


class Lists:
    """n lists as n+1 offsets into their items."""

    __slots__ = ("items", "offsets")

    def __init__(self, offsets: "npt.NDArray[Any]", items: Values) -> None:
        self.offsets = offsets
        self.items = items

    def __len__(self) -> int:
        return len(self.offsets) - 1


class Table:
    """Columns of one length by name: a section of a file, or the values of a struct."""

    __slots__ = ("_columns", "schema")

    def __init__(self, schema: Schema, columns: Mapping[str, Values]) -> None:
        self.schema = schema
        self._columns = columns

    def __len__(self) -> int:
        return len(self[self.schema[0].name])

    def __getitem__(self, name: str) -> Any:
        """The values of a column: a numpy array, Texts, Lists or (of a struct) a Table."""
        return self._columns[name]

    def to_arrow(self) -> "pa.Table":
        """The same as an Arrow table over the same memory, for tools."""
        from priori.store.arrow_views import to_arrow

        return to_arrow(self)
