"""Which family each column has: by the schema alone, or by name.

Values never decide, for two parts of one table could then not be added up. The rule:

    boolean          bernoulli
    integer, real    binned
    category         categorical
    string           categorical, or text where the last word of the column's name is one for texts (TEXT_NAMES)
    date, time       year as a number, month and weekday (and hour) as categories
    null             nothing: the column is left out
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from priori.columns.base import Cells, Codes, ColumnFamily
from priori.columns.bins import BinnedColumn
from priori.columns.categories import BernoulliColumn, Categorical
from priori.columns.registry import FAMILIES, Choice, family_of
from priori.columns.words.column import TextColumn
from priori.data.batch import TableBatch
from priori.data.schema import NUMBERS, Field, FieldType, Schema, listed
from priori.errors import DataError

Calendar: TypeAlias = Literal["year", "month", "weekday", "hour"]
Columns: TypeAlias = Choice | Mapping[Any, Choice]

TEXT_NAMES = frozenset(
    {
        "text", "message", "body", "subject", "headline", "description", "comment", "comments", "review", "content",
        "summary", "abstract", "note", "notes", "remark", "remarks", "question", "answer", "tweet", "sms", "sentence",
        "document", "transcript", "feedback",
    }
)  # fmt: skip
_BETWEEN_WORDS = re.compile(r"[\W\d_]+|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_CALENDAR: dict[Calendar, ColumnFamily] = {
    "month": Categorical(tuple(str(month) for month in range(1, 13))),
    "weekday": Categorical(tuple(str(day) for day in range(1, 8))),
    "hour": Categorical(tuple(str(hour) for hour in range(24))),
}


@dataclass(frozen=True)
class Part:
    """One factor of p(x | y): a column, a part of a date, or several columns jointly."""

    columns: tuple[str, ...]
    family: ColumnFamily
    calendar: Calendar | None = None

    @property
    def name(self) -> str:
        """As explanations and complaints call it."""
        whole = " + ".join(self.columns)
        return whole if self.calendar is None else f"{whole} ({self.calendar})"

    def cells(self, batch: TableBatch) -> Cells:
        """The cells of a batch as the family takes them."""
        if self.family.cells_are == "rows":
            return np.column_stack([batch.numbers(column) for column in self.columns])
        column = self.columns[0]
        if self.calendar is not None:
            return self._of_calendar(batch, column)
        if self.family.cells_are == "numbers":
            return batch.numbers(column)
        return batch.texts(column) if self.family.cells_are == "texts" else Codes(*batch.codes(column))

    def _of_calendar(self, batch: TableBatch, column: str) -> Cells:
        values = getattr(batch.dates(column), str(self.calendar))
        if self.family.cells_are == "numbers":
            return np.asarray(values, np.float64)
        places, codes = np.unique(np.where(values < 0, -1, values), return_inverse=True)
        first = 1 if len(places) and places[0] < 0 else 0
        return Codes((codes.ravel() - first).astype(np.int32), tuple(str(value) for value in places[first:].tolist()))

    def to_json(self) -> dict[str, Any]:
        """Plain values for the model file; the settings of the family are readings, and stored there."""
        return {"columns": list(self.columns), "family": self.family.name, "calendar": self.calendar}


def parts_of(schema: Schema, columns: Columns) -> tuple[Part, ...]:
    """The factors of p(x | y) for a table of this schema.

    columns: "auto"; a family for all columns; or {column: family, (column, column): joint family, column: None}, where
    None leaves a column out and those that are not named are chosen by the rule.
    """
    if not isinstance(columns, Mapping):
        return _one_for_all(schema, columns)
    joint, single = _given(schema, columns)
    parts = list(joint)
    taken = {column for part in joint for column in part.columns}
    for field in schema.fields:
        if field.name in single:
            family = single[field.name]
            parts += [] if family is None else _with_family(field, family)
        elif field.name not in taken:
            parts += _by_rule(field)
    return _some(parts, schema)


def _one_for_all(schema: Schema, choice: Choice) -> tuple[Part, ...]:
    if choice == "auto":
        return _some([part for field in schema.fields for part in _by_rule(field)], schema)
    family = family_of(choice)
    if family is None:
        raise DataError("columns=None leaves nothing to learn from; give 'auto', a family, or {column: family}")
    if family.joint:
        return (_joint(schema, schema.names, family),)
    return _some([part for field in schema.fields for part in _with_family(field, family)], schema)


def _given(schema: Schema, columns: Mapping[Any, Choice]) -> tuple[list[Part], dict[str, ColumnFamily | None]]:
    joint: list[Part] = []
    single: dict[str, ColumnFamily | None] = {}
    for key, choice in columns.items():
        family = family_of(choice)
        if isinstance(key, tuple):
            if family is None or not family.joint:
                raise DataError(f"{key!r} are several columns, which need a joint family: {listed(_joint_names())}")
            joint.append(_joint(schema, tuple(map(str, key)), family))
        elif family is not None and family.joint:
            joint.append(_joint(schema, (str(key),), family))
        else:
            single[schema[str(key)].name] = family
    return joint, single


def _joint_names() -> list[str]:
    return [name for name, family in FAMILIES.items() if family.joint]


def _joint(schema: Schema, names: tuple[str, ...], family: ColumnFamily) -> Part:
    others = [name for name in names if schema[name].type not in NUMBERS | {"null"}]
    if others:
        held = f"{schema[others[0]].type} values"
        said = f"column {others[0]!r} holds {held}" if len(others) == 1 else f"columns {listed(others)} hold {held}"
        raise DataError(f"{said}, and {family} needs numbers; leave {'it' if len(others) == 1 else 'them'} out")
    return Part(names, family)


def _by_rule(field: Field) -> list[Part]:
    chosen: dict[FieldType, ColumnFamily] = {
        "boolean": BernoulliColumn(),
        "integer": BinnedColumn(),
        "real": BinnedColumn(),
        "category": Categorical(),
        "string": TextColumn() if names_text(field.name) else Categorical(),
    }
    if field.type in chosen:
        return [Part((field.name,), chosen[field.type])]
    return [] if field.type == "null" else _dated(field, BinnedColumn())


def names_text(name: str) -> bool:
    """Whether the last word of a name, numbers aside, is one for texts: that word says what the column holds.

    >>> [names_text(name) for name in ("review_text", "userComment2", "Body", "review_id", "context")]
    [True, True, True, False, False]
    """
    words = [word for word in _BETWEEN_WORDS.split(name) if word]
    return bool(words) and words[-1].lower() in TEXT_NAMES


def _with_family(field: Field, family: ColumnFamily) -> list[Part]:
    if field.type in ("date", "time") and family.cells_are == "numbers":
        return _dated(field, family)
    if family.cells_are == "numbers" and field.type not in NUMBERS | {"null"}:
        raise DataError(
            f"column {field.name!r} holds {field.type} values, and {family} needs numbers; choose categorical or text"
        )
    return [Part((field.name,), family)]


def _dated(field: Field, year: ColumnFamily) -> list[Part]:
    calendar: list[Calendar] = ["month", "weekday", *(["hour"] if field.type == "time" else [])]  # type: ignore[list-item]
    parts = [Part((field.name,), year, "year")]
    return parts + [Part((field.name,), _CALENDAR[each], each) for each in calendar]


def _some(parts: list[Part], schema: Schema) -> tuple[Part, ...]:
    if not parts:
        raise DataError(
            f"no column is left to learn from (there are {listed(schema.names) or 'none'}); give a table with some"
        )
    return tuple(parts)


def read_columns(parts: Iterable[Part]) -> set[str]:
    """The columns that are read at all."""
    return {column for part in parts for column in part.columns}
