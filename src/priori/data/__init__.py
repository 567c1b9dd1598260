"""Any table in, typed columns out: frames, arrays and files become batches with one schema."""

from priori.tables.batch import TableBatch
from priori.tables.calendar import DateParts
from priori.tables.files import LabelledBatch, read_table, table_columns
from priori.tables.frames import table_batches
from priori.tables.schema import FIELD_TYPES, Field, FieldType, Schema

__all__ = [
    "FIELD_TYPES",
    "DateParts",
    "Field",
    "FieldType",
    "LabelledBatch",
    "Schema",
    "TableBatch",
    "read_table",
    "table_batches",
    "table_columns",
]
