"""What the columns of a table are: names and types, read off the Arrow schema alone and never off values.

Two parts of one table therefore have one schema, whatever rows they hold, and what is learned from them can be added.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, Self, TypeAlias, get_args

import pyarrow as pa
from pyarrow import types

from priori.data.arrays import is_string
from priori.errors import DataError
from priori.store.damage import damaged

FieldType: TypeAlias = Literal["boolean", "integer", "real", "category", "string", "date", "time", "null"]
FIELD_TYPES: tuple[FieldType, ...] = get_args(FieldType)
NUMBERS: frozenset[FieldType] = frozenset({"boolean", "integer", "real"})
TEXTS: frozenset[FieldType] = frozenset({"string", "category"})

# Which found types fit where one is expected, besides itself and null (all missing), which fits anything. Numbers widen
# to numbers and strings to categories; a date is no time, because it has no hour.
_FITTING: dict[FieldType, frozenset[FieldType]] = {
    "integer": NUMBERS,
    "real": NUMBERS,
    "string": TEXTS,
    "category": TEXTS,
}
# Which found types are looked at cell by cell (`priori.data.conversion`), because some of their values fit.
_CONVERTIBLE: dict[FieldType, frozenset[FieldType]] = {
    "boolean": frozenset({"integer", "real"}),
    "date": TEXTS | {"time"},
    "time": TEXTS,
}


@dataclass(frozen=True)
class Field:
    """A column: its name, and the type of its values."""

    name: str
    type: FieldType

    def accepts(self, found: FieldType) -> bool:
        """Whether values of that type can stand in this column."""
        return found in {self.type, "null"} or found in _FITTING.get(self.type, frozenset())

    def converts(self, found: FieldType) -> bool:
        """Whether values of that type can be turned into this column's without loss, if each of them fits."""
        return found in _CONVERTIBLE.get(self.type, frozenset())


@dataclass(frozen=True)
class Schema:
    """The columns of a table, in order.

    >>> Schema.of(pa.schema({"age": pa.int8(), "born": pa.date32()})).to_json()
    [{'name': 'age', 'type': 'integer'}, {'name': 'born', 'type': 'date'}]
    """

    fields: tuple[Field, ...]

    def __post_init__(self) -> None:
        refuse_duplicates(self.names)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return tuple(field.name for field in self.fields)

    def __getitem__(self, name: str) -> Field:
        for field in self.fields:
            if field.name == name:
                return field
        raise DataError(f"there is no column {name!r}; the columns are {listed(self.names)}")

    @classmethod
    def of(cls, schema: pa.Schema) -> Self:
        """Read off an Arrow schema; a type that no column can have is refused with the column's name."""
        return cls(tuple(Field(field.name, type_of(field.name, field.type)) for field in schema))

    def only(self, names: Iterable[str]) -> Self:
        """The columns of these names, in order."""
        wanted = set(names)
        return type(self)(tuple(field for field in self.fields if field.name in wanted))

    def check(self, found: "Schema", source: str) -> None:
        """Refuse a table that lacks a column, or has one whose type does not fit; other columns do not matter.

        A type of which some values can be converted passes: `priori.data.conversion` looks at the cells.
        """
        types_found = {field.name: field.type for field in found.fields}
        refuse_missing(self.names, found.names, source)
        for field in self.fields:
            kind = types_found[field.name]
            if not (field.accepts(kind) or field.converts(kind)):
                raise misfit(field, kind, source)

    def to_json(self) -> list[dict[str, str]]:
        """One object for each column, in order."""
        return [{"name": field.name, "type": field.type} for field in self.fields]

    @classmethod
    def from_json(cls, values: object) -> Self:
        """The inverse of `to_json`; anything else is damage."""
        if not isinstance(values, list):
            raise damaged("the schema is not a list of columns")
        try:
            return cls(tuple(_field_of_json(value) for value in values))
        except DataError as error:
            raise damaged(f"the schema is impossible ({error})") from error


def type_of(name: str, kind: pa.DataType) -> FieldType:
    """The type of a column whose Arrow type is this; durations, times of day (in seconds) and decimals are real."""
    if types.is_dictionary(kind):
        type_of(name, kind.value_type)  # refused, if its values are
        return "category"
    found: FieldType
    for found, is_it in _ARROW_TYPES:
        if is_it(kind):
            return found
    raise DataError(
        f"column {name!r} is of type {kind}, which is neither number, text, category nor date; leave the column out, "
        "or make several columns of it"
    )


_ARROW_TYPES: tuple[tuple[FieldType, Any], ...] = (
    ("boolean", types.is_boolean),
    ("integer", types.is_integer),
    ("real", lambda kind: types.is_floating(kind) or types.is_decimal(kind) or types.is_duration(kind)),
    ("real", types.is_time),
    ("string", is_string),
    ("date", types.is_date),
    ("time", types.is_timestamp),
    ("null", types.is_null),
)


def misfit(field: Field, found: FieldType, source: str) -> DataError:
    """That a column of this type is not what is expected."""
    return DataError(
        f"{source}: column {field.name!r} is of type {found} where {field.type} is expected; {_conversion(field.type)}"
    )


def _conversion(expected: FieldType) -> str:
    if expected == "null":
        return "it was empty where its type was read; leave its cells empty, or make the schema of rows that have some"
    return "convert it, or leave its cells empty"


def refuse_duplicates(names: Iterable[str]) -> None:
    """Refuse a name that two columns have: nobody could say which one is meant."""
    for name, count in Counter(names).items():
        if count > 1:
            raise DataError(f"there are {count} columns called {name!r}; rename all but one")


def refuse_missing(expected: Iterable[str], found: Iterable[str], source: str) -> None:
    """Refuse a table without all of the expected columns, and name those that it lacks."""
    there = tuple(found)
    missing = tuple(name for name in expected if name not in set(there))
    if missing:
        plural = "s" * (len(missing) > 1)
        raise DataError(
            f"{source} has no column{plural} {listed(missing)}; its columns are {listed(there)}. "
            f"Add what is missing; where a value is not known, leave the cell empty."
        )


def listed(names: Iterable[str]) -> str:
    """Up to twenty names, quoted."""
    all_names = tuple(names)
    return ", ".join(repr(name) for name in all_names[:20]) + ", ..." * (len(all_names) > 20)


def _field_of_json(value: object) -> Field:
    if not isinstance(value, dict) or set(value) != {"name", "type"} or not isinstance(value["name"], str):
        raise damaged("a column of the schema has not just a name and a type")
    if value["type"] not in FIELD_TYPES:
        raise damaged(f"column {value['name']!r} of the schema has the type {value['type']!r}, which there is not")
    return Field(value["name"], value["type"])
