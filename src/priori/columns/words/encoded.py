"""Documents as rows of (term, count): some kept beside the counts, chosen by their content alone, and their table."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from priori import _core
from priori.store import checks
from priori.store.table_types import Column, Lists, Table

Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]

ENTRY = (Column("term", "int32"), Column("count", "int32"))
SCHEMA = (
    Column("hash", "uint64"),
    Column("class", "int32"),
    Column("copies", "int64"),
    Column("features", "large_list", Column("item", "struct", *ENTRY)),
)


@dataclass(frozen=True, eq=False)
class Sample:
    """Distinct documents with a class and a number of copies, as rows of (term, count).

    A document is kept when its content hash has `bits` leading zeros: a choice that knows nothing of order, batches or
    machines, so samples merge and forget as counts do.
    """

    bits: int
    hash: npt.NDArray[np.uint64]
    cls: Int32s
    copies: Int64s  # total weight of the identical documents, in the units of the counts
    offsets: Int64s
    term: Int32s  # ids of the counts' terms, ascending within a row
    count: Int32s

    def __len__(self) -> int:
        return len(self.hash)

    @classmethod
    def empty(cls) -> Self:
        """Of no documents."""
        none32, none64 = np.zeros(0, np.int32), np.zeros(0, np.int64)
        return cls(0, np.zeros(0, np.uint64), none32, none64, np.zeros(1, np.int64), none32, none32)

    @classmethod
    def from_core(cls, arrays: Mapping[str, Any]) -> Self:
        """From the compiled counter's arrays."""
        names = ("bits", "hash", "class", "copies", "offsets", "term", "count")
        return cls(*(arrays[name] for name in names))

    def renamed(self, terms: Int32s, classes: Int32s, factor: int = 1) -> Self:
        """With the ids of another table of counts. Rows with a term or a class that is no more are dropped."""
        term = terms[self.term] if len(self.term) else self.term
        cls = classes[self.cls] if len(self) else self.cls
        lost = np.concatenate([[0], np.cumsum(term < 0)])
        kept = (np.diff(lost[self.offsets]) == 0) & (cls >= 0)
        renamed = replace(self, term=term, cls=cls, copies=self.copies * factor)
        return renamed if kept.all() else renamed.rows(np.flatnonzero(kept))

    def without_terms(self, place: Int32s) -> Self:
        """Every row, less the terms that have no place any more."""
        keep = place[self.term] >= 0 if len(self.term) else np.zeros(0, bool)
        kept = np.concatenate([[0], np.cumsum(keep)]).astype(np.int64)
        entries = place[self.term[keep]] if len(self.term) else self.term
        return replace(self, offsets=kept[self.offsets], term=entries, count=self.count[keep])

    def in_units(self, bits: int) -> Self:
        """Copies in units 2^bits times as large: exact, since they are as whole as the counts they came with."""
        return replace(self, copies=self.copies >> bits)

    def rows(self, chosen: npt.NDArray[np.intp]) -> Self:
        """Only these rows, in this order."""
        sizes = np.diff(self.offsets)[chosen]
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        entries = np.repeat(self.offsets[:-1][chosen] - offsets[:-1], sizes) + np.arange(offsets[-1])
        return replace(
            self,
            hash=self.hash[chosen],
            cls=self.cls[chosen],
            copies=self.copies[chosen],
            offsets=offsets,
            term=self.term[entries],
            count=self.count[entries],
        )

    def __add__(self, other: Self) -> Self:
        """Both sets of rows, filtered to the smaller threshold. The ids must be of one table of counts."""
        return type(self).from_core(
            _core.canonical_sample(
                max(self.bits, other.bits),
                np.concatenate([self.hash, other.hash]),
                np.concatenate([self.cls, other.cls]),
                np.concatenate([self.copies, other.copies]),
                np.concatenate([self.offsets, other.offsets[1:] + self.offsets[-1]]),
                np.concatenate([self.term, other.term]),
                np.concatenate([self.count, other.count]),
            )
        )


def sample_to_table(sample: Sample) -> Table:
    """The rows as a table."""
    features = Lists(sample.offsets, Table(ENTRY, {"term": sample.term, "count": sample.count}))
    return Table(SCHEMA, {"hash": sample.hash, "class": sample.cls, "copies": sample.copies, "features": features})


def sample_from_table(sections: Mapping[str, Any], bits: object, classes: int, terms: int) -> Sample:
    """Checked: ids within bounds, positive counts, rows in order, hashes under the threshold."""
    table = checks.expect_table(sections, "sample", SCHEMA)
    entries = table["features"].items
    sample = Sample(
        checks.integer("sample", "the number of leading zeros", bits, 0, 64),
        table["hash"],
        table["class"],
        table["copies"],
        table["features"].offsets,
        entries["term"],
        entries["count"],
    )
    checks.offsets_within("sample", "features", sample.offsets, len(sample.term))
    checks.ids_below("sample", "class", sample.cls, classes)
    checks.ids_below("sample", "term", sample.term, terms)
    checks.positive("sample", "copies", sample.copies)
    checks.positive("sample", "count", sample.count)
    checks.strictly_increasing_inside("sample", "term", sample.term, sample.offsets)
    if len(sample) and bool((sample.hash[1:] < sample.hash[:-1]).any()):
        raise checks.fault("sample", "its rows are not in the order of their hashes")
    if len(sample) and sample.bits and int(sample.hash[-1]) >> (64 - sample.bits):
        raise checks.fault("sample", "a hash lies over the threshold")
    return sample
