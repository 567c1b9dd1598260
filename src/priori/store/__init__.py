"""The container file: named Arrow tables and JSON, checked when read, whole or not at all when written."""

from priori.store.atomic import atomic_output
from priori.store.canonical_json import Json
from priori.store.container import Section, Sections, combined_digest, names, read, table_digest, write
from priori.store.damage import naming_file

__all__ = [
    "Json",
    "Section",
    "Sections",
    "atomic_output",
    "combined_digest",
    "names",
    "naming_file",
    "read",
    "table_digest",
    "write",
]
