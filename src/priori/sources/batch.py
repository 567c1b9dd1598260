"""What every source yields: a batch of documents as Arrow arrays."""

from dataclasses import dataclass, replace
from typing import Self

import pyarrow as pa


@dataclass(frozen=True)
class Batch:
    """Some documents, in the order of their source; all arrays have the same length."""

    text: pa.Array  # any string or binary type (UTF-8, perhaps invalid); list<string> tokens; map<string, int64> counts
    label: pa.Array | None  # a string type, null where a document is unlabelled; None if the source has no labels
    weight: pa.Array | None  # float64, finite and not negative
    fields: dict[str, pa.Array]  # further text per document, whose features get the prefix "name:"
    keep: dict[str, pa.Array]  # columns passed through untouched
    bytes_read: int  # position in the raw input, all sources together
    bytes_total: int | None  # None where a source does not know its size
    source: str = ""  # what messages call the file or folder that it comes from
    untyped: bool = False  # the columns to keep are as they are written: the source has no types

    def __len__(self) -> int:
        return len(self.text)

    def row(self, place: int) -> Self:
        """One document as a batch of its own, without what stands beside it."""
        fields = {name: column.slice(place, 1) for name, column in self.fields.items()}
        return replace(self, text=self.text.slice(place, 1), label=None, weight=None, fields=fields, keep={})

    def rows(self, places: pa.Array) -> Self:
        """Only these documents, in this order."""
        return replace(
            self,
            text=_taken(self.text, places),
            label=None if self.label is None else _taken(self.label, places),
            weight=None if self.weight is None else _taken(self.weight, places),
            fields={name: _taken(column, places) for name, column in self.fields.items()},
            keep={name: _taken(column, places) for name, column in self.keep.items()},
        )


def _taken(column: pa.Array, places: pa.Array) -> pa.Array:
    views = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}  # which Arrow cannot take from
    return column.cast(views.get(column.type, column.type)).take(places)
