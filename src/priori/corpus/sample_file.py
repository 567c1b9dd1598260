"""A sample as a table of the model file, and back with every check."""

from collections.abc import Mapping
from typing import Any

from priori.corpus.sample import Sample
from priori.store import checks
from priori.store.columns import Column, Lists, Table

ENTRY = (Column("term", "int32"), Column("count", "int32"))
SCHEMA = (
    Column("hash", "uint64"),
    Column("class", "int32"),
    Column("copies", "int64"),
    Column("features", "large_list", Column("item", "struct", *ENTRY)),
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
