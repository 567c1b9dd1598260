"""The one door for data: files, folders, mailboxes, frames and lists become a stream of Arrow batches."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from priori.data.batch import Batch, TableBatch
    from priori.data.calendar import DateParts
    from priori.data.files import read, read_columns
    from priori.data.frames import table_batches
    from priori.data.numeric_columns import Column
    from priori.data.objects import read_objects
    from priori.data.options import ReadOptions
    from priori.data.schema import FIELD_TYPES, Field, FieldType, Schema
    from priori.data.streams import FORMATS
    from priori.data.tables import LabelledBatch, read_table, table_columns
    from priori.threads import read_ahead

__all__ = [
    "FIELD_TYPES",
    "FORMATS",
    "Batch",
    "Column",
    "DateParts",
    "Field",
    "FieldType",
    "LabelledBatch",
    "ReadOptions",
    "Schema",
    "TableBatch",
    "read",
    "read_ahead",
    "read_columns",
    "read_objects",
    "read_table",
    "table_batches",
    "table_columns",
]

# Loaded when first touched: who reads lists needs no formats of files.
_HOMES = {
    "Batch": "data.batch",
    "Column": "data.numeric_columns",
    "DateParts": "data.calendar",
    "FIELD_TYPES": "data.schema",
    "FORMATS": "data.streams",
    "Field": "data.schema",
    "FieldType": "data.schema",
    "LabelledBatch": "data.tables",
    "ReadOptions": "data.options",
    "Schema": "data.schema",
    "TableBatch": "data.batch",
    "read": "data.files",
    "read_ahead": "threads",
    "read_columns": "data.files",
    "read_objects": "data.objects",
    "read_table": "data.tables",
    "table_batches": "data.frames",
    "table_columns": "data.tables",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"priori.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'priori.data' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(_HOMES)
